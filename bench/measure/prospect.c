#include "prospect.h"

#include <stdatomic.h>
#include <stdio.h>

#include "bounds.h"
#include "hand.h"
#include "kernel.h"
#include "probe.h"

enum {
    SAMPLES = 5,
    ROUNDS = 200000,      // Of arithmetic, in a part.
    CLAIM_ROUNDS = 10000, // In a sample.
    MOVE_BYTES = 256 << 10,
    LINE_GUESS_NS = 200,
    LINES_BLOCKS = 16,    // Every other one in turns,
    LINES_TICKS = 4,      // of so many ticks that count.
    LINES_PATIENCE = 200, // Ticks that do not.
};

// What a core does between memory: a chain that no vector unit shortens.
typedef struct arithmetic {
    _Alignas(128) uint64_t result[WEFT_HAND_THREADS_MAX * 8]; // One line each.
    uint64_t rounds;
} arithmetic;

static void compute(void* context, uint32_t index, uint32_t count) {
    arithmetic* work = context;
    uint64_t a = index + 1;
    uint64_t b = count;
    for (uint64_t i = 0; i < work->rounds; ++i) {
        a = a * UINT64_C(6364136223846793005) + i;
        b = (b ^ (b >> 29)) * UINT64_C(0xBF58476D1CE4E5B9);
    }
    work->result[(size_t)index * 8] = a ^ b;
}

static double time_fork(weft_hand* hand, weft_hand_part* part, void* context) {
    uint64_t begin;
    if (hand == NULL) {
        begin = weft_measure_now_ns();
        part(context, 0, 1);
        return (double)(weft_measure_now_ns() - begin);
    }
    weft_hand_wake(hand);
    weft_hand_fork(hand, part, context); // All are awake, and what they touch is near.
    begin = weft_measure_now_ns();
    weft_hand_fork(hand, part, context);
    double took = (double)(weft_measure_now_ns() - begin);
    weft_hand_park(hand);
    return took;
}

// The least of some samples with one and with all, in turn: what others take from the machine is
// not its own.
static void time_both(weft_hand* hand, weft_hand_part* part, void* context, double least[2]) {
    least[0] = least[1] = 1e18;
    for (int i = 0; i < SAMPLES; ++i) {
        for (int k = 0; k < 2; ++k) {
            double took = time_fork(k == 0 ? NULL : hand, part, context);
            least[k] = took < least[k] ? took : least[k];
        }
    }
}

static weft_status measure_memory(weft_hand* hand, bool quick, weft_prospect_machine* out) {
    weft_traffic stream;
    size_t bytes = quick ? (size_t)1 << 20 : (size_t)256 << 20;
    WEFT_TRY(weft_traffic_open(&stream, hand, 2, bytes));
    weft_traffic_work work = {.stream = &stream, .kind = WEFT_TRAFFIC_UPDATE, .times = 1};
    double least[2];
    time_both(hand, weft_traffic_part, &work, least);
    double all = weft_traffic_bytes(WEFT_TRAFFIC_UPDATE) * (double)stream.count;
    out->core_bytes_per_ns = all / least[0];
    out->all_bytes_per_ns = all / least[1];
    weft_traffic_close(&stream);
    return WEFT_STATUS_OK;
}

// Bytes that one thread reads and writes.
typedef struct handover {
    uint64_t* numbers;
    uint32_t turn; // Who does it.
} handover;

static void touch_all(void* context, uint32_t index, uint32_t count) {
    const handover* work = context;
    (void)count;
    if (index != work->turn)
        return;
    for (size_t i = 0; i < MOVE_BYTES / 8; ++i)
        work->numbers[i] += index + 1;
}

static double time_touch(weft_hand* hand, handover* work, uint32_t turn) {
    work->turn = turn;
    uint64_t begin = weft_measure_now_ns();
    weft_hand_fork(hand, touch_all, work);
    return (double)(weft_measure_now_ns() - begin);
}

// What is in another core's cache against what is in the own one.
static weft_status measure_moves(weft_hand* hand, weft_prospect_machine* out) {
    weft_traffic stream;
    WEFT_TRY(weft_traffic_open(&stream, hand, 1, MOVE_BYTES));
    handover work = {.numbers = stream.array[0]};
    double least[2] = {1e18, 1e18};
    weft_hand_wake(hand);
    for (int i = 0; i < 4 * SAMPLES; ++i) {
        (void)time_touch(hand, &work, 1);
        for (int k = 0; k < 2; ++k) {
            double took = time_touch(hand, &work, 0);
            least[k] = took < least[k] ? took : least[k];
        }
    }
    weft_hand_park(hand);
    if (least[0] > least[1])
        out->move_bytes_per_ns = MOVE_BYTES / (least[0] - least[1]);
    weft_traffic_close(&stream);
    return WEFT_STATUS_OK;
}

static void measure_claim(weft_prospect_machine* out) {
    _Alignas(128) atomic_uint_fast64_t word = 0;
    out->claim_ns = 1e18;
    for (int k = 0; k < SAMPLES; ++k) {
        uint64_t begin = weft_measure_now_ns();
        for (uint64_t i = 0; i < CLAIM_ROUNDS; ++i) {
            uint_fast64_t seen = atomic_load_explicit(&word, memory_order_acquire);
            (void)atomic_compare_exchange_strong_explicit(
                &word, &seen, seen + 1, memory_order_acq_rel, memory_order_acquire);
        }
        double took = (double)(weft_measure_now_ns() - begin) / CLAIM_ROUNDS;
        out->claim_ns = took < out->claim_ns ? took : out->claim_ns;
    }
}

// As the pool itself finds it; the least of some, since the first look may be disturbed.
static weft_status measure_join(const weft_topology* topology, weft_prospect_machine* out) {
    weft_world_desc desc = weft_world_desc_default();
    weft_world* world = NULL;
    weft_schedule* schedule = NULL;
    weft_executor* executor = NULL;
    weft_executor_desc threads = weft_rig_threads(2, topology);
    weft_status status = weft_world_create(&desc, NULL, &world);
    if (status == WEFT_STATUS_OK)
        status = weft_schedule_create(world, &schedule);
    for (int i = 0; i < SAMPLES && status == WEFT_STATUS_OK; ++i) {
        status = weft_executor_create(&threads, schedule, &executor);
        if (status != WEFT_STATUS_OK)
            break;
        double join = weft_forecast_join_ns(executor);
        out->join_ns = i == 0 || join < out->join_ns ? join : out->join_ns;
        weft_executor_destroy(executor);
    }
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
    return status;
}

weft_status weft_prospect_machine_measure(const weft_topology* topology, bool quick,
                                          weft_prospect_machine* out) {
    *out = (weft_prospect_machine){.worker_count = weft_topology_suggested_workers(topology)};
    uint32_t cpu[WEFT_HAND_THREADS_MAX];
    uint32_t count = weft_hand_cpus(topology, cpu, out->worker_count);
    weft_hand* hand = NULL;
    out->alone = count < 2;
    if (!out->alone)
        WEFT_TRY(weft_hand_create_on(topology, cpu, count, &hand));
    weft_status status = measure_memory(hand, quick, out);
    arithmetic work = {.rounds = quick ? ROUNDS / 100 : ROUNDS * 5};
    double least[2];
    time_both(hand, compute, &work, least);
    out->crowding = least[1] > least[0] ? least[1] / least[0] : 1;
    if (status == WEFT_STATUS_OK && !out->alone)
        status = measure_moves(hand, out);
    weft_hand_destroy(hand);
    measure_claim(out);
    if (status == WEFT_STATUS_OK && !out->alone)
        status = measure_join(topology, out);
    if (!out->alone)
        out->line_ns = weft_probe_line_ns(topology, WEFT_PROBE_NS);
    if (out->line_ns <= 0)
        out->line_ns = LINE_GUESS_NS;
    if (out->join_ns <= 0)
        out->join_ns = 2 * out->line_ns;
    return status;
}

weft_forecast_desc weft_prospect_desc(const weft_prospect_machine* here,
                                      const weft_topology* topology, uint32_t worker_count) {
    weft_forecast_desc desc = weft_forecast_desc_default();
    weft_placement placement = {.policy = WEFT_PLACEMENT_SPREAD};
    desc.core_bytes_per_ns = here->core_bytes_per_ns;
    desc.all_bytes_per_ns = worker_count > 1 ? here->all_bytes_per_ns : 0;
    desc.move_bytes_per_ns = here->move_bytes_per_ns;
    desc.crowding = worker_count > 1 ? here->crowding : 1;
    (void)!weft_forecast_cache_bytes(topology, &placement, worker_count, &desc.cache_bytes);
    return desc;
}

weft_forecast_machine weft_prospect_there(const weft_prospect_machine* here,
                                          const weft_topology* topology) {
    weft_forecast_machine machine = weft_forecast_machine_default();
    machine.topology = topology;
    machine.core_bytes_per_ns = here->core_bytes_per_ns;
    machine.node_bytes_per_ns = here->all_bytes_per_ns;
    machine.move_bytes_per_ns = here->move_bytes_per_ns;
    machine.join_ns = here->join_ns;
    machine.line_ns = here->line_ns;
    machine.claim_ns = here->claim_ns;
    if (weft_topology_info_get(topology).is_this_machine)
        machine.crowding = here->crowding;
    return machine;
}

weft_executor_desc weft_prospect_executor(uint32_t worker_count, const weft_topology* topology) {
    weft_executor_desc desc =
        worker_count > 1 ? weft_rig_threads(worker_count, topology) : weft_rig_serial();
    desc.sweep = WEFT_SWEEP_CHUNK_MAJOR;
    return desc;
}

static weft_status post_input(weft_rig* rig) {
    return rig->module->input ? rig->module->input(rig->world, weft_world_tick(rig->world))
                              : WEFT_STATUS_OK;
}

static weft_status note_failure(weft_rig* rig, weft_status status) {
    if (status != WEFT_STATUS_OK)
        snprintf(rig->error, sizeof(rig->error), "%s: %s", rig->module->name,
                 weft_world_error(rig->world)[0] != '\0' ? weft_world_error(rig->world)
                                                         : weft_status_text(status));
    return status;
}

// Until so many ticks count, or patience is at its end.
static weft_status measure_block(weft_rig* rig, weft_executor* executor, weft_forecast* forecast,
                                 bool digest, bool in_turns, uint32_t* patience) {
    for (uint32_t counted = 0; counted<LINES_TICKS&& * patience> 0;) {
        bool counts = false;
        weft_status status = post_input(rig);
        if (status == WEFT_STATUS_OK)
            status = weft_forecast_measure_lines(forecast, executor, digest, in_turns, &counts);
        WEFT_TRY(note_failure(rig, status));
        counted += counts;
        *patience -= !counts;
    }
    return WEFT_STATUS_OK;
}

weft_status weft_prospect_lines(const weft_prospect_machine* here, const weft_topology* topology,
                                weft_rig* rig, uint32_t index, weft_forecast* forecast, bool digest,
                                bool* known_out) {
    weft_forecast_machine machine = weft_prospect_there(here, topology);
    weft_forecast_result two;
    *known_out = false;
    if (here->alone)
        return WEFT_STATUS_OK;
    WEFT_TRY(weft_forecast_play(forecast, &machine, 2, &two));
    if (two.active < 2 || !two.cached)
        return WEFT_STATUS_OK;
    uint32_t patience = LINES_PATIENCE;
    for (uint32_t block = 0; block < LINES_BLOCKS; ++block)
        WEFT_TRY(
            measure_block(rig, rig->executor[index], forecast, digest, block % 2 == 1, &patience));
    *known_out = true;
    return WEFT_STATUS_OK;
}

weft_status weft_prospect_tick(weft_rig* rig, uint32_t index, weft_forecast* forecast,
                               bool digest) {
    weft_status status = post_input(rig);
    if (status == WEFT_STATUS_OK)
        status = weft_forecast_measure(forecast, rig->executor[index], digest);
    return note_failure(rig, status);
}
