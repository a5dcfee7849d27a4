// Rings of records. A record is written when what it tells of has ended, so a thread keeps no stack
// of what is open: begins are in the frames of those who call.

#include "trace_ring.h"

#include <string.h>

#include "exec.h"

// The least time over which the counter's rate is measured: to a hundred thousandth.
#define RATE_NS_MIN 2000000u

static const char* const kind_names[WEFT_TRACE_KINDS] = {
    [WEFT_TRACE_HOST] = "host",         [WEFT_TRACE_TICK] = "tick",
    [WEFT_TRACE_ROLLBACK] = "rollback", [WEFT_TRACE_DIGEST] = "digest",
    [WEFT_TRACE_PREPARE] = "prepare",   [WEFT_TRACE_FINISH] = "finish",
    [WEFT_TRACE_STAGE] = "stage",       [WEFT_TRACE_SYSTEM] = "system",
    [WEFT_TRACE_HASH] = "hash",         [WEFT_TRACE_WAIT] = "wait",
    [WEFT_TRACE_HELP] = "help",         [WEFT_TRACE_COMMIT] = "commit",
    [WEFT_TRACE_ORDER] = "order",       [WEFT_TRACE_ROUTE] = "route",
    [WEFT_TRACE_FOLD] = "fold",         [WEFT_TRACE_ASSIGN] = "assign",
    [WEFT_TRACE_MERGE] = "merge",       [WEFT_TRACE_MESSAGES] = "messages",
    [WEFT_TRACE_LEAVES] = "leaves",     [WEFT_TRACE_TREE] = "tree",
    [WEFT_TRACE_OTHER] = "other"};

const char* weft_trace_kind_name(weft_trace_kind kind) {
    return kind > 0 && kind < WEFT_TRACE_KINDS ? kind_names[kind] : "?";
}

// Making -----------------------------------------------------------------------------------------

static uint32_t round_up(uint32_t records) {
    uint32_t capacity = WEFT__TRACE_RECORDS_MIN;
    while (capacity < records + WEFT__TRACE_SLACK)
        capacity *= 2;
    return capacity;
}

// Pages come where their worker is, and not in the middle of a tick.
static void touch(const weft__trace* trace, const weft__trace_ring* ring) {
    memset(ring->records, 0, trace->capacity * sizeof(weft_trace_record));
}

weft_status weft__trace_create(uint32_t worker_count, uint32_t records, bool shared,
                               bool one_thread, weft__trace** trace_out) {
    WEFT_ASSERT(worker_count > 0 && records > 0 && records <= WEFT__TRACE_RECORDS_MAX);
    uint32_t capacity = round_up(records);
    size_t size =
        sizeof(weft__trace) +
        worker_count * (sizeof(weft__trace_ring) + (size_t)capacity * sizeof(weft_trace_record));
    void* block;
    *trace_out = NULL;
    WEFT_TRY(shared ? weft__os_shared_reserve(size, &block)
                    : weft__os_region_reserve(size, &block));
    weft__trace* trace = block;
    trace->worker_count = worker_count;
    trace->capacity = capacity;
    trace->size = size;
    trace->rings = (weft__trace_ring*)(void*)(trace + 1);
    weft_trace_record* records_of = (weft_trace_record*)(void*)(trace->rings + worker_count);
    for (uint32_t i = 0; i < worker_count; i++) {
        trace->rings[i].records = records_of + (size_t)i * capacity;
        trace->rings[i].last_ns = &trace->rings[one_thread ? 0 : i].own_ns;
        if (i == 0 || one_thread)
            touch(trace, &trace->rings[i]);
    }
    trace->cycles = weft__os_cycles_usable();
    trace->base_ns = weft__os_clock_ns();
    trace->base_clock = trace->host_ns = weft__trace_stamp(trace, 0);
    weft__trace_set_what(trace, weft__trace_pack(WEFT_TRACE_OTHER, WEFT_TRACE_NONE));
    *trace_out = trace;
    return WEFT_STATUS_OK;
}

void weft__trace_destroy(weft__trace* trace) {
    if (trace == NULL)
        return;
    for (uint32_t i = 0; i < trace->worker_count; i++)
        weft__os_counters_close(&trace->rings[i].counters);
    weft__os_region_release(trace, trace->size);
}

// Writing ----------------------------------------------------------------------------------------

static weft_trace_record plain(const weft__trace* trace, weft_trace_kind kind, uint64_t begin_ns,
                               uint64_t end_ns) {
    return (weft_trace_record){.begin_ns = begin_ns,
                               .end_ns = end_ns,
                               .tick = weft__atomic_u64_load_relaxed(&trace->tick),
                               .kind = (uint16_t)kind,
                               .stage = WEFT_TRACE_NONE,
                               .rank = WEFT_TRACE_NONE,
                               .archetype = WEFT_TRACE_NONE,
                               .shard = WEFT_TRACE_NONE};
}

static void push(weft__trace* trace, uint32_t worker, weft_trace_record record) {
    weft_trace_record* next = weft__trace_next(trace, worker, record.tick, record.begin_ns);
    *next = record;
    weft__trace_publish(trace, worker, next);
}

void weft__trace_end_wait(weft__trace* trace, weft__trace_ring* ring, uint64_t tick,
                          uint64_t end_ns) {
    uint64_t begin_ns = ring->wait_ns;
    ring->wait_ns = 0;
    if (end_ns <= begin_ns)
        return;
    weft_trace_record wait = plain(trace, WEFT_TRACE_WAIT, begin_ns, end_ns);
    wait.tick = tick;
    push(trace, (uint32_t)(ring - trace->rings), wait);
}

void weft__trace_end(weft__trace* trace, weft_trace_kind kind, uint64_t begin_ns, uint32_t stage) {
    weft_trace_record record = plain(trace, kind, begin_ns, weft__trace_stamp(trace, 0));
    record.stage = stage;
    push(trace, 0, record);
}

void weft__trace_tick(weft__trace* trace, uint64_t tick) {
    weft__atomic_u64_store_relaxed(&trace->tick, tick);
}

uint64_t weft__trace_request(weft__trace* trace, uint64_t tick) {
    weft__trace_tick(trace, tick);
    weft__trace_end(trace, WEFT_TRACE_HOST, trace->host_ns, WEFT_TRACE_NONE);
    return weft__trace_last(trace, 0);
}

void weft__trace_answer(weft__trace* trace, weft_trace_kind kind, uint64_t begin_ns,
                        uint64_t tick) {
    weft__trace_tick(trace, tick);
    weft__trace_end(trace, kind, begin_ns, WEFT_TRACE_NONE);
    weft__trace_set_what(trace, weft__trace_pack(WEFT_TRACE_OTHER, WEFT_TRACE_NONE));
    trace->host_ns = weft__trace_last(trace, 0);
}

void weft__trace_phase(weft__runner* runner, weft__phase phase) {
    static const uint16_t kinds[] = {
        [WEFT__PHASE_NONE] = 0,
        [WEFT__PHASE_ORDER] = WEFT_TRACE_ORDER,
        [WEFT__PHASE_ROUTE] = WEFT_TRACE_ROUTE,
        [WEFT__PHASE_FOLD] = WEFT_TRACE_FOLD,
        [WEFT__PHASE_ASSIGN] = WEFT_TRACE_ASSIGN,
        [WEFT__PHASE_MERGE] = WEFT_TRACE_MERGE,
        [WEFT__PHASE_MESSAGES] = WEFT_TRACE_MESSAGES,
        [WEFT__PHASE_LEAVES] = WEFT_TRACE_LEAVES,
        [WEFT__PHASE_TREE] = WEFT_TRACE_TREE,
    };
    weft__trace* trace = ((weft_executor*)runner)->trace;
    uint64_t now = weft__trace_stamp(trace, 0);
    if (trace->phase != 0) {
        weft_trace_record record = plain(trace, trace->phase, trace->phase_ns, now);
        push(trace, 0, record);
    }
    trace->phase = kinds[phase];
    trace->phase_ns = now;
    weft__trace_set_what(trace, weft__trace_pack(trace->phase, WEFT_TRACE_NONE));
}

// Of a batch -------------------------------------------------------------------------------------

// What was run of a batch has ended: in a stage, with its last system.
static uint64_t batch_end(weft__trace* trace, uint32_t worker, uint64_t what) {
    return what >> 32 == WEFT_TRACE_STAGE ? weft__trace_last(trace, worker)
                                          : weft__trace_stamp(trace, worker);
}

void weft__trace_share(weft__trace* trace, uint32_t worker, uint64_t what, uint64_t begin_ns,
                       uint32_t count) {
    if (what >> 32 == 0 || count == 0)
        return;
    weft_trace_record record =
        plain(trace, (weft_trace_kind)(what >> 32), begin_ns, batch_end(trace, worker, what));
    record.stage = (uint32_t)what;
    record.count = count;
    if (worker != 0)
        push(trace, worker, record);
}

void weft__trace_help(weft__trace* trace, uint32_t worker, uint32_t other, uint64_t what,
                      uint64_t begin_ns, uint32_t count) {
    if (what >> 32 == 0 || count == 0)
        return;
    weft_trace_record record =
        plain(trace, WEFT_TRACE_HELP, begin_ns, batch_end(trace, worker, what));
    record.stage = (uint32_t)what;
    record.count = count;
    record.other = (uint16_t)other;
    push(trace, worker, record);
}

void weft__trace_begin(weft__trace* trace, uint32_t worker) {
    weft__trace_ring* ring = &trace->rings[worker];
    if (worker != 0 && weft__atomic_u64_load_relaxed(&ring->written) == 0)
        touch(trace, ring);
    weft__atomic_u32_store_release(&ring->thread, (uint32_t)weft__os_thread_id());
    (void)weft__trace_stamp(trace, worker);
    ring->wait_ns = 0; // That of a process that died.
    if (worker != 0)
        weft__trace_wait(trace, worker);
}

void weft__trace_wait(weft__trace* trace, uint32_t worker) {
    weft__trace_ring* ring = &trace->rings[worker];
    if (ring->wait_ns == 0)
        ring->wait_ns = *ring->last_ns;
}

void weft__trace_wait_end(weft__trace* trace) {
    if (weft__trace_what(trace) >> 32 != 0)
        weft__trace_end_wait(trace, &trace->rings[0], weft__atomic_u64_load_relaxed(&trace->tick),
                             weft__trace_stamp(trace, 0));
    trace->rings[0].wait_ns = 0;
}

// Taking -----------------------------------------------------------------------------------------

// The line of the clock, from readings that are some time apart. Once: what lies over the end of a
// round must not be moved by the next.
static void set_rate(weft__trace* trace) {
    uint64_t ns = 0;
    uint64_t clock = 0;
    do {
        ns = weft__os_clock_ns() - trace->base_ns;
        clock = weft__os_cycles() - trace->base_clock;
    } while (ns < RATE_NS_MIN);
    WEFT_ASSERT(clock > 0);
    trace->rate = (uint64_t)((double)ns / (double)clock * 4294967296.0);
}

static uint64_t in_ns(const weft__trace* trace, uint64_t clock) {
    if (!trace->cycles)
        return clock;
    uint64_t past = clock > trace->base_clock ? clock - trace->base_clock : 0;
    return trace->base_ns + (past >> 32) * trace->rate + ((past & UINT32_MAX) * trace->rate >> 32);
}

size_t weft_trace_take(weft_executor* executor, uint32_t worker, weft_trace_record* records,
                       size_t capacity) {
    WEFT_ASSERT(executor != NULL && (records != NULL || capacity == 0));
    weft__trace* trace = executor->trace;
    if (trace == NULL || worker >= trace->worker_count)
        return 0;
    weft__trace_ring* ring = &trace->rings[worker];
    uint64_t written = weft__atomic_u64_load_acquire(&ring->written);
    uint64_t kept = trace->capacity - WEFT__TRACE_SLACK;
    WEFT_ASSERT(ring->taken <= written);
    if (written - ring->taken > kept) {
        ring->lost += written - ring->taken - kept;
        ring->taken = written - kept;
    }
    size_t count = 0;
    if (trace->cycles && trace->rate == 0)
        set_rate(trace);
    for (; count < capacity && ring->taken < written; count++) {
        records[count] = ring->records[ring->taken++ & (trace->capacity - 1)];
        records[count].begin_ns = in_ns(trace, records[count].begin_ns);
        records[count].end_ns = in_ns(trace, records[count].end_ns);
    }
    return count;
}

uint64_t weft_trace_lost(const weft_executor* executor, uint32_t worker) {
    WEFT_ASSERT(executor != NULL);
    const weft__trace* trace = executor->trace;
    return trace == NULL || worker >= trace->worker_count ? 0 : trace->rings[worker].lost;
}

size_t weft_trace_capacity(const weft_executor* executor) {
    WEFT_ASSERT(executor != NULL);
    return executor->trace == NULL ? 0 : executor->trace->capacity - WEFT__TRACE_SLACK;
}
