// The conflict graph, the canonical rank and the stages (C5).

#include "worlds.h"

WEFT_COMPONENT(A, (uint32_t, value));
WEFT_COMPONENT(B, (uint32_t, value));
WEFT_COMPONENT(C, (uint32_t, value));
WEFT_COMPONENT(D, (uint32_t, value));
WEFT_COMPONENT(Twin, (uint32_t, value)); // Buffered.
WEFT_COMPONENT(Spot, (uint32_t, value)); // Sparse.
WEFT_RESOURCE(Gauge, (uint32_t, value));
WEFT_MESSAGE(Shout, (uint32_t, value)); // Same tick.
WEFT_MESSAGE(Echo, (uint32_t, value));  // Next tick.
WEFT_PARTIAL(Total, (uint32_t, value));
WEFT_COMPONENT(Stranger, (uint32_t, value)); // Never registered.

static void total_combine(void* left, const void* right) {
    ((Total*)left)->value += ((const Total*)right)->value;
}

static weft_status idle(weft_view* view, const void* context) {
    (void)view;
    (void)context;
    return WEFT_STATUS_OK;
}

static weft_world* make(void) {
    weft_world* world = world_make();
    world_component(world, WEFT_TYPE(A), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(B), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(C), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(D), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Twin), WEFT_STORAGE_BUFFERED);
    world_component(world, WEFT_TYPE(Spot), WEFT_STORAGE_SPARSE);
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Gauge), 1, NULL));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Shout), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_TICK));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Echo), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_NEXT));
    WORLD_OK(world, weft_world_register_reduction(world, WEFT_TYPE(Total), NULL, total_combine));
    return world;
}

// Two systems
// --------------------------------------------------------------------------------------

typedef enum bond {
    BOND_NONE,
    BOND_ROW,
    BOND_BARRIER,
    BOND_REFUSED, // The build fails.
} bond;

typedef struct pair {
    bond expected;
    weft_access first[3];
    weft_access second[3];
} pair;

static const pair pairs[] = {
    {BOND_NONE, {WEFT_READS(A)}, {WEFT_READS(A)}},
    {BOND_ROW, {WEFT_READS(A)}, {WEFT_WRITES(A)}},
    {BOND_ROW, {WEFT_WRITES(A)}, {WEFT_WRITES(A)}},
    {BOND_NONE, {WEFT_WRITES(A)}, {WEFT_WRITES(B)}},
    {BOND_ROW, {WEFT_READS_OPTIONAL(A)}, {WEFT_WRITES(A)}},
    {BOND_ROW, {WEFT_WRITES_OPTIONAL(A)}, {WEFT_READS(A)}},
    {BOND_ROW, {WEFT_WRITES_OPTIONAL(A)}, {WEFT_WRITES_OPTIONAL(A)}},
    {BOND_NONE, {WEFT_WITH(A)}, {WEFT_WRITES(A)}},
    {BOND_NONE, {WEFT_WITHOUT(A)}, {WEFT_WRITES(A)}},
    // Queries that match no common archetype.
    {BOND_NONE, {WEFT_WRITES(A), WEFT_WITH(B)}, {WEFT_WRITES(A), WEFT_WITHOUT(B)}},
    {BOND_NONE, {WEFT_WRITES(A), WEFT_WITHOUT(B)}, {WEFT_WRITES(A), WEFT_READS(B)}},
    {BOND_NONE, {WEFT_WRITES(A), WEFT_WRITES(B)}, {WEFT_READS(A), WEFT_WITHOUT(B)}},
    {BOND_ROW, {WEFT_WRITES(A), WEFT_READS_OPTIONAL(B)}, {WEFT_WRITES(A), WEFT_WITHOUT(B)}},
    {BOND_ROW, {WEFT_WRITES(A), WEFT_WITHOUT(B)}, {WEFT_WRITES(A), WEFT_WITHOUT(B)}},
    {BOND_ROW, {WEFT_WRITES(A), WEFT_WITH(Spot)}, {WEFT_WRITES(A), WEFT_WITHOUT(Spot)}},
    // Any row.
    {BOND_BARRIER, {WEFT_READS_ANY(A)}, {WEFT_WRITES(A)}},
    {BOND_BARRIER, {WEFT_WRITES_OPTIONAL(A)}, {WEFT_READS_ANY(A)}},
    {BOND_NONE, {WEFT_READS_ANY(A)}, {WEFT_READS(A)}},
    {BOND_NONE, {WEFT_READS_ANY(A)}, {WEFT_READS_ANY(A)}},
    {BOND_NONE, {WEFT_READS_ANY(A)}, {WEFT_WITH(A)}},
    {BOND_BARRIER, {WEFT_READS_ANY(A), WEFT_WITH(B)}, {WEFT_WRITES(A), WEFT_WITHOUT(B)}},
    {BOND_BARRIER, {WEFT_READS_ANY(Spot)}, {WEFT_WRITES(Spot)}},
    // Buffered: readers see the last tick.
    {BOND_NONE, {WEFT_READS(Twin)}, {WEFT_WRITES(Twin)}},
    {BOND_NONE, {WEFT_WRITES(Twin)}, {WEFT_READS_ANY(Twin)}},
    {BOND_ROW, {WEFT_WRITES(Twin)}, {WEFT_WRITES(Twin)}},
    {BOND_NONE, {WEFT_WRITES(Twin), WEFT_READS_ANY(Twin)}, {WEFT_READS(Twin)}},
    // Sparse own rows.
    {BOND_ROW, {WEFT_READS(Spot)}, {WEFT_WRITES(Spot)}},
    {BOND_ROW, {WEFT_WRITES(Spot)}, {WEFT_WRITES_OPTIONAL(Spot)}},
    {BOND_NONE, {WEFT_READS(Spot)}, {WEFT_READS(Spot)}},
    // Channels, reductions, resources, commands.
    {BOND_BARRIER, {WEFT_EMITS(Shout)}, {WEFT_CONSUMES(Shout)}},
    {BOND_REFUSED, {WEFT_CONSUMES(Shout)}, {WEFT_EMITS(Shout)}},
    {BOND_NONE, {WEFT_EMITS(Shout)}, {WEFT_EMITS(Shout)}},
    {BOND_NONE, {WEFT_EMITS(Echo)}, {WEFT_CONSUMES(Echo)}},
    {BOND_NONE, {WEFT_CONSUMES(Echo)}, {WEFT_EMITS(Echo)}},
    {BOND_BARRIER, {WEFT_REDUCES(Total)}, {WEFT_REDUCED(Total)}},
    {BOND_BARRIER, {WEFT_REDUCED(Total)}, {WEFT_REDUCES(Total)}},
    {BOND_NONE, {WEFT_REDUCES(Total)}, {WEFT_REDUCES(Total)}},
    {BOND_NONE, {WEFT_READS_RESOURCE(Gauge)}, {WEFT_READS_RESOURCE(Gauge)}},
    {BOND_NONE, {WEFT_COMMANDS}, {WEFT_COMMANDS}},
    {BOND_NONE, {WEFT_COMMANDS}, {WEFT_WRITES(A)}},
    // The gravest of several counts.
    {BOND_BARRIER, {WEFT_WRITES(A), WEFT_WRITES(B)}, {WEFT_WRITES(A), WEFT_READS_ANY(B)}},
};

static size_t count_terms(const weft_access* terms) {
    size_t count = 0;
    while (count < 3 && terms[count].mode != 0)
        count++;
    return count;
}

static void add(weft_schedule* schedule, const char* name, const weft_access* terms, size_t count,
                weft_scope scope, const char* const* before, const char* const* after) {
    weft_system_desc desc = weft_system_desc_default();
    desc.name = name;
    desc.run = idle;
    desc.scope = scope;
    desc.access = terms;
    desc.access_count = count;
    desc.before = before;
    desc.after = after;
    run_add(schedule, &desc);
}

static void check_pair(const pair* p, size_t number) {
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    add(schedule, "first", p->first, count_terms(p->first), WEFT_SCOPE_CHUNK, NULL, NULL);
    add(schedule, "second", p->second, count_terms(p->second), WEFT_SCOPE_CHUNK, NULL, NULL);
    weft_status status = weft_schedule_build(schedule);
    cr_assert_eq(status == WEFT_STATUS_OK, p->expected != BOND_REFUSED, "pair %zu: %s", number,
                 weft_schedule_error(schedule));
    if (status == WEFT_STATUS_OK) {
        bool bound = p->expected != BOND_NONE;
        cr_assert_eq(weft_schedule_edge_count(schedule), bound, "pair %zu", number);
        cr_assert_eq(weft_schedule_stage_count(schedule), p->expected == BOND_BARRIER ? 2 : 1,
                     "pair %zu", number);
        if (bound) {
            weft_edge edge = weft_schedule_edge(schedule, 0);
            cr_assert(edge.from == 0 && edge.to == 1 && edge.by_registration, "pair %zu", number);
            cr_assert_eq(edge.barrier, p->expected == BOND_BARRIER, "pair %zu", number);
            cr_assert(edge.type != NULL && edge.reason != NULL && edge.reason[0] != '\0');
        }
    }
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

Test(graph, which_accesses_conflict_and_how) {
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        check_pair(&pairs[i], i);
}

Test(graph, writers_of_a_resource_have_a_barrier_to_all_its_users) {
    static const weft_access read[] = {WEFT_READS_RESOURCE(Gauge)};
    static const weft_access write[] = {WEFT_WRITES_RESOURCE(Gauge)};
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    add(schedule, "read", read, 1, WEFT_SCOPE_CHUNK, NULL, NULL);
    add(schedule, "write", write, 1, WEFT_SCOPE_WORLD, NULL, NULL);
    add(schedule, "again", write, 1, WEFT_SCOPE_WORLD, NULL, NULL);
    add(schedule, "other", read, 1, WEFT_SCOPE_WORLD, NULL, NULL);
    SCHEDULE_OK(schedule, weft_schedule_build(schedule));
    cr_assert_eq(weft_schedule_stage_count(schedule), 4);
    cr_assert_eq(weft_schedule_edge_count(schedule), 5);
    for (uint32_t i = 0; i < 5; i++) {
        cr_assert(weft_schedule_edge(schedule, i).barrier);
        cr_assert_eq(weft_schedule_edge(schedule, i).type, WEFT_TYPE(Gauge));
    }
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

// Order
// --------------------------------------------------------------------------------------------

static void check_names(const weft_schedule* schedule, const char* expected) {
    char text[512] = "";
    size_t at = 0;
    for (uint32_t i = 0; i < weft_schedule_system_count(schedule); i++)
        at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", i == 0 ? "" : " ",
                               weft_schedule_system_name(schedule, i));
    cr_assert_str_eq(text, expected);
}

#define NAMES(...) ((const char* const[]){__VA_ARGS__, NULL})

// Known answer of five systems with forward relations.
Test(graph, systems_move_no_later_than_they_must) {
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    add(schedule, "A", NULL, 0, WEFT_SCOPE_CHUNK, NULL, NAMES("B"));
    add(schedule, "B", NULL, 0, WEFT_SCOPE_CHUNK, NULL, NULL);
    add(schedule, "C", NULL, 0, WEFT_SCOPE_CHUNK, NULL, NAMES("B", "A"));
    add(schedule, "D", NULL, 0, WEFT_SCOPE_CHUNK, NULL, NULL);
    add(schedule, "E", NULL, 0, WEFT_SCOPE_CHUNK, NULL, NAMES("D", "C"));
    SCHEDULE_OK(schedule, weft_schedule_build(schedule));
    check_names(schedule, "B A C D E");
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

Test(graph, without_edges_the_order_is_that_of_registration) {
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    static const char* const names[] = {"z", "m", "a", "q", "b"};
    for (uint32_t i = 0; i < 5; i++)
        add(schedule, names[i], NULL, 0, WEFT_SCOPE_CHUNK, NULL, NULL);
    SCHEDULE_OK(schedule, weft_schedule_build(schedule));
    check_names(schedule, "z m a q b");
    for (uint32_t i = 0; i < 5; i++)
        cr_assert_eq(weft_schedule_system_scope(schedule, i), WEFT_SCOPE_CHUNK);
    cr_assert_eq(weft_schedule_edge_count(schedule), 0);
    cr_assert_eq(weft_schedule_stage_count(schedule), 1);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

// A chain of relations decides conflicts at its far ends, and only what is left is ambiguous.
Test(graph, relations_decide_transitively_and_registration_the_rest) {
    static const weft_access write[] = {WEFT_WRITES(A)};
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    add(schedule, "last", write, 1, WEFT_SCOPE_CHUNK, NULL, NAMES("middle"));
    add(schedule, "middle", NULL, 0, WEFT_SCOPE_CHUNK, NULL, NAMES("first"));
    add(schedule, "first", write, 1, WEFT_SCOPE_CHUNK, NULL, NULL);
    add(schedule, "free", write, 1, WEFT_SCOPE_CHUNK, NULL, NULL);
    SCHEDULE_OK(schedule, weft_schedule_build(schedule));
    check_names(schedule, "first middle last free");
    uint32_t ambiguous = 0;
    for (uint32_t i = 0; i < weft_schedule_edge_count(schedule); i++) {
        weft_edge edge = weft_schedule_edge(schedule, i);
        ambiguous += edge.by_registration;
        cr_assert_eq(edge.by_registration, edge.to == 3, "%u to %u", edge.from, edge.to);
        cr_assert_lt(edge.from, edge.to);
    }
    cr_assert_eq(ambiguous, 2);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

// Cycles
// -------------------------------------------------------------------------------------------

Test(graph, a_cycle_of_relations_names_every_edge) {
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    add(schedule, "outside", NULL, 0, WEFT_SCOPE_CHUNK, NULL, NULL);
    add(schedule, "red", NULL, 0, WEFT_SCOPE_CHUNK, NAMES("green"), NULL);
    add(schedule, "green", NULL, 0, WEFT_SCOPE_CHUNK, NAMES("blue"), NULL);
    add(schedule, "blue", NULL, 0, WEFT_SCOPE_CHUNK, NAMES("red"), NULL);
    add(schedule, "behind", NULL, 0, WEFT_SCOPE_CHUNK, NULL, NAMES("red"));
    cr_assert_eq(weft_schedule_build(schedule), WEFT_STATUS_GRAPH_CYCLE);
    const char* error = weft_schedule_error(schedule);
    TEXT_HAS(error, "\"red\" before \"green\": declared before");
    TEXT_HAS(error, "\"green\" before \"blue\": declared before");
    TEXT_HAS(error, "\"blue\" before \"red\": declared before");
    cr_assert_null(strstr(error, "outside"), "%s", error);
    cr_assert_null(strstr(error, "behind"), "%s", error);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

// What a long cycle has no room for is counted, and no line is cut.
Test(graph, a_long_cycle_is_named_as_far_as_there_is_room) {
    enum {
        RING = 40
    };
    char names[RING][48];
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    for (uint32_t i = 0; i < RING; i++)
        snprintf(names[i], sizeof(names[i]), "a name of some length and number %u", i);
    for (uint32_t i = 0; i < RING; i++)
        add(schedule, names[i], NULL, 0, WEFT_SCOPE_CHUNK, NAMES(names[(i + 1) % RING]), NULL);
    cr_assert_eq(weft_schedule_build(schedule), WEFT_STATUS_GRAPH_CYCLE);
    const char* error = weft_schedule_error(schedule);
    uint32_t lines = 0;
    for (const char* at = strchr(error, '\n'); at != NULL; at = strchr(at + 1, '\n'))
        lines++;
    char last[32];
    snprintf(last, sizeof(last), "\n  and %u more", RING - (lines - 1));
    TEXT_HAS(error, last);
    cr_assert_gt(lines, 5);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

Test(graph, a_system_before_itself_is_a_cycle) {
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    add(schedule, "ego", NULL, 0, WEFT_SCOPE_CHUNK, NULL, NAMES("ego"));
    cr_assert_eq(weft_schedule_build(schedule), WEFT_STATUS_GRAPH_CYCLE);
    TEXT_HAS(weft_schedule_error(schedule), "\"ego\"");
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

// Conflicts take the direction of registration, relations may turn against it: each edge of the
// cycle says why it is there.
Test(graph, a_cycle_through_conflicts_names_the_data) {
    static const weft_access write_a[] = {WEFT_WRITES(A)};
    static const weft_access both[] = {WEFT_READS(A), WEFT_WRITES(B)};
    static const weft_access write_b[] = {WEFT_READS_ANY(B)};
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    add(schedule, "one", write_a, 1, WEFT_SCOPE_CHUNK, NULL, NULL);
    add(schedule, "two", both, 2, WEFT_SCOPE_CHUNK, NULL, NULL);
    add(schedule, "three", write_b, 1, WEFT_SCOPE_CHUNK, NAMES("one"), NULL);
    cr_assert_eq(weft_schedule_build(schedule), WEFT_STATUS_GRAPH_CYCLE);
    const char* error = weft_schedule_error(schedule);
    TEXT_HAS(error, "\"one\" before \"two\": read-write on the same row A");
    TEXT_HAS(error, "\"two\" before \"three\": any-row read of what the other writes B");
    TEXT_HAS(error, "\"three\" before \"one\": declared before");
    TEXT_HAS(error, "registration");
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

// Registration
// -------------------------------------------------------------------------------------

static void refuse(weft_world* world, weft_schedule* schedule, const weft_system_desc* desc,
                   weft_status status, const char* part) {
    uint64_t hash = weft_schedule_hash(schedule);
    cr_assert_eq(weft_schedule_add_system(schedule, desc), status, "%s", part);
    TEXT_HAS(weft_schedule_error(schedule), part);
    cr_assert_eq(weft_schedule_hash(schedule), hash, "something was registered");
    (void)world;
}

Test(graph, bad_descriptions_are_refused_and_change_nothing) {
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    char longest[65];
    memset(longest, 'n', sizeof(longest));
    longest[64] = '\0';
    weft_system_desc desc = weft_system_desc_default();
    refuse(world, schedule, &desc, WEFT_STATUS_BAD_ARGUMENT, "name");
    desc.name = "idle";
    refuse(world, schedule, &desc, WEFT_STATUS_BAD_ARGUMENT, "\"idle\"");
    desc.run = idle;
    desc.cookie = 0;
    refuse(world, schedule, &desc, WEFT_STATUS_BAD_ARGUMENT, "weft_system_desc_default");
    refuse(world, schedule, NULL, WEFT_STATUS_BAD_ARGUMENT, "weft_system_desc_default");
    desc = *WEFT_SYSTEM("idle", idle, .scope = (weft_scope)2);
    refuse(world, schedule, &desc, WEFT_STATUS_BAD_ARGUMENT, "scope");
    desc = *WEFT_SYSTEM(longest, idle);
    refuse(world, schedule, &desc, WEFT_STATUS_BAD_ARGUMENT, "63 characters");
    longest[63] = '\0';
    run_add(schedule, WEFT_SYSTEM(longest, idle));
    refuse(world, schedule, &desc, WEFT_STATUS_DUPLICATE, "registered already");
    SCHEDULE_OK(schedule, weft_schedule_build(schedule));
    SCHEDULE_OK(schedule, weft_schedule_build(schedule));
    refuse(world, schedule, WEFT_SYSTEM("late", idle), WEFT_STATUS_WRONG_PHASE, "built");
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

Test(graph, bad_access_lists_are_refused_by_name) {
    weft_world* world = make();
    weft_schedule* schedule = run_schedule(world);
    refuse(world, schedule, WEFT_SYSTEM("s", idle, WEFT_ACCESS(WEFT_READS(A), WEFT_WRITES(A))),
           WEFT_STATUS_BAD_ACCESS, "A is declared as READ and as WRITE");
    refuse(world, schedule, WEFT_SYSTEM("s", idle, WEFT_ACCESS(WEFT_WRITES(A), WEFT_READS_ANY(A))),
           WEFT_STATUS_BAD_ACCESS, "READ_ANY");
    refuse(world, schedule, WEFT_SYSTEM("s", idle, WEFT_ACCESS(WEFT_WITH(A), WEFT_WITHOUT(A))),
           WEFT_STATUS_BAD_ACCESS, "WITHOUT");
    refuse(world, schedule,
           WEFT_SYSTEM("s", idle, WEFT_ACCESS(WEFT_EMITS(Shout), WEFT_CONSUMES(Shout))),
           WEFT_STATUS_BAD_ACCESS, "Shout");
    refuse(world, schedule, WEFT_SYSTEM("s", idle, WEFT_ACCESS(WEFT_READS(Stranger))),
           WEFT_STATUS_UNKNOWN_TYPE, "Stranger");
    refuse(world, schedule, WEFT_SYSTEM("s", idle, WEFT_ACCESS(WEFT_READS(Gauge))),
           WEFT_STATUS_BAD_ACCESS, "Gauge");
    refuse(world, schedule, WEFT_SYSTEM("s", idle, WEFT_ACCESS(WEFT_EMITS(A))),
           WEFT_STATUS_BAD_ACCESS, "EMIT(A)");
    refuse(world, schedule, WEFT_SYSTEM("s", idle, WEFT_ACCESS({WEFT_ACCESS_READ, NULL})),
           WEFT_STATUS_BAD_ACCESS, "no type");
    refuse(world, schedule,
           WEFT_SYSTEM("s", idle, WEFT_ACCESS({(weft_access_mode)99, WEFT_TYPE(A)})),
           WEFT_STATUS_BAD_ACCESS, "99");
    refuse(world, schedule,
           WEFT_SYSTEM("s", idle, .scope = WEFT_SCOPE_WORLD, WEFT_ACCESS(WEFT_READS(A))),
           WEFT_STATUS_BAD_ACCESS, "world scope");
    refuse(world, schedule,
           WEFT_SYSTEM("s", idle, .scope = WEFT_SCOPE_WORLD, WEFT_ACCESS(WEFT_REDUCES(Total))),
           WEFT_STATUS_BAD_ACCESS, "Total");
    weft_access many[65];
    for (uint32_t i = 0; i < 65; i++)
        many[i] = (weft_access)WEFT_COMMANDS;
    weft_system_desc desc = *WEFT_SYSTEM("s", idle, .access = many, .access_count = 65);
    refuse(world, schedule, &desc, WEFT_STATUS_BAD_ACCESS, "65 entries");
    SCHEDULE_OK(schedule, weft_schedule_build(schedule));
    cr_assert_eq(weft_schedule_system_count(schedule), 0);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

Test(graph, the_schedule_hash_covers_names_access_scope_and_relations) {
    uint64_t seen[8];
    weft_world* world = make();
    for (uint32_t i = 0; i < 8; i++) {
        weft_schedule* schedule = run_schedule(world);
        run_add(schedule, WEFT_SYSTEM("other", idle));
        if (i < 2)
            run_add(schedule, WEFT_SYSTEM(i == 0 ? "s" : "t", idle));
        else if (i < 4)
            run_add(schedule,
                    WEFT_SYSTEM("s", idle,
                                WEFT_ACCESS({i == 2 ? WEFT_ACCESS_READ : WEFT_ACCESS_WRITE,
                                             WEFT_TYPE(A)})));
        else if (i == 4)
            run_add(schedule, WEFT_SYSTEM("s", idle, WEFT_ACCESS(WEFT_COMMANDS)));
        else if (i == 5)
            run_add(schedule, WEFT_SYSTEM("s", idle, .scope = WEFT_SCOPE_WORLD));
        else
            run_add(schedule, WEFT_SYSTEM("s", idle, .before = i == 6 ? NAMES("other") : NULL,
                                          .after = i == 7 ? NAMES("other") : NULL));
        seen[i] = weft_schedule_hash(schedule);
        for (uint32_t j = 0; j < i; j++)
            cr_assert_neq(seen[i], seen[j], "schedules %u and %u hash alike", i, j);
        weft_schedule_destroy(schedule);
    }
    weft_world_destroy(world);
}
