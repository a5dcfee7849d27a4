#include "churn.h"

#include <inttypes.h>
#include <stdio.h>

// 1% of 2^32.
#define ONE_PERCENT 42949673u

// More than 1% of a chunk's rows can be.
#define PICKS_MAX 64u

// What a tick does. Kinds alone: the world grows, shrinks, or has more or fewer tags every tick.
typedef enum churn_kinds {
    CHURN_CREATE = 1,
    CHURN_DESTROY = 2,
    CHURN_TAG = 4,
    CHURN_UNTAG = 8,
    CHURN_ALL = 15,
} churn_kinds;

static const churn_kinds create_alone = CHURN_CREATE;
static const churn_kinds destroy_alone = CHURN_DESTROY;
static const churn_kinds both = CHURN_CREATE | CHURN_DESTROY;

// The random words of one chunk, four from each block.
typedef struct word_stream {
    weft_random_key key;
    uint32_t subject;
    uint32_t used;
    weft_random_block block;
} word_stream;

static word_stream words_of_chunk(const weft_view* view) {
    return (word_stream){.key = weft_view_random_chunk(view), .subject = weft_view_shard(view)};
}

static uint32_t draw_word(word_stream* words) {
    if (words->used % 4 == 0)
        words->block = weft_random_block_at(words->key, words->subject, words->used / 4);
    return words->block.word[words->used++ % 4];
}

// A number under n. The bias of at most n / 2^32 is nothing for a benchmark.
static uint32_t draw_below(word_stream* words, uint32_t n) {
    return (uint32_t)(((uint64_t)draw_word(words) * n) >> 32);
}

// 1% of the rows; the fraction left over is drawn, so that small chunks get their share too.
static uint32_t draw_count(word_stream* words, uint32_t rows) {
    return (uint32_t)(((uint64_t)rows * ONE_PERCENT + draw_word(words)) >> 32);
}

// The choice number `index` of `count` different ones among `rows`: each from its own run of rows.
static uint32_t draw_distinct(word_stream* words, uint32_t index, uint32_t count, uint32_t rows) {
    // weft-lint: allow(division): the index is below the count
    uint32_t first = (uint32_t)((uint64_t)rows * index / count);
    // weft-lint: allow(division): the index is below the count
    uint32_t end = (uint32_t)((uint64_t)rows * (index + 1) / count);
    return first + draw_below(words, end - first);
}

static weft_status unmark(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    const uint16_t* rows;
    uint32_t count = weft_view_selected(view, &rows);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t row = rows ? rows[i] : i;
        WEFT_REMOVE(commands, row, entities[row], ChurnMark);
    }
    WEFT_PARTIAL_OF(view, ChurnOperations)->unmarked += count;
    return WEFT_STATUS_OK;
}

// 1% of those with the tag: where nobody tags, there are many.
static weft_status unmark_some(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    uint32_t rows = weft_view_row_count(view);
    word_stream words = words_of_chunk(view);
    uint32_t count = draw_count(&words, rows);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t row = draw_distinct(&words, i, count, rows);
        WEFT_REMOVE(commands, row, entities[row], ChurnMark);
    }
    WEFT_PARTIAL_OF(view, ChurnOperations)->unmarked += count;
    return WEFT_STATUS_OK;
}

static weft_entity record_entity(weft_commands* commands, uint32_t row, weft_entity parent,
                                 const uint32_t word[2]) {
    ChurnA a = {parent.slot, word[0]};
    ChurnB b = {{{(int32_t)word[0] >> 8}, {(int32_t)word[1] >> 8}}};
    ChurnC c = {((uint64_t)word[0] << 32) | word[1]};
    ChurnD d = {parent};
    weft_value values[4] = {{WEFT_TYPE(ChurnA), &a}, {WEFT_TYPE(ChurnB), &b}};
    uint32_t count = 2;
    if (word[1] & 1)
        values[count++] = (weft_value){WEFT_TYPE(ChurnC), &c};
    if (word[1] & 2)
        values[count++] = (weft_value){WEFT_TYPE(ChurnD), &d};
    return weft_commands_create_with(commands, row, values, count);
}

// A birth for each death keeps the number of entities exactly. Rows are drawn before any is looked
// at, so that the handles are on their way.
static weft_status replace(weft_view* view, const void* context) {
    const churn_kinds kinds = *(const churn_kinds*)context;
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    uint32_t rows = weft_view_row_count(view);
    word_stream words = words_of_chunk(view);
    uint32_t count = draw_count(&words, rows);
    uint32_t picked[PICKS_MAX];
    for (uint32_t i = 0; i < count; ++i) {
        picked[i] = draw_distinct(&words, i, count, rows);
        __builtin_prefetch(&entities[picked[i]]);
    }
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t row = picked[i];
        uint32_t word[2] = {draw_word(&words), draw_word(&words)};
        if (kinds & CHURN_DESTROY)
            weft_commands_destroy(commands, row, entities[row]);
        if (kinds & CHURN_CREATE)
            record_entity(commands, row, entities[row], word);
    }
    ChurnOperations* operations = WEFT_PARTIAL_OF(view, ChurnOperations);
    operations->born += kinds & CHURN_CREATE ? count : 0;
    operations->died += kinds & CHURN_DESTROY ? count : 0;
    return WEFT_STATUS_OK;
}

static weft_status mark(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    const uint16_t* rows;
    uint32_t selected = weft_view_selected(view, &rows);
    word_stream words = words_of_chunk(view);
    uint32_t count = draw_count(&words, selected);
    uint32_t picked[PICKS_MAX];
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t choice = draw_distinct(&words, i, count, selected);
        picked[i] = rows ? rows[choice] : choice;
        __builtin_prefetch(&entities[picked[i]]);
    }
    for (uint32_t i = 0; i < count; ++i)
        WEFT_ADD_TAG(commands, picked[i], entities[picked[i]], ChurnMark);
    WEFT_PARTIAL_OF(view, ChurnOperations)->marked += count;
    return WEFT_STATUS_OK;
}

static weft_status total(weft_view* view, const void* context) {
    (void)context;
    const ChurnOperations* operations = WEFT_REDUCED_OF(view, ChurnOperations);
    ChurnTotals* totals = WEFT_RESOURCE_WRITE(view, ChurnTotals);
    totals->born += operations->born;
    totals->died += operations->died;
    totals->marked += operations->marked;
    totals->unmarked += operations->unmarked;
    return WEFT_STATUS_OK;
}

static void combine(void* left, const void* right) {
    ChurnOperations* sum = left;
    const ChurnOperations* part = right;
    sum->born += part->born;
    sum->died += part->died;
    sum->marked += part->marked;
    sum->unmarked += part->unmarked;
}

static weft_status register_types(weft_world* world, weft_storage mark_storage, uint64_t start) {
    static const weft_type* const dense[] = {WEFT_TYPE(ChurnA), WEFT_TYPE(ChurnB),
                                             WEFT_TYPE(ChurnC), WEFT_TYPE(ChurnD)};
    for (size_t i = 0; i < 4; ++i)
        WEFT_TRY(weft_world_register_component(world, dense[i], WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(ChurnMark), mark_storage));
    WEFT_TRY(weft_world_register_reduction(world, WEFT_TYPE(ChurnOperations), NULL, combine));
    ChurnTotals totals = {.start = start};
    return weft_world_register_resource(world, WEFT_TYPE(ChurnTotals), 1, &totals);
}

static weft_status add_systems(weft_schedule* schedule, churn_kinds kinds) {
    const weft_system_desc* const systems[] = {
        WEFT_SYSTEM(
            "unmark", kinds == CHURN_UNTAG ? unmark_some : unmark,
            WEFT_ACCESS(WEFT_WITH(ChurnMark), WEFT_REDUCES(ChurnOperations), WEFT_COMMANDS)),
        WEFT_SYSTEM("replace", replace,
                    .context = kinds == CHURN_CREATE    ? &create_alone
                               : kinds == CHURN_DESTROY ? &destroy_alone
                                                        : &both,
                    WEFT_ACCESS(WEFT_WITH(ChurnA), WEFT_REDUCES(ChurnOperations), WEFT_COMMANDS)),
        WEFT_SYSTEM("mark", mark,
                    WEFT_ACCESS(WEFT_WITH(ChurnA), WEFT_WITHOUT(ChurnMark),
                                WEFT_REDUCES(ChurnOperations), WEFT_COMMANDS)),
        WEFT_SYSTEM("total", total, .scope = WEFT_SCOPE_WORLD,
                    WEFT_ACCESS(WEFT_REDUCED(ChurnOperations), WEFT_WRITES_RESOURCE(ChurnTotals))),
    };
    const churn_kinds wanted[] = {CHURN_UNTAG, both, CHURN_TAG, CHURN_ALL};
    for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); ++i)
        if (kinds & wanted[i])
            WEFT_TRY(weft_schedule_add_system(schedule, systems[i]));
    return WEFT_STATUS_OK;
}

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule, weft_storage mark_storage, churn_kinds kinds) {
    if (options->entity_count > WEFT_SLOT_LIMIT_MAX)
        return WEFT_STATUS_BAD_ARGUMENT;
    WEFT_TRY(register_types(world, mark_storage, options->entity_count));
    WEFT_TRY(add_systems(schedule, kinds));
    weft_random_key key = {.seed = options->seed, .system = weft_hash64_of_name("churn_start")};
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < options->entity_count; ++i) {
        weft_random_block draw = weft_random_block_at(key, i, 0);
        weft_entity made = record_entity(commands, 0, WEFT_ENTITY_NULL, draw.word);
        if (kinds == CHURN_UNTAG)
            WEFT_ADD_TAG(commands, 0, made, ChurnMark);
    }
    return WEFT_STATUS_OK;
}

static weft_status build_dense(const weft_module_options* options, weft_world* world,
                               weft_schedule* schedule) {
    return build(options, world, schedule, WEFT_STORAGE_DENSE, CHURN_ALL);
}

static weft_status build_create(const weft_module_options* options, weft_world* world,
                                weft_schedule* schedule) {
    return build(options, world, schedule, WEFT_STORAGE_DENSE, CHURN_CREATE);
}

static weft_status build_destroy(const weft_module_options* options, weft_world* world,
                                 weft_schedule* schedule) {
    return build(options, world, schedule, WEFT_STORAGE_DENSE, CHURN_DESTROY);
}

static weft_status build_tag(const weft_module_options* options, weft_world* world,
                             weft_schedule* schedule) {
    return build(options, world, schedule, WEFT_STORAGE_DENSE, CHURN_TAG);
}

static weft_status build_untag(const weft_module_options* options, weft_world* world,
                               weft_schedule* schedule) {
    return build(options, world, schedule, WEFT_STORAGE_DENSE, CHURN_UNTAG);
}

static weft_status build_sparse(const weft_module_options* options, weft_world* world,
                                weft_schedule* schedule) {
    return build(options, world, schedule, WEFT_STORAGE_SPARSE, CHURN_ALL);
}

uint64_t weft_churn_operations(const weft_world* world) {
    const ChurnTotals* totals = weft_world_resource(world, WEFT_TYPE(ChurnTotals));
    return totals->born + totals->died + totals->marked + totals->unmarked;
}

static bool check(const weft_world* world, char* message, size_t capacity) {
    const ChurnTotals* totals = weft_world_resource(world, WEFT_TYPE(ChurnTotals));
    uint64_t count = weft_world_entity_count(world);
    if (count == totals->start && totals->born == totals->died &&
        totals->unmarked <= totals->marked)
        return true;
    snprintf(message, capacity,
             "%" PRIu64 " entities of %" PRIu64 ", %" PRIu64 " born, %" PRIu64 " died, %" PRIu64
             " marked, %" PRIu64 " unmarked",
             count, totals->start, totals->born, totals->died, totals->marked, totals->unmarked);
    return false;
}

static void describe_state(const weft_world* world, char* line, size_t capacity) {
    const ChurnTotals* totals = weft_world_resource(world, WEFT_TYPE(ChurnTotals));
    snprintf(line, capacity,
             "born %" PRIu64 ", died %" PRIu64 ", marked %" PRIu64 ", unmarked %" PRIu64,
             totals->born, totals->died, totals->marked, totals->unmarked);
}

const weft_module weft_workload_churn = {
    .abi = WEFT_MODULE_ABI,
    .name = "churn",
    .summary = "structural change: 1% each of births, deaths, tags and untags, tag dense",
    .entity_count_default = 100000,
    .tick_count_default = 100,
    .build = build_dense,
    .check = check,
    .describe_state = describe_state,
};

const weft_module weft_workload_churn_sparse = {
    .abi = WEFT_MODULE_ABI,
    .name = "churn_sparse",
    .summary = "structural change: the same with the tag in a presence table",
    .entity_count_default = 100000,
    .tick_count_default = 100,
    .build = build_sparse,
    .check = check,
    .describe_state = describe_state,
};

// One kind alone, for measuring: not in the registry.
#define CHURN_ALONE(kind, text)                                                                    \
    const weft_module weft_churn_##kind = {                                                        \
        .abi = WEFT_MODULE_ABI,                                                                    \
        .name = #kind,                                                                             \
        .summary = text,                                                                           \
        .entity_count_default = 100000,                                                            \
        .tick_count_default = 50,                                                                  \
        .build = build_##kind,                                                                     \
    }

CHURN_ALONE(create, "structural change: births of 1%");
CHURN_ALONE(destroy, "structural change: deaths of 1%");
CHURN_ALONE(tag, "structural change: tags for 1% of those without");
CHURN_ALONE(untag, "structural change: untags of 1% of those with one");
