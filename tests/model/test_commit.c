// The commit against a model that applies its three steps one command at a time (C6), over random
// programs and over all short ones.

#include "campaign.h"

#include <stdio.h>
#include <string.h>

Test(commit, host_in_small_worlds) {
    campaign_run(&(campaign){"host small", TERRAIN_SMALL, false, 40, 55000, false}, 1);
}

Test(commit, host_around_shard_edges) {
    campaign_run(&(campaign){"host edge", TERRAIN_EDGE, false, 100, 20000, false}, 1);
}

Test(commit, host_against_limits) {
    campaign_run(&(campaign){"host limited", TERRAIN_LIMITED, false, 30, 10000, false}, 1);
}

Test(commit, host_in_crowds) {
    campaign_run(&(campaign){"host crowd", TERRAIN_CROWD, false, 25, 150, false}, 1);
}

Test(commit, systems_in_small_worlds) {
    campaign_run(&(campaign){"systems small", TERRAIN_SMALL, true, 50, 12000, false}, 1);
}

Test(commit, systems_around_shard_edges) {
    campaign_run(&(campaign){"systems edge", TERRAIN_EDGE, true, 100, 5000, false}, 1);
}

Test(commit, systems_in_crowds) {
    campaign_run(&(campaign){"systems crowd", TERRAIN_CROWD, true, 20, 60, false}, 1);
}

Test(commit, going_back_in_small_worlds) {
    campaign_run(&(campaign){"back small", TERRAIN_SMALL, true, 50, 6000, true}, 1);
}

Test(commit, going_back_around_shard_edges) {
    campaign_run(&(campaign){"back edge", TERRAIN_EDGE, true, 50, 1500, true}, 1);
}

// All short programs -----------------------------------------------------------------------------

enum {
    ENTITIES = 2,
    TYPES = 2,
    OPS = 1 + 3 * TYPES, // Destroy; add, remove, set of each.
    CHOICES = ENTITIES * OPS,
    LENGTH = 4,
};

// A start: which components the entities have, and whether the second one is sparse.
typedef struct start {
    uint32_t sets[ENTITIES];
    bool sparse;
} start;

typedef struct short_world {
    weft_world* world;
    model m;
    const weft_type* types[TYPES];
    weft_entity entities[ENTITIES];
} short_world;

static void open_world(short_world* w, bool sparse) {
    weft_world_desc desc = weft_world_desc_default();
    model_type types[TYPES] = {{sizeof(Age), false, -1}, {sizeof(Echo), sparse, -1}};
    model_init(&w->m, types, TYPES, WEFT_SLOT_LIMIT_MAX, 65536);
    w->types[0] = WEFT_TYPE(Age);
    w->types[1] = WEFT_TYPE(Echo);
    cr_assert_eq(weft_world_create(&desc, NULL, &w->world), WEFT_STATUS_OK);
    for (uint32_t i = 0; i < TYPES; i++)
        cr_assert_eq(weft_world_register_component(w->world, w->types[i],
                                                   i == 1 && sparse ? WEFT_STORAGE_SPARSE
                                                                    : WEFT_STORAGE_DENSE),
                     WEFT_STATUS_OK);
}

static void close_world(short_world* w) {
    weft_world_destroy(w->world);
    model_deinit(&w->m);
}

// Kills whoever is left and starts again with the two entities of a start.
static void begin(short_world* w, const start* s) {
    model_command list[ENTITIES + ENTITIES * (1 + TYPES)];
    uint32_t count = 0;
    weft_commands* commands = weft_world_commands(w->world);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        if (!model_alive(&w->m, w->entities[i]))
            continue;
        list[count++] = (model_command){.op = MODEL_DESTROY, .target = w->entities[i]};
        weft_commands_destroy(commands, 0, w->entities[i]);
    }
    for (uint32_t i = 0; i < ENTITIES; i++) {
        weft_entity made = weft_commands_create(commands, 0);
        list[count++] = (model_command){.op = MODEL_CREATE, .number = i};
        for (uint32_t type = 0; type < TYPES; type++) {
            uint32_t value = 10 * i + type;
            if ((s->sets[i] >> type & 1) == 0)
                continue;
            list[count] = (model_command){
                .op = MODEL_ADD, .target = MODEL_NEW(i), .type = type, .has_value = true};
            memcpy(list[count++].value, &value, sizeof(value));
            weft_commands_add(commands, 0, made, w->types[type], &value);
        }
    }
    for (uint32_t i = 0; i < count; i++)
        list[i].sequence = i;
    cr_assert_eq(weft_world_commit(w->world), WEFT_STATUS_OK);
    (void)model_commit(&w->m, list, count);
    for (uint32_t i = 0; i < ENTITIES; i++)
        w->entities[i] = model_resolve(&w->m, MODEL_NEW(i));
}

static model_command short_command(const short_world* w, uint32_t choice, uint32_t at) {
    uint32_t op = choice % OPS;
    model_command command = {.target = w->entities[choice / OPS], .sequence = at};
    command.op = op == 0 ? MODEL_DESTROY : MODEL_ADD;
    if (op == 0)
        return command;
    command.op = (model_op)(MODEL_ADD + (op - 1) / TYPES);
    command.type = (op - 1) % TYPES;
    command.has_value = command.op != MODEL_REMOVE;
    uint32_t value = 100 + at;
    memcpy(command.value, &value, sizeof(value));
    return command;
}

static void record_short(const short_world* w, const model_command* command) {
    weft_commands* commands = weft_world_commands(w->world);
    const weft_type* type = w->types[command->type];
    if (command->op == MODEL_DESTROY)
        weft_commands_destroy(commands, 0, command->target);
    else if (command->op == MODEL_ADD)
        weft_commands_add(commands, 0, command->target, type, command->value);
    else if (command->op == MODEL_REMOVE)
        weft_commands_remove(commands, 0, command->target, type);
    else
        weft_commands_set(commands, 0, command->target, type, command->value);
}

static bool short_equal(const short_world* w) {
    weft_world_stats stats = weft_world_stats_read(w->world);
    bool equal = weft_world_entity_count(w->world) == w->m.alive_count &&
                 stats.commands_dropped == w->m.dropped && stats.moved == w->m.moved &&
                 stats.archetypes == w->m.archetype_count - 1;
    for (uint32_t i = 0; i < ENTITIES && equal; i++) {
        equal = weft_world_is_alive(w->world, w->entities[i]) == model_alive(&w->m, w->entities[i]);
        for (uint32_t type = 0; type < TYPES && equal; type++) {
            const void* found = weft_world_read(w->world, w->entities[i], w->types[type]);
            const uint8_t* expected = model_read(&w->m, w->entities[i], type);
            equal = (found == NULL) == (expected == NULL) &&
                    (found == NULL || memcmp(found, expected, 4) == 0);
        }
    }
    weft_access terms[] = {{WEFT_ACCESS_READ, w->types[0]}};
    weft_cursor cursor = weft_world_visit(w->world, terms, 1);
    model_visit_item items[ENTITIES];
    uint32_t expected = model_visit(&w->m, true, 1, 0, items);
    uint32_t at = 0;
    while (equal && weft_cursor_next(&cursor))
        for (uint32_t i = 0; i < cursor.row_count && equal; i++, at++)
            equal = at < expected && weft_entity_equal(cursor.entities[i], items[at].entity) &&
                    cursor.archetype == items[at].archetype;
    return equal && at == expected;
}

// Runs program `number` of `length` commands, its digits in base CHOICES being the commands.
static void run_short(short_world* w, const start* s, uint32_t length, uint32_t number) {
    model_command list[LENGTH];
    begin(w, s);
    uint32_t digits = number;
    for (uint32_t i = 0; i < length; i++, digits /= CHOICES) {
        list[i] = short_command(w, digits % CHOICES, i);
        record_short(w, &list[i]);
    }
    cr_assert_eq(weft_world_commit(w->world), WEFT_STATUS_OK);
    (void)model_commit(&w->m, list, length);
    if (short_equal(w))
        return;
    for (uint32_t i = 0; i < length; i++)
        fprintf(stderr, "  op %u of type %u on entity %u:%u\n", list[i].op, list[i].type,
                list[i].target.slot, list[i].target.generation);
    cr_assert_fail("sets %u and %u, second type %s, program %u of length %u", s->sets[0],
                   s->sets[1], s->sparse ? "sparse" : "dense", number, length);
}

static void run_all_short(const start* s) {
    short_world w = {0};
    open_world(&w, s->sparse);
    uint32_t programs = 1;
    for (uint32_t length = 1; length <= LENGTH; length++) {
        programs *= CHOICES;
        for (uint32_t i = 0; i < programs; i++)
            run_short(&w, s, length, i);
    }
    cr_assert_eq(weft_world_digest_check(w.world), WEFT_STATUS_OK);
    close_world(&w);
}

Test(commit, all_short_programs_of_dense_components) {
    run_all_short(&(start){{1, 0}, false});
    run_all_short(&(start){{3, 2}, false});
}

Test(commit, all_short_programs_with_a_sparse_component) {
    run_all_short(&(start){{1, 3}, true});
}
