// The tick: plan, stages, commit. Executors differ in the runner only, so they cannot differ in
// what they compute: every batch is a set of independent items by construction of the plan.

#include "exec.h"

#include <stdio.h>
#include <string.h>
#include <weft/float_state.h>

#include "exec_processes.h"
#include "float_control.h"
#include "memory_alias.h"
#include "os.h"
#include "pool.h"
#include "processes.h"
#include "rollback_tick.h"
#include "trace_ring.h"

typedef weft__stage_run stage_run;

// A task left its thread with other floating-point control bits: later tasks would compute other
// numbers. They are put right, so that only this one fails.
static weft_status float_state_fail(weft_view* view) {
    (void)snprintf(view->message, sizeof(view->message),
                   "it left its thread's floating-point state changed (%s): link what it loads or "
                   "calls without -ffast-math",
                   weft_float_state_fault());
    (void)weft__float_state_pin();
    return WEFT_STATUS_FLOAT_STATE;
}

// Adds what was noted; the key kept is the smallest.
static void add_numbers(weft__numbers* sum, const weft__numbers* part) {
    if (part->flags == 0)
        return;
    weft__numbers old = *sum;
    if (old.flags == 0 || weft__key_before(part->key, old.key))
        *sum = *part;
    sum->flags = old.flags | part->flags;
    sum->task_count = old.task_count + part->task_count;
}

static void note_numbers(const weft_view* view) {
    weft__lane* lane = view->lane;
    weft__key key = {view->commands.rank, view->commands.archetype, view->commands.shard};
    weft__numbers part = {lane->number_flags, key, 1};
    lane->number_flags = 0;
    add_numbers(&lane->numbers, &part);
}

static void report_numbers(weft_executor* executor) {
    weft__numbers sum = {0};
    for (uint32_t i = 0; i < executor->worker_count; i++) {
        add_numbers(&sum, &executor->world->lanes[i].numbers);
        executor->world->lanes[i].numbers = (weft__numbers){0};
    }
    executor->numbers = (weft_number_report){0};
    if (sum.flags != 0)
        executor->numbers =
            (weft_number_report){sum.flags, sum.key.archetype, sum.key.shard, sum.task_count,
                                 weft__schedule_at(executor->schedule, sum.key.rank)->name};
}

static void note_begin(weft__task_note* note, const weft_commands* commands) {
    note->rank = commands->rank;
    note->archetype = commands->archetype;
    note->shard = commands->shard;
    weft__task_note_step(note, 1);
}

// What began when the worker last looked at the clock has ended now.
__attribute__((noinline)) static void record_call(const stage_run* run, const weft_view* view,
                                                  uint32_t worker, weft_trace_kind kind) {
    weft_executor* executor = run->executor;
    const weft__chunk* chunk = view->chunk;
    WEFT_ASSERT(run >= executor->runs && run < executor->runs + executor->plan.stage_count);
    uint64_t tick = view->world->tick;
    uint64_t begin = weft__trace_last(executor->trace, worker);
    uint64_t end = weft__trace_stamp(executor->trace, worker);
    weft_trace_record* record = weft__trace_next(executor->trace, worker, tick, begin);
    *record = (weft_trace_record){.begin_ns = begin,
                                  .end_ns = end,
                                  .tick = tick,
                                  .kind = (uint16_t)kind,
                                  .stage = (uint32_t)(run - executor->runs),
                                  .rank = view->commands.rank,
                                  .archetype = chunk == NULL ? WEFT_TRACE_NONE : chunk->archetype,
                                  .shard = chunk == NULL ? WEFT_TRACE_NONE : chunk->shard,
                                  .count = chunk == NULL ? 0 : chunk->row_count};
    weft__trace_publish(executor->trace, worker, record);
}

// Calls a system while somebody wants to know where workers are, what it touches or how long it
// takes: one flag for all of these, as a call of next to nothing is what executors are measured by.
__attribute__((noinline)) static weft_status
call_watched(const stage_run* run, weft_view* view, uint32_t worker, const weft__system* system) {
    weft_executor* executor = run->executor;
    weft__task_note* note = executor->notes == NULL ? NULL : &executor->notes[worker];
    if (note != NULL)
        note_begin(note, &view->commands);
    weft_status status = executor->guard == NULL
                             ? system->run(view, system->context)
                             : weft__guard_call(executor->guard, view, worker, system);
    if (note != NULL)
        weft__task_note_step(note, 1);
    if (executor->trace != NULL)
        record_call(run, view, worker, WEFT_TRACE_SYSTEM);
    return status;
}

// Calls one system, on a chunk by its entry. The caller has set the view's parts that do not change
// within an item. Columns that are final then are hashed while they are warm.
static bool call_system(const stage_run* run, weft_view* view, uint32_t worker,
                        const weft__system* system, const weft__entry* entry) {
    weft_executor* executor = run->executor;
    const uint32_t* columns = run->stage->columns.items;
    WEFT_CHECK((entry == NULL) == (view->chunk == NULL));
    WEFT_CHECK(entry == NULL || (entry->system == system && entry->rank == system->rank));
    view->access = &system->access;
    view->columns = entry == NULL ? NULL : columns + entry->columns;
    view->commands.rank = system->rank;
    view->commands.unit =
        system->access.commands ? weft__plan_unit(&executor->plan, system, view->chunk) : 0;
    view->system_name = system->name;
    view->system_hash = system->hash;
    view->selected_valid = false;
    if (system->access.any_rows)
        memset(view->gets, 0, WEFT__GETS * sizeof(weft__get));
    view->message[0] = '\0';
    view->lane->task++;
    weft_status status = __builtin_expect(executor->watched, 0)
                             ? call_watched(run, view, worker, system)
                             : system->run(view, system->context);
    if (__builtin_expect(!weft__float_state_is_pinned(), 0))
        status = float_state_fail(view);
    if (__builtin_expect(system->access.checked, 0) && status == WEFT_STATUS_OK)
        status = weft__view_check(view);
    if (__builtin_expect(view->lane->number_flags != 0, 0))
        note_numbers(view);
    if (__builtin_expect(status != WEFT_STATUS_OK, 0)) {
        weft__lane_fail(view->lane, status, system->rank, view->commands.archetype,
                        view->commands.shard,
                        view->message[0] != '\0' ? view->message : weft_status_text(status));
        return false;
    }
    if (__builtin_expect(executor->traced, 0))
        weft__outputs_note(run, worker, view, system);
    if (entry != NULL && entry->final_count > 0 && view->world->digest_wanted) {
        weft__digest_final(view->world, view->lane, view->chunk, columns + entry->finals,
                           entry->final_count);
        if (__builtin_expect(executor->trace != NULL, 0))
            record_call(run, view, worker, WEFT_TRACE_HASH);
    }
    return true;
}

static void view_start(const stage_run* run, weft_view* view, uint32_t worker, weft__chunk* chunk) {
    weft_world* world = run->executor->world;
    WEFT_CHECK(worker < run->executor->worker_count && worker < world->lane_count);
    weft__lane* lane = &world->lanes[worker];
    view->world = world;
    view->read_alias = world->read_alias;
    view->write_alias = world->write_alias;
    view->lane = lane;
    view->chunk = chunk;
    view->commands.world = world;
    view->commands.lane = lane;
    view->commands.archetype = chunk == NULL ? 0 : chunk->archetype;
    view->commands.shard = chunk == NULL ? 0 : chunk->shard;
    view->commands.unit_count = chunk == NULL ? WEFT__WORLD_UNITS : 1;
}

// As in stage_item: a chunk on which a system failed gets no later one, as far as these lanes know.
static bool chunk_failed(const stage_run* run, uint32_t lane_begin, uint32_t lane_end,
                         const weft__chunk* chunk, uint32_t rank) {
    for (uint32_t i = lane_begin; i < lane_end; i++) {
        const weft__failure* failure = &run->executor->world->lanes[i].failure;
        if (__builtin_expect(failure->status != WEFT_STATUS_OK, 0) &&
            failure->archetype == chunk->archetype && failure->shard == chunk->shard &&
            failure->rank < rank)
            return true;
    }
    return false;
}

static const weft__program* item_program(const stage_run* run, uint32_t item, weft__chunk** chunk) {
    WEFT_CHECK(item - run->stage->world_systems.count < run->stage->tasks.count);
    *chunk = run->stage->tasks.items[item - run->stage->world_systems.count];
    WEFT_CHECK((*chunk)->archetype < run->stage->programs.count);
    return &run->stage->programs.items[(*chunk)->archetype];
}

static void stage_item(void* context, uint32_t worker, uint32_t item) {
    const stage_run* run = context;
    weft_view view;
    weft__get gets[WEFT__GETS];
    view.gets = gets;
    if (item < run->stage->world_systems.count) {
        if (run->stage->world_systems.items[item] >= run->rank_end)
            return;
        view_start(run, &view, worker, NULL);
        (void)call_system(
            run, &view, worker,
            weft__schedule_at(run->executor->schedule, run->stage->world_systems.items[item]),
            NULL);
        return;
    }
    weft__chunk* chunk;
    const weft__program* program = item_program(run, item, &chunk);
    // Most likely this worker's next one, and long gone from its caches.
    uint32_t next = item - run->stage->world_systems.count + 1;
    if (next < run->stage->tasks.count)
        weft__chunk_fetch(run->stage->tasks.items[next]);
    if (chunk->row_count == 0)
        return;
    view_start(run, &view, worker, chunk);
    const weft__entry* entries = run->stage->entries.items + program->begin;
    for (uint32_t i = 0; i < program->count && entries[i].rank < run->rank_end; i++)
        if (!call_system(run, &view, worker, entries[i].system, &entries[i]))
            return; // Later systems on this chunk have larger keys: their failures do not count.
}

// Chunks of one group, which is one item.
static uint32_t group_size(const weft__stage* stage, uint32_t group, uint32_t* begin_out) {
    WEFT_CHECK(group < stage->sweep.groups);
    *begin_out = weft__stage_cut(stage, group, stage->sweep.groups);
    return weft__stage_cut(stage, group + 1, stage->sweep.groups) - *begin_out;
}

// A group of chunks, system by system. What a failed chunk's later systems would do does not count,
// since their keys are larger.
static void group_item(const stage_run* run, uint32_t worker, uint32_t group) {
    const weft__stage* stage = run->stage;
    uint32_t begin;
    uint32_t size = group_size(stage, group, &begin);
    WEFT_ASSERT(size > 0 && begin + size <= stage->tasks.count);
    weft_view view;
    weft__get gets[WEFT__GETS];
    view.gets = gets;
    for (uint32_t i = 0; i < stage->chunk_systems.count; i++) {
        uint32_t rank = stage->chunk_systems.items[i];
        if (rank >= run->rank_end)
            return;
        uint32_t archetype = WEFT__NONE;
        const weft__entry* entry = NULL;
        for (uint32_t j = begin; j < begin + size; j++) {
            weft__chunk* chunk = stage->tasks.items[j];
            if (j + 1 < begin + size)
                weft__chunk_fetch(stage->tasks.items[j + 1]);
            if (chunk->archetype != archetype)
                entry = weft__stage_entry(stage, chunk->archetype, rank);
            archetype = chunk->archetype;
            if (entry == NULL || chunk->row_count == 0 ||
                chunk_failed(run, worker, worker + 1, chunk, rank))
                continue;
            view_start(run, &view, worker, chunk);
            (void)call_system(run, &view, worker, entry->system, entry);
        }
    }
}

static void sweep_item(void* context, uint32_t worker, uint32_t item) {
    const stage_run* run = context;
    if (item < run->stage->world_systems.count)
        stage_item(context, worker, item);
    else
        group_item(run, worker, item - run->stage->world_systems.count);
}

static uint32_t stage_steps(const void* context, uint32_t item) {
    const stage_run* run = context;
    uint32_t begin;
    if (item < run->stage->world_systems.count)
        return 1;
    if (run->stage->sweep.groups != 0)
        return run->stage->chunk_systems.count *
               group_size(run->stage, item - run->stage->world_systems.count, &begin);
    weft__chunk* chunk;
    const weft__program* program = item_program(run, item, &chunk);
    return chunk->row_count == 0 ? 0 : program->count;
}

// What a step of an item is: a chunk and one of its systems, or null.
static const weft__entry* step_entry(const stage_run* run, uint32_t item, uint32_t step,
                                     weft__chunk** chunk) {
    const weft__stage* stage = run->stage;
    if (stage->sweep.groups == 0) {
        const weft__program* program = item_program(run, item, chunk);
        WEFT_ASSERT(step < program->count);
        return &stage->entries.items[program->begin + step];
    }
    uint32_t begin;
    uint32_t size = group_size(stage, item - stage->world_systems.count, &begin);
    WEFT_ASSERT(size > 0 && step / size < stage->chunk_systems.count);
    *chunk = stage->tasks.items[begin + step % size];
    if ((*chunk)->row_count == 0)
        return NULL;
    return weft__stage_entry(stage, (*chunk)->archetype, stage->chunk_systems.items[step / size]);
}

static void stage_step(void* context, uint32_t worker, uint32_t item, uint32_t step) {
    const stage_run* run = context;
    if (item < run->stage->world_systems.count) {
        stage_item(context, worker, item);
        return;
    }
    weft__chunk* chunk;
    const weft__entry* entry = step_entry(run, item, step, &chunk);
    if (entry == NULL || entry->rank >= run->rank_end ||
        chunk_failed(run, 0, run->executor->worker_count, chunk, entry->rank))
        return;
    weft_view view;
    weft__get gets[WEFT__GETS];
    view.gets = gets;
    view_start(run, &view, worker, chunk);
    (void)call_system(run, &view, worker, entry->system, entry);
}

static uint32_t stage_shard(const void* context, uint32_t item) {
    const stage_run* run = context;
    const weft__stage* stage = run->stage;
    WEFT_CHECK(item >= stage->world_systems.count);
    item -= stage->world_systems.count;
    if (stage->sweep.groups != 0)
        item = weft__stage_cut(stage, item, stage->sweep.groups);
    return stage->tasks.items[item]->shard;
}

// Rows times systems: the guess before the first measurement.
static uint64_t first_cost(const weft__stage* stage) {
    uint64_t cost = 1;
    for (uint32_t i = 0; i < stage->tasks.count; i++)
        cost += (uint64_t)stage->tasks.items[i]->row_count *
                stage->programs.items[stage->tasks.items[i]->archetype].count;
    return cost;
}

// Parts of a worker's own chunks: small enough that others can help.
#define GROUPS_PER_WORKER 4u

// Chooses the order inside the stage. True if this run's time is wanted for the choice.
static bool choose_sweep(weft_executor* executor, weft__stage* stage) {
    bool has_choice = stage->joint && stage->tasks.count > 1;
    uint32_t groups = executor->worker_count == 1 ? 1 : GROUPS_PER_WORKER * executor->worker_count;
    weft_sweep wanted = stage->order;
    if (wanted == WEFT_SWEEP_AUTO && executor->desc.kind == WEFT_EXECUTOR_VIRTUAL)
        wanted = WEFT_SWEEP_CHUNK_MAJOR; // A finding repeats from its seed: no clock may choose.
    if (groups > stage->tasks.count)
        groups = stage->tasks.count;
    bool trial = weft__sweep_next(&stage->sweep, wanted, has_choice ? groups : 0);
    WEFT_CHECK(stage->sweep.groups <= stage->tasks.count);
    executor->stats.sweeps += has_choice;
    executor->stats.sweeps_by_system += stage->sweep.groups != 0;
    return trial;
}

// What is run from here on is the stage's. Returns when it began, if that is wanted.
static uint64_t trace_stage(weft_executor* executor, uint32_t index) {
    if (executor->trace == NULL)
        return 0;
    weft__trace_set_what(executor->trace, weft__trace_pack(WEFT_TRACE_STAGE, index));
    return weft__trace_last(executor->trace, 0);
}

// Something of the tick's frame begins where worker 0 last looked at the clock.
static uint64_t frame_begin(const weft_executor* executor, weft_trace_kind kind, uint32_t stage) {
    if (executor->trace == NULL)
        return 0;
    weft__trace_set_what(executor->trace, weft__trace_pack(kind, stage));
    return weft__trace_last(executor->trace, 0);
}

static void frame_end(weft_executor* executor, weft_trace_kind kind, uint64_t begin,
                      uint32_t stage) {
    if (executor->trace != NULL)
        weft__trace_end(executor->trace, kind, begin, stage);
}

static void run_stage(weft_executor* executor, uint32_t index, uint32_t rank_end) {
    weft__stage* stage = &executor->plan.stages.items[index];
    stage_run* run = &executor->runs[index];
    WEFT_CHECK(index < executor->plan.stage_count && run->stage == stage);
    if (run->rank_end != rank_end)
        run->rank_end = rank_end;
    bool trial = choose_sweep(executor, stage);
    bool grouped = stage->sweep.groups != 0;
    if (stage->cost_ns == 0)
        stage->cost_ns = first_cost(stage);
    weft__batch batch = {.count = stage->world_systems.count +
                                  (grouped ? stage->sweep.groups : stage->tasks.count),
                         .unsharded = stage->world_systems.count,
                         .cost_ns = stage->cost_ns,
                         .fn = grouped ? sweep_item : stage_item,
                         .context = run,
                         .shard_of = stage_shard,
                         .step_count = stage_steps,
                         .step = stage_step};
    uint64_t begin = trial ? weft__os_clock_ns() : 0;
    uint64_t traced = trace_stage(executor, index);
    executor->pace = &stage->pace;
    executor->runner.run(&executor->runner, &batch);
    executor->pace = NULL;
    if (executor->trace != NULL)
        weft__trace_end(executor->trace, WEFT_TRACE_STAGE, traced, index);
    if (trial)
        weft__sweep_note(&stage->sweep, weft__os_clock_ns() - begin);
}

static weft_status report_failure(weft_executor* executor, const weft__failure* failure) {
    weft_world* world = executor->world;
    WEFT_ASSERT(failure->status != WEFT_STATUS_OK);
    const weft__system* system = weft__schedule_at(executor->schedule, failure->rank);
    char place[64] = "";
    if (failure->archetype == WEFT__NONE)
        (void)snprintf(place, sizeof(place), ", after its last chunk");
    else if (system->scope == WEFT_SCOPE_CHUNK)
        (void)snprintf(place, sizeof(place), ", archetype %u, shard %u", failure->archetype,
                       failure->shard);
    char after[160] = "";
    if (executor->rollback == NULL)
        (void)snprintf(after, sizeof(after),
                       "; the world stays as it was inside the tick and refuses to go on (%u input "
                       "events are kept since tick %llu)",
                       world->inputs.count, (unsigned long long)world->checkpoint_tick);
    return weft__world_break(world, failure->status, "system \"%s\" failed in tick %llu%s: %s%s",
                             system->name, (unsigned long long)world->tick, place, failure->text,
                             after);
}

// Functions of reductions are the user's too, so the leader's note says that it is in something.
static weft_status finish_before(weft_executor* executor, uint32_t stage) {
    weft__task_note* note = executor->notes;
    WEFT_TRY(weft__plan_deliver(&executor->plan, stage, &executor->runner));
    if (note == NULL)
        return weft__plan_combine(&executor->plan, stage);
    note->rank = WEFT__NONE;
    weft__task_note_step(note, 1);
    weft_status status = weft__plan_combine(&executor->plan, stage);
    weft__task_note_step(note, 1);
    return status;
}

// After a failure the remaining stages still run the systems of smaller rank, which cannot depend
// on the one that failed: so the failure reported is the smallest however systems share stages.
static weft_status run_stages(weft_executor* executor) {
    weft_world* world = executor->world;
    const weft__failure* failure = NULL;
    WEFT_ASSERT(executor->plan.stages.count == executor->plan.stage_count + 1);
    for (uint32_t i = 0; i <= executor->plan.stage_count; i++) {
        uint64_t begin = frame_begin(executor, WEFT_TRACE_FINISH, i);
        weft_status status = finish_before(executor, i);
        if (status != WEFT_STATUS_OK)
            return weft__world_break(world, status, "tick %llu: %s while messages were delivered",
                                     (unsigned long long)world->tick, weft_status_text(status));
        const weft__stage* next = &executor->plan.stages.items[i];
        if (next->channels.count + next->reductions.count > 0)
            frame_end(executor, WEFT_TRACE_FINISH, begin, i);
        failure = weft__world_failure(world); // Also of a reduction, by its last writer's key.
        if (i == executor->plan.stage_count)
            break;
        run_stage(executor, i, failure == NULL ? UINT32_MAX : failure->rank);
        weft__presences_mark(world);
    }
    return failure == NULL ? WEFT_STATUS_OK : report_failure(executor, failure);
}

static weft_status run_guarded(weft_executor* executor) {
    if (executor->guard == NULL)
        return run_stages(executor);
    WEFT_TRY(weft__guard_tick_begin(executor->guard));
    weft_status status = run_stages(executor);
    weft_status closed = weft__guard_tick_end(executor->guard);
    return status != WEFT_STATUS_OK ? status : closed;
}

// In the host's time or before a tick.
static weft_status commit_host(weft_executor* executor) {
    weft__trace* trace = executor->trace;
    if (trace == NULL)
        return weft__world_commit(executor->world, &executor->runner);
    weft__trace_tick(trace, executor->world->tick);
    uint64_t begin = weft__trace_stamp(trace, 0);
    weft_status status = weft__world_commit(executor->world, &executor->runner);
    weft__runner_phase(&executor->runner, WEFT__PHASE_NONE);
    weft__trace_end(trace, WEFT_TRACE_COMMIT, begin, WEFT_TRACE_NONE);
    weft__trace_set_what(trace, weft__trace_pack(WEFT_TRACE_OTHER, WEFT_TRACE_NONE));
    return status;
}

weft_status weft__executor_host(weft_executor* executor) {
    weft_world* world = executor->world;
    if (world->host.streams.items[0].segments.count == 0)
        return WEFT_STATUS_OK;
    // From the host: a worker may die of it, which only requests are made for.
    if (executor->desc.kind == WEFT_EXECUTOR_PROCESSES && !weft__processes_inside(executor->pool))
        return weft_world_commit(world);
    if (executor->pool != NULL)
        weft__pool_tick_begin(executor);
    weft_status status = commit_host(executor);
    if (executor->pool != NULL)
        weft__pool_tick_end(executor);
    return status;
}

weft_status weft_executor_commit(weft_executor* executor) {
    WEFT_ASSERT(executor != NULL);
    if (executor->world == NULL || executor->world->failed)
        return WEFT_STATUS_WORLD_FAILED;
    return weft__executor_host(executor);
}

static weft_status commit(weft_executor* executor) {
    weft__runner* runner = &executor->runner;
    if (executor->trace == NULL)
        return weft__tick_end(executor->world, runner);
    uint64_t begin = weft__trace_last(executor->trace, 0);
    weft_status status = weft__tick_end(executor->world, runner);
    weft__runner_phase(runner, WEFT__PHASE_NONE);
    weft__trace_end(executor->trace, WEFT_TRACE_COMMIT, begin, WEFT_TRACE_NONE);
    return status;
}

weft_status weft__executor_step(weft_executor* executor) {
    weft_world* world = executor->world;
    weft_status refreshed = weft__plan_refresh(&executor->plan);
    if (refreshed != WEFT_STATUS_OK)
        return weft__world_break(world, refreshed, "tick %llu: no memory is left for the plan",
                                 (unsigned long long)world->tick);
    executor->batch_count = 0;
    if (executor->trace != NULL)
        weft__trace_tick(executor->trace, world->tick);
    uint64_t begin = frame_begin(executor, WEFT_TRACE_PREPARE, WEFT_TRACE_NONE);
    if (executor->pool != NULL)
        weft__pool_tick_begin(executor);
    weft_status status =
        weft__tick_begin(world, weft__plan_units(&executor->plan), &executor->runner);
    frame_end(executor, WEFT_TRACE_PREPARE, begin, WEFT_TRACE_NONE);
    if (status == WEFT_STATUS_OK) {
        uint64_t control = weft__float_state_pin(); // Of the caller, who is worker 0.
        status = run_guarded(executor);
        weft__float_control_write(control);
        report_numbers(executor);
    }
    if (status == WEFT_STATUS_OK)
        status = commit(executor);
    if (executor->pool != NULL)
        weft__pool_tick_end(executor);
    WEFT_TRY(status);
    executor->stats.ticks++;
    return WEFT_STATUS_OK;
}

static weft_status run_tick(weft_executor* executor) {
    weft_world* world = executor->world;
    executor->numbers = (weft_number_report){0};
    if (world->failed)
        return WEFT_STATUS_WORLD_FAILED;
    if (executor->rollback != NULL)
        return weft__rollback_tick(executor);
    // Commands of the host come first, since they may bring archetypes that the plan must know.
    WEFT_TRY(weft__executor_host(executor));
    WEFT_TRY(weft__executor_step(executor));
    if (world->tick % executor->desc.checkpoint_ticks == 0)
        weft_world_checkpoint(world);
    return WEFT_STATUS_OK;
}

static weft_status update_digest(weft_executor* executor) {
    weft_status status = weft__digest_update(executor->world, &executor->runner);
    if (executor->trace != NULL)
        weft__runner_phase(&executor->runner, WEFT__PHASE_NONE);
    WEFT_TRY(status);
    if (executor->rollback != NULL)
        weft__rollback_note(executor);
    return WEFT_STATUS_OK;
}

static weft_status serve(weft_executor* executor, weft__request request, uint64_t argument) {
    weft_status status;
    switch (request) {
    case WEFT__REQUEST_TICK:
        return run_tick(executor);
    case WEFT__REQUEST_TRACED:
        for (uint32_t i = 0; i < executor->worker_count; i++)
            executor->output_lanes[i].outputs.count = 0;
        executor->traced = true;
        status = run_tick(executor);
        executor->traced = false;
        return status;
    case WEFT__REQUEST_DIGEST:
        return update_digest(executor);
    case WEFT__REQUEST_ROLLBACK:
        return weft__rollback_to(executor, argument);
    case WEFT__REQUEST_END:
        break;
    }
    return WEFT_STATUS_BAD_ARGUMENT;
}

weft_status weft__executor_serve(weft_executor* executor, weft__request request,
                                 uint64_t argument) {
    weft__trace* trace = executor->trace;
    if (trace == NULL)
        return serve(executor, request, argument);
    uint64_t tick = executor->world->tick;
    uint64_t begin = weft__trace_request(trace, tick);
    weft_status status = serve(executor, request, argument);
    weft_trace_kind kind = WEFT_TRACE_TICK;
    if (request == WEFT__REQUEST_DIGEST)
        kind = WEFT_TRACE_DIGEST;
    if (request == WEFT__REQUEST_ROLLBACK)
        kind = WEFT_TRACE_ROLLBACK;
    weft__trace_answer(trace, kind, begin, tick);
    return status;
}

weft_status weft__executor_ask(weft_executor* executor, weft__request request, uint64_t argument) {
    if (executor->world == NULL)
        return WEFT_STATUS_WORLD_FAILED; // Lost (loss.c).
    if (weft__memory_is_foreign(&executor->world->arena.memory))
        return WEFT_STATUS_UNSUPPORTED; // Its line would be the other process's.
    return executor->processes != NULL ? weft__exec_processes_ask(executor, request, argument)
                                       : weft__executor_serve(executor, request, argument);
}

weft_status weft_executor_tick(weft_executor* executor) {
    WEFT_ASSERT(executor != NULL);
    return weft__executor_ask(executor, WEFT__REQUEST_TICK, 0);
}

weft_status weft_executor_rollback(weft_executor* executor, uint64_t tick) {
    WEFT_ASSERT(executor != NULL && !executor->world->running);
    return weft__executor_ask(executor, WEFT__REQUEST_ROLLBACK, tick);
}

weft_status weft_executor_digest(weft_executor* executor, weft_digest* view_out,
                                 weft_digest* full_out) {
    WEFT_ASSERT(executor != NULL);
    WEFT_TRY(weft__executor_ask(executor, WEFT__REQUEST_DIGEST, 0));
    if (view_out != NULL)
        *view_out = executor->world->digests.view;
    if (full_out != NULL)
        *full_out = executor->world->digests.full;
    return WEFT_STATUS_OK;
}

weft_number_report weft_executor_numbers(const weft_executor* executor) {
    WEFT_ASSERT(executor != NULL);
    return executor->numbers;
}

const weft_guard_report* weft_executor_guard_report(const weft_executor* executor) {
    static const weft_guard_report none = {.found = false};
    WEFT_ASSERT(executor != NULL);
    return executor->guard == NULL ? &none : weft__guard_report(executor->guard);
}

weft_executor_stats weft_executor_stats_read(const weft_executor* executor) {
    WEFT_ASSERT(executor != NULL);
    weft_executor_stats stats = executor->stats;
    stats.worker_count = executor->worker_count;
    stats.tasks_helped = weft__pool_helped(executor);
    return stats;
}

// Ending ------------------------------------------------------------------------------------------

void weft_executor_destroy(weft_executor* executor) {
    if (executor == NULL || executor->world == NULL) // Lost (loss.c).
        return;
    if (weft__memory_is_foreign(&executor->world->arena.memory)) {
        weft__processes_destroy(executor->processes);
        return;
    }
    weft__arena* arena = &executor->world->arena;
    bool lost = executor->processes != NULL && executor->processes->lost;
    if (executor->desc.kind == WEFT_EXECUTOR_PROCESSES)
        weft__exec_processes_stop(executor);
    else if (executor->pool != NULL)
        weft__exec_threads_stop(executor);
    if (lost)
        return;
    weft__rollback_destroy(executor);
    weft__guard_destroy(executor->guard);
    weft__trace_destroy(executor->trace);
    weft__arena_free(arena, executor->runs,
                     (executor->plan.stage_count + 1) * sizeof(*executor->runs));
    if (executor->plan.schedule != NULL)
        weft__plan_deinit(&executor->plan);
    weft__outputs_free(executor);
    WEFT__VEC_FREE(arena, executor->open);
    WEFT__VEC_FREE(arena, executor->steps);
    weft__arena_free(arena, executor, sizeof(*executor));
}
