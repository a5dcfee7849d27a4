// Random numbers as systems have them (C8): keyed by the system's name, a stream in a resource, and
// none at all where determinism is off.

#include "worlds.h"

#include <weft/stream.h>
#include <weft/verify.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

WEFT_COMPONENT(Lot, (uint64_t, entity), (uint64_t, chunk));
WEFT_COMPONENT(Other, (uint64_t, sum));
WEFT_RESOURCE(Hat, (uint64_t, drawn), (uint64_t, number));
WEFT_RESOURCE(Dice, WEFT_STREAM_FIELDS, (uint32_t, pips), (uint32_t, throws));
WEFT_TAG(Mark);

enum {
    ENTITIES = 2 * WEFT_SHARD_SLOTS + 100,
    TICKS = 5
};

// Keyed draws ------------------------------------------------------------------------------------

/// A number of all that a key can give.
static uint64_t draws_of(weft_random_key key, uint32_t subject) {
    uint32_t deal[3];
    weft_random_sample(key, subject, 8, 52, 3, deal);
    return weft_random_u64(key, subject, 0) ^ weft_random_u32(key, subject, 1) ^
           (uint64_t)(uint32_t)weft_random_normal(key, subject, 2).raw << 32 ^
           weft_random_u64_below(key, subject, 3, 1000003) << 20 ^ deal[0] ^ deal[1] << 8 ^
           deal[2] << 16;
}

static weft_status draw_lots(weft_view* view, const void* context) {
    (void)context;
    Lot* lots = WEFT_WRITE(view, Lot);
    const weft_entity* entities = weft_view_entities(view);
    cr_assert(weft_view_has_random(view));
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        lots[i].entity = lots[i].entity * 3 + draws_of(weft_view_random(view), entities[i].slot);
        lots[i].chunk = draws_of(weft_view_random_chunk(view), weft_view_shard(view));
    }
    return WEFT_STATUS_OK;
}

static weft_status draw_from_hat(weft_view* view, const void* context) {
    (void)context;
    Hat* hat = WEFT_RESOURCE_WRITE(view, Hat);
    hat->number = hat->number * 3 + draws_of(weft_view_random(view), 0);
    hat->drawn++;
    return WEFT_STATUS_OK;
}

/// Draws too, of the same subjects, and of more.
static weft_status disturb(weft_view* view, const void* context) {
    (void)context;
    Other* others = WEFT_WRITE(view, Other);
    const weft_entity* entities = weft_view_entities(view);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        others[i].sum += draws_of(weft_view_random(view), entities[i].slot);
    return WEFT_STATUS_OK;
}

/// What stands beside the systems whose draws are looked at.
typedef struct company {
    const char* before; // Name of a system that comes first; null: none.
    const char* after;  // The same at the end.
    const char* lots;   // The name of draw_lots.
} company;

static void add_disturb(weft_schedule* schedule, const char* name) {
    if (name != NULL)
        run_add(schedule, WEFT_SYSTEM(name, disturb, WEFT_ACCESS(WEFT_WRITES(Other))));
}

/// Folds all lots and the hat after some ticks.
static void draw(const company* with, const run_config* config, uint64_t* lots_out,
                 uint64_t* hat_out) {
    weft_world_desc desc = weft_world_desc_default();
    weft_world* world = world_make_for(config->kind, &desc);
    weft_schedule* schedule = run_schedule(world);
    world_component(world, WEFT_TYPE(Lot), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Other), WEFT_STORAGE_DENSE);
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Hat), 1, NULL));
    for (uint32_t i = 0; i < ENTITIES; i++)
        WEFT_CREATE(weft_world_commands(world), 0, WEFT_VALUE(Lot, {0, 0}), WEFT_VALUE(Other, {0}));
    world_commit(world);
    add_disturb(schedule, with->before);
    run_add(schedule, WEFT_SYSTEM(with->lots, draw_lots, WEFT_ACCESS(WEFT_WRITES(Lot))));
    run_add(schedule, WEFT_SYSTEM("hat", draw_from_hat, WEFT_ACCESS(WEFT_WRITES_RESOURCE(Hat)),
                                  .scope = WEFT_SCOPE_WORLD));
    add_disturb(schedule, with->after);
    weft_executor* executor = run_executor(schedule, config);
    for (uint32_t tick = 0; tick < TICKS; tick++)
        WORLD_OK(world, weft_executor_tick(executor));
    const weft_access terms[] = {WEFT_READS(Lot)};
    weft_cursor cursor = weft_world_visit(world, terms, 1);
    *lots_out = 0;
    while (weft_cursor_next(&cursor))
        for (uint32_t i = 0; i < cursor.row_count; i++) {
            const Lot* lot = &WEFT_CURSOR_COLUMN(&cursor, Lot)[i];
            *lots_out = *lots_out * 31 + lot->entity * 7 + lot->chunk;
        }
    *hat_out = ((const Hat*)weft_world_resource(world, WEFT_TYPE(Hat)))->number;
    weft_executor_destroy(executor);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

Test(random, other_systems_change_no_draw) {
    static const company companies[] = {
        {NULL, NULL, "lots"},           {"disturb", NULL, "lots"},
        {NULL, "disturb", "lots"},      {"disturb", "disturb again", "lots"},
        {"an other name", "x", "lots"},
    };
    uint64_t lots = 0;
    uint64_t hat = 0;
    draw(&companies[0], &run_configs[0], &lots, &hat);
    for (size_t i = 0; i < sizeof companies / sizeof companies[0]; i++)
        for (size_t j = 0; j < RUN_CONFIGS; j++) {
            uint64_t lots_now;
            uint64_t hat_now;
            draw(&companies[i], &run_configs[j], &lots_now, &hat_now);
            cr_assert(lots_now == lots && hat_now == hat, "company %zu, %s", i,
                      run_configs[j].name);
        }
    // The system's own name is what its draws hang on, and nobody else's do.
    const company renamed = {NULL, NULL, "tickets"};
    uint64_t tickets;
    uint64_t hat_now;
    draw(&renamed, &run_configs[0], &tickets, &hat_now);
    cr_assert_neq(tickets, lots);
    cr_assert_eq(hat_now, hat);
}

// A stream in a resource -------------------------------------------------------------------------

#define DICE_SEED 99u
#define DICE_ID 3u

static weft_status throw_dice(weft_view* view, const void* context) {
    (void)context;
    Dice* dice = WEFT_RESOURCE_WRITE(view, Dice);
    weft_stream stream = WEFT_STREAM_LOAD(dice);
    // How many are thrown hangs on what was thrown: a history that only the state can carry.
    uint32_t count = weft_stream_range(&stream, 1, 7);
    for (uint32_t i = 0; i < count; i++)
        dice->pips += weft_stream_range(&stream, 1, 7);
    dice->throws += count;
    WEFT_STREAM_STORE(dice, stream);
    return WEFT_STATUS_OK;
}

/// Reads what was thrown, so that the dice are in the way of the chunks.
static weft_status spread(weft_view* view, const void* context) {
    (void)context;
    const Dice* dice = WEFT_RESOURCE_READ(view, Dice);
    Other* others = WEFT_WRITE(view, Other);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        others[i].sum = others[i].sum * 5 + dice->pips + (dice->part1 >> 50);
    return WEFT_STATUS_OK;
}

static void dice_build(weft_world* world, weft_schedule* schedule) {
    weft_stream stream = weft_stream_seed(weft_stream_substream(DICE_SEED, DICE_ID));
    Dice dice = {0};
    WEFT_STREAM_STORE(&dice, stream);
    world_component(world, WEFT_TYPE(Other), WEFT_STORAGE_DENSE);
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Dice), 1, &dice));
    for (uint32_t i = 0; i < ENTITIES; i++)
        WEFT_CREATE(weft_world_commands(world), 0, WEFT_VALUE(Other, {i}));
    world_commit(world);
    run_add(schedule, WEFT_SYSTEM("dice", throw_dice, WEFT_ACCESS(WEFT_WRITES_RESOURCE(Dice)),
                                  .scope = WEFT_SCOPE_WORLD));
    run_add(schedule, WEFT_SYSTEM("spread", spread,
                                  WEFT_ACCESS(WEFT_WRITES(Other), WEFT_READS_RESOURCE(Dice))));
}

/// The dice of this tick are those of a stream that was thrown by hand.
static void dice_check(const sim* s, uint64_t tick) {
    weft_stream stream = weft_stream_seed(weft_stream_substream(DICE_SEED, DICE_ID));
    uint32_t pips = 0;
    uint32_t throws = 0;
    for (uint64_t i = 0; i < tick; i++) {
        uint32_t count = weft_stream_range(&stream, 1, 7);
        throws += count;
        for (uint32_t j = 0; j < count; j++)
            pips += weft_stream_range(&stream, 1, 7);
    }
    const Dice* dice = weft_world_resource(s->world, WEFT_TYPE(Dice));
    cr_assert(dice->pips == pips && dice->throws == throws, "tick %" PRIu64, tick);
    cr_assert(dice->part1 == stream.part1 && dice->part2 == stream.part2);
}

Test(random, a_stream_in_a_resource_is_the_same_everywhere) {
    sim_same_everywhere(dice_build, 12, dice_check);
}

/// The stream is state: worlds that differ in its position alone have other digests.
Test(random, the_streams_position_is_in_the_digest) {
    weft_digest views[2];
    for (int i = 0; i < 2; i++) {
        weft_world* world = world_make();
        weft_stream stream = weft_stream_seed(1);
        for (int j = 0; j < i; j++)
            (void)weft_stream_next(&stream);
        Dice dice = {0};
        WEFT_STREAM_STORE(&dice, stream);
        WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Dice), 1, &dice));
        views[i] = weft_world_digest_view(world);
        weft_world_destroy(world);
    }
    DIGEST_NE(views[0], views[1]);
}

// Determinism off --------------------------------------------------------------------------------

static weft_world* world_make_with(bool deterministic, weft_executor_kind kind) {
    weft_world_desc desc = weft_world_desc_default();
    cr_assert(desc.deterministic, "it is on unless it is turned off");
    desc.deterministic = deterministic;
    weft_world* world = world_make_for(kind, &desc);
    cr_assert_eq(weft_world_is_deterministic(world), deterministic);
    return world;
}

static weft_status look_at_world(weft_view* view, const void* context) {
    return weft_view_has_random(view) == *(const bool*)context
               ? WEFT_STATUS_OK
               : weft_view_fail(view, "the generator is not as the world was made");
}

static weft_status look(weft_view* view, const void* context) {
    WEFT_TRY(look_at_world(view, context));
    Lot* lots = WEFT_WRITE(view, Lot);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        lots[i].entity++;
    return WEFT_STATUS_OK;
}

/// All but the generator works, on every executor, and the identity tells.
Test(random, off_there_is_no_generator) {
    weft_digest views[2];
    weft_digest fulls[2];
    static const bool answers[2] = {false, true};
    for (size_t i = 0; i < 2 * RUN_CONFIGS; i++) {
        const bool* on = &answers[i % 2];
        weft_world* world = world_make_with(*on, run_configs[i / 2].kind);
        weft_schedule* schedule = run_schedule(world);
        world_component(world, WEFT_TYPE(Lot), WEFT_STORAGE_DENSE);
        for (uint32_t j = 0; j < ENTITIES; j++)
            WEFT_CREATE(weft_world_commands(world), 0, WEFT_VALUE(Lot, {j, 0}));
        world_commit(world);
        run_add(schedule, WEFT_SYSTEM("look", look, WEFT_ACCESS(WEFT_WRITES(Lot)), .context = on));
        run_add(schedule, WEFT_SYSTEM("look at world", look_at_world, .scope = WEFT_SCOPE_WORLD,
                                      .context = on));
        weft_executor* executor = run_executor(schedule, &run_configs[i / 2]);
        for (uint32_t tick = 0; tick < 3; tick++)
            WORLD_OK(world, weft_executor_tick(executor));
        weft_digest view = weft_world_digest_view(world);
        weft_digest full = weft_world_digest_full(world);
        if (i < 2) {
            views[i] = view;
            fulls[i] = full;
        }
        DIGEST_EQ(view, views[0]);
        DIGEST_EQ(full, fulls[i % 2]);
        weft_executor_destroy(executor);
        weft_schedule_destroy(schedule);
        weft_world_destroy(world);
    }
    DIGEST_NE(fulls[0], fulls[1]);
}

static weft_status ask(weft_view* view, const void* context) {
    if (*(const int*)context % 2 == 0)
        (void)weft_view_random(view);
    else
        (void)weft_view_random_chunk(view);
    return WEFT_STATUS_OK;
}

/// Asks for a key: 0 by entity, 1 by chunk, 2 and 3 the same in world scope.
static void run_question(bool deterministic, const int* question) {
    weft_world* world = world_make_with(deterministic, WEFT_EXECUTOR_SERIAL);
    weft_schedule* schedule = run_schedule(world);
    world_component(world, WEFT_TYPE(Mark), WEFT_STORAGE_DENSE);
    WEFT_ADD_TAG(weft_world_commands(world), 0, weft_commands_create(weft_world_commands(world), 0),
                 Mark);
    world_commit(world);
    if (*question < 2)
        run_add(schedule,
                WEFT_SYSTEM("gambler", ask, WEFT_ACCESS(WEFT_WITH(Mark)), .context = question));
    else
        run_add(schedule,
                WEFT_SYSTEM("gambler", ask, .scope = WEFT_SCOPE_WORLD, .context = question));
    weft_executor* executor = run_executor(schedule, &run_configs[0]);
    WORLD_OK(world, weft_executor_tick(executor));
    weft_executor_destroy(executor);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

Test(random, off_asking_for_a_key_ends_the_program_and_says_why) {
    static const int questions[] = {0, 1, 2, 3};
    for (size_t i = 0; i < 4; i++) {
        run_question(true, &questions[i]); // Where it is on there is a key.
        char text[1024];
        size_t size = 0;
        ssize_t got;
        int ends[2];
        int status = 0;
        cr_assert_eq(pipe(ends), 0);
        pid_t child = fork();
        cr_assert_geq(child, 0);
        if (child == 0) {
            (void)signal(SIGABRT, SIG_DFL);
            (void)dup2(ends[1], STDERR_FILENO);
            (void)close(ends[0]);
            run_question(false, &questions[i]);
            _exit(0);
        }
        (void)close(ends[1]);
        while (size < sizeof(text) - 1 &&
               (got = read(ends[0], text + size, sizeof(text) - 1 - size)) > 0)
            size += (size_t)got;
        (void)close(ends[0]);
        text[size] = '\0';
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "question %zu: %d, %s", i,
                  status, text);
        TEXT_HAS(text, "the world has no generator: weft_world_desc.deterministic is off");
        TEXT_HAS(text, "\"gambler\"");
    }
}

static weft_status make_off(void* context, weft_world** world_out, weft_schedule** schedule_out) {
    *world_out = world_make_with(*(const bool*)context, WEFT_EXECUTOR_SERIAL);
    WEFT_TRY(weft_schedule_create(*world_out, schedule_out));
    return weft_schedule_build(*schedule_out);
}

static weft_status make_unordered(void* context, weft_world** world_out,
                                  weft_schedule** schedule_out) {
    (void)context;
    weft_world_desc desc = weft_world_desc_default();
    desc.unordered_commit = true;
    WEFT_TRY(weft_world_create(&desc, NULL, world_out));
    WEFT_TRY(weft_schedule_create(*world_out, schedule_out));
    return weft_schedule_build(*schedule_out);
}

Test(random, without_order_there_is_nothing_to_verify) {
    weft_executor_desc config = weft_executor_desc_default();
    weft_verify_desc desc = weft_verify_desc_default();
    weft_verify_report* report;
    desc.make = make_unordered;
    desc.tick_count = 1;
    desc.configs = &config;
    desc.config_count = 1;
    cr_assert_eq(weft_verify(&desc, &report), WEFT_STATUS_NOT_DETERMINISTIC);
    TEXT_HAS(report->reference.error, "unordered_commit");
    weft_verify_report_destroy(report);
}

Test(random, off_there_is_nothing_to_verify) {
    weft_executor_desc config = weft_executor_desc_default();
    weft_verify_desc desc = weft_verify_desc_default();
    weft_verify_report* report;
    bool deterministic = false;
    desc.make = make_off;
    desc.context = &deterministic;
    desc.tick_count = 3;
    desc.configs = &config;
    desc.config_count = 1;
    cr_assert_eq(weft_verify(&desc, &report), WEFT_STATUS_NOT_DETERMINISTIC);
    cr_assert_eq(report->reference.outcome, WEFT_VERIFY_FAILED);
    cr_assert_eq(report->reference.status, WEFT_STATUS_NOT_DETERMINISTIC);
    TEXT_HAS(report->reference.error, "weft_world_desc.deterministic off");
    cr_assert_eq(report->digest_count, 0);
    cr_assert_eq(report->results[0].outcome, WEFT_VERIFY_NOT_RUN);
    weft_verify_report_destroy(report);
    deterministic = true;
    cr_assert_eq(weft_verify(&desc, &report), WEFT_STATUS_OK);
    weft_verify_report_destroy(report);
}
