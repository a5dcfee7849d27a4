/// The machine's own limits: memory bandwidth, a line between CPUs, a barrier, waking, system calls
/// and the first touch of memory. What every other measurement is to be read against.

#define _GNU_SOURCE // MAP_ANONYMOUS, syscall

#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bounds.h"
#include "probe.h"
#include "rig.h"

enum {
    COUNTS_MAX = 10, // Of worker counts: 1, 2, 4, ... and all.
    RESIDENT_BYTES = 64 << 10,
    PAGE = 4096
};

typedef struct limits_run {
    const weft_measure_options* options;
    weft_measure_table* table;
    weft_topology* topology;
    uint32_t cpu[WEFT_HAND_THREADS_MAX];
    uint32_t cpu_count; // As many as workers are allowed.
    uint32_t counts[COUNTS_MAX];
    weft_hand* hands[COUNTS_MAX];
    uint32_t hand_count;
} limits_run;

// 1, 2, 4, ... and all of them.
static weft_status open_hands(limits_run* run) {
    uint32_t allowed = weft_rig_workers(run->options->worker_max, run->topology);
    run->cpu_count = weft_hand_cpus(run->topology, run->cpu, allowed);
    for (uint32_t count = 1;; count = count * 2 < run->cpu_count ? count * 2 : run->cpu_count) {
        uint32_t at = run->hand_count;
        WEFT_TRY(weft_hand_create_on(run->topology, run->cpu, count, &run->hands[at]));
        run->counts[run->hand_count++] = count;
        if (count == run->cpu_count || run->hand_count == COUNTS_MAX)
            return WEFT_STATUS_OK;
    }
}

static weft_case case_on(weft_hand_side* side, double units) {
    return (weft_case){
        .name = "limits",
        .prepare = weft_hand_prepare,
        .run = weft_hand_run,
        .finish = weft_hand_finish,
        .context = side,
        .units = units,
    };
}

// Streams ----------------------------------------------------------------------------------------

// One kind with every number of workers. Resident arrays grow with the workers, so that each has as
// much for itself.
static weft_status measure_kind(limits_run* run, weft_traffic* stream, weft_traffic_kind kind,
                                bool resident) {
    weft_case cases[COUNTS_MAX];
    weft_hand_side sides[COUNTS_MAX];
    weft_traffic parts[COUNTS_MAX];
    weft_traffic_work works[COUNTS_MAX];
    uint32_t sweeps = resident ? 256 : 1;
    for (uint32_t i = 0; i < run->hand_count; ++i) {
        parts[i] = *stream;
        if (resident)
            parts[i].count = (size_t)RESIDENT_BYTES / 8 * run->counts[i];
        works[i] = (weft_traffic_work){.stream = &parts[i], .kind = kind, .times = sweeps};
        sides[i] = (weft_hand_side){run->hands[i], weft_traffic_part, &works[i]};
        cases[i] =
            case_on(&sides[i], weft_traffic_bytes(kind) * (double)parts[i].count * (double)sweeps);
    }
    WEFT_TRY(weft_measure_cases(run->options, weft_traffic_names[kind],
                                weft_sampling_of(run->options), cases, run->hand_count));
    for (uint32_t i = 0; i < run->hand_count; ++i) {
        weft_series rate = weft_series_rate(&cases[i].series);
        weft_measure_add(run->table, "GB/s", &rate, 1, "%s%s, %u worker%s",
                         weft_traffic_names[kind], resident ? " in the cache" : "", run->counts[i],
                         run->counts[i] > 1 ? "s" : "");
    }
    return WEFT_STATUS_OK;
}

static weft_status measure_streams(limits_run* run) {
    // Far over any share of the last-level cache that a core may have for itself.
    size_t bytes = run->options->quick ? (size_t)1 << 20 : (size_t)256 << 20;
    size_t resident = (size_t)RESIDENT_BYTES * run->cpu_count;
    weft_traffic stream = {.count = 0};
    weft_status status = weft_traffic_open(&stream, run->hands[run->hand_count - 1], 3,
                                           bytes > resident ? bytes : resident);
    for (int kind = 0; kind < WEFT_TRAFFIC_KINDS && status == WEFT_STATUS_OK; ++kind) {
        if (kind < WEFT_TRAFFIC_COPY_PAST || weft_traffic_can_bypass())
            status = measure_kind(run, &stream, (weft_traffic_kind)kind, false);
    }
    if (status == WEFT_STATUS_OK)
        status = measure_kind(run, &stream, WEFT_TRAFFIC_READ, true);
    if (status == WEFT_STATUS_OK)
        status = measure_kind(run, &stream, WEFT_TRAFFIC_TRIAD, true);
    weft_traffic_close(&stream);
    return status;
}

// Between CPUs -----------------------------------------------------------------------------------

// Round trips between the first CPU and some of the others: all of them on a small machine.
static weft_status measure_lines(limits_run* run) {
    enum {
        PAIRS_MAX = 8
    };
    uint32_t others = run->cpu_count - 1;
    uint32_t pairs = others < PAIRS_MAX ? others : PAIRS_MAX;
    uint32_t samples = run->options->quick ? 3 : 15;
    weft_series ns[PAIRS_MAX] = {{.count = 0}};
    uint32_t cpu[PAIRS_MAX][2];
    for (uint32_t i = 0; i < samples; ++i) {
        weft_measure_report(run->options, "line round trips", i, samples);
        for (uint32_t k = 0; k < pairs; ++k) {
            cpu[k][0] = run->cpu[0];
            cpu[k][1] = run->cpu[1 + (uint64_t)k * others / pairs];
            double trip = weft_probe_pair_ns(run->topology, cpu[k], WEFT_PROBE_NS);
            if (trip > 0)
                weft_series_add(&ns[k], trip);
        }
    }
    for (uint32_t k = 0; k < pairs; ++k) {
        if (ns[k].count > 0)
            weft_measure_add(run->table, "ns", &ns[k], 1, "line round trip, CPU %u and CPU %u",
                             cpu[k][0], cpu[k][1]);
    }
    return WEFT_STATUS_OK;
}

static void do_nothing(void* context, uint32_t index, uint32_t count) {
    (void)context;
    (void)index;
    (void)count;
}

static weft_status measure_barriers(limits_run* run) {
    weft_barrier barrier = {.rounds = 1000};
    weft_hand_side sides[2 * COUNTS_MAX];
    weft_case cases[2 * COUNTS_MAX];
    uint32_t count = 0;
    // Not with one: the first hand has no helpers.
    for (uint32_t i = 1; i < run->hand_count && count < 16; ++i) {
        sides[count] = (weft_hand_side){run->hands[i], weft_barrier_part, &barrier};
        cases[count] = case_on(&sides[count], (double)barrier.rounds);
        ++count;
        sides[count] = (weft_hand_side){run->hands[i], do_nothing, NULL};
        cases[count] = case_on(&sides[count], 1);
        ++count;
    }
    WEFT_TRY(
        weft_measure_cases(run->options, "barriers", weft_sampling_of(run->options), cases, count));
    for (uint32_t i = 0; i < count; ++i)
        weft_measure_add(run->table, "ns", &cases[i].series, 1, "%s, %u workers",
                         i % 2 == 0 ? "spinning barrier" : "spinning fork and join",
                         run->counts[i / 2 + 1]);
    return WEFT_STATUS_OK;
}

static weft_status measure_wakes(limits_run* run) {
    static const uint64_t idle_us[] = {50, 2000, 20000};
    weft_sleeper* sleeper;
    WEFT_TRY(weft_sleeper_create(run->topology, run->cpu[1], &sleeper));
    uint32_t samples = run->options->quick ? 3 : 25;
    for (size_t i = 0; i < sizeof(idle_us) / sizeof(idle_us[0]); ++i) {
        weft_series run_after = {.count = 0};
        weft_series call = {.count = 0};
        uint64_t idle_ns = idle_us[i] * (run->options->quick ? 100 : 1000);
        weft_measure_report(run->options, "waking", i, 3);
        for (uint32_t k = 0; k < samples; ++k) {
            double until_run, call_ns;
            weft_sleeper_wake(sleeper, idle_ns, &until_run, &call_ns);
            weft_series_add(&run_after, until_run / 1000);
            weft_series_add(&call, call_ns / 1000);
        }
        weft_measure_add(run->table, "us", &run_after, 1,
                         "futex wake until the sleeper runs, %.4g ms idle", (double)idle_ns / 1e6);
        weft_measure_add(run->table, "us", &call, 1, "the waking call itself, %.4g ms idle",
                         (double)idle_ns / 1e6);
    }
    weft_sleeper_destroy(sleeper);
    return WEFT_STATUS_OK;
}

// The system --------------------------------------------------------------------------------------

static weft_status call_system(void* context, uint64_t repeat) {
    (void)context;
    for (uint64_t i = 0; i < repeat; ++i)
        (void)syscall(SYS_getppid);
    return WEFT_STATUS_OK;
}

static weft_status yield(void* context, uint64_t repeat) {
    (void)context;
    for (uint64_t i = 0; i < repeat; ++i)
        (void)sched_yield();
    return WEFT_STATUS_OK;
}

static weft_status read_clock(void* context, uint64_t repeat) {
    (void)context;
    for (uint64_t i = 0; i < repeat; ++i)
        (void)weft_measure_now_ns();
    return WEFT_STATUS_OK;
}

static weft_status measure_calls(limits_run* run) {
    weft_case cases[] = {
        {.name = "a system call", .run = call_system, .units = 1},
        {.name = "sched_yield, nobody waits", .run = yield, .units = 1},
        {.name = "a look at the clock", .run = read_clock, .units = 1},
    };
    uint32_t count = sizeof(cases) / sizeof(cases[0]);
    WEFT_TRY(weft_measure_cases(run->options, "system calls", weft_sampling_of(run->options), cases,
                                count));
    for (uint32_t i = 0; i < count; ++i)
        weft_measure_add(run->table, "ns", &cases[i].series, 1, "%s", cases[i].name);
    return WEFT_STATUS_OK;
}

// Nanoseconds for each 4096 bytes of a fresh mapping.
static weft_status touch(size_t size, int advice, double* ns_out) {
    size_t huge = (size_t)2 << 20;
    char* base =
        mmap(NULL, size + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return WEFT_STATUS_OUT_OF_MEMORY;
    char* first = base + (huge - (uintptr_t)base % huge);
    (void)madvise(first, size, advice);
    uint64_t start = weft_measure_now_ns();
    for (size_t i = 0; i < size; i += PAGE)
        ((volatile char*)first)[i] = 1;
    *ns_out = (double)(weft_measure_now_ns() - start) / ((double)size / PAGE);
    (void)munmap(base, size + huge);
    return WEFT_STATUS_OK;
}

static weft_status measure_touches(limits_run* run) {
    static const int advice[2] = {MADV_NOHUGEPAGE, MADV_HUGEPAGE};
    static const char* const names[2] = {"without", "with"};
    weft_series series[2] = {{.count = 0}};
    size_t size = (size_t)(run->options->quick ? 4 : 64) << 20;
    uint32_t samples = run->options->quick ? 3 : 15;
    for (uint32_t i = 0; i < samples; ++i) {
        weft_measure_report(run->options, "first touch", i, samples);
        for (int k = 0; k < 2; ++k) {
            double ns;
            WEFT_TRY(touch(size, advice[k], &ns));
            weft_series_add(&series[k], ns);
        }
    }
    for (int k = 0; k < 2; ++k)
        weft_measure_add(run->table, "ns", &series[k], 1,
                         "first touch of 4096 bytes, %s huge pages", names[k]);
    return WEFT_STATUS_OK;
}

static weft_status measure_all(limits_run* run) {
    WEFT_TRY(weft_topology_create(NULL, &run->topology));
    WEFT_TRY(open_hands(run));
    WEFT_TRY(measure_streams(run));
    if (run->hand_count > 1) {
        WEFT_TRY(measure_lines(run));
        WEFT_TRY(measure_barriers(run));
        WEFT_TRY(measure_wakes(run));
    }
    WEFT_TRY(measure_calls(run));
    return measure_touches(run);
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    snprintf(table->title, sizeof(table->title), "what this machine can do at best");
    snprintf(
        table->note, sizeof(table->note),
        "arrays of %s each; bytes as the loop names them: a plain store's own read of its line "
        "is not counted",
        options->quick ? "1 MiB" : "256 MiB");
    limits_run all = {.options = options, .table = table};
    weft_status status = measure_all(&all);
    for (uint32_t i = 0; i < all.hand_count; ++i)
        weft_hand_destroy(all.hands[i]);
    weft_topology_destroy(all.topology);
    return status;
}

const weft_measure weft_measure_limits = {
    .name = "limits",
    .summary = "what the machine can do: bandwidth, lines, barriers, waking, calls, first touch",
    .run = run,
};
