#include "replay.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/memory.h>
#include <weft/rollback.h>

#include "shared.h"
#include "weft_world.h"

// Systems ----------------------------------------------------------------------------------------

typedef struct script {
    const episode* episode;
    recorder by;
    const stumble* fault; // Set between ticks.
} script;

static bool hears(recorder r) {
    return r == RECORDER_HEIR || r == RECORDER_SCRIBE || r == RECORDER_LATE;
}

static bool announces(recorder r) {
    return r == RECORDER_EARLY || r == RECORDER_WALKER || r == RECORDER_ELDER;
}

static void learn(names* known, uint32_t number, weft_entity entity) {
    if (known->count == NAMES_MAX)
        abort();
    known->numbers[known->count] = number;
    known->entities[known->count++] = entity;
}

static bool look_up(const names* known, weft_entity* entity) {
    if (!model_is_new(*entity))
        return true;
    for (uint32_t i = 0; i < known->count; i++) {
        if (known->numbers[i] != entity->generation)
            continue;
        *entity = known->entities[i];
        return true;
    }
    return false;
}

static bool find_row(weft_view* view, weft_entity entity, uint32_t* row) {
    const weft_entity* entities = weft_view_entities(view);
    uint32_t low = 0;
    uint32_t high = weft_view_row_count(view);
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (entities[middle].slot < entity.slot)
            low = middle + 1;
        else
            high = middle;
    }
    *row = low;
    return low < weft_view_row_count(view) && weft_entity_equal(entities[low], entity);
}

// Records one command; both handles in it have been looked up.
static void record(weft_commands* commands, uint32_t row, const model_command* command,
                   weft_entity target, const uint8_t* value) {
    const weft_type* type = program_weft_type(command->type);
    switch (command->op) {
    case MODEL_CREATE:
        break;
    case MODEL_DESTROY:
        weft_commands_destroy(commands, row, target);
        break;
    case MODEL_ADD:
        weft_commands_add(commands, row, target, type, command->has_value ? value : NULL);
        break;
    case MODEL_REMOVE:
        weft_commands_remove(commands, row, target, type);
        break;
    case MODEL_SET:
        weft_commands_set(commands, row, target, type, value);
        break;
    }
}

// Looks up the target and the handle in the value. False if one of them cannot be named.
static bool prepare(const names* known, const model_command* command, weft_entity* target,
                    uint8_t* value) {
    *target = command->target;
    memcpy(value, command->value, MODEL_VALUE_MAX);
    int32_t at = program_types[command->type].entity_at;
    if (command->has_value && at >= 0) {
        weft_entity inner;
        memcpy(&inner, value + at, sizeof(inner));
        if (!look_up(known, &inner))
            return false;
        memcpy(value + at, &inner, sizeof(inner));
    }
    return look_up(known, target);
}

// Looks up the handle in a part's value for one member. A sibling's handle is known beforehand.
static bool prepare_part(weft_entity first, const step* s, const names* known, uint32_t part,
                         uint32_t member, uint8_t* value) {
    model_command command = s->parts[part];
    step_part_value(s, part, member, command.value);
    int32_t at = program_types[command.type].entity_at;
    if (!command.has_value || at < 0 || !s->siblings[part]) {
        weft_entity nobody;
        command.target = WEFT_ENTITY_NULL;
        return prepare(known, &command, &nobody, value);
    }
    weft_entity sibling;
    memcpy(value, command.value, MODEL_VALUE_MAX);
    memcpy(&sibling, value + at, sizeof(sibling));
    sibling = weft_entity_nth(first, sibling.generation - s->command.number);
    memcpy(value + at, &sibling, sizeof(sibling));
    return true;
}

// Records a create of many, with the parts whose handles can be named.
static void create_many(weft_commands* commands, uint32_t row, const step* s, names* known) {
    weft_column columns[STEP_PARTS_MAX];
    uint8_t bytes[STEP_PARTS_MAX][STEP_MANY_MAX * MODEL_VALUE_MAX];
    uint32_t count = 0;
    weft_entity first = weft_commands_next(commands);
    for (uint32_t i = 0; i < s->part_count; i++) {
        const weft_type* type = program_weft_type(s->parts[i].type);
        uint32_t values = s->spreads[i] == SPREAD_EACH ? s->many : 1;
        uint8_t value[MODEL_VALUE_MAX];
        bool known_all = true;
        for (uint32_t member = 0; member < values; member++) {
            known_all = prepare_part(first, s, known, i, member, value) && known_all;
            memcpy(bytes[i] + (size_t)member * type->size, value, type->size);
        }
        if (known_all)
            columns[count++] = (weft_column){type, s->parts[i].has_value ? bytes[i] : NULL, values};
    }
    weft_entity made = weft_commands_create_many(commands, row, s->many, columns, count);
    if (!weft_entity_equal(made, first))
        abort();
    for (uint32_t member = 0; member < s->many; member++)
        learn(known, s->command.number + member, weft_entity_nth(made, member));
}

static void destroy_many(weft_commands* commands, uint32_t row, const step* s, const names* known) {
    weft_entity targets[STEP_MANY_MAX];
    uint32_t count = 0;
    for (uint32_t member = 0; member < s->many; member++) {
        targets[count] = step_target(s, member);
        count += look_up(known, &targets[count]);
    }
    weft_commands_destroy_many(commands, row, targets, count);
}

// Records a create, with the parts whose handles can be named.
static weft_entity create(weft_commands* commands, uint32_t row, const step* s,
                          const names* known) {
    weft_value values[STEP_PARTS_MAX];
    uint8_t bytes[STEP_PARTS_MAX][MODEL_VALUE_MAX];
    uint32_t count = 0;
    weft_entity nobody;
    for (uint32_t i = 0; i < s->part_count; i++) {
        model_command part = s->parts[i];
        part.target = WEFT_ENTITY_NULL;
        if (!prepare(known, &part, &nobody, bytes[i]))
            continue;
        values[count++] =
            (weft_value){program_weft_type(part.type), part.has_value ? bytes[i] : NULL};
    }
    return s->part_count == 0 ? weft_commands_create(commands, row)
                              : weft_commands_create_with(commands, row, values, count);
}

static void record_step(weft_commands* commands, uint32_t row, const step* s, names* known) {
    weft_entity target;
    uint8_t value[MODEL_VALUE_MAX];
    if (s->many > 0 && s->command.op == MODEL_CREATE)
        create_many(commands, row, s, known);
    else if (s->many > 0)
        destroy_many(commands, row, s, known);
    else if (s->command.op == MODEL_CREATE)
        learn(known, s->command.number, create(commands, row, s, known));
    else if (prepare(known, &s->command, &target, value))
        record(commands, row, &s->command, target, value);
}

static void run_command(weft_view* view, recorder self, names* known, const step* s, uint32_t row) {
    weft_commands* commands = weft_view_commands(view);
    record_step(commands, row, s, known);
    if (s->command.op != MODEL_CREATE || !announces(self))
        return;
    for (uint32_t member = 0; member < (s->many == 0 ? 1 : s->many); member++) {
        weft_entity entity = MODEL_NEW(s->command.number + member);
        if (!look_up(known, &entity))
            abort();
        WEFT_EMIT(view, row, WEFT_ENTITY_NULL, Born, {entity, s->command.number + member});
    }
}

static void run_effect(weft_view* view, const names* known, const step* s, uint32_t row) {
    weft_entity target;
    uint8_t value[MODEL_VALUE_MAX];
    if (!prepare(known, &s->command, &target, value))
        return;
    if (s->kind == STEP_NEWS)
        WEFT_EMIT(view, row, WEFT_ENTITY_NULL, News, {target, s->command.number});
    if (s->kind == STEP_FOCUS)
        *WEFT_RESOURCE_WRITE(view, Focus) = (Focus){target, s->command.number};
    if (s->kind == STEP_WRITE_FRIEND)
        memcpy(&WEFT_WRITE(view, Friend)[row], value, sizeof(Friend));
}

static weft_status run_script(weft_view* view, const void* context) {
    const script* self = context;
    const program* p = &self->episode->programs[weft_view_tick(view)];
    bool world_scope = self->by == RECORDER_EARLY || self->by == RECORDER_LATE;
    names known;
    known.count = 0;
    if (hears(self->by)) {
        uint32_t count;
        const Born* born = weft_view_messages(view, WEFT_TYPE(Born), &count);
        for (uint32_t i = 0; i < count; i++)
            learn(&known, born[i].number, born[i].who);
    }
    for (uint32_t i = 0; i < p->count; i++) {
        const step* s = &p->steps[i];
        uint32_t row = 0;
        if (s->by != self->by || (!world_scope && !find_row(view, s->row, &row)))
            continue;
        if (s->kind == STEP_COMMAND)
            run_command(view, self->by, &known, s, row);
        else
            run_effect(view, &known, s, row);
    }
    const stumble* fault = self->fault;
    if (fault->wanted && fault->by == self->by && fault->tick == weft_view_tick(view))
        return weft_view_fail(view, "stumbled");
    return WEFT_STATUS_OK;
}

static weft_status add_systems(weft_schedule* schedule, const script* scripts) {
    WEFT_TRY(weft_schedule_add_system(schedule,
                                      WEFT_SYSTEM("early", run_script, .scope = WEFT_SCOPE_WORLD,
                                                  .context = &scripts[0],
                                                  WEFT_ACCESS(WEFT_COMMANDS, WEFT_EMITS(Born)))));
    WEFT_TRY(weft_schedule_add_system(schedule,
                                      WEFT_SYSTEM("walker", run_script, .context = &scripts[1],
                                                  WEFT_ACCESS(WEFT_COMMANDS, WEFT_EMITS(Born)))));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("elder", run_script, .context = &scripts[2],
                              WEFT_ACCESS(WEFT_READS(Age), WEFT_COMMANDS, WEFT_EMITS(Born)))));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("heir", run_script, .context = &scripts[3],
                              WEFT_ACCESS(WEFT_WITHOUT(Mark), WEFT_CONSUMES(Born), WEFT_COMMANDS,
                                          WEFT_EMITS(News)))));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("scribe", run_script, .context = &scripts[4],
                              WEFT_ACCESS(WEFT_WRITES(Friend), WEFT_CONSUMES(Born)))));
    return weft_schedule_add_system(
        schedule, WEFT_SYSTEM("late", run_script, .scope = WEFT_SCOPE_WORLD, .context = &scripts[5],
                              WEFT_ACCESS(WEFT_CONSUMES(Born), WEFT_COMMANDS, WEFT_EMITS(News),
                                          WEFT_WRITES_RESOURCE(Focus))));
}

// Running ----------------------------------------------------------------------------------------

static bool differs(char* problem, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(problem, PROBLEM_SIZE, format, arguments);
    va_end(arguments);
    return false;
}

static weft_status make_world(replay* r, const script* scripts) {
    weft_world_desc desc = weft_world_desc_default();
    if (r->episode->ground == TERRAIN_LIMITED) {
        desc.slot_limit = r->m.slot_limit;
        desc.archetype_limit = r->m.archetype_limit;
    }
    weft_memory memory;
    bool shared = r->episode->systems && r->config->kind == WEFT_EXECUTOR_PROCESSES;
    if (shared)
        WEFT_TRY(weft_memory_aliased(false, &memory));
    WEFT_TRY(weft_world_create(&desc, shared ? &memory : NULL, &r->world));
    if (r->config->block_records > 0)
        r->world->block_records = r->config->block_records;
    for (uint32_t i = 0; i < TYPE_COUNT; i++)
        WEFT_TRY(weft_world_register_component(
            r->world, program_weft_type(i),
            program_types[i].sparse
                ? WEFT_STORAGE_SPARSE
                : (i == TYPE_ECHO ? WEFT_STORAGE_BUFFERED : WEFT_STORAGE_DENSE)));
    WEFT_TRY(weft_world_register_channel(r->world, WEFT_TYPE(Born), WEFT_TARGET_WORLD,
                                         WEFT_DELIVERY_TICK));
    WEFT_TRY(weft_world_register_channel(r->world, WEFT_TYPE(News), WEFT_TARGET_WORLD,
                                         WEFT_DELIVERY_NEXT));
    WEFT_TRY(weft_world_register_resource(r->world, WEFT_TYPE(Focus), 1, NULL));
    if (!r->episode->systems)
        return WEFT_STATUS_OK;
    WEFT_TRY(weft_schedule_create(r->world, &r->schedule));
    WEFT_TRY(add_systems(r->schedule, scripts));
    weft_executor_desc executor = weft_executor_desc_default();
    executor.kind = r->config->kind;
    executor.worker_count = r->config->workers;
    executor.grain = r->config->grain;
    executor.everybody = r->config->everybody;
    executor.no_fusion = r->config->no_fusion;
    executor.sweep = r->config->sweep;
    executor.schedule_seed = r->episode->seed;
    executor.rollback_ticks = r->config->rollback_ticks;
    return weft_executor_create(&executor, r->schedule, &r->executor);
}

static bool run_setup(replay* r, char* problem) {
    for (uint32_t stage = 0;; stage++) {
        model_command* commands;
        uint32_t count = program_setup(r->episode->ground, &r->m, stage, &commands);
        if (count == 0)
            return replay_compare(r, problem);
        weft_commands* host = weft_world_commands(r->world);
        names known;
        known.count = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (known.count == NAMES_MAX)
                known.count = 0; // Set-ups name the newest only.
            record_step(host, 0, &(step){.command = commands[i]}, &known);
        }
        weft_status status = weft_world_commit(r->world);
        (void)model_commit(&r->m, commands, count);
        free(commands);
        if (status != WEFT_STATUS_OK)
            return differs(problem, "set-up: %s", weft_world_error(r->world));
    }
}

static weft_status run_on_host(replay* r, const program* p) {
    weft_commands* host = weft_world_commands(r->world);
    r->host_names.count = 0;
    for (uint32_t i = 0; i < p->count; i++)
        record_step(host, 0, &p->steps[i], &r->host_names);
    return weft_world_commit(r->world);
}

static void remember_dead(replay* r, const program* p) {
    for (uint32_t i = 0; i < p->count; i++)
        if (p->steps[i].command.op == MODEL_DESTROY && !model_is_new(p->steps[i].command.target))
            r->stale[r->stale_count++ % STALE_MAX] = p->steps[i].command.target;
}

static bool compare_messages(const replay* r, const weft_type* type, const expected_message* list,
                             uint32_t count, char* problem) {
    uint32_t found;
    const Born* messages = weft_world_messages(r->world, type, &found); // News is alike.
    if (found != count)
        return differs(problem, "%u messages %s, expected %u", found, type->name, count);
    for (uint32_t i = 0; i < count; i++)
        if (messages[i].number != list[i].number ||
            !weft_entity_equal(messages[i].who, list[i].entity))
            return differs(problem, "%s %u is %u about %u:%u, expected %u about %u:%u", type->name,
                           i, messages[i].number, messages[i].who.slot, messages[i].who.generation,
                           list[i].number, list[i].entity.slot, list[i].entity.generation);
    return true;
}

static bool compare_effects(const replay* r, const expectation* now, const expectation* before,
                            expected_message focus, char* problem) {
    if (!compare_messages(r, WEFT_TYPE(Born), now->born, now->born_count, problem) ||
        !compare_messages(r, WEFT_TYPE(News), before->news, before->news_count, problem))
        return false;
    const Focus* found = weft_world_resource(r->world, WEFT_TYPE(Focus));
    if (found->number != focus.number || !weft_entity_equal(found->on, focus.entity))
        return differs(problem, "Focus is %u on %u:%u, expected %u on %u:%u", found->number,
                       found->on.slot, found->on.generation, focus.number, focus.entity.slot,
                       focus.entity.generation);
    return true;
}

static bool check_status(const replay* r, weft_status status, model_result result, char* problem) {
    static const weft_status statuses[] = {WEFT_STATUS_OK, WEFT_STATUS_ENTITY_LIMIT,
                                           WEFT_STATUS_ARCHETYPE_LIMIT};
    // Where both limits are passed either may be named.
    bool both_refuse =
        status != WEFT_STATUS_OK && result != MODEL_OK &&
        (status == WEFT_STATUS_ENTITY_LIMIT || status == WEFT_STATUS_ARCHETYPE_LIMIT);
    if (status == statuses[result] || both_refuse)
        return true;
    return differs(problem, "status %s (%s), expected %s", weft_status_name(status),
                   weft_world_error(r->world), weft_status_name(statuses[result]));
}

// A recorder of chunk scope may have no chunk: then the tick does not fail, and is taken back.
static bool stumble_once(replay* r, char* problem) {
    weft_digest before = weft_world_digest_full(r->world);
    uint64_t tick = weft_world_tick(r->world);
    *r->fault = (stumble){true, tick, (recorder)(program_random(&r->draws) % RECORDER_COUNT)};
    weft_status status = weft_executor_tick(r->executor);
    r->fault->wanted = false;
    if (status != WEFT_STATUS_OK && status != WEFT_STATUS_SYSTEM_FAILED)
        return differs(problem, "a tick that fails: %s", weft_world_error(r->world));
    if (status == WEFT_STATUS_OK && weft_executor_rollback(r->executor, tick) != WEFT_STATUS_OK)
        return differs(problem, "a tick taken back: %s", weft_world_error(r->world));
    if (weft_world_tick(r->world) != tick)
        return differs(problem, "it is tick %" PRIu64 ", not %" PRIu64, weft_world_tick(r->world),
                       tick);
    return weft_digest_equal(weft_world_digest_full(r->world), before) ||
           differs(problem, "the failure of recorder %d changed the world", (int)r->fault->by);
}

// To a tick that was, and forth again.
static bool go_back(replay* r, char* problem) {
    weft_digest before = weft_world_digest_full(r->world);
    uint64_t tick = weft_world_tick(r->world);
    uint64_t oldest;
    if (!weft_executor_rollback_oldest(r->executor, &oldest))
        return differs(problem, "no state is kept after %" PRIu64 " ticks", tick);
    uint64_t target = oldest + program_random(&r->draws) % (tick - oldest + 1);
    if (weft_executor_rollback(r->executor, target) != WEFT_STATUS_OK)
        return differs(problem, "back to %" PRIu64 ": %s", target, weft_world_error(r->world));
    while (weft_world_tick(r->world) < tick)
        if (weft_executor_tick(r->executor) != WEFT_STATUS_OK)
            return differs(problem, "forth again: %s", weft_world_error(r->world));
    return weft_digest_equal(weft_world_digest_full(r->world), before) ||
           differs(problem, "back to %" PRIu64 " and forth again is another world", target);
}

static bool go_astray(replay* r, char* problem) {
    if (r->config->rollback_ticks == 0)
        return true;
    if (program_random(&r->draws) % 3 == 0 && !stumble_once(r, problem))
        return false;
    if (weft_world_tick(r->world) > 0 && program_random(&r->draws) % 6 == 0 && !go_back(r, problem))
        return false;
    return true;
}

static bool run_program(replay* r, uint32_t at, expectation* before, expected_message* focus,
                        char* problem) {
    const program* p = &r->episode->programs[at];
    if (!go_astray(r, problem))
        return false;
    weft_status status = r->episode->systems ? weft_executor_tick(r->executor) : run_on_host(r, p);
    expectation now;
    model_result result = program_run_model(&r->m, p, r->episode->systems, &now);
    if (result != MODEL_OK) // How many were dropped with a refused commit is not promised.
        r->m.dropped = weft_world_stats_read(r->world).commands_dropped;
    remember_dead(r, p);
    if (now.has_focus)
        *focus = now.focus;
    bool equal = check_status(r, status, result, problem) && replay_compare(r, problem) &&
                 (!r->episode->systems || compare_effects(r, &now, before, *focus, problem));
    expectation_free(before);
    *before = now;
    if (equal && !r->config->lazy_digest && at % 8 == 7 &&
        weft_world_digest_check(r->world) != WEFT_STATUS_OK)
        return differs(problem, "%s", weft_world_error(r->world));
    return equal;
}

static bool run_all(replay* r, episode_outcome* outcome) {
    expectation before = {0};
    expected_message focus = {0};
    bool equal = run_setup(r, outcome->problem);
    for (uint32_t i = 0; i < r->episode->count && equal; i++) {
        outcome->program = i;
        equal = run_program(r, i, &before, &focus, outcome->problem);
        if (outcome->digests != NULL && (!r->config->lazy_digest || i + 1 == r->episode->count)) {
            outcome->digests[2 * i] = weft_world_digest_view(r->world);
            outcome->digests[2 * i + 1] = weft_world_digest_full(r->world);
        }
    }
    expectation_free(&before);
    return equal;
}

// One for all episodes, which run one after the other.
static stumble* fault_of_all(void) {
    static stumble* fault;
    if (fault == NULL)
        fault = shared_make(sizeof(*fault));
    *fault = (stumble){.wanted = false};
    return fault;
}

void episode_run(const episode* e, const episode_config* config, episode_outcome* outcome) {
    replay r = {.episode = e, .config = config, .fault = fault_of_all()};
    script scripts[RECORDER_COUNT];
    for (uint32_t i = 0; i < RECORDER_COUNT; i++)
        scripts[i] = (script){e, (recorder)i, r.fault};
    r.draws = e->seed;
    program_model_init(&r.m, e->ground);
    outcome->program = 0;
    weft_status status = make_world(&r, scripts);
    if (status != WEFT_STATUS_OK)
        outcome->failed = !differs(outcome->problem, "no world: %s", weft_status_text(status));
    else
        outcome->failed = !run_all(&r, outcome);
    weft_executor_destroy(r.executor);
    weft_schedule_destroy(r.schedule);
    weft_world_destroy(r.world);
    model_deinit(&r.m);
    free(r.items);
}
