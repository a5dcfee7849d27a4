// Guards (C12): honest systems raise nothing and give the same digests; every lie is named by the
// guards that can see it, with what was touched and whose it is.

#include "worlds.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <weft/memory.h>

#include "weft_world.h"

WEFT_COMPONENT(Place, (int32_t, x), (int32_t, y), (int32_t, z));
WEFT_COMPONENT(Pace, (int32_t, x), (int32_t, y));
WEFT_COMPONENT(Secret, (int32_t, a), (int32_t, b));
WEFT_COMPONENT(Mood, (int32_t, level));
WEFT_COMPONENT(Scar, (int32_t, depth), (weft_entity, by));
WEFT_COMPONENT(Rumour, (int32_t, worth));
WEFT_TAG(Left);
WEFT_RESOURCE(Wind, (int32_t, force));
WEFT_RESOURCE(Purse, (int32_t, coins));
WEFT_MESSAGE(Ping, (int32_t, force));
WEFT_MESSAGE(Shout, (uint32_t, slot));
WEFT_PARTIAL(Sum, (int64_t, x));

enum {
    ENTITIES = 6000,
    TICKS = 6,
    LIE_TICK = 2,
    ROW = 41, // Of the entity that is lied about, in archetype 1 and shard 0:
    SLOT = 62 // two of three entities are in that archetype.
};

typedef enum lie_kind {
    HONEST,
    CONST_DENSE,
    CONST_ANY,
    CONST_CURSOR,
    CONST_ENTITY,
    CONST_RESOURCE,
    CONST_MESSAGE,
    CONST_SPARSE,
    CONST_REDUCED,
    CONST_FRONT,
    WRITE_HIDDEN,
    WRITE_PURSE,
    WRITE_FOREIGN_SCAR,
    OVERRUN,
    OVERRUN_FAR,
    UNDERRUN,
    READ_HIDDEN,
    READ_HIDDEN_SPARSE,
    READ_HIDDEN_FOR_MESSAGE,
    READ_HIDDEN_FOR_COMMAND,
    READ_HIDDEN_FOR_PARTIAL,
    READ_HIDDEN_FOR_STATUS,
    READ_PURSE,
    WRITE_NOWHERE,
    REMEMBERS,
} lie_kind;

static lie_kind lie;
static Secret* secrets; // Of archetype 1, shard 0.
static Purse* purse;
static Rumour* rumours; // The presence table of shard 0.
static int32_t calls;

static bool lies(const weft_view* view) {
    return weft_view_tick(view) == LIE_TICK && weft_view_shard(view) == 0 &&
           weft_view_row_count(view) > ENTITIES / 3;
}

// Not null, which sanitizers look for.
static volatile int32_t* nowhere(void) {
    volatile uintptr_t address = 16;
    return (volatile int32_t*)address;
}

static void* unconst(const void* place) {
    return (void*)(uintptr_t)place;
}

static weft_status peek(weft_view* view, const void* context) {
    (void)context;
    Secret* all = WEFT_WRITE(view, Secret);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        all[i].a++;
    if (!lies(view))
        return WEFT_STATUS_OK;
    secrets = all;
    rumours = weft_view_sparse_write(view, ROW, WEFT_TYPE(Rumour));
    return WEFT_STATUS_OK;
}

static weft_status hold(weft_view* view, const void* context) {
    (void)context;
    uint32_t count;
    const Shout* shouts = weft_view_messages(view, WEFT_TYPE(Shout), &count);
    purse = WEFT_RESOURCE_WRITE(view, Purse);
    purse->coins += (int32_t)(count > 0 ? shouts[count - 1].slot : 0);
    purse->coins += (int32_t)(WEFT_REDUCED_OF(view, Sum)->x & 7);
    if (weft_view_tick(view) == LIE_TICK && lie == CONST_REDUCED)
        ((Sum*)unconst(WEFT_REDUCED_OF(view, Sum)))->x = 1;
    return WEFT_STATUS_OK;
}

static weft_status settle(weft_view* view, const void* context) {
    (void)context;
    Mood* moods = WEFT_WRITE(view, Mood);
    const weft_entity* entities = weft_view_entities(view);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        weft_entity next = {(entities[i].slot + 1) % ENTITIES, 1};
        const Mood* other = WEFT_GET(view, next, Mood);
        moods[i].level += other != NULL ? other->level + 1 : 0;
        if (lies(view) && lie == CONST_FRONT && i == ROW)
            ((Mood*)unconst(WEFT_GET(view, entities[i], Mood)))->level = 1;
        WEFT_EMIT(view, i, entities[i], Ping, {moods[i].level & 3});
    }
    return WEFT_STATUS_OK;
}

static void lie_by_reading(weft_view* view, Place* places) {
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    if (lie == READ_HIDDEN)
        places[ROW].z = secrets[ROW].b;
    if (lie == READ_HIDDEN_SPARSE)
        places[ROW].z = rumours->worth;
    if (lie == READ_HIDDEN_FOR_MESSAGE)
        WEFT_EMIT(view, 3, WEFT_ENTITY_NULL, Shout, {(uint32_t)secrets[ROW].b});
    if (lie == READ_HIDDEN_FOR_COMMAND && (secrets[ROW].b & 1) == 0)
        WEFT_SET(commands, 3, entities[3], Pace, {0, 0});
    if (lie == READ_HIDDEN_FOR_PARTIAL)
        WEFT_PARTIAL_OF(view, Sum)->x += secrets[ROW].b;
    if (lie == READ_PURSE)
        places[ROW].z = purse->coins;
}

static void lie_by_writing(weft_view* view, Place* places, const Pace* paces) {
    const weft_entity* entities = weft_view_entities(view);
    uint32_t count = weft_view_row_count(view);
    if (lie == CONST_DENSE)
        ((Pace*)unconst(paces))[ROW].y = 7;
    if (lie == CONST_ANY)
        ((Pace*)unconst(WEFT_GET(view, entities[ROW], Pace)))->y = 7;
    if (lie == CONST_ENTITY)
        ((weft_entity*)unconst(entities))[ROW].generation = 7;
    if (lie == CONST_RESOURCE)
        ((Wind*)unconst(WEFT_RESOURCE_READ(view, Wind)))->force = 7;
    if (lie == CONST_SPARSE)
        ((Rumour*)unconst(weft_view_sparse_read(view, ROW, WEFT_TYPE(Scar))))->worth = 7;
    if (lie == WRITE_HIDDEN)
        secrets[ROW].b = 7;
    if (lie == WRITE_PURSE)
        purse->coins = 7777;
    if (lie == OVERRUN)
        ((volatile Place*)places)[count].x = 7;
    if (lie == OVERRUN_FAR)
        ((volatile Place*)places)[WEFT_SHARD_SLOTS].x = 7;
    if (lie == UNDERRUN)
        ((volatile int32_t*)places)[-1] = 7;
    if (lie == WRITE_NOWHERE)
        *nowhere() = 7;
    if (lie == REMEMBERS)
        places[ROW].x = calls++;
    weft_inbox inbox = weft_view_inbox(view, WEFT_TYPE(Ping));
    while (lie == CONST_MESSAGE && weft_inbox_next(&inbox))
        if (inbox.row == ROW)
            ((Ping*)unconst(inbox.message))->force = 77;
    const weft_access terms[] = {WEFT_READS_ANY(Pace)};
    weft_cursor cursor = weft_view_visit(view, terms, 1);
    if (lie == CONST_CURSOR && weft_cursor_next(&cursor))
        ((Pace*)unconst(WEFT_CURSOR_COLUMN(&cursor, Pace)))[ROW].y = 7;
}

static weft_status walk(weft_view* view, const void* context) {
    (void)context;
    Place* places = WEFT_WRITE(view, Place);
    const Pace* paces = WEFT_READ(view, Pace);
    const Wind* wind = WEFT_RESOURCE_READ(view, Wind);
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    uint32_t tick = (uint32_t)weft_view_tick(view);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        places[i].x += paces[i].x + wind->force;
        WEFT_PARTIAL_OF(view, Sum)->x += places[i].x;
        if (entities[i].slot % 500 == 100 + tick)
            weft_commands_destroy(commands, i, entities[i]);
        if (entities[i].slot % 700 == 100 + tick)
            WEFT_CREATE(commands, i, WEFT_VALUE(Place, {1, 2, 3}), WEFT_VALUE(Pace, {1, 1}),
                        WEFT_VALUE(Mood, {1}));
    }
    weft_inbox inbox = weft_view_inbox(view, WEFT_TYPE(Ping));
    while (weft_inbox_next(&inbox))
        places[inbox.row].y += ((const Ping*)inbox.message)->force;
    const uint16_t* rows;
    uint32_t count = weft_view_selected(view, &rows);
    for (uint32_t i = 0; i < count; i++) {
        const Scar* scar = weft_view_sparse_read(view, rows != NULL ? rows[i] : i, WEFT_TYPE(Scar));
        places[rows != NULL ? rows[i] : i].y += scar != NULL ? scar->depth : 0;
    }
    if (weft_view_shard(view) == 1)
        WEFT_EMIT(view, 0, WEFT_ENTITY_NULL, Shout, {weft_view_shard(view)});
    if (!lies(view))
        return WEFT_STATUS_OK;
    lie_by_writing(view, places, paces);
    lie_by_reading(view, places);
    return lie == READ_HIDDEN_FOR_STATUS && secrets[ROW].b != 4 ? WEFT_STATUS_SYSTEM_FAILED
                                                                : WEFT_STATUS_OK;
}

static weft_status scratch(weft_view* view, const void* context) {
    (void)context;
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        Scar* scar = weft_view_sparse_write(view, i, WEFT_TYPE(Scar));
        if (scar == NULL)
            continue;
        scar->depth++;
        // The next one in the table: of an entity in the other archetype.
        if (lies(view) && lie == WRITE_FOREIGN_SCAR && weft_view_entities(view)[i].slot == SLOT)
            scar[1].depth = 77;
    }
    return WEFT_STATUS_OK;
}

static void add_sums(void* left, const void* right) {
    ((Sum*)left)->x += ((const Sum*)right)->x;
}

static void populate(weft_world* world) {
    for (uint32_t i = 0; i < ENTITIES; i++) {
        weft_commands* commands = weft_world_commands(world);
        weft_entity made = weft_commands_create(commands, 0);
        WEFT_ADD(commands, 0, made, Place, {(int32_t)i, 0, 0});
        WEFT_ADD(commands, 0, made, Pace, {1, 2});
        WEFT_ADD(commands, 0, made, Secret, {3, 4});
        WEFT_ADD(commands, 0, made, Mood, {(int32_t)i & 7});
        if (i % 3 == 1)
            WEFT_ADD_TAG(commands, 0, made, Left);
        if (i == SLOT || i == SLOT + 2 || i % 5 == 1)
            WEFT_ADD(commands, 0, made, Scar, {1, {0, 0}});
        if (i % 31 == 0)
            WEFT_ADD(commands, 0, made, Rumour, {5});
    }
    world_commit(world);
}

static void build(weft_world* world, weft_schedule* schedule) {
    world_component(world, WEFT_TYPE(Place), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Pace), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Secret), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Left), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Mood), WEFT_STORAGE_BUFFERED);
    world_component(world, WEFT_TYPE(Scar), WEFT_STORAGE_SPARSE);
    world_component(world, WEFT_TYPE(Rumour), WEFT_STORAGE_SPARSE);
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Wind), 1, NULL));
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Purse), 1, NULL));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Ping), WEFT_TARGET_ENTITY,
                                                WEFT_DELIVERY_NEXT));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Shout), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_TICK));
    WORLD_OK(world, weft_world_register_reduction(world, WEFT_TYPE(Sum), NULL, add_sums));
    populate(world);
    run_add(schedule, WEFT_SYSTEM("peek", peek,
                                  WEFT_ACCESS(WEFT_WRITES(Secret), WEFT_WRITES_OPTIONAL(Rumour))));
    run_add(schedule,
            WEFT_SYSTEM("settle", settle,
                        WEFT_ACCESS(WEFT_WRITES(Mood), WEFT_READS_ANY(Mood), WEFT_EMITS(Ping))));
    run_add(schedule,
            WEFT_SYSTEM("walk", walk,
                        WEFT_ACCESS(WEFT_WRITES(Place), WEFT_READS(Pace), WEFT_READS_ANY(Pace),
                                    WEFT_READS_RESOURCE(Wind), WEFT_READS_OPTIONAL(Scar),
                                    WEFT_CONSUMES(Ping), WEFT_EMITS(Shout), WEFT_REDUCES(Sum),
                                    WEFT_COMMANDS)));
    run_add(schedule, WEFT_SYSTEM("scratch", scratch,
                                  WEFT_ACCESS(WEFT_READS(Pace), WEFT_WRITES_OPTIONAL(Scar))));
    run_add(schedule, WEFT_SYSTEM("hold", hold, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_WRITES_RESOURCE(Purse), WEFT_CONSUMES(Shout),
                                              WEFT_REDUCED(Sum))));
}

static sim guarded_open(const run_config* config, weft_guard guard, bool aliased) {
    weft_world_desc world_desc = weft_world_desc_default();
    weft_executor_desc desc = weft_executor_desc_default();
    weft_memory memory;
    sim s = {0};
    calls = 0;
    if (aliased)
        cr_assert_eq(weft_memory_aliased(guard == WEFT_GUARD_TRAP, &memory), WEFT_STATUS_OK);
    cr_assert_eq(weft_world_create(&world_desc, aliased ? &memory : NULL, &s.world),
                 WEFT_STATUS_OK);
    s.schedule = run_schedule(s.world);
    build(s.world, s.schedule);
    desc.kind = config->kind;
    desc.worker_count = config->workers;
    desc.schedule_seed = config->seed;
    desc.no_fusion = config->no_fusion;
    desc.sweep = config->sweep;
    desc.guard = guard;
    WORLD_OK(s.world, weft_executor_create(&desc, s.schedule, &s.executor));
    return s;
}

// Honest -----------------------------------------------------------------------------------------

static void honest_run(const run_config* config, weft_guard guard, bool aliased,
                       weft_digest digests[TICKS]) {
    sim s = guarded_open(config, guard, aliased);
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        sim_tick(&s);
        cr_assert_not(weft_executor_guard_report(s.executor)->found);
        digests[tick] = weft_world_digest_full(s.world);
        WORLD_OK(s.world, weft_world_digest_check(s.world));
    }
    sim_close(&s);
}

Test(guard, honest_systems_raise_nothing_and_give_the_same_digests) {
    weft_digest expected[TICKS];
    lie = HONEST;
    honest_run(&run_configs[0], WEFT_GUARD_NONE, false, expected);
    for (size_t i = 0; i < RUN_CONFIGS; i++) {
        bool one = run_configs[i].kind < WEFT_EXECUTOR_THREADS || run_configs[i].workers == 1;
        bool shared = run_configs[i].kind == WEFT_EXECUTOR_PROCESSES;
        for (weft_guard guard = WEFT_GUARD_NONE; guard <= WEFT_GUARD_TRAP; guard++) {
            for (int aliased = shared; aliased < 2; aliased++) {
                weft_digest found[TICKS];
                bool watches =
                    guard <= WEFT_GUARD_ALIAS || one || (guard == WEFT_GUARD_TRAP && shared);
                if (!watches || (guard == WEFT_GUARD_TRAP && !aliased))
                    continue;
                honest_run(&run_configs[i], guard, aliased != 0, found);
                for (uint32_t tick = 0; tick < TICKS; tick++)
                    cr_assert(weft_digest_equal(found[tick], expected[tick]),
                              "%s, guard %s, aliased %d: tick %u differs", run_configs[i].name,
                              weft_guard_name(guard), aliased, tick);
            }
        }
    }
}

// Lies -------------------------------------------------------------------------------------------

#define BY(name) (1u << WEFT_GUARD_##name)
#define BY_ALL (BY(ALIAS) | BY(HASH) | BY(TWIN) | BY(TRAP))
#define BY_COMPARING (BY(HASH) | BY(TWIN) | BY(TRAP))
#define BY_READING (BY(TWIN) | BY(TRAP))

typedef struct lie_case {
    lie_kind lie;
    uint32_t guards; // Those that find it.
    weft_guard_place place;
    weft_guard_act act;
    const char* type;
    uint32_t slot; // Of the entity; 0: none.
    const char* field;
    const char* system;
    bool declared;
    bool beyond;
} lie_case;

#define COMPONENT WEFT_GUARD_COMPONENT
#define READ WEFT_GUARD_READ
#define WRITE WEFT_GUARD_WRITE

static const lie_case lie_cases[] = {
    {CONST_DENSE, BY_ALL, COMPONENT, WRITE, "Pace", SLOT, "y", "walk", true, false},
    {CONST_ANY, BY_ALL, COMPONENT, WRITE, "Pace", SLOT, "y", "walk", true, false},
    {CONST_CURSOR, BY_ALL, COMPONENT, WRITE, "Pace", SLOT, "y", "walk", true, false},
    {CONST_ENTITY, BY_ALL, WEFT_GUARD_ENTITIES, WRITE, "", SLOT, "", "walk", true, false},
    {CONST_RESOURCE, BY_ALL, WEFT_GUARD_RESOURCE, WRITE, "Wind", 0, "force", "walk", true, false},
    {CONST_MESSAGE, BY_ALL, WEFT_GUARD_MESSAGE, WRITE, "Ping", 0, "force", "walk", true, false},
    {CONST_SPARSE, BY_ALL, COMPONENT, WRITE, "Scar", SLOT, "depth", "walk", true, false},
    {CONST_REDUCED, BY_ALL, WEFT_GUARD_REDUCTION, WRITE, "Sum", 0, "x", "hold", true, false},
    {CONST_FRONT, BY_ALL, COMPONENT, WRITE, "Mood", SLOT, "level", "settle", true, false},
    {WRITE_HIDDEN, BY_COMPARING, COMPONENT, WRITE, "Secret", SLOT, "b", "walk", false, false},
    {WRITE_PURSE, BY_COMPARING, WEFT_GUARD_RESOURCE, WRITE, "Purse", 0, "coins", "walk", false,
     false},
    {WRITE_FOREIGN_SCAR, BY(HASH) | BY(TWIN), COMPONENT, WRITE, "Scar", SLOT + 2, "depth",
     "scratch", true, false},
    {OVERRUN, BY_COMPARING, COMPONENT, WRITE, "Place", 0, "", "walk", false, true},
    {OVERRUN_FAR, BY(TRAP), COMPONENT, WRITE, "Place", 0, "", "walk", false, true},
    {UNDERRUN, BY_COMPARING, WEFT_GUARD_ENTITIES, WRITE, "", 0, "", "walk", false, true},
    {READ_HIDDEN, BY_READING, COMPONENT, READ, "Secret", SLOT, "b", "walk", false, false},
    {READ_HIDDEN_SPARSE, BY_READING, COMPONENT, READ, "Rumour", SLOT, "worth", "walk", false,
     false},
    {READ_HIDDEN_FOR_MESSAGE, BY_READING, COMPONENT, READ, "Secret", SLOT, "b", "walk", false,
     false},
    {READ_HIDDEN_FOR_COMMAND, BY_READING, COMPONENT, READ, "Secret", SLOT, "b", "walk", false,
     false},
    {READ_HIDDEN_FOR_PARTIAL, BY_READING, COMPONENT, READ, "Secret", SLOT, "b", "walk", false,
     false},
    {READ_HIDDEN_FOR_STATUS, BY_READING, COMPONENT, READ, "Secret", SLOT, "b", "walk", false,
     false},
    {READ_PURSE, BY_READING, WEFT_GUARD_RESOURCE, READ, "Purse", 0, "coins", "walk", false, false},
    {WRITE_NOWHERE, BY_ALL, WEFT_GUARD_NOWHERE, WRITE, "", 0, "", "walk", false, false},
    {REMEMBERS, BY(TWIN), WEFT_GUARD_HIDDEN, WEFT_GUARD_TOUCH, "", 0, "", "walk", false, false},
};

// Other machines need not tell the address to the byte, nor reads from writes.
static void check_exactly(const lie_case* c, const weft_guard_report* report) {
#if defined(__x86_64__)
    const char* guard = weft_guard_name(report->guard);
    cr_assert_eq(report->place, c->place, "lie %d, %s: place %d: %s", c->lie, guard, report->place,
                 report->text);
    cr_assert_eq(report->act, c->act, "lie %d, %s: %s", c->lie, guard, report->text);
    cr_assert_str_eq(report->type, c->type, "lie %d, %s: %s", c->lie, guard, report->text);
    cr_assert_str_eq(report->field, c->field, "lie %d, %s: %s", c->lie, guard, report->text);
    cr_assert_eq(report->entity.slot, c->slot, "lie %d, %s: %s", c->lie, guard, report->text);
    cr_assert_eq(report->declared, c->declared, "lie %d, %s: %s", c->lie, guard, report->text);
    cr_assert_eq(report->beyond, c->beyond, "lie %d, %s: %s", c->lie, guard, report->text);
#else
    (void)c;
    (void)report;
#endif
}

static void lie_once(const lie_case* c, weft_guard guard, const run_config* config) {
    sim s = guarded_open(config, guard, true);
    lie = c->lie;
    weft_status status = WEFT_STATUS_OK;
    for (uint32_t tick = 0; tick <= LIE_TICK && status == WEFT_STATUS_OK; tick++)
        status = weft_executor_tick(s.executor);
    const weft_guard_report* report = weft_executor_guard_report(s.executor);
    bool finds = (c->guards >> guard & 1) != 0;
    cr_assert_eq(report->found, finds, "lie %d, guard %s, %s: %s", c->lie, weft_guard_name(guard),
                 config->name, weft_world_error(s.world));
    if (finds) {
        cr_assert_eq(status, WEFT_STATUS_UNDECLARED, "lie %d: %s", c->lie,
                     weft_status_name(status));
        cr_assert(weft_world_has_failed(s.world));
        cr_assert_eq(report->guard, guard);
        cr_assert_eq(report->tick, LIE_TICK);
        cr_assert_str_eq(report->system, c->system);
        TEXT_HAS(weft_world_error(s.world), report->text);
        check_exactly(c, report);
        cr_assert_eq(weft_executor_tick(s.executor), WEFT_STATUS_WORLD_FAILED);
    }
    sim_close(&s);
}

Test(guard, every_lie_is_named_by_the_guards_that_can_see_it, .timeout = 240) {
    for (size_t i = 0; i < sizeof(lie_cases) / sizeof(lie_cases[0]); i++)
        for (weft_guard guard = WEFT_GUARD_ALIAS; guard <= WEFT_GUARD_TRAP; guard++) {
            // What goes past a full column meets the next one, which may be written or not be ours:
            // only a page between the two is sure to be seen.
            if (lie_cases[i].lie == OVERRUN_FAR && guard != WEFT_GUARD_TRAP)
                continue;
            lie_once(&lie_cases[i], guard, &run_configs[0]);
            lie_once(&lie_cases[i], guard, &run_configs[4]);
        }
}

Test(guard, comparing_needs_no_memory_that_is_mapped_twice) {
    sim s = guarded_open(&run_configs[0], WEFT_GUARD_HASH, false);
    lie = CONST_DENSE;
    weft_status status = WEFT_STATUS_OK;
    for (uint32_t tick = 0; tick <= LIE_TICK && status == WEFT_STATUS_OK; tick++)
        status = weft_executor_tick(s.executor);
    cr_assert_eq(status, WEFT_STATUS_UNDECLARED);
    const weft_guard_report* report = weft_executor_guard_report(s.executor);
    cr_assert_str_eq(report->type, "Pace");
    cr_assert_eq(report->entity.slot, SLOT);
    cr_assert_str_empty(report->module);
    sim_close(&s);
}

// The smallest key is the one that is reported, whoever finds what when.
static weft_status bully(weft_view* view, const void* context) {
    (void)context;
    const Pace* paces = WEFT_READ(view, Pace);
    if (weft_view_shard(view) >= 2)
        ((Pace*)unconst(paces))[9].x = 1;
    return WEFT_STATUS_OK;
}

static void build_bullies(weft_world* world, weft_schedule* schedule) {
    world_component(world, WEFT_TYPE(Pace), WEFT_STORAGE_DENSE);
    for (uint32_t i = 0; i < 9 * WEFT_SHARD_SLOTS; i++)
        WEFT_CREATE(weft_world_commands(world), 0, WEFT_VALUE(Pace, {0, 0}));
    world_commit(world);
    run_add(schedule, WEFT_SYSTEM("bully", bully, WEFT_ACCESS(WEFT_READS(Pace))));
}

static void check_bullies(weft_executor_kind kind) {
    for (uint32_t workers = 1; workers <= 4; workers++) {
        weft_world_desc world_desc = weft_world_desc_default();
        weft_executor_desc desc = weft_executor_desc_default();
        weft_memory memory;
        sim s = {0};
        cr_assert_eq(weft_memory_aliased(false, &memory), WEFT_STATUS_OK);
        cr_assert_eq(weft_world_create(&world_desc, &memory, &s.world), WEFT_STATUS_OK);
        s.schedule = run_schedule(s.world);
        build_bullies(s.world, s.schedule);
        desc.kind = kind;
        desc.worker_count = workers;
        desc.everybody = true;
        desc.guard = WEFT_GUARD_ALIAS;
        WORLD_OK(s.world, weft_executor_create(&desc, s.schedule, &s.executor));
        cr_assert_eq(weft_executor_tick(s.executor), WEFT_STATUS_UNDECLARED);
        const weft_guard_report* report = weft_executor_guard_report(s.executor);
        cr_assert(report->found);
        TEXT_HAS(weft_world_error(s.world), "archetype 1, shard 2");
#if defined(__x86_64__)
        cr_assert_eq(report->shard, 2);
        cr_assert_eq(report->entity.slot, 2 * WEFT_SHARD_SLOTS + 9);
#endif
        sim_close(&s);
    }
}

Test(guard, of_many_workers_findings_the_first_by_key_is_reported) {
    check_bullies(WEFT_EXECUTOR_THREADS);
#if TEST_HAS_PROCESSES
    check_bullies(WEFT_EXECUTOR_PROCESSES);
#endif
}

// Refusals, and what is none of ours -------------------------------------------------------------

static void refused(weft_guard guard, weft_executor_kind kind, const char* part) {
    weft_world_desc world_desc = weft_world_desc_default();
    weft_world* world = world_make_for(kind, &world_desc);
    weft_schedule* schedule = run_schedule(world);
    weft_executor_desc desc = weft_executor_desc_default();
    weft_executor* executor;
    desc.kind = kind;
    desc.worker_count = 2;
    desc.guard = guard;
    cr_assert_eq(weft_executor_create(&desc, schedule, &executor), WEFT_STATUS_BAD_ARGUMENT);
    cr_assert_null(executor);
    TEXT_HAS(weft_world_error(world), part);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

Test(guard, what_a_guard_cannot_watch_is_refused) {
    refused(WEFT_GUARD_HASH, WEFT_EXECUTOR_THREADS, "one worker at a time");
    refused(WEFT_GUARD_TWIN, WEFT_EXECUTOR_THREADS, "one worker at a time");
    refused(WEFT_GUARD_TRAP, WEFT_EXECUTOR_THREADS, "one worker at a time");
    refused(WEFT_GUARD_HASH, WEFT_EXECUTOR_PROCESSES, "one worker at a time");
    refused(WEFT_GUARD_TRAP, WEFT_EXECUTOR_SERIAL, "weft_memory_aliased(true)");
    refused((weft_guard)(WEFT_GUARD_TRAP + 1), WEFT_EXECUTOR_SERIAL, "");
}

Test(guard, names_are_known) {
    cr_assert_str_eq(weft_guard_name(WEFT_GUARD_NONE), "none");
    cr_assert_str_eq(weft_guard_name(WEFT_GUARD_TRAP), "trap");
    cr_assert_str_eq(weft_guard_name((weft_guard)77), "unknown");
}

Test(guard, memory_that_is_mapped_twice_is_the_same_in_both_places) {
    weft_memory memory;
    cr_assert_eq(weft_memory_aliased(true, &memory), WEFT_STATUS_OK);
    cr_assert_eq(memory.read_alias, memory.write_alias);
    cr_assert_geq(memory.apart, 4096);
    uint8_t* first = memory.acquire(memory.context, 5000);
    uint8_t* second = memory.acquire(memory.context, 1 << 20);
    cr_assert(first != NULL && second != NULL && first[4999] == 0 && second[1 << 19] == 0);
    first[4999] = 7;
    cr_assert_eq((first + memory.read_alias)[4999], 7);
    (second + memory.write_alias)[3] = 9;
    cr_assert_eq(second[3], 9);
    // More than there are addresses for.
    cr_assert_null(memory.acquire(memory.context, (size_t)memory.read_alias));
    cr_assert_null(memory.acquire(memory.context, SIZE_MAX));
    memory.release(memory.context, first, 5000);
    memory.release(memory.context, second, 1 << 20);
    memory.close(memory.context);
}

Test(guard, memory_is_closed_with_a_world_that_cannot_be_made) {
    weft_world_desc desc = weft_world_desc_default();
    weft_memory memory;
    weft_world* world;
    struct rlimit few = {64, 64};
    (void)setrlimit(RLIMIT_NOFILE, &few);
    for (int i = 0; i < 100; i++) { // More than there may be files, if they were left open.
        desc.slot_limit = 0;
        cr_assert_eq(weft_memory_aliased(false, &memory), WEFT_STATUS_OK);
        cr_assert_eq(weft_world_create(&desc, &memory, &world), WEFT_STATUS_BAD_ARGUMENT);
        desc.slot_limit = 5;
        cr_assert_eq(weft_memory_aliased(false, &memory), WEFT_STATUS_OK);
        cr_assert_eq(weft_world_create(&desc, &memory, &world), WEFT_STATUS_OK);
        weft_world_destroy(world);
    }
}

// What `check` says in a child of its own.
static int in_child(int (*check)(void)) {
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0)
        _exit(check());
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static int without_files(void) {
    struct rlimit limit = {3, 3};
    weft_memory memory;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    return (int)weft_memory_aliased(false, &memory);
}

// The sanitizers keep mappings and handlers of their own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
static int without_addresses(void) {
    struct rlimit limit = {(rlim_t)1 << 29, (rlim_t)1 << 29};
    weft_memory memory;
    (void)setrlimit(RLIMIT_AS, &limit);
    return (int)weft_memory_aliased(false, &memory);
}

// Other mappings take all that there may be; then columns cannot be opened one by one.
static int without_mappings(void) {
    sim s = guarded_open(&run_configs[0], WEFT_GUARD_TRAP, true);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (uint32_t i = 0; i < 1u << 21; i++)
        if (mmap(NULL, page, i % 2 == 0 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                 0) == MAP_FAILED)
            break;
    weft_status status = weft_executor_tick(s.executor);
    if (strstr(weft_world_error(s.world), "vm.max_map_count") == NULL)
        return 111;
    return (int)status;
}
#endif

Test(guard, what_the_system_refuses_is_told) {
    lie = HONEST;
    cr_assert_eq(in_child(without_files), WEFT_STATUS_OUT_OF_MEMORY);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__x86_64__)
    cr_assert_eq(in_child(without_addresses), WEFT_STATUS_OUT_OF_MEMORY);
    cr_assert_eq(in_child(without_mappings), WEFT_STATUS_OS);
#endif
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
static void handle(int signal) {
    (void)signal;
    _exit(7);
}

// A fault outside of systems goes where it went before, and so does every one when no guard is on.
static int fault_in_child(bool handler, bool guarded) {
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        lie = HONEST;
        (void)signal(SIGSEGV, handler ? handle : SIG_DFL);
        sim s = guarded_open(&run_configs[0], WEFT_GUARD_TRAP, true);
        if (!guarded)
            sim_close(&s);
        *nowhere() = 7;
        _exit(0);
    }
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

Test(guard, other_faults_go_where_they_went_before) {
    cr_assert_eq(fault_in_child(true, true), 7);
    cr_assert_eq(fault_in_child(true, false), 7);
    cr_assert_eq(fault_in_child(false, true), -SIGSEGV);
    cr_assert_eq(fault_in_child(false, false), -SIGSEGV);
}
#endif
