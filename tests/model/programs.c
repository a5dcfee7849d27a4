// Generating programs and running them on the model.

#include "programs.h"

#include <stdlib.h>
#include <string.h>

enum {
    STEPS_MAX = 40,
    CROWD_STEPS = 400,
    EDGE_SLOTS = 8210,
    CROWD_SLOTS = 9000,
    GRAVES = 32,
};

const model_type program_types[TYPE_COUNT] = {
    [TYPE_AGE] = {sizeof(Age), false, -1},
    [TYPE_WIDE] = {sizeof(Wide), false, -1},
    [TYPE_FRIEND] = {sizeof(Friend), false, 0},
    [TYPE_MARK] = {0, false, -1},
    [TYPE_ECHO] = {sizeof(Echo), false, -1},
    [TYPE_WOUND] = {sizeof(Wound), true, -1},
    [TYPE_SEEN] = {0, true, -1},
    [TYPE_DEBT] = {sizeof(Debt), true, 0},
};

const weft_type* program_weft_type(uint32_t type) {
    static const weft_type* const types[TYPE_COUNT] = {
        WEFT_TYPE(Age),  WEFT_TYPE(Wide),  WEFT_TYPE(Friend), WEFT_TYPE(Mark),
        WEFT_TYPE(Echo), WEFT_TYPE(Wound), WEFT_TYPE(Seen),   WEFT_TYPE(Debt)};
    return types[type];
}

uint64_t program_random(uint64_t* state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint32_t below(uint64_t* state, uint32_t bound) {
    return (uint32_t)(program_random(state) >> 33) % bound;
}

static void* checked(void* memory) {
    if (memory == NULL)
        abort();
    return memory;
}

void program_model_init(model* m, terrain ground) {
    bool limited = ground == TERRAIN_LIMITED;
    model_init(m, program_types, TYPE_COUNT, limited ? 12 : WEFT_SLOT_LIMIT_MAX,
               limited ? 9 : 65536);
}

// Setup ------------------------------------------------------------------------------------------

// The last slots that are freed are the first to be taken: these lie around the edges of shards.
static bool near_edge(uint32_t slot) {
    uint32_t local = slot % WEFT_SHARD_SLOTS;
    return slot > 100 && (local < 6 || local >= WEFT_SHARD_SLOTS - 6);
}

static bool stays(uint32_t slot) {
    return slot % 977 == 3 || slot == 4090 || slot == 4094 || slot == 4097 || slot == 8191;
}

static uint32_t setup_creates(uint32_t count, bool components, model_command** out) {
    model_command* commands = checked(calloc(4 * (size_t)count, sizeof(*commands)));
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        commands[at] = (model_command){.op = MODEL_CREATE, .number = i, .sequence = at};
        at++;
        for (uint32_t type = 0; type < 3 && components; type++) {
            if ((i >> type & 1) == 0 && i % 5 != type)
                continue;
            commands[at] = (model_command){.op = MODEL_ADD,
                                           .target = MODEL_NEW(i),
                                           .type = type == 2 ? TYPE_WOUND : type,
                                           .has_value = true,
                                           .sequence = at};
            memset(commands[at].value, (int)(i & 0x7F), 4);
            at++;
        }
    }
    *out = commands;
    return at;
}

static uint32_t setup_destroys(const model* m, bool edges, model_command** out) {
    model_command* commands = checked(calloc(m->slot_count + 1u, sizeof(*commands)));
    uint32_t at = 0;
    for (uint32_t i = 0; i < m->slot_count; i++) {
        if (m->states[i] != MODEL_ALIVE || near_edge(i) != edges || stays(i))
            continue;
        commands[at] = (model_command){
            .op = MODEL_DESTROY, .target = {i, m->slots[i].generation}, .sequence = at};
        at++;
    }
    *out = commands;
    return at;
}

uint32_t program_setup(terrain ground, const model* m, uint32_t stage, model_command** commands) {
    *commands = NULL;
    if (ground == TERRAIN_EDGE && stage == 0)
        return setup_creates(EDGE_SLOTS, false, commands);
    if (ground == TERRAIN_EDGE && stage < 3)
        return setup_destroys(m, stage == 2, commands);
    if (ground == TERRAIN_CROWD && stage < CROWD_SLOTS / 100)
        return setup_creates(100, true, commands);
    return 0;
}

// Generating -------------------------------------------------------------------------------------

typedef struct generator {
    uint64_t random;
    model m;
    weft_entity* living;
    uint32_t living_count;
    uint32_t living_capacity;
    weft_entity graves[GRAVES];
    uint32_t grave_count;
    uint32_t create_count; // In this program.
    bool systems;
} generator;

static void list_living(generator* g) {
    g->living_count = 0;
    if (g->m.alive_count + 1 > g->living_capacity) {
        g->living_capacity = (uint32_t)g->m.alive_count * 2 + 16;
        g->living = checked(realloc(g->living, g->living_capacity * sizeof(g->living[0])));
    }
    for (uint32_t i = 0; i < g->m.slot_count; i++)
        if (g->m.states[i] == MODEL_ALIVE)
            g->living[g->living_count++] = (weft_entity){i, g->m.slots[i].generation};
}

static weft_entity pick_living(generator* g) {
    return g->living_count == 0 ? WEFT_ENTITY_NULL : g->living[below(&g->random, g->living_count)];
}

static weft_entity pick_target(generator* g) {
    uint32_t draw = below(&g->random, 100);
    if (draw < 30 && g->create_count > 0)
        return MODEL_NEW(below(&g->random, g->create_count));
    if (draw < 38 && g->grave_count > 0)
        return g->graves[below(&g->random, g->grave_count < GRAVES ? g->grave_count : GRAVES)];
    if (draw < 40)
        return WEFT_ENTITY_NULL;
    if (draw < 42)
        return (weft_entity){g->m.slot_count + below(&g->random, 5000), 1};
    return pick_living(g);
}

static void fill_value(generator* g, model_command* command) {
    command->has_value = command->op == MODEL_SET || below(&g->random, 8) != 0;
    if (!command->has_value)
        return;
    for (uint32_t i = 0; i < MODEL_VALUE_MAX; i += 8) {
        uint64_t bits = program_random(&g->random);
        memcpy(command->value + i, &bits, 8);
    }
    int32_t at = program_types[command->type].entity_at;
    weft_entity entity = pick_target(g);
    if (at >= 0)
        memcpy(command->value + at, &entity, sizeof(entity));
}

static void generate_command(generator* g, model_command* command) {
    uint32_t draw = below(&g->random, 100);
    bool sparse_world = g->living_count < 4;
    if (draw < (sparse_world ? 50u : 22u)) {
        *command = (model_command){.op = MODEL_CREATE, .number = g->create_count++};
        return;
    }
    // Two creates of three are followed by commands on the newborn, sooner or later.
    command->target = pick_target(g);
    command->type = below(&g->random, TYPE_COUNT);
    command->op = draw < 42   ? MODEL_DESTROY
                  : draw < 70 ? MODEL_ADD
                  : draw < 83 ? MODEL_REMOVE
                              : MODEL_SET;
    if (command->op == MODEL_ADD || command->op == MODEL_SET)
        fill_value(g, command);
}

// The same component may come twice: the last one counts.
static void generate_parts(generator* g, step* s) {
    s->part_count = below(&g->random, STEP_PARTS_MAX + 1);
    for (uint32_t i = 0; i < s->part_count; i++) {
        model_command* part = &s->parts[i];
        part->op = MODEL_ADD;
        part->own = true;
        part->target = MODEL_NEW(s->command.number);
        part->type = below(&g->random, TYPE_COUNT);
        fill_value(g, part);
    }
}

// Some creates and destroys are of many.
static void generate_many(generator* g, step* s) {
    s->many = 1 + below(&g->random, STEP_MANY_MAX);
    if (s->command.op == MODEL_CREATE)
        g->create_count += s->many - 1;
    for (uint32_t i = 0; i < STEP_PARTS_MAX; i++) {
        s->spreads[i] = (part_spread)below(&g->random, 2);
        s->siblings[i] = below(&g->random, 2) == 0;
    }
    for (uint32_t i = 1; i < s->many && s->command.op == MODEL_DESTROY; i++)
        s->others[i] = pick_target(g);
}

void step_part_value(const step* s, uint32_t part, uint32_t member, uint8_t* value) {
    const model_command* command = &s->parts[part];
    uint32_t size = program_types[command->type].size;
    bool each = s->spreads[part] == SPREAD_EACH;
    memcpy(value, command->value, MODEL_VALUE_MAX);
    if (s->many == 0 || size == 0)
        return;
    value[size - 1] = (uint8_t)(value[size - 1] + (each ? member : 0));
    weft_entity sibling = MODEL_NEW(s->command.number + (each ? (member + 1) % s->many : 0));
    if (s->siblings[part] && program_types[command->type].entity_at >= 0)
        memcpy(value + program_types[command->type].entity_at, &sibling, sizeof(sibling));
}

static void generate_step(generator* g, step* s) {
    memset(s, 0, sizeof(*s));
    s->by = RECORDER_HOST;
    if (g->systems) {
        s->by = (recorder)below(&g->random, RECORDER_COUNT);
        s->row = pick_living(g);
    }
    bool sends = s->by == RECORDER_HEIR || s->by == RECORDER_LATE;
    if (s->by == RECORDER_SCRIBE)
        s->kind = STEP_WRITE_FRIEND;
    else if (sends && below(&g->random, 8) == 0)
        s->kind = STEP_NEWS;
    else if (s->by == RECORDER_LATE && below(&g->random, 8) == 0)
        s->kind = STEP_FOCUS;
    if (s->kind == STEP_COMMAND) {
        generate_command(g, &s->command);
        if (s->command.op == MODEL_CREATE && below(&g->random, 2) == 0)
            generate_parts(g, s);
        if (s->command.op <= MODEL_DESTROY && below(&g->random, 4) == 0)
            generate_many(g, s);
        return;
    }
    s->command.op = MODEL_SET;
    s->command.type = TYPE_FRIEND;
    s->command.target = pick_target(g);
    s->command.number = (uint32_t)program_random(&g->random);
    fill_value(g, &s->command);
}

static void generate_program(generator* g, program* p, terrain ground) {
    uint32_t most = ground == TERRAIN_CROWD ? CROWD_STEPS : STEPS_MAX;
    p->count = 1 + below(&g->random, below(&g->random, 3) == 0 ? most : 8);
    p->steps = checked(calloc(p->count, sizeof(p->steps[0])));
    g->create_count = 0;
    list_living(g);
    for (uint32_t i = 0; i < p->count; i++)
        generate_step(g, &p->steps[i]);
    for (uint32_t i = 0; i < p->count; i++) {
        const model_command* command = &p->steps[i].command;
        if (p->steps[i].kind == STEP_COMMAND && command->op == MODEL_DESTROY &&
            model_alive(&g->m, command->target))
            g->graves[g->grave_count++ % GRAVES] = command->target;
    }
    expectation expected;
    (void)program_run_model(&g->m, p, g->systems, &expected);
    expectation_free(&expected);
}

void episode_generate(episode* e, uint64_t seed, terrain ground, bool systems, uint32_t count) {
    generator g = {.random = seed, .systems = systems};
    *e = (episode){.seed = seed, .ground = ground, .systems = systems, .count = count};
    e->programs = checked(calloc(count, sizeof(e->programs[0])));
    program_model_init(&g.m, ground);
    model_command* commands;
    for (uint32_t stage = 0;; stage++) {
        uint32_t setup = program_setup(ground, &g.m, stage, &commands);
        if (setup > 0)
            (void)model_commit(&g.m, commands, setup);
        free(commands);
        if (setup == 0)
            break;
    }
    for (uint32_t i = 0; i < count; i++)
        generate_program(&g, &e->programs[i], ground);
    model_deinit(&g.m);
    free(g.living);
}

void episode_free(episode* e) {
    for (uint32_t i = 0; i < e->count; i++)
        free(e->programs[i].steps);
    free(e->programs);
    memset(e, 0, sizeof(*e));
}

// The model's side -------------------------------------------------------------------------------

static bool announces(recorder r) {
    return r == RECORDER_EARLY || r == RECORDER_WALKER || r == RECORDER_ELDER;
}

static bool hears(recorder r) {
    return r == RECORDER_HEIR || r == RECORDER_SCRIBE || r == RECORDER_LATE;
}

static bool world_scope(recorder r) {
    return r == RECORDER_EARLY || r == RECORDER_LATE || r == RECORDER_HOST;
}

// True if the row at hand is among the rows that the step's recorder walks.
static bool row_matches(const model* m, const step* s) {
    if (world_scope(s->by))
        return true;
    if (!model_alive(m, s->row))
        return false;
    uint32_t set = m->slots[s->row.slot].set;
    switch (s->by) {
    case RECORDER_ELDER:
        return (set >> TYPE_AGE & 1) != 0;
    case RECORDER_HEIR:
        return (set >> TYPE_MARK & 1) == 0;
    case RECORDER_SCRIBE:
        return (set >> TYPE_FRIEND & 1) != 0;
    default:
        return true;
    }
}

static bool same_task(const step* a, const step* b) {
    return a->by == b->by && (world_scope(a->by) ||
                              (a->command.archetype == b->command.archetype &&
                               a->row.slot / WEFT_SHARD_SLOTS == b->row.slot / WEFT_SHARD_SLOTS));
}

// True if the recorder of step `at` can name this entity: a handle, or a create that it made itself
// or has heard of. `recorded` tells which steps are real.
static bool can_name(const program* p, const bool* recorded, uint32_t at, weft_entity entity) {
    if (!model_is_new(entity))
        return true;
    const step* s = &p->steps[at];
    for (uint32_t i = 0; i < p->count; i++) {
        const step* other = &p->steps[i];
        if (!recorded[i] || other->kind != STEP_COMMAND || other->command.op != MODEL_CREATE ||
            entity.generation - other->command.number >= (other->many == 0 ? 1 : other->many))
            continue;
        if (i < at && same_task(s, other))
            return true;
        if (hears(s->by) && announces(other->by))
            return true;
    }
    return false;
}

// The handle in a command's value; null if there is none.
static weft_entity handle_in(const model_command* command) {
    weft_entity inner = WEFT_ENTITY_NULL;
    if (command->has_value && program_types[command->type].entity_at >= 0)
        memcpy(&inner, command->value + program_types[command->type].entity_at, sizeof(inner));
    return inner;
}

static bool step_is_recorded(const model* m, const program* p, const bool* recorded, uint32_t at) {
    const step* s = &p->steps[at];
    if (!row_matches(m, s) || (s->kind == STEP_COMMAND && s->command.op == MODEL_CREATE))
        return row_matches(m, s);
    if (s->kind == STEP_COMMAND && s->command.op == MODEL_DESTROY && s->many > 0)
        return true; // Of what it can name.
    return can_name(p, recorded, at, s->command.target) &&
           can_name(p, recorded, at, handle_in(&s->command));
}

static void set_key(const model* m, step* s, model_command* command, uint32_t sequence) {
    bool world = world_scope(s->by);
    command->rank = s->by == RECORDER_HOST ? 0 : (uint32_t)s->by;
    command->archetype = 0;
    command->slot = world ? 0 : s->row.slot;
    command->sequence = sequence;
    if (!world && model_alive(m, s->row))
        command->archetype = m->slots[s->row.slot].archetype;
}

static void set_keys(const model* m, const program* p) {
    for (uint32_t i = 0; i < p->count; i++) {
        step* s = &p->steps[i];
        set_key(m, s, &s->command, (i + 1) * STEP_MANY_MAX);
        // A create's own components come before every other command on it.
        for (uint32_t part = 0; part < s->part_count; part++) {
            s->parts[part].rank = s->parts[part].archetype = s->parts[part].slot = 0;
            s->parts[part].sequence = part;
        }
    }
}

static bool sent_before(const model_command* a, const model_command* b) {
    if (a->rank != b->rank)
        return a->rank < b->rank;
    if (a->archetype != b->archetype)
        return a->archetype < b->archetype;
    return a->slot != b->slot ? a->slot < b->slot : a->sequence < b->sequence;
}

// Appends in key order. `order` holds the commands behind the messages.
static void add_message(expected_message** list, const model_command*** order, uint32_t* count,
                        const model_command* command, expected_message message) {
    *list = checked(realloc(*list, (*count + 1) * sizeof((*list)[0])));
    *order = checked(realloc(*order, (*count + 1) * sizeof((*order)[0])));
    uint32_t at = (*count)++;
    for (; at > 0 && sent_before(command, (*order)[at - 1]); at--) {
        (*order)[at] = (*order)[at - 1];
        (*list)[at] = (*list)[at - 1];
    }
    (*order)[at] = command;
    (*list)[at] = message;
}

// Messages, in-place writes and the resource: what happens before the commit.
static void run_effects(model* m, const program* p, const bool* recorded, expectation* expected) {
    const model_command** born = NULL;
    const model_command** news = NULL;
    for (uint32_t i = 0; i < p->count; i++) {
        const step* s = &p->steps[i];
        const model_command* command = &s->command;
        if (!recorded[i])
            continue;
        uint32_t creates = s->many == 0 ? 1 : s->many;
        if (s->kind != STEP_COMMAND || command->op != MODEL_CREATE || !announces(s->by))
            creates = 0;
        for (uint32_t member = 0; member < creates; member++)
            add_message(
                &expected->born, &born, &expected->born_count, command,
                (expected_message){MODEL_NEW(command->number + member), command->number + member});
        if (s->kind == STEP_NEWS)
            add_message(&expected->news, &news, &expected->news_count, command,
                        (expected_message){command->target, command->number});
        if (s->kind == STEP_FOCUS)
            expected->focus = (expected_message){command->target, command->number};
        expected->has_focus |= s->kind == STEP_FOCUS;
        if (s->kind == STEP_WRITE_FRIEND)
            model_write(m, s->row, TYPE_FRIEND, command->value);
    }
    free(born);
    free(news);
}

static void resolve_messages(const model* m, expected_message* list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        list[i].entity = model_resolve(m, list[i].entity);
}

// Appends what a step records, one command for each entity; returns how many.
static uint32_t list_commands(const program* p, const bool* recorded, uint32_t at,
                              model_command* out) {
    const step* s = &p->steps[at];
    uint32_t count = 0;
    for (uint32_t member = 0; member < (s->many == 0 ? 1 : s->many); member++) {
        model_command command = s->command;
        command.sequence += member;
        if (s->command.op == MODEL_DESTROY)
            command.target = step_target(s, member);
        command.number += member;
        if (s->command.op == MODEL_CREATE || can_name(p, recorded, at, command.target))
            out[count++] = command;
        for (uint32_t i = 0; i < s->part_count; i++) {
            model_command part = s->parts[i];
            if (!(s->many > 0 && s->siblings[i]) && !can_name(p, recorded, at, handle_in(&part)))
                continue;
            part.target = MODEL_NEW(command.number);
            step_part_value(s, i, member, part.value);
            out[count++] = part;
        }
    }
    return count;
}

model_result program_run_model(model* m, const program* p, bool systems, expectation* expected) {
    memset(expected, 0, sizeof(*expected));
    bool* recorded = checked(calloc(p->count + 1u, sizeof(bool)));
    model_command* commands =
        checked(calloc((STEP_PARTS_MAX + 1u) * STEP_MANY_MAX * p->count + 1u, sizeof(*commands)));
    set_keys(m, p);
    // Creates first: a hearer may stand before the create that it hears of.
    for (uint32_t i = 0; i < p->count; i++)
        if (p->steps[i].kind == STEP_COMMAND && p->steps[i].command.op == MODEL_CREATE)
            recorded[i] = row_matches(m, &p->steps[i]);
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        recorded[i] = step_is_recorded(m, p, recorded, i);
        if (recorded[i] && p->steps[i].kind == STEP_COMMAND)
            count += list_commands(p, recorded, i, commands + count);
    }
    if (systems)
        run_effects(m, p, recorded, expected);
    model_result result = model_commit(m, commands, count);
    resolve_messages(m, expected->born, expected->born_count);
    resolve_messages(m, expected->news, expected->news_count);
    resolve_messages(m, &expected->focus, 1);
    free(commands);
    free(recorded);
    return result;
}

void expectation_free(expectation* expected) {
    free(expected->born);
    free(expected->news);
    memset(expected, 0, sizeof(*expected));
}
