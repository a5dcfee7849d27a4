// Verify: every configuration against the serial run, and the place of the first difference.
//
// The comparison itself is one digest per tick. Where it fails, the suspect and the serial run are
// made again from nothing up to the tick in which they part, so that the outputs of single tasks
// can be compared in the order (stage, rank, archetype, shard): the first one that differs had
// equal inputs, so its system is to blame, or what it reads was changed by one that did not declare
// it. A schedule that depends on time need not fail again in the same tick: the first attempt
// traces that tick alone, the others trace every tick and take the first difference that comes.
//
// What this does not see: a fault that the serial run has too, and writes that no later tick reads
// and no column holds.

#include <weft/verify.h>

#include <stdio.h>
#include <string.h>

#include "weft_world.h"

#define VERIFY_COOKIE 0x57564552u

/// One run: a fresh world with its schedule and executor.
typedef struct verify_run {
    weft_world* world;
    weft_schedule* schedule;
    weft_executor* executor;
} verify_run;

/// Outputs of the tasks of one tick, copied.
typedef struct verify_outputs {
    weft_task_output* items;
    size_t count;
    uint32_t capacity;
} verify_outputs;

/// A report with the memory that it lives in.
typedef struct verify_report {
    weft_verify_report shown;
    weft__arena arena;
    uint32_t digest_capacity;
} verify_report;

/// A verification under way.
typedef struct verify_state {
    const weft_verify_desc* desc;
    weft_verify_report* report;
    verify_report* whole; // Of which `report` is a part.
    verify_outputs serial_outputs;
    verify_outputs suspect_outputs;
    uint32_t located;
} verify_state;

weft_verify_desc weft_verify_desc_default(void) {
    return (weft_verify_desc){.locate_limit = 1, .attempt_limit = 4, .cookie = VERIFY_COOKIE};
}

static bool digests_equal(const weft_verify_digests* a, const weft_verify_digests* b) {
    return weft_digest_equal(a->view, b->view) && weft_digest_equal(a->full, b->full);
}

static void text_copy(char* to, size_t capacity, const char* from) {
    (void)snprintf(to, capacity, "%s", from);
}

// One run ----------------------------------------------------------------------------------------

/// The line of whoever failed: the world, else the schedule, else the status.
static void run_error(const verify_run* run, weft_status status, char* line) {
    const char* text = run->world != NULL ? weft_world_error(run->world) : "";
    if (text[0] == '\0' && run->schedule != NULL)
        text = weft_schedule_error(run->schedule);
    if (text[0] == '\0')
        text = weft_status_text(status);
    text_copy(line, WEFT_VERIFY_LINE_SIZE, text);
}

static weft_status run_open(const weft_verify_desc* desc, const weft_executor_desc* config,
                            verify_run* run) {
    *run = (verify_run){0};
    WEFT_TRY(desc->make(desc->context, &run->world, &run->schedule));
    if (!weft_world_is_deterministic(run->world))
        return weft__world_fail(run->world, WEFT_STATUS_NOT_DETERMINISTIC,
                                "the world was made with weft_world_desc.deterministic off or "
                                "unordered_commit on, so equal runs are not promised and there is "
                                "nothing to verify");
    return weft_executor_create(config, run->schedule, &run->executor);
}

static void run_close(verify_run* run) {
    weft_executor_destroy(run->executor);
    weft_schedule_destroy(run->schedule);
    weft_world_destroy(run->world);
    *run = (verify_run){0};
}

static weft_status outputs_copy(verify_state* state, verify_outputs* outputs,
                                const weft_task_output* tasks, size_t count) {
    void* items = outputs->items;
    weft_status status = weft__arena_grow(&state->whole->arena, &items, &outputs->capacity,
                                          sizeof *outputs->items, count);
    outputs->items = items;
    outputs->count = 0;
    if (status != WEFT_STATUS_OK)
        return status;
    if (count > 0)
        memcpy(outputs->items, tasks, count * sizeof *tasks);
    outputs->count = count;
    return WEFT_STATUS_OK;
}

/// One tick and its digests. With `traced`, the tasks' outputs are copied there.
static weft_status run_step(verify_state* state, verify_run* run, verify_outputs* traced,
                            weft_verify_digests* digests_out) {
    const weft_verify_desc* desc = state->desc;
    if (desc->input != NULL)
        WEFT_TRY(desc->input(desc->context, run->world, weft_world_tick(run->world)));
    if (traced != NULL) {
        const weft_task_output* tasks = NULL;
        size_t count = 0;
        WEFT_TRY(weft_executor_tick_traced(run->executor, &tasks, &count));
        WEFT_TRY(outputs_copy(state, traced, tasks, count));
    } else {
        WEFT_TRY(weft_executor_tick(run->executor));
    }
    if (desc->digest_check)
        WEFT_TRY(weft_world_digest_check(run->world));
    return weft_executor_digest(run->executor, &digests_out->view, &digests_out->full);
}

/// Digests after `tick` ticks; the state before the first tick counts too.
static weft_status run_reach(verify_state* state, verify_run* run, uint64_t tick,
                             verify_outputs* traced, weft_verify_digests* digests_out) {
    if (tick == 0)
        return weft_executor_digest(run->executor, &digests_out->view, &digests_out->full);
    return run_step(state, run, traced, digests_out);
}

/// Tells the caller where the verification stands; false ends it.
static bool state_report(verify_state* state, weft_verify_phase phase, size_t config, uint64_t tick,
                         uint64_t tick_count) {
    const weft_verify_desc* desc = state->desc;
    weft_verify_progress progress = {phase, config, tick, tick_count};
    if (desc->progress == NULL || desc->progress(desc->context, &progress))
        return true;
    state->report->stopped = true;
    return false;
}

static void result_fail(weft_verify_result* result, const verify_run* run, weft_status status) {
    result->outcome = WEFT_VERIFY_FAILED;
    result->status = status;
    if (run->executor != NULL)
        result->guard = *weft_executor_guard_report(run->executor);
    run_error(run, status, result->error);
}

// The serial run ---------------------------------------------------------------------------------

static weft_executor_desc serial_config(const weft_verify_desc* desc) {
    weft_executor_desc config = weft_executor_desc_default();
    config.kind = WEFT_EXECUTOR_SERIAL;
    config.worker_count = 1;
    config.guard = desc->guard;
    return config;
}

static weft_status report_keep(verify_report* whole, weft_verify_digests digests) {
    weft_verify_report* report = &whole->shown;
    void* items = report->digests;
    weft_status status = weft__arena_grow(&whole->arena, &items, &whole->digest_capacity,
                                          sizeof *report->digests, report->digest_count + 1);
    report->digests = items;
    if (status == WEFT_STATUS_OK)
        report->digests[report->digest_count++] = digests;
    return status;
}

static weft_status reference_check(const weft_verify_desc* desc, const verify_run* run,
                                   weft_verify_result* result) {
    char line[WEFT_VERIFY_LINE_SIZE - 128] = "";
    if (desc->check == NULL || desc->check(desc->context, run->world, line, sizeof line))
        return WEFT_STATUS_OK;
    result->outcome = WEFT_VERIFY_FAILED;
    result->status = WEFT_STATUS_SYSTEM_FAILED;
    (void)snprintf(result->error, sizeof result->error,
                   "the simulation's own check failed after tick %llu: %s",
                   (unsigned long long)weft_world_tick(run->world), line);
    return result->status;
}

/// Runs the reference and keeps its digests. Its outcome is EQUAL, NOT_RUN or FAILED.
static weft_status reference_run(verify_state* state, verify_run* run) {
    const weft_verify_desc* desc = state->desc;
    weft_verify_report* report = state->report;
    weft_verify_result* result = &report->reference;
    weft_executor_desc config = serial_config(desc);
    WEFT_TRY(run_open(desc, &config, run));
    result->worker_count = 1;
    report->schema_hash = weft_world_schema_hash(run->world);
    report->schedule_hash = weft_schedule_hash(run->schedule);
    for (uint64_t tick = 0; tick <= desc->tick_count; tick++) {
        weft_verify_digests digests;
        WEFT_TRY(run_reach(state, run, tick, NULL, &digests));
        WEFT_TRY(reference_check(desc, run, result));
        WEFT_TRY(report_keep(state->whole, digests));
        result->tick = tick;
        result->found = digests;
        if (!state_report(state, WEFT_VERIFY_REFERENCE, 0, tick, desc->tick_count))
            return WEFT_STATUS_OK;
    }
    result->outcome = WEFT_VERIFY_EQUAL;
    return WEFT_STATUS_OK;
}

/// Compares the reference with the digests of an earlier run.
static void reference_expect(const weft_verify_desc* desc, weft_verify_report* report) {
    weft_verify_result* result = &report->reference;
    uint64_t count = report->digest_count;
    if (desc->expected == NULL || count == 0)
        return;
    if (count > desc->expected_count)
        count = desc->expected_count;
    for (uint64_t tick = 0; tick < count; tick++) {
        if (digests_equal(&desc->expected[tick], &report->digests[tick]))
            continue;
        result->outcome = WEFT_VERIFY_DIFFERENT;
        result->tick = tick;
        result->reference = desc->expected[tick];
        result->found = report->digests[tick];
        report->expected_resumes =
            digests_equal(&desc->expected[count - 1], &report->digests[count - 1]);
        return;
    }
    result->reference = result->found;
}

// Comparing two worlds ---------------------------------------------------------------------------

/// Walks all entities of a world one by one.
typedef struct verify_walk {
    weft_cursor cursor;
    uint32_t row;
    bool more;
} verify_walk;

static void walk_settle(verify_walk* walk) {
    while (walk->more && walk->row == walk->cursor.row_count) {
        walk->more = weft_cursor_next(&walk->cursor);
        walk->row = 0;
    }
}

static void walk_start(verify_walk* walk, const weft_world* world) {
    walk->cursor = weft_world_visit(world, NULL, 0);
    walk->more = weft_cursor_next(&walk->cursor);
    walk->row = 0;
    walk_settle(walk);
}

static void walk_advance(verify_walk* walk) {
    walk->row++;
    walk_settle(walk);
}

/// Slot of the entity at hand; past every slot at the end.
static uint64_t walk_slot(const verify_walk* walk) {
    return walk->more ? walk->cursor.entities[walk->row].slot : UINT64_MAX;
}

/// Two worlds and the place that is being filled.
typedef struct verify_pair {
    const weft_world* serial;
    const weft_world* suspect;
    weft_verify_place* place;
} verify_pair;

static void place_texts(weft_verify_place* place, weft_verify_kind kind, weft_entity entity,
                        const char* reference, const char* found) {
    place->kind = kind;
    place->entity = entity;
    text_copy(place->reference_text, sizeof place->reference_text, reference);
    text_copy(place->found_text, sizeof place->found_text, found);
}

/// Fills the place with the first differing field of two values. False if they are equal.
static bool place_values(weft_verify_place* place, weft_verify_kind kind, const weft_type* type,
                         const void* reference, const void* found) {
    const uint8_t* left = reference;
    const uint8_t* right = found;
    uint32_t offset = 0; // Of the first differing byte: fields tile the value in order.
    while (offset < type->size && left[offset] == right[offset])
        offset++;
    if (offset == type->size)
        return false;
    place->kind = kind;
    text_copy(place->type, sizeof place->type, type->name);
    (void)weft_type_path(type, offset, place->field, sizeof place->field);
    (void)weft_type_format(type, reference, offset, place->reference_text,
                           sizeof place->reference_text);
    (void)weft_type_format(type, found, offset, place->found_text, sizeof place->found_text);
    return true;
}

/// The first difference in the components of an entity that lives in both worlds.
static bool entity_differs(const verify_pair* pair, weft_entity entity, weft_verify_place* place) {
    for (uint32_t i = 0; i < pair->serial->types.count; i++) {
        const weft__type* entry = &pair->serial->types.items[i];
        if (entry->role != WEFT__ROLE_COMPONENT && entry->role != WEFT__ROLE_SPARSE)
            continue;
        const void* left = weft_world_read(pair->serial, entity, entry->type);
        const void* right = weft_world_read(pair->suspect, entity, entry->type);
        if (left == NULL && right == NULL)
            continue;
        if (left != NULL && right != NULL) {
            if (!place_values(place, WEFT_VERIFY_KIND_FIELD, entry->type, left, right))
                continue;
            place->entity = entity;
            return true;
        }
        place_texts(place, WEFT_VERIFY_KIND_PRESENCE, entity, left != NULL ? "present" : "absent",
                    right != NULL ? "present" : "absent");
        text_copy(place->type, sizeof place->type, entry->type->name);
        return true;
    }
    return false;
}

/// The next entity of two walks: false when equal. Advances what it looked at.
static bool walks_differ(const verify_pair* pair, verify_walk* serial, verify_walk* suspect,
                         weft_verify_place* place) {
    uint64_t left = walk_slot(serial);
    uint64_t right = walk_slot(suspect);
    weft_entity entity = left <= right ? serial->cursor.entities[serial->row]
                                       : suspect->cursor.entities[suspect->row];
    weft_entity other = left == right ? suspect->cursor.entities[suspect->row] : entity;
    bool differs = true;
    if (left != right) {
        place_texts(place, WEFT_VERIFY_KIND_ALIVE, entity, left < right ? "alive" : "dead",
                    left < right ? "dead" : "alive");
    } else if (!weft_entity_equal(entity, other)) {
        char text[WEFT_VERIFY_VALUE_SIZE];
        (void)snprintf(text, sizeof text, "generation %lu in that slot",
                       (unsigned long)other.generation);
        place_texts(place, WEFT_VERIFY_KIND_ALIVE, entity, "alive", text);
    } else {
        differs = entity_differs(pair, entity, place);
    }
    if (left <= right)
        walk_advance(serial);
    if (right <= left)
        walk_advance(suspect);
    return differs;
}

/// The first entity that differs, in the blamed task's shard if there is one, and how many do.
static void compare_entities(const verify_pair* pair) {
    weft_verify_place* place = pair->place;
    bool prefer = place->has_task && !place->world_scope;
    bool settled = false;
    uint64_t count = 0;
    verify_walk serial;
    verify_walk suspect;
    walk_start(&serial, pair->serial);
    walk_start(&suspect, pair->suspect);
    while (serial.more || suspect.more) {
        weft_verify_place found = *place;
        if (!walks_differ(pair, &serial, &suspect, &found))
            continue;
        bool preferred = !prefer || found.entity.slot / WEFT_SHARD_SLOTS == place->shard;
        if (count == 0 || (preferred && !settled)) {
            *place = found;
            settled = preferred;
        }
        count++;
    }
    place->entity_count = count;
}

static bool compare_messages(const verify_pair* pair, const weft_type* type) {
    weft_verify_place* place = pair->place;
    uint32_t left_count = 0;
    uint32_t right_count = 0;
    const char* left = weft_world_messages(pair->serial, type, &left_count);
    const char* right = weft_world_messages(pair->suspect, type, &right_count);
    for (uint32_t i = 0; i < left_count && i < right_count; i++) {
        size_t offset = (size_t)i * type->size;
        place->index = i;
        if (place_values(place, WEFT_VERIFY_KIND_MESSAGE, type, left + offset, right + offset))
            return true;
    }
    if (left_count == right_count)
        return false;
    place->kind = WEFT_VERIFY_KIND_COUNT;
    text_copy(place->type, sizeof place->type, type->name);
    (void)snprintf(place->reference_text, sizeof place->reference_text, "%lu messages",
                   (unsigned long)left_count);
    (void)snprintf(place->found_text, sizeof place->found_text, "%lu messages",
                   (unsigned long)right_count);
    return true;
}

/// Compares the values of a resource (`count` of them) or of a reduction.
static bool compare_values(const verify_pair* pair, weft_verify_kind kind, const weft_type* type,
                           uint32_t count) {
    const char* left = weft_world_resource(pair->serial, type);
    const char* right = weft_world_resource(pair->suspect, type);
    for (uint32_t i = 0; left != NULL && right != NULL && i < count; i++) {
        size_t offset = (size_t)i * type->size;
        pair->place->index = i;
        if (place_values(pair->place, kind, type, left + offset, right + offset))
            return true;
    }
    return false;
}

/// Compares what a registered type other than a component holds.
static bool compare_entry(const verify_pair* pair, const weft__type* entry) {
    switch (entry->role) {
    case WEFT__ROLE_RESOURCE:
        return compare_values(pair, WEFT_VERIFY_KIND_RESOURCE, entry->type,
                              pair->serial->resources.items[entry->index].count);
    case WEFT__ROLE_REDUCTION:
        return compare_values(pair, WEFT_VERIFY_KIND_REDUCTION, entry->type, 1);
    case WEFT__ROLE_CHANNEL:
        return compare_messages(pair, entry->type);
    case WEFT__ROLE_COMPONENT:
    case WEFT__ROLE_SPARSE:
        break;
    }
    return false;
}

/// Finds the first value that differs: entities, then resources, reductions and messages.
static void compare_worlds(const verify_run* serial, const verify_run* suspect,
                           weft_verify_place* place) {
    verify_pair pair = {serial->world, suspect->world, place};
    compare_entities(&pair);
    bool found = place->kind != WEFT_VERIFY_KIND_NONE;
    for (uint32_t i = 0; i < serial->world->types.count && !found; i++)
        found = compare_entry(&pair, &serial->world->types.items[i]);
}

// Locating ---------------------------------------------------------------------------------------

/// Outputs of one system: a run of the array, ordered by (archetype, shard).
static verify_outputs outputs_of(const verify_outputs* outputs, uint32_t rank) {
    size_t first = 0;
    while (first < outputs->count && outputs->items[first].rank != rank)
        first++;
    size_t end = first;
    while (end < outputs->count && outputs->items[end].rank == rank)
        end++;
    return (verify_outputs){.items = outputs->items + first, .count = end - first};
}

static int place_order(const weft_task_output* a, const weft_task_output* b) {
    if (a->archetype != b->archetype)
        return a->archetype < b->archetype ? -1 : 1;
    return (a->shard > b->shard) - (a->shard < b->shard);
}

/// The first task of one system whose output differs, or null.
static const weft_task_output* outputs_differ(const verify_outputs* serial,
                                              const verify_outputs* suspect, bool* missing_out) {
    for (size_t i = 0; i < serial->count || i < suspect->count; i++) {
        const weft_task_output* left = i < serial->count ? &serial->items[i] : NULL;
        const weft_task_output* right = i < suspect->count ? &suspect->items[i] : NULL;
        int order = left == NULL ? 1 : right == NULL ? -1 : place_order(left, right);
        *missing_out = order != 0;
        if (order != 0)
            return order < 0 ? left : right;
        if (!weft_digest_equal(left->digest, right->digest))
            return left;
    }
    return NULL;
}

/// Finds the first task whose output differs, by (stage, rank, archetype, shard), and names it in
/// the place. The arrays may be ordered by other stages than the schedule's, so systems are looked
/// up by rank.
static void outputs_compare(const verify_outputs* serial, const verify_outputs* suspect,
                            const weft_schedule* schedule, weft_verify_place* place) {
    uint32_t systems = weft_schedule_system_count(schedule);
    uint32_t stages = weft_schedule_stage_count(schedule);
    for (uint32_t stage = 0; stage < stages; stage++) {
        for (uint32_t rank = 0; rank < systems; rank++) {
            if (weft_schedule_system_stage(schedule, rank) != stage)
                continue;
            verify_outputs left = outputs_of(serial, rank);
            verify_outputs right = outputs_of(suspect, rank);
            const weft_task_output* task = outputs_differ(&left, &right, &place->task_missing);
            if (task == NULL)
                continue;
            place->has_task = true;
            place->rank = rank;
            place->stage = stage;
            place->world_scope = weft_schedule_system_scope(schedule, rank) == WEFT_SCOPE_WORLD;
            place->archetype = task->archetype;
            place->shard = task->shard;
            text_copy(place->system, sizeof place->system,
                      weft_schedule_system_name(schedule, rank));
            return;
        }
    }
}

/// What one attempt needs.
typedef struct verify_attempt {
    verify_run serial;
    verify_run suspect;
    uint64_t trace_from; // First tick of the suspect that is traced.
    uint64_t tick_count;
} verify_attempt;

/// Runs the suspect until it differs from the kept digests. False if it does not, or fails.
static bool attempt_suspect(verify_state* state, size_t index, verify_attempt* attempt,
                            uint64_t* tick_out, weft_verify_digests* digests_out) {
    const weft_executor_desc* config = &state->desc->configs[index];
    if (run_open(state->desc, config, &attempt->suspect) != WEFT_STATUS_OK)
        return false;
    for (uint64_t tick = 0; tick <= attempt->tick_count; tick++) {
        verify_outputs* traced = tick >= attempt->trace_from ? &state->suspect_outputs : NULL;
        if (run_reach(state, &attempt->suspect, tick, traced, digests_out) != WEFT_STATUS_OK)
            return false;
        *tick_out = tick;
        if (!digests_equal(digests_out, &state->report->digests[tick]))
            return true;
        if (!state_report(state, WEFT_VERIFY_LOCATE, index, tick, attempt->tick_count))
            return false;
    }
    return false;
}

/// Runs the serial run again up to the tick in which the suspect differed, which it traces.
static bool attempt_serial(verify_state* state, size_t index, verify_attempt* attempt,
                           uint64_t last_tick, weft_verify_digests* digests_out) {
    weft_executor_desc config = serial_config(state->desc);
    if (run_open(state->desc, &config, &attempt->serial) != WEFT_STATUS_OK)
        return false;
    for (uint64_t tick = 0; tick <= last_tick; tick++) {
        verify_outputs* traced = tick == last_tick ? &state->serial_outputs : NULL;
        if (run_reach(state, &attempt->serial, tick, traced, digests_out) != WEFT_STATUS_OK ||
            !state_report(state, WEFT_VERIFY_LOCATE, index, tick, last_tick))
            return false;
    }
    return true;
}

/// Runs both one after the other, so that they do not meet in what a faulty simulation keeps
/// outside of its world. True when the place is as good as it gets.
static bool attempt_run(verify_state* state, size_t index, verify_attempt* attempt,
                        weft_verify_place* place) {
    uint64_t tick = 0;
    weft_verify_digests suspect;
    weft_verify_digests serial;
    if (!attempt_suspect(state, index, attempt, &tick, &suspect) ||
        !attempt_serial(state, index, attempt, tick, &serial))
        return false;
    place->unstable = !digests_equal(&serial, &state->report->digests[tick]);
    if (digests_equal(&serial, &suspect))
        return false;
    place->repeated = true;
    place->tick = tick;
    bool traced = tick >= attempt->trace_from && tick > 0;
    if (traced)
        outputs_compare(&state->serial_outputs, &state->suspect_outputs, attempt->serial.schedule,
                        place);
    compare_worlds(&attempt->serial, &attempt->suspect, place);
    return traced || tick == 0;
}

/// Looks for a difference again, up to the limit of attempts, and keeps the best that was seen.
static void locate(verify_state* state, size_t index, weft_verify_result* result) {
    uint64_t last_tick = state->report->digest_count - 1;
    bool unstable = false;
    for (uint32_t i = 0; i < state->desc->attempt_limit && !state->report->stopped; i++) {
        verify_attempt attempt = {
            .trace_from = i == 0 ? result->tick : 1,
            .tick_count = i == 0 ? result->tick : last_tick,
        };
        weft_verify_place place = {0};
        bool done = attempt_run(state, index, &attempt, &place);
        run_close(&attempt.suspect);
        run_close(&attempt.serial);
        unstable = unstable || place.unstable;
        if (place.repeated)
            result->place = place;
        result->place.attempt_count = i + 1;
        result->place.unstable = unstable;
        if (done)
            return;
    }
}

// Comparing configurations -----------------------------------------------------------------------

static weft_status config_compare(verify_state* state, size_t index, verify_run* run) {
    const weft_verify_desc* desc = state->desc;
    const weft_verify_report* report = state->report;
    weft_verify_result* result = &state->report->results[index];
    uint64_t last_tick = report->digest_count - 1;
    WEFT_TRY(run_open(desc, &desc->configs[index], run));
    if (weft_world_schema_hash(run->world) != report->schema_hash ||
        weft_schedule_hash(run->schedule) != report->schedule_hash)
        return WEFT_STATUS_IDENTITY_MISMATCH;
    result->worker_count = weft_executor_stats_read(run->executor).worker_count;
    for (uint64_t tick = 0; tick <= last_tick; tick++) {
        weft_verify_digests found;
        WEFT_TRY(run_reach(state, run, tick, NULL, &found));
        result->tick = tick;
        result->found = found;
        result->reference = report->digests[tick];
        if (!digests_equal(&found, &report->digests[tick])) {
            result->outcome = WEFT_VERIFY_DIFFERENT;
            return WEFT_STATUS_OK;
        }
        if (!state_report(state, WEFT_VERIFY_COMPARE, index, tick, last_tick))
            return WEFT_STATUS_OK;
    }
    result->outcome = WEFT_VERIFY_EQUAL;
    return WEFT_STATUS_OK;
}

static void configs_compare(verify_state* state) {
    weft_verify_report* report = state->report;
    for (size_t i = 0; i < report->result_count && !report->stopped; i++) {
        weft_verify_result* result = &report->results[i];
        verify_run run = {0};
        weft_status status = config_compare(state, i, &run);
        if (status != WEFT_STATUS_OK)
            result_fail(result, &run, status);
        run_close(&run);
        if (result->outcome != WEFT_VERIFY_DIFFERENT || state->located >= state->desc->locate_limit)
            continue;
        state->located++;
        locate(state, i, result);
    }
}

static weft_status report_status(const weft_verify_report* report) {
    weft_status status = report->reference.status;
    bool diverged = report->reference.outcome == WEFT_VERIFY_DIFFERENT;
    for (size_t i = 0; i < report->result_count; i++) {
        diverged = diverged || report->results[i].outcome == WEFT_VERIFY_DIFFERENT;
        if (status == WEFT_STATUS_OK)
            status = report->results[i].status;
    }
    return diverged ? WEFT_STATUS_DIVERGED : status;
}

/// Makes an empty report in an arena of its own.
static weft_status report_create(size_t result_count, verify_report** whole_out) {
    weft__arena arena;
    weft__arena_init(&arena, NULL);
    verify_report* whole = weft__arena_alloc_zero(&arena, sizeof *whole);
    weft_verify_result* results =
        result_count < SIZE_MAX / sizeof *results
            ? weft__arena_alloc_zero(&arena, (result_count + 1) * sizeof *results)
            : NULL;
    if (whole == NULL || results == NULL) {
        weft__arena_deinit(&arena);
        return WEFT_STATUS_OUT_OF_MEMORY;
    }
    whole->shown.results = results;
    whole->shown.result_count = result_count;
    whole->arena = arena;
    *whole_out = whole;
    return WEFT_STATUS_OK;
}

weft_status weft_verify(const weft_verify_desc* desc, weft_verify_report** report_out) {
    *report_out = NULL;
    if (desc->cookie != VERIFY_COOKIE || desc->make == NULL ||
        (desc->configs == NULL && desc->config_count > 0) || desc->tick_count == UINT64_MAX ||
        (desc->expected != NULL && desc->expected_count > desc->tick_count + 1))
        return WEFT_STATUS_BAD_ARGUMENT;
    verify_report* whole;
    WEFT_TRY(report_create(desc->config_count, &whole));
    verify_state state = {.desc = desc, .report = &whole->shown, .whole = whole};
    verify_run run = {0};
    weft_status status = reference_run(&state, &run);
    if (status != WEFT_STATUS_OK && state.report->reference.outcome != WEFT_VERIFY_FAILED)
        result_fail(&state.report->reference, &run, status);
    run_close(&run);
    if (status == WEFT_STATUS_OK) {
        reference_expect(desc, state.report);
        configs_compare(&state);
    }
    *report_out = state.report;
    return report_status(state.report);
}

void weft_verify_report_destroy(weft_verify_report* report) {
    if (report == NULL)
        return;
    verify_report* whole = (verify_report*)(void*)report;
    weft__arena arena = whole->arena; // The report itself lies in it.
    weft__arena_deinit(&arena);
}
