/// How workers wait: what a second worker costs, or still gains, where it has no CPU to itself, or
/// where ticks come far apart.
///
/// The tick is ten layers of ten systems that compute and read what their neighbours computed. Each
/// case runs serial ticks and ticks of two workers in turn, tick by tick in blocks, in a process of
/// its own, so that binding it to CPUs binds nothing else:
///
///   one CPU    two workers are asked for and one CPU is allowed. Runtimes that only spin need 200
///              times the serial time here.
///   busy CPU   an endless loop of another process is bound to one of the two CPUs. A slice of the
///              system's scheduler is 4 ms: whoever waits for a worker that has lost its CPU waits
///              that long. Shown is the 99th percentile.
///   idle 2 ms  the host computes alone between ticks, and two workers sleep, or are told the
///              period and are awake when the tick comes.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "harness.h"
#include "rig.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

// The tick ---------------------------------------------------------------------------------------

enum {
    LAYERS = 10,
    WIDTH = 10
};

#define CELLS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9)
#define CELL(n)                                                                                    \
    WEFT_RESOURCE(WaitingEven##n, (uint64_t, value));                                              \
    WEFT_RESOURCE(WaitingOdd##n, (uint64_t, value));
CELLS(CELL)

#define EVEN(n) WEFT_TYPE(WaitingEven##n),
#define ODD(n) WEFT_TYPE(WaitingOdd##n),
static const weft_type* const cells[2][WIDTH] = {{CELLS(EVEN)}, {CELLS(ODD)}};

// What one system does.
typedef struct node {
    uint32_t parity;
    uint32_t column;
    uint32_t spins;
} node;

static weft_status compute(weft_view* view, const void* context) {
    const node* self = context;
    uint64_t value = 1;
    for (uint32_t i = self->column > 0 ? self->column - 1 : 0; i <= self->column + 1 && i < WIDTH;
         ++i)
        value += *(const uint64_t*)weft_view_resource(view, cells[1 - self->parity][i]);
    for (uint32_t i = 0; i < self->spins; ++i)
        value = value * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    *(uint64_t*)weft_view_resource_write(view, cells[self->parity][self->column]) = value;
    return WEFT_STATUS_OK;
}

static weft_status add_node(weft_schedule* schedule, uint32_t layer, node* self) {
    weft_access access[4];
    size_t count = 0;
    for (uint32_t i = self->column > 0 ? self->column - 1 : 0; i <= self->column + 1 && i < WIDTH;
         ++i)
        access[count++] = (weft_access){WEFT_ACCESS_RESOURCE_READ, cells[1 - self->parity][i]};
    access[count++] = (weft_access){WEFT_ACCESS_RESOURCE_WRITE, cells[self->parity][self->column]};
    char name[32];
    snprintf(name, sizeof(name), "node_%u_%u", layer, self->column);
    weft_system_desc desc = weft_system_desc_default();
    desc.name = name;
    desc.run = compute;
    desc.context = self;
    desc.scope = WEFT_SCOPE_WORLD;
    desc.access = access;
    desc.access_count = count;
    return weft_schedule_add_system(schedule, &desc);
}

static double spin_ns(void) {
    enum {
        SPINS = 1000000
    };
    double best = 0;
    volatile uint64_t sink;
    for (int round = 0; round < 5; ++round) {
        uint64_t value = (uint64_t)round;
        uint64_t start = weft_measure_now_ns();
        for (uint32_t i = 0; i < SPINS; ++i)
            value = value * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        sink = value;
        double took = (double)(weft_measure_now_ns() - start) / SPINS;
        best = round == 0 || took < best ? took : best;
    }
    (void)sink;
    return best;
}

// Cases ------------------------------------------------------------------------------------------

enum {
    SERIAL,
    TWO,
    TOLD,
    KINDS
};

enum {
    BLOCKS_MAX = 31,
    TICKS_MAX = 512
};

typedef struct waiting {
    const char* name;
    double tick_us;  // Serial work in a tick.
    double idle_us;  // Between ticks, at a fixed rate.
    uint32_t cpus;   // That the process may use; 0: as it is.
    int busy_cpu;    // Which of the allowed CPUs has an endless loop; -1: none.
    bool told;       // Also with the period told.
    double quantile; // Of a block, that is shown.
    double target;   // Of two workers against the serial median; of the told ones, if any are.
    uint32_t ticks;  // Of a block.
    uint32_t blocks;
} waiting;

// Shared with the process that measures.
typedef struct outcome {
    double value[KINDS][2][BLOCKS_MAX]; // Median, and the quantile, in us.
    uint64_t rests;
    uint64_t wakes;
} outcome;

static double quantile_of(double* sorted, uint32_t count, double quantile) {
    uint32_t rank = (uint32_t)(quantile * count);
    return sorted[rank < count ? rank : count - 1];
}

// What the host's own work is here: it is busy until the next tick is due.
static void idle(uint64_t until_ns) {
    while (weft_measure_now_ns() < until_ns)
        continue;
}

static uint64_t period_of(const waiting* one) {
    return one->idle_us > 0 ? (uint64_t)((one->idle_us + one->tick_us) * 1000) : 0;
}

static weft_status run_block(const waiting* one, weft_rig* rig, uint32_t kind, uint32_t block,
                             outcome* out) {
    double took[TICKS_MAX];
    uint64_t due = weft_measure_now_ns();
    for (uint32_t i = 0; i < one->ticks; ++i) {
        due += period_of(one);
        idle(due);
        uint64_t start = weft_measure_now_ns();
        WEFT_TRY(weft_rig_tick(rig, kind));
        took[i] = (double)(weft_measure_now_ns() - start) / 1000;
    }
    weft_statistics_sort(took, one->ticks);
    out->value[kind][0][block] = quantile_of(took, one->ticks, 0.5);
    out->value[kind][1][block] = quantile_of(took, one->ticks, one->quantile);
    return WEFT_STATUS_OK;
}

static node nodes[LAYERS * WIDTH]; // Of the measuring process: its module has no other place.

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule) {
    for (uint32_t i = 0; i < 2 * WIDTH; ++i)
        WEFT_TRY(weft_world_register_resource(world, cells[i / WIDTH][i % WIDTH], 1, NULL));
    for (uint32_t i = 0; i < LAYERS * WIDTH; ++i) {
        nodes[i] = (node){i / WIDTH % 2, i % WIDTH, (uint32_t)options->entity_count};
        WEFT_TRY(add_node(schedule, i / WIDTH, &nodes[i]));
    }
    return WEFT_STATUS_OK;
}

static const weft_module module = {
    .abi = WEFT_MODULE_ABI, .name = "waiting", .entity_count_default = 1, .build = build};

static weft_status measure_in_child(const waiting* one, outcome* out) {
    weft_topology* topology = NULL;
    weft_rig rig;
    WEFT_TRY(weft_topology_create(NULL, &topology));
    double spins = one->tick_us * 1000 / (LAYERS * WIDTH) / spin_ns();
    WEFT_TRY(weft_rig_open(&rig, &module, spins < 1 ? 1 : (uint64_t)spins, 1));
    weft_executor_desc descs[KINDS] = {weft_rig_serial(), weft_rig_threads(2, topology),
                                       weft_rig_threads(2, topology)};
    descs[TOLD].tick_period_ns = period_of(one);
    uint32_t kinds = one->told ? KINDS : TOLD;
    for (uint32_t i = 0; i < kinds; ++i)
        WEFT_TRY(weft_rig_add(&rig, &descs[i]));
    for (uint32_t i = 0; i < kinds * one->ticks; ++i) // Warms up, and lets them learn.
        WEFT_TRY(weft_rig_tick(&rig, i / one->ticks));
    for (uint32_t block = 0; block < one->blocks; ++block)
        for (uint32_t k = 0; k < kinds; ++k)
            WEFT_TRY(run_block(one, &rig, (block + k) % kinds, block, out));
    weft_executor_stats stats = weft_executor_stats_read(rig.executor[TWO]);
    out->rests = stats.rests;
    out->wakes = stats.wakes;
    weft_rig_close(&rig);
    weft_topology_destroy(topology);
    return WEFT_STATUS_OK;
}

// Processes --------------------------------------------------------------------------------------

static void bind_to(const cpu_set_t* allowed, uint32_t first, uint32_t count) {
    cpu_set_t chosen;
    CPU_ZERO(&chosen);
    uint32_t seen = 0;
    for (size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, allowed))
            continue;
        if (seen >= first && seen < first + count)
            CPU_SET(cpu, &chosen);
        ++seen;
    }
    (void)sched_setaffinity(0, sizeof(chosen), &chosen);
}

static pid_t start_loop(const cpu_set_t* allowed, uint32_t cpu) {
    pid_t parent = getpid();
    pid_t child = fork();
    if (child != 0)
        return child;
    bind_to(allowed, cpu, 1);
    for (volatile uint64_t i = 0;; ++i)
        if (i % 100000000 == 0 && getppid() != parent)
            _exit(0); // Nobody is left to end it.
}

static void child_main(const waiting* one, const cpu_set_t* allowed, outcome* out) {
    pid_t loop = 0;
    if (one->cpus != 0)
        bind_to(allowed, 0, one->cpus);
    if (one->busy_cpu >= 0)
        loop = start_loop(allowed, (uint32_t)one->busy_cpu);
    weft_status status = loop < 0 ? WEFT_STATUS_OS : measure_in_child(one, out);
    if (loop > 0) {
        (void)kill(loop, SIGKILL);
        (void)waitpid(loop, NULL, 0);
    }
    _exit(status == WEFT_STATUS_OK ? 0 : 1);
}

static weft_status run_case(const waiting* one, outcome* out) {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
        return WEFT_STATUS_OS;
    pid_t child = fork();
    if (child == 0)
        child_main(one, &allowed, out);
    int state = 0;
    if (child < 0 || waitpid(child, &state, 0) != child)
        return WEFT_STATUS_OS;
    return WIFEXITED(state) && WEXITSTATUS(state) == 0 ? WEFT_STATUS_OK : WEFT_STATUS_SYSTEM_FAILED;
}

// The table --------------------------------------------------------------------------------------

static weft_series series_of(const outcome* out, uint32_t kind, uint32_t which, uint32_t count) {
    weft_series series = {.count = 0};
    for (uint32_t i = 0; i < count; ++i)
        weft_series_add(&series, out->value[kind][which][i]);
    return series;
}

static void add_rows(const weft_measure_options* options, const waiting* one, const outcome* out,
                     weft_measure_table* table) {
    static const char* const names[KINDS] = {"serial", "2 workers", "2 workers, period told"};
    weft_series serial = series_of(out, SERIAL, 0, one->blocks);
    for (uint32_t kind = 0; kind < (one->told ? KINDS : TOLD); ++kind) {
        for (uint32_t which = 0; which < (one->quantile != 0.5 ? 2u : 1u); ++which) {
            weft_series series = series_of(out, kind, which, one->blocks);
            weft_measure_add(table, "us/tick", &series, 1, "%s: %s%s", one->name, names[kind],
                             which == 1 ? ", 99 of 100" : "");
            if (kind == SERIAL)
                continue;
            weft_series ratio = weft_series_ratio(&series, &serial);
            weft_measure_row* row =
                weft_measure_add(table, "ratio", &ratio, 1, "%s: %s against serial%s", one->name,
                                 names[kind], which == 1 ? ", 99 of 100" : "");
            if (kind == (one->told ? TOLD : TWO) && (which == 1 || one->quantile == 0.5))
                weft_measure_target(options, row, WEFT_MEASURE_AT_MOST, one->target);
        }
    }
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    // Targets: 260 us for 220 us of work, 400 us for 221, 320 us for 590.
    static const waiting cases[] = {
        {"one CPU", 220, 0, 1, -1, false, 0.5, 260.0 / 220, 200, 15},
        {"busy CPU of a worker", 221, 0, 2, 1, false, 0.99, 400.0 / 221, 400, 9},
        {"busy CPU of the caller", 221, 0, 2, 0, false, 0.99, 400.0 / 221, 400, 9},
        {"idle 2 ms", 590, 2000, 2, -1, true, 0.5, 320.0 / 590, 60, 15},
    };
    snprintf(table->title, sizeof(table->title), "waiting workers, a tick of %d systems",
             LAYERS * WIDTH);
    cpu_set_t allowed;
    bool two = sched_getaffinity(0, sizeof(allowed), &allowed) == 0 && CPU_COUNT(&allowed) > 1 &&
               options->worker_max != 1;
    outcome* out =
        mmap(NULL, sizeof(*out), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (out == MAP_FAILED)
        return WEFT_STATUS_OUT_OF_MEMORY;
    weft_status status = WEFT_STATUS_OK;
    uint32_t count = two ? sizeof(cases) / sizeof(cases[0]) : 1;
    for (uint32_t i = 0; i < count && status == WEFT_STATUS_OK; ++i) {
        waiting one = cases[i];
        weft_measure_report(options, one.name, i, count);
        one.blocks = options->quick ? 3 : one.blocks;
        one.ticks = options->quick ? 4 : one.ticks;
        memset(out, 0, sizeof(*out));
        status = run_case(&one, out);
        if (status == WEFT_STATUS_OK)
            add_rows(options, &one, out, table);
        else
            snprintf(table->error, sizeof(table->error), "%s: the measuring process failed",
                     one.name);
    }
    weft_measure_report(options, "waiting", count, count);
    if (!two)
        snprintf(table->note, sizeof(table->note), "one CPU: no more than one case");
    (void)munmap(out, sizeof(*out));
    return status;
}

const weft_measure weft_measure_waiting = {
    .name = "waiting",
    .summary = "two workers on one CPU, beside a busy loop, and after idle time",
    .run = run,
};
