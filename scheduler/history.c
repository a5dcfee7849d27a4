// Kept states lie at doubling distances, so that ticks of a run of any length are reached again
// with as many states as its length has bits, and a recent change, which is what is usually asked
// for, costs a few ticks. A stretch is run once whatever is found in it.

#include "history.h"

#include <string.h>
#include <weft/state.h>

#include "exec.h"

/// What is watched: a field, a component's presence, an entity's life or a resource's field.
typedef struct watch {
    weft_verify_kind kind;
    weft_entity entity;
    uint64_t index;
    const weft__type* type;
    uint32_t offset; // Of the field.
} watch;

typedef char watch_text[WEFT_VERIFY_VALUE_SIZE];

/// One tick under watch.
typedef struct watch_tick {
    const watch* watch;
    watch_text text;       // Before the next task.
    weft_write by_task;    // The last one.
    weft_write by_command; // The one with the greatest key, which the commit carries out last.
    weft__arena* arena;
    WEFT__VEC(weft__key) makers; // Of the creates below.
    WEFT__VEC(weft_entity) made; // Provisional.
    WEFT__VEC(uint32_t) counts;  // Of many.
    const weft_view* view;
    const weft__system* system;
    bool out_of_memory;
} watch_tick;

// Keeping ----------------------------------------------------------------------------------------

void weft__history_init(weft__history* history, weft__arena* arena, uint64_t end) {
    *history = (weft__history){.end = end};
    for (uint64_t distance = 0; distance < end; distance = distance == 0 ? 1 : distance * 2)
        history->ticks[history->count++] = end - distance;
    history->ticks[history->count++] = 0;
    for (uint32_t i = 0; i < history->count; i++)
        history->states[i].arena = arena;
    WEFT_ASSERT(history->count <= WEFT__HISTORY_MAX);
}

weft_status weft__history_keep(weft__history* history, weft_world* world) {
    for (uint32_t i = 0; i < history->count; i++)
        if (history->ticks[i] == weft_world_tick(world))
            return weft__state_bytes_encode(world, &history->states[i]);
    return WEFT_STATUS_OK;
}

// Watching ---------------------------------------------------------------------------------------

/// The type of a name.
static const weft__type* type_named(const weft_world* world, const char* name) {
    for (uint32_t i = 0; i < world->types.count; i++)
        if (strcmp(world->types.items[i].type->name, name) == 0)
            return &world->types.items[i];
    return NULL;
}

static const uint8_t* value_of(const weft_world* world, const watch* what) {
    if (what->kind != WEFT_VERIFY_KIND_RESOURCE)
        return weft_world_read(world, what->entity, what->type->type);
    const uint8_t* values = weft_world_resource(world, what->type->type);
    return values + what->index * what->type->type->size;
}

/// What to watch for a place. False if it is nothing that is written.
static bool watch_init(watch* what, const weft_world* reference, const weft_world* found,
                       const weft_verify_place* place) {
    *what = (watch){.kind = place->kind, .entity = place->entity, .index = place->index};
    if (place->kind == WEFT_VERIFY_KIND_ALIVE)
        return true;
    if (place->kind != WEFT_VERIFY_KIND_FIELD && place->kind != WEFT_VERIFY_KIND_RESOURCE &&
        place->kind != WEFT_VERIFY_KIND_PRESENCE)
        return false;
    what->type = type_named(reference, place->type);
    if (what->type == NULL || place->kind == WEFT_VERIFY_KIND_PRESENCE)
        return what->type != NULL;
    const uint8_t* a = value_of(reference, what);
    const uint8_t* b = value_of(found, what);
    if (a == NULL || b == NULL)
        return false;
    while (what->offset < what->type->type->size && a[what->offset] == b[what->offset])
        what->offset++;
    return what->offset < what->type->type->size;
}

static void watch_format(const watch* what, const weft_world* world, const void* value,
                         watch_text out) {
    bool alive =
        what->kind == WEFT_VERIFY_KIND_RESOURCE || weft_world_is_alive(world, what->entity);
    if (!alive || what->kind == WEFT_VERIFY_KIND_ALIVE)
        weft__verify_text(out, sizeof(watch_text), alive ? "alive" : "dead");
    else if (value == NULL || what->kind == WEFT_VERIFY_KIND_PRESENCE)
        weft__verify_text(out, sizeof(watch_text), value != NULL ? "present" : "absent");
    else
        (void)weft_type_format(what->type->type, value, what->offset, out, sizeof(watch_text));
}

static void watch_read(const watch* what, const weft_world* world, watch_text out) {
    const void* value = what->kind == WEFT_VERIFY_KIND_ALIVE ? NULL : value_of(world, what);
    watch_format(what, world, value, out);
}

/// The same inside a tick: of a buffered component the value that will be.
static void watch_read_now(const watch* what, const weft_world* world, watch_text out) {
    uint32_t row;
    const void* value = what->kind == WEFT_VERIFY_KIND_ALIVE ? NULL : value_of(world, what);
    if (value != NULL && what->type->buffered) {
        const weft__chunk* chunk = weft__entity_find(world, what->entity, &row);
        uint32_t column = weft__archetype_column(weft__chunk_table(world, chunk),
                                                 weft__type_id(world, what->type->type));
        if (column != WEFT__NONE && chunk->filled[column])
            value = (const uint8_t*)chunk->backs[column] + (size_t)row * what->type->type->size;
    }
    watch_format(what, world, value, out);
}

static weft_write task_write(const watch_tick* tick, weft_write_kind kind) {
    const weft__system* system = tick->system;
    weft_write write = {.kind = kind,
                        .rank = system->rank,
                        .archetype = tick->view->commands.archetype,
                        .shard = tick->view->commands.shard,
                        .world_scope = system->scope == WEFT_SCOPE_WORLD};
    weft__verify_text(write.system, sizeof write.system, system->name);
    return write;
}

static weft__key write_key(const weft_write* write) {
    return (weft__key){write->rank, write->archetype, write->shard};
}

/// True if a command can have changed what is watched.
static bool record_matters(const watch_tick* tick, const weft__record* record) {
    const watch* what = tick->watch;
    WEFT_ASSERT(what->kind != WEFT_VERIFY_KIND_RESOURCE);
    if (record->op == WEFT__OP_DESTROY_MANY) {
        for (uint32_t i = 0; i < weft__record_many(record)->count; i++)
            if (weft_entity_equal(weft__record_handles(record)[i], what->entity))
                return true;
        return false;
    }
    if (!weft_entity_equal(record->entity, what->entity))
        return false;
    return record->op == WEFT__OP_DESTROY ||
           (what->type != NULL &&
            record->type == weft__type_id(tick->view->world, what->type->type));
}

/// Notes a command on the entity, and every create: which of them made it is known afterwards.
static void see_record(void* context, const weft__record* record, weft_digest digest) {
    (void)digest;
    watch_tick* tick = context;
    weft_write write = task_write(tick, WEFT_WRITE_COMMAND);
    if (record_matters(tick, record) &&
        (tick->by_command.kind == WEFT_WRITE_UNKNOWN ||
         weft__key_before(write_key(&tick->by_command), write_key(&write))))
        tick->by_command = write;
    if (!weft__op_creates(record->op))
        return;
    uint32_t count = record->op == WEFT__OP_CREATE_MANY ? weft__record_many(record)->count : 1;
    if (WEFT__VEC_PUSH(tick->arena, tick->makers, write_key(&write)) != WEFT_STATUS_OK ||
        WEFT__VEC_PUSH(tick->arena, tick->made, record->entity) != WEFT_STATUS_OK ||
        WEFT__VEC_PUSH(tick->arena, tick->counts, count) != WEFT_STATUS_OK)
        tick->out_of_memory = true;
}

static void see_task(void* context, const weft_view* view, const weft__system* system) {
    watch_tick* tick = context;
    watch_text now;
    tick->view = view;
    tick->system = system;
    watch_read_now(tick->watch, view->world, now);
    if (strcmp(now, tick->text) != 0) {
        tick->by_task = task_write(tick, WEFT_WRITE_TASK);
        memcpy(tick->text, now, sizeof now);
    }
    if (tick->watch->kind != WEFT_VERIFY_KIND_RESOURCE && system->access.commands)
        weft__log_task_visit(view->world, view->lane, 0, see_record, tick);
}

/// The create that the entity came from, if it came from one of this tick.
static weft_write find_maker(const watch_tick* tick, const weft__verify_run* run) {
    for (uint32_t i = 0; i < tick->made.count; i++) {
        for (uint32_t j = 0; j < tick->counts.items[i]; j++) {
            weft_entity real =
                weft_world_resolve(run->world, weft_entity_nth(tick->made.items[i], j));
            if (!weft_entity_equal(real, tick->watch->entity))
                continue;
            weft__key key = tick->makers.items[i];
            weft_write write = {.kind = WEFT_WRITE_COMMAND,
                                .rank = key.rank,
                                .archetype = key.archetype,
                                .shard = key.shard,
                                .world_scope = weft_schedule_system_scope(
                                                   run->schedule, key.rank) == WEFT_SCOPE_WORLD};
            weft__verify_text(write.system, sizeof write.system,
                              weft_schedule_system_name(run->schedule, key.rank));
            return write;
        }
    }
    return (weft_write){.kind = WEFT_WRITE_COMMIT};
}

/// Runs the tick of the change with a look after every task.
static weft_status watch_writer(weft__verify_state* state, const watch* what, weft__verify_run* run,
                                uint64_t tick, weft_write* write) {
    weft_verify_digests unused;
    watch_text after;
    watch_tick now = {.watch = what, .arena = &state->whole->arena};
    watch_read(what, run->world, now.text);
    bool born = strcmp(now.text, "dead") == 0;
    WEFT_ASSERT(run->executor->probe == NULL && weft_world_tick(run->world) + 1 == tick);
    run->executor->probe = see_task;
    run->executor->probe_context = &now;
    weft_status status = weft__verify_reach(state, run, tick, &state->serial_outputs, &unused);
    run->executor->probe = NULL;
    WEFT_TRY(status);
    if (now.out_of_memory)
        return WEFT_STATUS_OUT_OF_MEMORY;
    watch_read(what, run->world, after);
    if (strcmp(after, now.text) == 0) // The commit left it as the last task did.
        *write = now.by_task;
    else if (born)
        *write = find_maker(&now, run);
    else
        *write = now.by_command;
    if (write->kind == WEFT_WRITE_UNKNOWN)
        write->kind = WEFT_WRITE_COMMIT;
    write->tick = tick;
    weft__verify_text(write->text, sizeof write->text, after);
    return WEFT_STATUS_OK;
}

/// Runs from a kept state to a tick; `*last_out` is the last tick that changed the value, if any.
static weft_status watch_stretch(weft__verify_state* state, const watch* what,
                                 weft__verify_run* run, uint64_t end, uint64_t* last_out,
                                 uint64_t* ticks_run) {
    watch_text before;
    watch_text after;
    watch_read(what, run->world, before);
    for (uint64_t tick = weft_world_tick(run->world) + 1; tick <= end; tick++) {
        weft_verify_digests unused;
        WEFT_TRY(weft__verify_reach(state, run, tick, NULL, &unused));
        ++*ticks_run;
        if (!weft__verify_goes_on(state, WEFT_VERIFY_LOCATE, 0, tick, end))
            return WEFT_STATUS_OK;
        watch_read(what, run->world, after);
        if (strcmp(before, after) != 0)
            *last_out = tick;
        memcpy(before, after, sizeof before);
    }
    return WEFT_STATUS_OK;
}

weft_status weft__history_write(weft__verify_state* state, const weft__history* history,
                                const weft_world* found, const weft_verify_place* place,
                                weft__verify_run* run, weft_write* write, uint64_t* ticks_run) {
    watch what;
    uint64_t last = 0;
    uint32_t i = 0;
    *write = (weft_write){0};
    if (!watch_init(&what, run->world, found, place))
        return WEFT_STATUS_OK;
    while (last == 0 && i + 1 < history->count) {
        i++;
        WEFT_ASSERT(history->ticks[i] <= history->ticks[i - 1]);
        WEFT_TRY(weft_world_decode(run->world, history->states[i].data, history->states[i].size));
        WEFT_TRY(watch_stretch(state, &what, run, history->ticks[i - 1], &last, ticks_run));
        if (state->report->stopped)
            return WEFT_STATUS_OK;
    }
    WEFT_TRY(weft_world_decode(run->world, history->states[i].data, history->states[i].size));
    if (last == 0) {
        watch_read(&what, run->world, write->text);
        write->kind = WEFT_WRITE_FIRST;
        return WEFT_STATUS_OK;
    }
    for (uint64_t tick = history->ticks[i] + 1; tick < last; tick++) {
        weft_verify_digests unused;
        WEFT_TRY(weft__verify_reach(state, run, tick, NULL, &unused));
        ++*ticks_run;
    }
    ++*ticks_run;
    return watch_writer(state, &what, run, last, write);
}
