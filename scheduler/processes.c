// Worker processes: what they do, how they are asked, and how the host sees that one has died.

#include "processes.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Where all CPUs are for workers, the host and the leader keep each other's CPU for so long only.
#define CROWDED_SPIN_NS 2000u
// Who waits for work and dies is not missed by anybody: so often it is looked for.
#define LOOK_NS UINT64_C(5000000)
// Workers may be killed while they start, as at any other time.
#define STARTS_MAX 16u
// How long workers have to end by themselves.
#define END_NS UINT64_C(2000000000)
// Looks at what workers do, in the time after which one is stuck.
#define STUCK_LOOKS 8u
// What a process's mark says (weft__os_fork_mark_create): neither a host nor a stranger.
#define MARK_WORKER 2u
// Exit code of a worker that could not close its pages.
#define EXIT_UNGUARDED 71

// In the workers ---------------------------------------------------------------------------------

typedef struct birth {
    weft__processes* processes;
    uint32_t index;
} birth;

static uint32_t await_request(const weft__processes* processes, uint32_t seen) {
    weft__desk* desk = processes->desk;
    uint64_t begin = weft__os_clock_ns();
    do {
        for (uint32_t i = 0; i < WEFT__LOOKS; i++) {
            uint32_t asked = weft__atomic_u32_load_acquire(&desk->asked);
            if (asked != seen)
                return asked;
            weft__cpu_relax();
        }
    } while (weft__os_clock_ns() - begin < processes->idle_spin_ns);
    for (;;) {
        uint32_t ticket = weft__park_prepare(&desk->park);
        uint32_t asked = weft__atomic_u32_load_acquire(&desk->asked);
        if (asked != seen) {
            weft__park_cancel(&desk->park);
            return asked;
        }
        weft__park_sleep(&desk->park, ticket, 0);
    }
}

static void answer(const weft__processes* processes, uint32_t number, weft_status status) {
    weft__desk* desk = processes->desk;
    desk->status = status;
    weft__atomic_u32_store_release(&desk->answered, number);
    weft__atomic_fence_seq_cst();
    if (weft__atomic_u32_load_relaxed(&desk->waits) != 0)
        weft__os_event_give(&processes->event);
}

static void lead(const weft__processes* processes) {
    weft__desk* desk = processes->desk;
    weft__pool* pool = processes->pool;
    uint32_t seen = 1;
    weft__pool_worker_begin(&pool->workers[0]);
    weft__pool_started(pool);
    answer(processes, seen, WEFT_STATUS_OK);
    for (;;) {
        seen = await_request(processes, seen);
        if (desk->request == WEFT__REQUEST_END)
            break;
        answer(processes, seen,
               weft__executor_serve(processes->executor, desk->request, desk->argument));
    }
    weft__pool_stop(pool);
}

static void worker_main(void* context) {
    const birth* self = context;
    const weft__processes* processes = self->processes;
    weft__os_fork_mark_set(processes->pool->fork_mark, MARK_WORKER);
    weft__os_fork_mark_set(processes->recovery.memory->mark, MARK_WORKER);
    weft__guard* guard = processes->executor->guard;
    if (guard != NULL && weft__guard_worker_begin(guard, self->index) != WEFT_STATUS_OK)
        _exit(EXIT_UNGUARDED);
    weft__os_crashes_explain(weft__crash_place, processes->world);
    if (self->index == 0)
        lead(processes);
    else
        weft__pool_worker_main(&processes->pool->workers[self->index]);
}

bool weft__processes_inside(const weft__pool* pool) {
    return pool != NULL && *pool->fork_mark == MARK_WORKER;
}

// Waiting ----------------------------------------------------------------------------------------

/// A death as it was seen.
typedef struct death {
    uint32_t worker;
    weft_crash_kind kind;
    weft__os_end end;
    weft__stand stand; // STUCK.
} death;

static bool find_dead(weft__processes* processes, death* out) {
    for (uint32_t i = 0; i < processes->worker_count; i++) {
        weft__os_end end = {0};
        if (!weft__os_process_ended(&processes->workers[i], &end))
            continue;
        weft_crash_kind kind = WEFT_CRASH_LOST;
        if (end.known)
            kind = end.signal != 0 ? WEFT_CRASH_SIGNAL : WEFT_CRASH_EXIT;
        *out = (death){i, kind, end, WEFT__STAND_NONE};
        return true;
    }
    return false;
}

// How a worker that is where it was at the last look stands there. Who sleeps is not held up, nor
// the leader between two items: it may wait for others.
static weft__stand stand_of(const weft__processes* processes, uint32_t worker, uint64_t serial) {
    bool may_wait = worker == 0 || !processes->idlers_sleep ||
                    weft__atomic_u32_load_acquire(&processes->pool_workers[worker].asleep) != 0;
    if (weft__os_process_stopped(&processes->workers[worker]))
        return WEFT__STAND_STOPPED;
    if (serial % 2 == 1)
        return WEFT__STAND_TASK;
    return may_wait ? WEFT__STAND_NONE : WEFT__STAND_AWAKE;
}

static uint64_t less(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

// Who has not gone on for too long. If nobody has, and nobody in particular is seen to be held up,
// it is the leader: for whatever it waits, that does not come. Counted is time between looks, and
// of one of them not much: who stops all of this, host and workers, does not make them stuck.
static bool find_stuck(weft__processes* processes, bool awaited, death* out) {
    uint64_t now = weft__os_clock_ns();
    uint64_t period = processes->stuck_ns / STUCK_LOOKS;
    uint64_t since = now - processes->stuck_looked_ns;
    bool quiet = awaited;
    bool found = false;
    if (processes->stuck_ns == 0 || since < period)
        return false;
    since = less(since, 2 * period);
    processes->stuck_looked_ns = now;
    for (uint32_t i = 0; i < processes->worker_count; i++) {
        uint64_t serial = weft__atomic_u64_load_acquire(&processes->notes[i].serial);
        bool same = serial == processes->seen[i];
        weft__stand stand = same ? stand_of(processes, i, serial) : WEFT__STAND_NONE;
        processes->seen[i] = serial;
        processes->held_ns[i] = stand == WEFT__STAND_NONE ? 0 : processes->held_ns[i] + since;
        quiet &= same;
        if (!found && processes->held_ns[i] >= processes->stuck_ns) {
            *out = (death){i, WEFT_CRASH_STUCK, {.known = true}, stand};
            found = true;
        }
    }
    processes->quiet_ns = quiet ? processes->quiet_ns + less(since, now - processes->asked_ns) : 0;
    if (!found && processes->quiet_ns >= processes->stuck_ns) {
        *out = (death){0, WEFT_CRASH_STUCK, {.known = true}, WEFT__STAND_AWAKE};
        found = true;
    }
    return found;
}

static bool is_answered(const weft__processes* processes, uint32_t number) {
    return weft__atomic_u32_load_acquire(&processes->desk->answered) == number;
}

// False if somebody has died.
static bool await_answer(weft__processes* processes, uint32_t number, death* out) {
    weft__desk* desk = processes->desk;
    uint64_t begin = weft__os_clock_ns();
    bool dead = false;
    processes->asked_ns = begin;
    processes->quiet_ns = 0;
    do {
        for (uint32_t i = 0; i < WEFT__LOOKS; i++) {
            if (is_answered(processes, number))
                return true;
            weft__cpu_relax();
        }
    } while (weft__os_clock_ns() - begin < processes->idle_spin_ns);
    weft__atomic_u32_store_release(&desk->waits, 1);
    weft__atomic_fence_seq_cst();
    while (!is_answered(processes, number) && !dead) {
        weft__os_event_await(&processes->event, processes->workers, processes->worker_count,
                             (processes->stuck_ns + STUCK_LOOKS - 1) / STUCK_LOOKS);
        dead = !is_answered(processes, number) &&
               (find_dead(processes, out) || find_stuck(processes, true, out));
    }
    weft__atomic_u32_store_relaxed(&desk->waits, 0);
    return !dead;
}

// Reads what the dead have left, which may be anything. Others may be running still.
static void note_death(weft__processes* processes, const death* seen, weft_crash_report* report) {
    const weft__task_note* note = &processes->notes[seen->worker];
    const weft__os_crash* crash = &processes->crashes[seen->worker];
    *report = (weft_crash_report){.kind = seen->kind,
                                  .worker = seen->worker,
                                  .signal = seen->end.signal,
                                  .exit_code = seen->end.code,
                                  .archetype = note->archetype,
                                  .shard = note->shard};
    report->in_system = weft__atomic_u64_load_acquire(&note->serial) % 2 == 1;
    processes->rank = note->rank;
    processes->stand = seen->stand;
    processes->fault = (weft__fault){.frame_count = 0};
    memset(processes->place, 0, sizeof(processes->place));
    uint32_t signal = weft__atomic_u32_load_acquire(&crash->signal);
    if (signal == 0 || (seen->end.known && signal != (uint32_t)seen->end.signal))
        return;
    weft__fault fault = crash->fault;
    if (fault.frame_count > WEFT__FAULT_FRAMES || fault.access > WEFT__FAULT_WRITE)
        return;
    processes->fault = fault;
    memcpy(processes->place, crash->place, sizeof(processes->place) - 1);
}

// At the start of a request, now and then.
static bool look_for_dead(weft__processes* processes, death* out) {
    uint64_t now = weft__os_clock_ns();
    if (now - processes->looked_ns < LOOK_NS)
        return false;
    processes->looked_ns = now;
    return find_dead(processes, out) || find_stuck(processes, false, out);
}

bool weft__processes_ask(weft__processes* processes, weft__request request, uint64_t argument,
                         weft_crash_report* report, weft_status* status) {
    weft__desk* desk = processes->desk;
    uint32_t number = weft__atomic_u32_load_relaxed(&desk->asked) + 1;
    death seen;
    processes->stats = processes->executor->stats;
    processes->alias = *processes->recovery.memory;
    if (!look_for_dead(processes, &seen)) {
        desk->request = request;
        desk->argument = argument;
        weft__atomic_u32_store_release(&desk->asked, number);
        weft__park_notify(&desk->park);
        if (await_answer(processes, number, &seen)) {
            *status = desk->status;
            return true;
        }
    }
    if (report != NULL)
        note_death(processes, &seen, report);
    return false;
}

// Starting and ending ----------------------------------------------------------------------------

// True in a process that was forked from the host, and is no worker.
static bool is_stranger(const weft__processes* processes) {
    return *processes->recovery.memory->mark == 0;
}

void weft__processes_kill(weft__processes* processes) {
    for (uint32_t i = 0; i < processes->worker_count; i++)
        weft__os_process_kill(&processes->workers[i]);
    if (processes->pool == NULL)
        return;
    weft__os_fork_mark_destroy(processes->pool_mark);
    weft__os_region_release(processes->pool, processes->pool_size);
    processes->pool = NULL;
    processes->notes = NULL;
    processes->pool_workers = NULL;
    processes->pool_mark = NULL;
}

static weft_status start_failed(weft__processes* processes, weft_status status, const char* what) {
    weft__processes_kill(processes);
    processes->executor->pool = NULL;
    processes->executor->notes = NULL;
    return weft__world_fail(processes->world, status,
                            "%u worker processes could not be started: %s", processes->worker_count,
                            what);
}

static weft_status start_once(weft__processes* processes, bool* died) {
    weft_executor* executor = processes->executor;
    death seen;
    WEFT_ASSERT(processes->pool == NULL && executor->pool == NULL);
    memset(processes->desk, 0, processes->shared_size);
    memset(processes->seen, 0, processes->worker_count * sizeof(*processes->seen));
    memset(processes->held_ns, 0, processes->worker_count * sizeof(*processes->held_ns));
    processes->stuck_looked_ns = weft__os_clock_ns();
    weft__park_init(&processes->desk->park, true);
    weft__atomic_u32_store_relaxed(&processes->desk->asked, 1); // For being there.
    weft_status status = weft__pool_create(executor, true);
    processes->pool = executor->pool;
    if (processes->pool != NULL) {
        processes->notes = executor->notes = executor->pool->notes;
        processes->pool_workers = executor->pool->workers;
        processes->pool_mark = executor->pool->fork_mark;
        processes->pool_size = executor->pool->block_size;
    }
    if (status != WEFT_STATUS_OK)
        return start_failed(processes, status, "there is no memory for what they share");
    WEFT_ASSERT(processes->pool != NULL);
    processes->pool->started = processes->worker_count - 1;
    for (uint32_t i = 0; i < processes->worker_count; i++) {
        char name[16];
        birth child = {processes, i};
        (void)snprintf(name, sizeof(name), "weft-%u", i);
        if (weft__os_process_start(&processes->workers[i], worker_main, &child, name,
                                   &processes->crashes[i]) != WEFT_STATUS_OK)
            return start_failed(processes, WEFT_STATUS_OS,
                                "the system allows no more processes or no more memory for them "
                                "(ulimit -u, ulimit -v, the limits of the container)");
    }
    processes->looked_ns = weft__os_clock_ns();
    *died = !await_answer(processes, 1, &seen);
    return *died ? start_failed(processes, WEFT_STATUS_OS, "one ended before its first task")
                 : WEFT_STATUS_OK;
}

weft_status weft__processes_start(weft__processes* processes) {
    bool died = true;
    weft_status status = WEFT_STATUS_OK;
    for (uint32_t i = 0; i < STARTS_MAX && died; i++) {
        died = false;
        status = start_once(processes, &died);
    }
    return status;
}

// Workers that do not end in time are killed.
static void end_workers(weft__processes* processes) {
    weft__desk* desk = processes->desk;
    uint64_t begin = weft__os_clock_ns();
    uint32_t left = processes->worker_count;
    desk->request = WEFT__REQUEST_END;
    weft__atomic_u32_store_release(&desk->asked, weft__atomic_u32_load_relaxed(&desk->asked) + 1);
    weft__park_notify(&desk->park);
    while (left > 0 && weft__os_clock_ns() - begin < END_NS) {
        weft__os_end end;
        uint32_t place = 0;
        for (uint32_t i = 0; i < left; i++) // Those that are left come first.
            if (!weft__os_process_ended(&processes->workers[i], &end))
                processes->workers[place++] = processes->workers[i];
        for (uint32_t i = place; i < left; i++)
            processes->workers[i] = (weft__os_process){.descriptor = -1};
        left = place;
        if (left > 0)
            weft__os_event_await(&processes->event, processes->workers, left, END_NS);
    }
    weft__processes_kill(processes);
}

weft_status weft__processes_create(weft_executor* executor) {
    uint32_t count = executor->worker_count;
    const weft_placement* placement = &executor->desc.placement;
    size_t size = sizeof(weft__processes) +
                  count * (sizeof(weft__os_process) + 2 * sizeof(uint64_t)) +
                  placement->cpu_count * sizeof(uint32_t);
    size_t shared_size = sizeof(weft__desk) + count * sizeof(weft__os_crash);
    void* block;
    void* shared;
    WEFT_TRY(weft__os_region_reserve(size, &block));
    weft__processes* processes = block;
    executor->processes = processes;
    *processes = (weft__processes){.executor = executor,
                                   .world = executor->world,
                                   .worker_count = count,
                                   .stuck_ns = executor->desc.stuck_ns,
                                   .event = {.descriptor = -1},
                                   .size = size};
    processes->seen = (uint64_t*)(void*)(processes + 1);
    processes->held_ns = processes->seen + count;
    processes->workers = (weft__os_process*)(void*)(processes->held_ns + count);
    // The caller's list is gone when workers are started again.
    uint32_t* cpus = (uint32_t*)(void*)(processes->workers + count);
    for (uint32_t i = 0; i < placement->cpu_count; i++)
        cpus[i] = placement->cpus[i];
    executor->desc.placement.cpus = placement->cpu_count > 0 ? cpus : NULL;
    weft__recovery_init(&processes->recovery, executor);
    WEFT_TRY(weft__os_shared_reserve(shared_size, &shared));
    processes->desk = shared;
    processes->crashes = (weft__os_crash*)(void*)(processes->desk + 1);
    processes->shared_size = shared_size;
    WEFT_TRY(weft__os_event_open(&processes->event));
    if (executor->desc.topology == NULL) { // Read once: workers may be started often.
        WEFT_TRY(weft_topology_create(NULL, &processes->own_topology));
        executor->desc.topology = processes->own_topology;
    }
    bool roomy = weft_topology_suggested_workers(executor->desc.topology) > count;
    processes->idlers_sleep = (uint64_t)executor->desc.spin_ns + executor->desc.yield_ns <
                              executor->desc.stuck_ns / STUCK_LOOKS;
    processes->idle_spin_ns = roomy ? executor->desc.spin_ns : CROWDED_SPIN_NS;
    return weft__processes_keep(processes);
}

void weft__processes_destroy(weft__processes* processes) {
    if (processes == NULL)
        return;
    if (processes->pool != NULL && !is_stranger(processes))
        end_workers(processes);
    weft__os_event_close(&processes->event);
    weft__recovery_deinit(&processes->recovery);
    weft_topology_destroy(processes->own_topology);
    weft__os_region_release(processes->systems,
                            processes->system_count * sizeof(*processes->systems));
    if (processes->desk != NULL)
        weft__os_region_release(processes->desk, processes->shared_size);
    weft__os_region_release(processes, processes->size);
}
