// Perturbed threads: delays come from the seed alone, every item is run once, and no digest
// changes.

#include "perturb.h"
#include "worlds.h"

#define ITEMS 4000u

typedef struct calls {
    uint32_t worker;
    uint32_t seen[ITEMS];
} calls;

static void note(void* context, uint32_t worker, uint32_t item) {
    calls* all = context;
    all->worker = worker;
    all->seen[item]++;
}

static weft__perturb batch_of(uint64_t seed, uint64_t tick, uint32_t number, calls* all) {
    weft__batch batch = {.count = ITEMS, .fn = note, .context = all};
    return weft__perturb_batch(seed, tick, number, &batch);
}

static uint32_t same_delays(const weft__perturb* a, const weft__perturb* b) {
    uint32_t same = 0;
    for (uint32_t i = 0; i < ITEMS; i++)
        same += weft__perturb_delay_ns(a, i) == weft__perturb_delay_ns(b, i);
    return same;
}

Test(perturb, delays_are_of_seed_tick_batch_and_item) {
    weft__perturb one = batch_of(1, 2, 3, NULL);
    weft__perturb again = batch_of(1, 2, 3, NULL);
    weft__perturb others[] = {batch_of(2, 2, 3, NULL), batch_of(1, 3, 3, NULL),
                              batch_of(1, 2, 4, NULL)};
    cr_assert_eq(same_delays(&one, &again), ITEMS);
    for (size_t i = 0; i < 3; i++) // Half of them are none, in both for a quarter.
        cr_assert_lt(same_delays(&one, &others[i]), ITEMS / 3, "%zu", i);
}

Test(perturb, half_of_the_items_wait) {
    weft__perturb one = batch_of(5, 0, 0, NULL);
    uint32_t none = 0;
    uint32_t longest = 0;
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint32_t delay = weft__perturb_delay_ns(&one, i);
        none += delay == 0;
        longest = delay > longest ? delay : longest;
    }
    cr_assert(none > 9 * ITEMS / 20 && none < 11 * ITEMS / 20, "%u", none);
    cr_assert(longest > 30000 && longest < 40000, "%u", longest);
}

Test(perturb, an_item_is_run_once_as_it_would_be) {
    calls* all = calloc(1, sizeof(*all));
    weft__perturb one = batch_of(5, 1, 0, all);
    for (uint32_t i = 0; i < ITEMS; i++) {
        weft__perturb_item(&one, i % 7, i);
        cr_assert_eq(all->worker, i % 7);
        cr_assert_eq(all->seen[i], 1);
    }
    free(all);
}

Test(perturb, choices_and_turns_vary) {
    uint32_t chosen[4] = {0};
    uint32_t turned[4] = {0};
    for (uint32_t i = 0; i < 400; i++) {
        weft__perturb one = batch_of(5, 1, i, NULL);
        chosen[weft__perturb_choose(&one, 0, 4)]++;
        turned[weft__perturb_turn(5, i, 1, 4)]++;
    }
    for (uint32_t i = 0; i < 4; i++)
        cr_assert(chosen[i] > 60 && turned[i] > 60, "%u: %u and %u", i, chosen[i], turned[i]);
}

// A world -----------------------------------------------------------------------------------------

WEFT_COMPONENT(Spark, (uint32_t, heat), (uint32_t, age));
WEFT_TAG(Hot);
WEFT_MESSAGE(Crack, (uint32_t, heat));
WEFT_RESOURCE(Noise, (uint64_t, heard));

static weft_status glow(weft_view* view, const void* context) {
    (void)context;
    Spark* sparks = WEFT_WRITE(view, Spark);
    const weft_entity* entities = weft_view_entities(view);
    weft_random_key key = weft_view_random(view);
    weft_commands* commands = weft_view_commands(view);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        uint32_t draw = weft_random_below(key, entities[i].slot, 0, 64);
        sparks[i].heat += draw;
        if (draw == 0)
            weft_commands_destroy(commands, i, entities[i]);
        if (draw == 1)
            (void)WEFT_CREATE(commands, i, WEFT_VALUE(Spark, {entities[i].slot, 0}));
        if (draw == 2)
            WEFT_ADD_TAG(commands, i, entities[i], Hot);
        if (draw == 3)
            WEFT_EMIT(view, i, WEFT_ENTITY_NULL, Crack, {sparks[i].heat});
    }
    return WEFT_STATUS_OK;
}

static weft_status cool(weft_view* view, const void* context) {
    (void)context;
    Spark* sparks = WEFT_WRITE(view, Spark);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        sparks[i].age = sparks[i].age * 3 + sparks[i].heat;
    return WEFT_STATUS_OK;
}

static weft_status hear(weft_view* view, const void* context) {
    (void)context;
    uint32_t count;
    const Crack* cracks = weft_view_messages(view, WEFT_TYPE(Crack), &count);
    Noise* noise = WEFT_RESOURCE_WRITE(view, Noise);
    for (uint32_t i = 0; i < count; i++)
        noise->heard = noise->heard * 7 + cracks[i].heat;
    return WEFT_STATUS_OK;
}

static void build(weft_world* world, weft_schedule* schedule) {
    world_component(world, WEFT_TYPE(Spark), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Hot), WEFT_STORAGE_DENSE);
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Noise), 1, NULL));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Crack), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_TICK));
    run_add(schedule,
            WEFT_SYSTEM("glow", glow,
                        WEFT_ACCESS(WEFT_WRITES(Spark), WEFT_COMMANDS, WEFT_EMITS(Crack))));
    run_add(schedule, WEFT_SYSTEM("cool", cool, WEFT_ACCESS(WEFT_WRITES(Spark))));
    run_add(schedule, WEFT_SYSTEM("hear", hear, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_CONSUMES(Crack), WEFT_WRITES_RESOURCE(Noise))));
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < 8 * WEFT_SHARD_SLOTS; i++)
        (void)WEFT_CREATE(commands, 0, WEFT_VALUE(Spark, {i, 0}));
    world_commit(world);
}

static weft_digest run_perturbed(uint64_t seed, weft_executor_kind kind, uint32_t workers) {
    weft_executor_desc desc = weft_executor_desc_default();
    weft_world_desc world_desc = weft_world_desc_default();
    sim s = {.world = world_make_for(kind, &world_desc)};
    s.schedule = run_schedule(s.world);
    build(s.world, s.schedule);
    desc.kind = kind;
    desc.worker_count = workers;
    desc.everybody = seed % 2 == 1;
    desc.perturb_seed = seed;
    cr_assert_eq(weft_executor_create(&desc, s.schedule, &s.executor), WEFT_STATUS_OK);
    for (uint32_t tick = 0; tick < 10; tick++)
        sim_tick(&s);
    weft_digest digest;
    WORLD_OK(s.world, weft_executor_digest(s.executor, NULL, &digest));
    WORLD_OK(s.world, weft_world_digest_check(s.world));
    sim_close(&s);
    return digest;
}

Test(perturb, no_digest_changes, .timeout = 60) {
    weft_digest serial = run_perturbed(0, WEFT_EXECUTOR_SERIAL, 1);
    for (uint64_t seed = 1; seed <= 12; seed++)
        DIGEST_EQ(run_perturbed(seed, WEFT_EXECUTOR_THREADS, 1 + (uint32_t)seed % 5), serial);
    for (uint64_t seed = 1; seed <= 12 && TEST_HAS_PROCESSES; seed++)
        DIGEST_EQ(run_perturbed(seed, WEFT_EXECUTOR_PROCESSES, 1 + (uint32_t)seed % 5), serial);
}
