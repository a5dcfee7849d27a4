// Buffered components: readers see world(t) for the whole tick, whoever has run (C3).

#include "worlds.h"

WEFT_COMPONENT(Cell, (uint32_t, age), (uint32_t, sum)); // Buffered.
WEFT_COMPONENT(Seen, (uint32_t, before), (uint32_t, after));
WEFT_TAG(Left);
WEFT_TAG(Quiet);

enum {
    ENTITIES = 2 * WEFT_SHARD_SLOTS + 500
};

static void register_all(weft_world* world) {
    world_component(world, WEFT_TYPE(Cell), WEFT_STORAGE_BUFFERED);
    world_component(world, WEFT_TYPE(Seen), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Left), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Quiet), WEFT_STORAGE_DENSE);
}

static void populate(weft_world* world) {
    register_all(world);
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        weft_entity made = weft_commands_create(commands, 0);
        WEFT_ADD(commands, 0, made, Cell, {i, 0});
        WEFT_ADD(commands, 0, made, Seen, {0, 0});
        if (i % 2 == 0)
            WEFT_ADD_TAG(commands, 0, made, Left);
        if (i % 10 == 3)
            WEFT_ADD_TAG(commands, 0, made, Quiet);
    }
    world_commit(world);
}

static weft_status see_before(weft_view* view, const void* context) {
    (void)context;
    const Cell* cells = WEFT_READ(view, Cell);
    Seen* seen = WEFT_WRITE(view, Seen);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        seen[i].before = cells[i].age;
    return WEFT_STATUS_OK;
}

static weft_status see_after(weft_view* view, const void* context) {
    (void)context;
    const Cell* cells = WEFT_READ(view, Cell);
    Seen* seen = WEFT_WRITE(view, Seen);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        seen[i].after = cells[i].age;
    return WEFT_STATUS_OK;
}

// Each cell sums its neighbours of world(t): what any in-place scheme would get wrong.
static weft_status grow(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    Cell* next = WEFT_WRITE(view, Cell);
    const Cell* now = WEFT_READ(view, Cell);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        if (next[i].age != now[i].age || next[i].sum != now[i].sum)
            return weft_view_fail(view, "row %u does not start as a copy", i);
        uint32_t slot = entities[i].slot;
        weft_entity left = {(slot + ENTITIES - 1) % ENTITIES, 1};
        weft_entity right = {(slot + 1) % ENTITIES, 1};
        next[i].sum = WEFT_GET(view, left, Cell)->sum * 3 + WEFT_GET(view, right, Cell)->sum +
                      WEFT_GET(view, left, Cell)->age;
        next[i].age = now[i].age + 1;
    }
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        if (now[i].age == next[i].age)
            return weft_view_fail(view, "the reader's column was written");
    return WEFT_STATUS_OK;
}

static void build_growth(weft_world* world, weft_schedule* schedule) {
    populate(world);
    run_add(schedule,
            WEFT_SYSTEM("before", see_before, WEFT_ACCESS(WEFT_READS(Cell), WEFT_WRITES(Seen))));
    run_add(schedule,
            WEFT_SYSTEM("grow", grow, WEFT_ACCESS(WEFT_WRITES(Cell), WEFT_READS_ANY(Cell))));
    run_add(schedule,
            WEFT_SYSTEM("after", see_after, WEFT_ACCESS(WEFT_READS(Cell), WEFT_WRITES(Seen))));
}

static void check_growth(const sim* s, uint64_t tick) {
    static uint32_t now[ENTITIES];
    static uint32_t next[ENTITIES];
    memset(now, 0, sizeof(now));
    for (uint64_t t = 0; t < tick; t++) {
        for (uint32_t i = 0; i < ENTITIES; i++) {
            uint32_t left = (i + ENTITIES - 1) % ENTITIES;
            next[i] = now[left] * 3 + now[(i + 1) % ENTITIES] + left + (uint32_t)t;
        }
        memcpy(now, next, sizeof(now));
    }
    for (uint32_t i = 0; i < ENTITIES; i++) {
        const Cell* cell = weft_world_read(s->world, (weft_entity){i, 1}, WEFT_TYPE(Cell));
        const Seen* seen = weft_world_read(s->world, (weft_entity){i, 1}, WEFT_TYPE(Seen));
        cr_assert_eq(cell->age, i + tick);
        cr_assert_eq(cell->sum, now[i], "slot %u", i);
        cr_assert_eq(seen->before, tick == 0 ? 0 : i + tick - 1);
        cr_assert_eq(seen->after, seen->before);
    }
}

Test(buffered, readers_see_the_last_tick_before_and_after_the_writer) {
    sim_same_everywhere(build_growth, 4, check_growth);
}

// Nothing orders the readers after the writer, so all may share a stage.
Test(buffered, a_reader_does_not_conflict_with_the_writer) {
    weft_world* world = world_make();
    weft_schedule* schedule = run_schedule(world);
    build_growth(world, schedule);
    SCHEDULE_OK(schedule, weft_schedule_build(schedule));
    cr_assert_eq(weft_schedule_stage_count(schedule), 1);
    for (uint32_t i = 0; i < weft_schedule_edge_count(schedule); i++)
        cr_assert_eq(weft_schedule_edge(schedule, i).type, WEFT_TYPE(Seen));
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

// A writer of some rows of some chunks leaves the others as they were.
static weft_status touch(weft_view* view, const void* context) {
    const uint32_t* modulus = context;
    const weft_entity* entities = weft_view_entities(view);
    if (weft_view_shard(view) == 1 || weft_view_tick(view) % 2 == 1)
        return WEFT_STATUS_OK;
    Cell* next = WEFT_WRITE(view, Cell);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        if (entities[i].slot % *modulus == 0)
            next[i].age += 1000;
    return WEFT_STATUS_OK;
}

static const uint32_t moduli[] = {7, 5};

static void build_partial(weft_world* world, weft_schedule* schedule) {
    populate(world);
    run_add(schedule, WEFT_SYSTEM("touch", touch, .context = &moduli[0],
                                  WEFT_ACCESS(WEFT_WRITES(Cell), WEFT_WITHOUT(Quiet))));
    run_add(schedule, WEFT_SYSTEM("again", touch, .context = &moduli[1],
                                  WEFT_ACCESS(WEFT_WRITES(Cell), WEFT_WITHOUT(Quiet))));
}

static void check_partial(const sim* s, uint64_t tick) {
    for (uint32_t i = 0; i < ENTITIES; i++) {
        const Cell* cell = weft_world_read(s->world, (weft_entity){i, 1}, WEFT_TYPE(Cell));
        uint32_t times = ((i % 7 == 0) + (i % 5 == 0)) * (uint32_t)((tick + 1) / 2);
        bool quiet = i % 10 == 3 || i / WEFT_SHARD_SLOTS == 1;
        cr_assert_eq(cell->age, i + (quiet ? 0 : 1000 * times), "slot %u, tick %u", i,
                     (unsigned)tick);
    }
}

Test(buffered, partial_writes_and_two_writers_add_up) {
    sim_same_everywhere(build_partial, 5, check_partial);
}

// Rows move between archetypes at the same boundary at which the columns swap.
static weft_status migrate(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    Cell* next = WEFT_WRITE(view, Cell);
    uint32_t tick = (uint32_t)weft_view_tick(view);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        uint32_t slot = entities[i].slot;
        next[i].age++;
        if ((slot + tick) % 4 == 0)
            WEFT_ADD_TAG(commands, i, entities[i], Left);
        if ((slot + tick) % 4 == 2)
            WEFT_REMOVE(commands, i, entities[i], Left);
        if ((slot + tick) % 50 == 9)
            WEFT_SET(commands, i, entities[i], Cell, {slot + 7000, 1});
        if ((slot + tick) % 97 == 5) {
            weft_commands_destroy(commands, i, entities[i]);
            weft_entity made = weft_commands_create(commands, i);
            WEFT_ADD(commands, i, made, Cell, {5000, slot});
        }
    }
    return WEFT_STATUS_OK;
}

static void build_migration(weft_world* world, weft_schedule* schedule) {
    populate(world);
    run_add(schedule,
            WEFT_SYSTEM("migrate", migrate, WEFT_ACCESS(WEFT_WRITES(Cell), WEFT_COMMANDS)));
}

// Commands come after the swap: a set wins over what the system wrote in the same tick.
static void check_migration(const sim* s, uint64_t tick) {
    cr_assert_eq(weft_world_entity_count(s->world), ENTITIES);
    if (tick != 1)
        return;
    for (uint32_t i = 0; i < ENTITIES; i++) {
        const Cell* cell = weft_world_read(s->world, (weft_entity){i, 1}, WEFT_TYPE(Cell));
        if (i % 97 == 5) {
            cr_assert_null(cell);
            continue;
        }
        cr_assert_eq(cell->age, i % 50 == 9 ? i + 7000 : i + 1, "slot %u", i);
    }
}

Test(buffered, rows_move_with_what_was_written) {
    sim_same_everywhere(build_migration, 8, check_migration);
}

// What the host reads between ticks is the new world, and its commands act on it.
Test(buffered, the_host_sees_and_changes_the_new_world) {
    sim s = sim_open(&run_configs[0], build_growth);
    sim_tick(&s);
    weft_entity entity = {77, 1};
    cr_assert_eq(((const Cell*)weft_world_read(s.world, entity, WEFT_TYPE(Cell)))->age, 78);
    WEFT_SET(weft_world_commands(s.world), 0, entity, Cell, {5, 6});
    world_commit(s.world);
    cr_assert_eq(((const Cell*)weft_world_read(s.world, entity, WEFT_TYPE(Cell)))->age, 5);
    sim_tick(&s);
    cr_assert_eq(((const Cell*)weft_world_read(s.world, entity, WEFT_TYPE(Cell)))->age, 6);
    cr_assert_eq(((const Seen*)weft_world_read(s.world, entity, WEFT_TYPE(Seen)))->after, 5);
    sim_close(&s);
}

Test(buffered, a_tag_cannot_be_buffered) {
    weft_world* world = world_make();
    cr_assert_eq(weft_world_register_component(world, WEFT_TYPE(Left), WEFT_STORAGE_BUFFERED),
                 WEFT_STATUS_BAD_TYPE);
    TEXT_HAS(weft_world_error(world), "Left");
    weft_world_destroy(world);
}
