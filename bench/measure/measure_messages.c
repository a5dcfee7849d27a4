/// Messages: each row sends one, to another entity or to the world, and all are read in the same
/// tick, against appending to a vector and sorting it by counting.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "rig.h"

WEFT_COMPONENT(MessageBox, (uint32_t, heard), (uint32_t, word));
/// Whom this one writes to.
WEFT_COMPONENT(MessageFriend, (weft_entity, to));
WEFT_RESOURCE(MessageTotal, (uint64_t, heard));
WEFT_MESSAGE(Letter, (uint32_t, word), (uint32_t, from));
WEFT_MESSAGE(Notice, (uint32_t, word), (uint32_t, from));

enum {
    TICKS_COMPARED = 3,
    CASES_MAX = 3
};

// Order counts: what is heard in another order is another number.
static inline uint32_t hear(uint32_t heard, uint32_t word) {
    return heard * 31 + word;
}

static inline uint32_t word_of(uint32_t row) {
    return row * 2654435761u;
}

// Anybody, so that reading goes all over memory.
static inline uint32_t friend_of(uint32_t row, uint32_t count) {
    return (uint32_t)((uint64_t)((row * 2246822519u) ^ (row << 13)) * count >> 32);
}

// Weft -------------------------------------------------------------------------------------------

static weft_status send_letters(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    const MessageBox* box = WEFT_READ(view, MessageBox);
    const MessageFriend* friends = WEFT_READ(view, MessageFriend);
    uint32_t count = weft_view_row_count(view);
    for (uint32_t row = 0; row < count; ++row)
        WEFT_EMIT(view, row, friends[row].to, Letter, {box[row].word, entities[row].slot});
    return WEFT_STATUS_OK;
}

static weft_status read_letters(weft_view* view, const void* context) {
    (void)context;
    MessageBox* box = WEFT_WRITE(view, MessageBox);
    weft_inbox inbox = weft_view_inbox(view, WEFT_TYPE(Letter));
    while (weft_inbox_next(&inbox))
        box[inbox.row].heard = hear(box[inbox.row].heard, ((const Letter*)inbox.message)->word);
    return WEFT_STATUS_OK;
}

static weft_status send_notices(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    const MessageBox* box = WEFT_READ(view, MessageBox);
    uint32_t count = weft_view_row_count(view);
    for (uint32_t row = 0; row < count; ++row)
        WEFT_EMIT(view, row, WEFT_ENTITY_NULL, Notice, {box[row].word, entities[row].slot});
    return WEFT_STATUS_OK;
}

static weft_status read_notices(weft_view* view, const void* context) {
    (void)context;
    uint32_t count;
    const Notice* notices = weft_view_messages(view, WEFT_TYPE(Notice), &count);
    uint32_t heard = (uint32_t)WEFT_RESOURCE_READ(view, MessageTotal)->heard;
    for (uint32_t i = 0; i < count; ++i)
        heard = hear(heard, notices[i].word);
    WEFT_RESOURCE_WRITE(view, MessageTotal)->heard = heard;
    return WEFT_STATUS_OK;
}

static weft_status make_entities(const weft_module_options* options, weft_world* world) {
    uint32_t count = (uint32_t)options->entity_count;
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(MessageBox), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(MessageFriend), WEFT_STORAGE_DENSE));
    weft_commands* commands = weft_world_commands(world);
    weft_entity* made = malloc(count * sizeof(weft_entity));
    if (!made)
        return WEFT_STATUS_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < count; ++i)
        made[i] = WEFT_CREATE(commands, 0, WEFT_VALUE(MessageBox, {0, word_of(i)}));
    for (uint32_t i = 0; i < count; ++i)
        WEFT_ADD(commands, 0, made[i], MessageFriend, {made[friend_of(i, count)]});
    free(made);
    return WEFT_STATUS_OK;
}

static weft_status build_letters(const weft_module_options* options, weft_world* world,
                                 weft_schedule* schedule) {
    WEFT_TRY(make_entities(options, world));
    WEFT_TRY(weft_world_register_channel(world, WEFT_TYPE(Letter), WEFT_TARGET_ENTITY,
                                         WEFT_DELIVERY_TICK));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("send", send_letters,
                              WEFT_ACCESS(WEFT_READS(MessageBox), WEFT_READS(MessageFriend),
                                          WEFT_EMITS(Letter)))));
    return weft_schedule_add_system(
        schedule, WEFT_SYSTEM("read", read_letters,
                              WEFT_ACCESS(WEFT_WRITES(MessageBox), WEFT_CONSUMES(Letter))));
}

static weft_status build_notices(const weft_module_options* options, weft_world* world,
                                 weft_schedule* schedule) {
    WEFT_TRY(make_entities(options, world));
    WEFT_TRY(weft_world_register_channel(world, WEFT_TYPE(Notice), WEFT_TARGET_WORLD,
                                         WEFT_DELIVERY_TICK));
    WEFT_TRY(weft_world_register_resource(world, WEFT_TYPE(MessageTotal), 1, NULL));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("send", send_notices,
                              WEFT_ACCESS(WEFT_READS(MessageBox), WEFT_EMITS(Notice)))));
    return weft_schedule_add_system(
        schedule,
        WEFT_SYSTEM("read", read_notices, .scope = WEFT_SCOPE_WORLD,
                    WEFT_ACCESS(WEFT_CONSUMES(Notice), WEFT_WRITES_RESOURCE(MessageTotal))));
}

static const weft_module letters = {
    .abi = WEFT_MODULE_ABI,
    .name = "to an entity",
    .summary = "a message from each row to another entity",
    .entity_count_default = 100000,
    .tick_count_default = 1,
    .build = build_letters,
};

static const weft_module notices = {
    .abi = WEFT_MODULE_ABI,
    .name = "to the world",
    .summary = "a message from each row to the world",
    .entity_count_default = 100000,
    .tick_count_default = 1,
    .build = build_notices,
};

// By hand ----------------------------------------------------------------------------------------

typedef struct hand_message {
    uint32_t to;
    uint32_t word;
    uint32_t from;
} hand_message;

typedef struct hand_side {
    bool to_world;
    uint32_t count;
    MessageBox* box;
    uint32_t* friends;
    hand_message* sent;
    hand_message* sorted;
    uint32_t* starts; // [count + 1]
    uint32_t total;
} hand_side;

static weft_status open_hand(hand_side* hand, const weft_module* module, uint64_t count) {
    *hand = (hand_side){.to_world = module == &notices, .count = (uint32_t)count};
    hand->box = calloc(count, sizeof(MessageBox));
    hand->friends = calloc(count, sizeof(uint32_t));
    hand->sent = calloc(count, sizeof(hand_message));
    hand->sorted = calloc(count, sizeof(hand_message));
    hand->starts = calloc(count + 1, sizeof(uint32_t));
    if (!hand->box || !hand->friends || !hand->sent || !hand->sorted || !hand->starts)
        return WEFT_STATUS_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < hand->count; ++i) {
        hand->box[i].word = word_of(i);
        hand->friends[i] = friend_of(i, hand->count);
    }
    return WEFT_STATUS_OK;
}

static void close_hand(hand_side* hand) {
    free(hand->box);
    free(hand->friends);
    free(hand->sent);
    free(hand->sorted);
    free(hand->starts);
}

static void sort_sent(hand_side* hand) {
    memset(hand->starts, 0, ((size_t)hand->count + 1) * sizeof(uint32_t));
    for (uint32_t i = 0; i < hand->count; ++i)
        ++hand->starts[hand->sent[i].to];
    uint32_t sum = 0;
    for (uint32_t i = 0; i <= hand->count; ++i) {
        uint32_t one = hand->starts[i];
        hand->starts[i] = sum;
        sum += one;
    }
    for (uint32_t i = 0; i < hand->count; ++i)
        hand->sorted[hand->starts[hand->sent[i].to]++] = hand->sent[i];
}

static weft_status run_hand(void* context, uint64_t repeat) {
    hand_side* hand = context;
    for (uint64_t k = 0; k < repeat; ++k) {
        for (uint32_t i = 0; i < hand->count; ++i)
            hand->sent[i] =
                (hand_message){hand->to_world ? 0 : hand->friends[i], hand->box[i].word, i};
        if (hand->to_world) {
            for (uint32_t i = 0; i < hand->count; ++i)
                hand->total = hear(hand->total, hand->sent[i].word);
            continue;
        }
        sort_sent(hand);
        for (uint32_t i = 0; i < hand->count; ++i) {
            uint32_t* heard = &hand->box[hand->sorted[i].to].heard;
            *heard = hear(*heard, hand->sorted[i].word);
        }
    }
    return WEFT_STATUS_OK;
}

static bool hears_the_same(const hand_side* hand, const weft_world* world) {
    static const weft_access terms[] = {WEFT_READS(MessageBox)};
    if (hand->to_world)
        return ((const MessageTotal*)weft_world_resource(world, WEFT_TYPE(MessageTotal)))->heard ==
               hand->total;
    weft_cursor cursor = weft_world_visit(world, terms, 1);
    while (weft_cursor_next(&cursor)) {
        const MessageBox* box = WEFT_CURSOR_COLUMN(&cursor, MessageBox);
        for (uint32_t row = 0; row < cursor.row_count; ++row) {
            if (box[row].heard != hand->box[cursor.entities[row].slot].heard)
                return false;
        }
    }
    return true;
}

// Measuring --------------------------------------------------------------------------------------

static void fill(weft_measure_table* table, const char* name, uint64_t rows, const weft_case* cases,
                 uint32_t count) {
    unsigned long long messages = rows;
    for (uint32_t i = 0; i < count; ++i)
        weft_measure_add(table, "ns/message", &cases[i].series, 1, "%llu %s, %s", messages, name,
                         cases[i].name);
    weft_series ratio = weft_series_ratio(&cases[0].series, &cases[1].series);
    weft_measure_add(table, "ratio", &ratio, 1, "%llu %s, 1 worker against by hand", messages,
                     name);
    if (count < CASES_MAX)
        return;
    ratio = weft_series_ratio(&cases[0].series, &cases[2].series);
    weft_measure_add(table, "ratio", &ratio, 1, "speed-up of 2 workers, %llu %s", messages, name);
}

static weft_status measure_open(const weft_measure_options* options, const weft_topology* topology,
                                weft_rig* rig, hand_side* hand, weft_measure_table* table) {
    uint32_t workers = options->worker_max == 1 ? 1 : 2;
    if (weft_topology_suggested_workers(topology) < workers)
        workers = 1;
    for (uint32_t i = 1; i <= workers; ++i) {
        weft_executor_desc desc = weft_rig_threads(i, topology);
        WEFT_TRY(weft_rig_add(rig, &desc));
    }
    for (uint32_t i = 0; i < TICKS_COMPARED; ++i)
        WEFT_TRY(weft_rig_tick(rig, i % workers));
    WEFT_TRY(run_hand(hand, TICKS_COMPARED));
    if (!hears_the_same(hand, rig->world)) {
        snprintf(table->error, sizeof(table->error), "%s: by hand, others hear other things",
                 rig->module->name);
        return WEFT_STATUS_DIVERGED;
    }
    weft_rig_side sides[2] = {{.rig = rig, .executor = 0}, {.rig = rig, .executor = 1}};
    weft_case cases[CASES_MAX] = {
        {.name = "weft, 1 worker", .run = weft_rig_run, .context = &sides[0]},
        {.name = "by hand, 1 thread", .run = run_hand, .context = hand},
        {.name = "weft, 2 workers", .run = weft_rig_run, .context = &sides[1]},
    };
    for (uint32_t i = 0; i < CASES_MAX; ++i)
        cases[i].units = hand->count;
    WEFT_TRY(
        weft_measure_cases(options, "messages", weft_sampling_of(options), cases, 1 + workers));
    fill(table, rig->module->name, hand->count, cases, 1 + workers);
    return WEFT_STATUS_OK;
}

static weft_status measure(const weft_measure_options* options, const weft_topology* topology,
                           const weft_module* module, uint64_t rows, weft_measure_table* table) {
    weft_rig rig = {.module = module};
    hand_side hand = {.count = 0};
    weft_measure_report(options, "building the world", 0, 1);
    weft_status status = weft_rig_open(&rig, module, rows, options->seed);
    if (status == WEFT_STATUS_OK)
        status = open_hand(&hand, module, rows);
    if (status == WEFT_STATUS_OK)
        status = measure_open(options, topology, &rig, &hand, table);
    if (status != WEFT_STATUS_OK && table->error[0] == '\0')
        snprintf(table->error, sizeof(table->error), "%s",
                 rig.error[0] ? rig.error : weft_status_text(status));
    close_hand(&hand);
    weft_rig_close(&rig);
    return status;
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    uint64_t sizes[2] = {options->quick ? 3000 : 100000, options->quick ? 9000 : 1000000};
    uint32_t size_count = 2;
    if (options->entity_count > 0) {
        sizes[0] = options->entity_count;
        size_count = 1;
    }
    snprintf(table->title, sizeof(table->title),
             "a message from each row, sent and read in one tick");
    weft_topology* topology = NULL;
    weft_status status = weft_topology_create(NULL, &topology);
    for (uint32_t i = 0; i < size_count && status == WEFT_STATUS_OK; ++i) {
        status = measure(options, topology, &letters, sizes[i], table);
        if (status == WEFT_STATUS_OK)
            status = measure(options, topology, &notices, sizes[i], table);
    }
    weft_topology_destroy(topology);
    return status;
}

const weft_measure weft_measure_messages = {
    .name = "messages",
    .summary = "a message from each row, to entities and to the world, against sorting by hand",
    .run = run,
};
