// The visit order of C1, seen from the host and from systems.

#include "worlds.h"

WEFT_COMPONENT(A, (uint32_t, value));
WEFT_COMPONENT(B, (uint32_t, value));
WEFT_COMPONENT(C, (uint32_t, value));
WEFT_TAG(Tag);
WEFT_COMPONENT(Spot, (uint32_t, value));     // Sparse.
WEFT_TAG(Flag);                              // Sparse.
WEFT_COMPONENT(Stranger, (uint32_t, value)); // Never registered.

static void register_all(weft_world* world) {
    world_component(world, WEFT_TYPE(A), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(B), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(C), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Tag), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Spot), WEFT_STORAGE_SPARSE);
    world_component(world, WEFT_TYPE(Flag), WEFT_STORAGE_SPARSE);
}

// Visits as text: "slot slot | slot" with a bar where the archetype changes.
static void visit_text(weft_cursor cursor, char* text, size_t capacity) {
    size_t at = 0;
    uint32_t archetype = UINT32_MAX;
    text[0] = '\0';
    while (weft_cursor_next(&cursor)) {
        cr_assert_gt(cursor.row_count, 0);
        for (uint32_t i = 0; i < cursor.row_count; i++) {
            const char* gap = at == 0 ? "" : archetype != cursor.archetype ? " | " : " ";
            at += (size_t)snprintf(text + at, capacity - at, "%s%u", gap, cursor.entities[i].slot);
            cr_assert_lt(at, capacity);
            archetype = cursor.archetype;
        }
    }
    cr_assert(!weft_cursor_next(&cursor), "a walk that has ended goes on");
}

#define VISITS(world, expected, ...)                                                               \
    do {                                                                                           \
        const weft_access visit_terms_[] = {__VA_ARGS__};                                          \
        char visit_text_[4096];                                                                    \
        visit_text(weft_world_visit((world), visit_terms_,                                         \
                                    sizeof(visit_terms_) / sizeof(visit_terms_[0])),               \
                   visit_text_, sizeof(visit_text_));                                              \
        cr_assert_str_eq(visit_text_, (expected));                                                 \
    } while (0)

#define VISITS_ALL(world, expected)                                                                \
    do {                                                                                           \
        char visit_text_[4096];                                                                    \
        visit_text(weft_world_visit((world), NULL, 0), visit_text_, sizeof(visit_text_));          \
        cr_assert_str_eq(visit_text_, (expected));                                                 \
    } while (0)

// Two histories, one state ------------------------------------------------------------------------

enum {
    ENTITIES = 16,
    ROUNDS = 7,
};

static uint64_t draw(uint64_t* state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

// What entity i goes through. Even ones end with {A}, entity 4 with nothing, odd ones with {A, B}.
static const char* script_of(uint32_t i) {
    if (i == 4)
        return "ABCcba";
    return i % 2 == 0 ? "ABCcb" : "ABbB";
}

static bool dies(uint32_t i) {
    return i % 5 == 2;
}

static void run_letter(weft_commands* commands, weft_entity entity, uint32_t i, char letter) {
    switch (letter) {
    case 'A':
        WEFT_ADD(commands, 0, entity, A, {100 * i + 1});
        break;
    case 'B':
        WEFT_ADD(commands, 0, entity, B, {100 * i + 2});
        break;
    case 'C':
        WEFT_ADD(commands, 0, entity, C, {100 * i + 3});
        break;
    case 'a':
        WEFT_REMOVE(commands, 0, entity, A);
        break;
    case 'b':
        WEFT_REMOVE(commands, 0, entity, B);
        break;
    default:
        WEFT_REMOVE(commands, 0, entity, C);
        break;
    }
}

// All of it in one commit, so no set in between is stored; the dead go last.
static weft_world* serial_history(void) {
    weft_world* world = world_make();
    register_all(world);
    weft_entity made[ENTITIES];
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < ENTITIES; i++)
        made[i] = weft_commands_create(commands, 0);
    for (uint32_t i = 0; i < ENTITIES; i++)
        for (const char* at = script_of(i); *at != '\0'; at++)
            run_letter(commands, made[i], i, *at);
    world_commit(world);
    for (uint32_t i = 0; i < ENTITIES; i++)
        if (dies(i))
            weft_commands_destroy(weft_world_commands(world), 0, (weft_entity){i, 1});
    world_commit(world);
    return world;
}

static void scratch_pair(weft_world* world, uint32_t* pairs) {
    world_destroy(world, world_create_one(world));
    ++*pairs;
}

// A commit for every round: the entities in a drawn order, deaths at drawn rounds, and now and then
// an entity that comes and goes.
static weft_world* interleaved_history(uint64_t seed, uint32_t* pairs) {
    weft_world* world = world_make();
    register_all(world);
    uint64_t state = seed;
    weft_entity made[ENTITIES];
    uint32_t death[ENTITIES];
    uint32_t order[ENTITIES];
    world_create(world, ENTITIES, made);
    for (uint32_t i = 0; i < ENTITIES; i++)
        death[i] = dies(i) ? (uint32_t)(draw(&state) % ROUNDS) : ROUNDS;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        weft_commands* commands = weft_world_commands(world);
        for (uint32_t i = 0; i < ENTITIES; i++)
            order[i] = i;
        for (uint32_t i = ENTITIES - 1; i > 0; i--) {
            uint32_t other = (uint32_t)(draw(&state) % (i + 1));
            uint32_t moved = order[i];
            order[i] = order[other];
            order[other] = moved;
        }
        for (uint32_t i = 0; i < ENTITIES; i++) {
            uint32_t who = order[i];
            if (death[who] == round)
                weft_commands_destroy(commands, 0, made[who]);
            else if (death[who] > round && round < strlen(script_of(who)))
                run_letter(commands, made[who], who, script_of(who)[round]);
        }
        world_commit(world);
        if (draw(&state) % 4 == 0)
            scratch_pair(world, pairs);
    }
    return world;
}

static uint64_t fold(uint64_t hash, uint64_t value) {
    for (int i = 0; i < 8; i++)
        hash = (hash ^ (value >> (8 * i) & 0xFF)) * UINT64_C(0x100000001B3);
    return hash;
}

// Handles and values of all visits of five queries, and how many there are of each.
static uint64_t visit_hash(const weft_world* world, uint32_t* visits) {
    static const weft_access a[] = {WEFT_READS(A)};
    static const weft_access ab[] = {WEFT_READS(A), WEFT_READS(B)};
    static const weft_access b[] = {WEFT_READS(B)};
    static const weft_access c[] = {WEFT_READS(C)};
    static const struct {
        const weft_access* terms;
        uint32_t count;
    } queries[] = {{NULL, 0}, {a, 1}, {ab, 2}, {b, 1}, {c, 1}};
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (uint32_t i = 0; i < 5; i++) {
        visits[i] = 0;
        weft_cursor cursor = weft_world_visit(world, queries[i].terms, queries[i].count);
        while (weft_cursor_next(&cursor))
            for (uint32_t row = 0; row < cursor.row_count; row++) {
                weft_entity entity = cursor.entities[row];
                const A* has_a = weft_world_read(world, entity, WEFT_TYPE(A));
                const B* has_b = weft_world_read(world, entity, WEFT_TYPE(B));
                hash = fold(hash, entity.slot | (uint64_t)entity.generation << 32);
                hash = fold(hash, has_a == NULL ? 0 : has_a->value);
                hash = fold(hash, has_b == NULL ? 0 : has_b->value);
                visits[i]++;
            }
    }
    return hash;
}

// Known answers: committed, so that another order cannot slip in.
static void check_known_visits(const weft_world* world) {
    VISITS_ALL(world, "0 1 3 4 5 6 8 9 10 11 13 14 15");
    VISITS(world, "0 6 8 10 14 | 1 3 5 9 11 13 15", WEFT_READS(A));
    VISITS(world, "1 3 5 9 11 13 15", WEFT_READS(B), WEFT_READS(A));
    VISITS(world, "1 3 5 9 11 13 15", WEFT_READS(B));
    VISITS(world, "", WEFT_READS(C));
    VISITS(world, "4 | 0 6 8 10 14", WEFT_WITHOUT(B));
    for (uint32_t i = 0; i < ENTITIES; i++) {
        const A* a = weft_world_read(world, (weft_entity){i, 1}, WEFT_TYPE(A));
        const B* b = weft_world_read(world, (weft_entity){i, 1}, WEFT_TYPE(B));
        bool alive = !dies(i);
        cr_assert_eq(weft_world_is_alive(world, (weft_entity){i, 1}), alive);
        cr_assert_eq(a != NULL, alive && i != 4);
        cr_assert_eq(b != NULL, alive && i % 2 == 1);
        cr_assert(a == NULL || a->value == 100 * i + 1);
        cr_assert(b == NULL || b->value == 100 * i + 2);
    }
}

static const uint64_t known_hash = UINT64_C(0x5BB9DC99D54A9894);

static void print_line(const char* history, uint64_t seed, uint32_t pairs, uint64_t hash,
                       const uint32_t* visits) {
    fprintf(stderr,
            "visit order: history=%s seed=%" PRIu64 " scratch=%u visits=%u/%u/%u/%u/%u "
            "fnv1a=0x%016" PRIX64 "\n",
            history, seed, pairs, visits[0], visits[1], visits[2], visits[3], visits[4], hash);
}

Test(visit, known_answers_of_the_serial_history) {
    uint32_t visits[5];
    weft_world* world = serial_history();
    check_known_visits(world);
    uint64_t hash = visit_hash(world, visits);
    print_line("serial", 0, 0, hash, visits);
    cr_assert_eq(hash, known_hash, "0x%016" PRIX64, hash);
    cr_assert_eq(weft_world_stats_read(world).archetypes, 2);
    weft_world_destroy(world);
}

static void check_convergence(uint64_t seed) {
    uint32_t visits[5];
    uint32_t pairs = 0;
    weft_world* serial = serial_history();
    weft_world* other = interleaved_history(seed, &pairs);
    check_known_visits(other);
    uint64_t hash = visit_hash(other, visits);
    print_line("interleaved", seed, pairs, hash, visits);
    cr_assert_eq(hash, known_hash, "seed %" PRIu64 ": 0x%016" PRIX64, seed, hash);
    DIGEST_EQ(weft_world_digest_view(serial), weft_world_digest_view(other));
    // The sets in between were stored, and the free slots come in another order.
    DIGEST_NE(weft_world_digest_full(serial), weft_world_digest_full(other));
    cr_assert_eq(weft_world_stats_read(other).archetypes, 3);
    weft_world_destroy(serial);
    weft_world_destroy(other);
}

Test(visit, converged_histories_with_seed_1005) {
    check_convergence(1005);
}

Test(visit, converged_histories_with_seed_1006) {
    check_convergence(1006);
}

Test(visit, converged_histories_with_seed_1007) {
    check_convergence(1007);
}

// Queries ----------------------------------------------------------------------------------------

// Slots 0 to 11; the sets are stored in the order {B}, {A}, {A, B}, {A, B, Tag}.
static weft_world* garden(void) {
    weft_world* world = world_make();
    register_all(world);
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < 12; i++) {
        weft_entity made = weft_commands_create(commands, 0);
        uint32_t kind = i % 5;
        if (kind == 1 || kind == 2 || kind == 3)
            WEFT_ADD(commands, 0, made, A, {i});
        if (kind == 0 || kind == 2 || kind == 3)
            WEFT_ADD(commands, 0, made, B, {1000 + i});
        if (kind == 3)
            WEFT_ADD_TAG(commands, 0, made, Tag);
        if (i % 3 == 0)
            WEFT_ADD(commands, 0, made, Spot, {2000 + i});
        if (i % 4 == 1)
            WEFT_ADD_TAG(commands, 0, made, Flag);
    }
    world_commit(world);
    return world;
}

Test(visit, queries_go_by_archetype_then_slot) {
    weft_world* world = garden();
    VISITS_ALL(world, "0 1 2 3 4 5 6 7 8 9 10 11");
    VISITS(world, "1 6 11 | 2 7 | 3 8", WEFT_READS(A));
    VISITS(world, "0 5 10 | 2 7 | 3 8", WEFT_READS(B));
    VISITS(world, "2 7 | 3 8", WEFT_READS(A), WEFT_READS(B));
    VISITS(world, "3 8", WEFT_WITH(Tag));
    VISITS(world, "2 7 | 3 8", WEFT_READS_ANY(A), WEFT_WITH(B)); // As a system names them.
    VISITS(world, "", WEFT_READS(C));
    weft_world_destroy(world);
}

Test(visit, without_excludes) {
    weft_world* world = garden();
    VISITS(world, "4 9 | 0 5 10", WEFT_WITHOUT(A));
    VISITS(world, "1 6 11", WEFT_READS(A), WEFT_WITHOUT(B));
    VISITS(world, "4 9", WEFT_WITHOUT(A), WEFT_WITHOUT(B));
    VISITS(world, "2 7", WEFT_READS(A), WEFT_READS(B), WEFT_WITHOUT(Tag));
    VISITS(world, "4 9 | 0 5 10 | 1 6 11 | 2 7 | 3 8", WEFT_WITHOUT(C));
    weft_world_destroy(world);
}

Test(visit, unknown_types_match_nothing_and_exclude_nothing) {
    weft_world* world = garden();
    VISITS(world, "", WEFT_READS(Stranger));
    VISITS(world, "", WEFT_READS(A), WEFT_WITH(Stranger));
    VISITS(world, "1 6 11 | 2 7 | 3 8", WEFT_READS(A), WEFT_WITHOUT(Stranger));
    VISITS(world, "1 6 11 | 2 7 | 3 8", WEFT_READS(A), WEFT_READS_OPTIONAL(Stranger));
    VISITS(world, "4 9 | 0 5 10 | 1 6 11 | 2 7 | 3 8", WEFT_WITHOUT(Stranger));
    static const weft_access terms[] = {WEFT_READS_OPTIONAL(Stranger)};
    weft_cursor cursor = weft_world_visit(world, terms, 1);
    while (weft_cursor_next(&cursor))
        cr_assert_null(weft_cursor_column(&cursor, WEFT_TYPE(Stranger)));
    weft_world_destroy(world);
}

Test(visit, optional_columns_are_null_where_absent) {
    weft_world* world = garden();
    static const weft_access terms[] = {WEFT_READS(A), WEFT_READS_OPTIONAL(B), WEFT_WITH(Tag),
                                        WEFT_READS_OPTIONAL(C)};
    weft_cursor cursor = weft_world_visit(world, terms, 2);
    uint32_t with_b = 0;
    while (weft_cursor_next(&cursor)) {
        const A* a = WEFT_CURSOR_COLUMN(&cursor, A);
        const B* b = WEFT_CURSOR_COLUMN(&cursor, B);
        cr_assert_not_null(a);
        cr_assert_eq(b != NULL, cursor.archetype != 2);
        for (uint32_t i = 0; i < cursor.row_count; i++) {
            cr_assert_eq(a[i].value, cursor.entities[i].slot);
            cr_assert(b == NULL || b[i].value == 1000 + cursor.entities[i].slot);
            with_b += b != NULL;
        }
    }
    cr_assert_eq(with_b, 4);
    cursor = weft_world_visit(world, terms, 4);
    cr_assert(weft_cursor_next(&cursor));
    cr_assert_null(weft_cursor_column(&cursor, WEFT_TYPE(Tag)), "a tag has no column");
    cr_assert_null(weft_cursor_column(&cursor, WEFT_TYPE(C)));
    cr_assert_null(weft_cursor_column(&cursor, WEFT_TYPE(Spot)), "not among the terms");
    weft_world_destroy(world);
}

Test(visit, sparse_terms_filter_row_by_row) {
    weft_world* world = garden();
    VISITS(world, "9 | 0 | 6 | 3", WEFT_READS(Spot));
    VISITS(world, "6 | 3", WEFT_READS(Spot), WEFT_READS(A));
    VISITS(world, "1 11 | 2 7 | 8", WEFT_READS(A), WEFT_WITHOUT(Spot));
    VISITS(world, "9 | 5 | 1", WEFT_WITH(Flag));
    VISITS(world, "9", WEFT_WITH(Flag), WEFT_READS(Spot));
    VISITS(world, "5 | 1", WEFT_WITH(Flag), WEFT_WITHOUT(Spot));
    static const weft_access terms[] = {WEFT_READS(Spot), WEFT_READS_OPTIONAL(A)};
    weft_cursor cursor = weft_world_visit(world, terms, 2);
    while (weft_cursor_next(&cursor)) {
        cr_assert_eq(cursor.row_count, 1);
        uint32_t slot = cursor.entities[0].slot;
        cr_assert_eq(WEFT_CURSOR_COLUMN(&cursor, Spot)->value, 2000 + slot);
        const A* a = WEFT_CURSOR_COLUMN(&cursor, A);
        cr_assert_eq(a != NULL, slot == 6 || slot == 3);
        cr_assert(a == NULL || a->value == slot);
    }
    weft_world_destroy(world);
}

Test(visit, an_optional_sparse_column_is_seen_wherever_it_is) {
    weft_world* world = garden();
    static const weft_access terms[] = {WEFT_READS(A), WEFT_READS_OPTIONAL(Spot)};
    weft_cursor cursor = weft_world_visit(world, terms, 2);
    uint32_t seen = 0;
    while (weft_cursor_next(&cursor)) {
        const Spot* spot = WEFT_CURSOR_COLUMN(&cursor, Spot);
        for (uint32_t i = 0; i < cursor.row_count; i++) {
            bool present = cursor.entities[i].slot % 3 == 0;
            cr_assert_eq(spot != NULL, present, "slot %u", cursor.entities[i].slot);
            seen += present;
        }
    }
    cr_assert_eq(seen, 2);
    weft_world_destroy(world);
}

Test(visit, an_empty_world_has_nothing_to_visit) {
    weft_world* world = world_make();
    register_all(world);
    VISITS_ALL(world, "");
    VISITS(world, "", WEFT_READS(A));
    VISITS(world, "", WEFT_WITHOUT(A));
    world_destroy(world, world_create_one(world));
    VISITS_ALL(world, "");
    VISITS(world, "", WEFT_WITHOUT(A));
    weft_world_destroy(world);
}

Test(visit, sixteen_terms_are_allowed) {
    weft_world* world = garden();
    weft_access terms[16];
    for (uint32_t i = 0; i < 16; i++)
        terms[i] = (weft_access){WEFT_ACCESS_WITHOUT, WEFT_TYPE(Stranger)};
    terms[15] = (weft_access)WEFT_READS(A);
    char text[256];
    visit_text(weft_world_visit(world, terms, 16), text, sizeof(text));
    cr_assert_str_eq(text, "1 6 11 | 2 7 | 3 8");
    weft_world_destroy(world);
}

// Steps of the query without terms hold up to 64 entities and cross nothing but gaps.
Test(visit, the_query_without_terms_takes_every_living_entity_once) {
    enum {
        COUNT = 2 * WEFT_SHARD_SLOTS + 77
    };
    weft_world* world = world_make();
    register_all(world);
    world_create(world, COUNT, NULL);
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < COUNT; i++) {
        if (i % 7 == 3 || (i > 4000 && i < 4200))
            weft_commands_destroy(commands, 0, (weft_entity){i, 1});
        else if (i % 11 == 0)
            WEFT_ADD(commands, 0, ((weft_entity){i, 1}), A, {i});
    }
    world_commit(world);
    uint32_t next = 0;
    uint64_t seen = 0;
    weft_cursor cursor = weft_world_visit(world, NULL, 0);
    while (weft_cursor_next(&cursor)) {
        cr_assert_leq(cursor.row_count, 64);
        for (uint32_t i = 0; i < cursor.row_count; i++, next++, seen++) {
            while (next % 7 == 3 || (next > 4000 && next < 4200))
                next++;
            ENTITY_EQ(cursor.entities[i], ((weft_entity){next, 1}));
        }
    }
    cr_assert_eq(seen, weft_world_entity_count(world));
    weft_world_destroy(world);
}

// An id decides before a shard does: all chunks of one archetype, then the next.
Test(visit, groups_span_shards) {
    weft_world* world = world_make();
    register_all(world);
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < 3 * WEFT_SHARD_SLOTS; i++) {
        weft_entity made = weft_commands_create(commands, 0);
        if (i % 2 == 1)
            WEFT_ADD(commands, 0, made, A, {i});
        else
            WEFT_ADD(commands, 0, made, B, {i});
    }
    world_commit(world);
    static const weft_access terms[] = {WEFT_WITHOUT(C)};
    static const uint32_t archetypes[] = {1, 1, 1, 2, 2, 2};
    weft_cursor cursor = weft_world_visit(world, terms, 1);
    for (uint32_t step = 0; step < 6; step++) {
        cr_assert(weft_cursor_next(&cursor));
        cr_assert_eq(cursor.archetype, archetypes[step]);
        cr_assert_eq(cursor.row_count, WEFT_SHARD_SLOTS / 2);
        uint32_t first = step % 3 * WEFT_SHARD_SLOTS + (step < 3 ? 0 : 1);
        for (uint32_t i = 0; i < cursor.row_count; i++)
            cr_assert_eq(cursor.entities[i].slot, first + 2 * i);
    }
    cr_assert(!weft_cursor_next(&cursor));
    weft_world_destroy(world);
}

// From inside a system
// -----------------------------------------------------------------------------

static weft_status look(weft_view* view, const void* context) {
    static const weft_access terms[] = {WEFT_READS(A), WEFT_WITHOUT(Tag), WEFT_READS_OPTIONAL(B)};
    char text[256];
    visit_text(weft_view_visit(view, terms, 3), text, sizeof(text));
    if (strcmp(text, context) != 0)
        return weft_view_fail(view, "visited \"%s\"", text);
    visit_text(weft_view_visit(view, NULL, 0), text, sizeof(text));
    if (strcmp(text, "0 1 2 3 4 5 6 7 8 9 10 11") != 0)
        return weft_view_fail(view, "visited \"%s\"", text);
    return WEFT_STATUS_OK;
}

Test(visit, systems_see_the_same_order) {
    weft_world* world = garden();
    weft_schedule* schedule = run_schedule(world);
    run_add(schedule,
            WEFT_SYSTEM("look", look, .scope = WEFT_SCOPE_WORLD, .context = "1 6 11 | 2 7",
                        WEFT_ACCESS(WEFT_READS_ANY(A), WEFT_READS_ANY(B))));
    weft_executor* executor = run_executor(schedule, &run_configs[0]);
    WORLD_OK(world, weft_executor_tick(executor));
    weft_executor_destroy(executor);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}
