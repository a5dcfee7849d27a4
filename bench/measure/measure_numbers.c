/// Q16.16 operations over arrays, one call a number, against libfixmath where it was found.
///
/// The arrays of the elementary functions hold more numbers than libfixmath's caches of results, so
/// that both sides compute. Those of the multiplication stay in the nearest cache of the processor.

#include "harness.h"
#include "kernel.h"
#include "peer_fixmath.h"

#include <weft/elementary.h>
#include <weft/memory.h>

#include <stdio.h>

enum {
    COUNT = 16384,
    COUNT_MUL = 2048
};

typedef struct numbers {
    int32_t a[COUNT], b[COUNT], out[COUNT];
} numbers;

// Our loops --------------------------------------------------------------------------------------

#define LOOP_ONE(name)                                                                             \
    static void loop_##name(const int32_t* a, const int32_t* b, int32_t* out, size_t count) {      \
        (void)b;                                                                                   \
        for (size_t i = 0; i < count; ++i)                                                         \
            out[i] = weft_fixed_##name(weft_fixed_from_raw(a[i])).raw;                             \
    }

#define LOOP_TWO(name, marks)                                                                      \
    marks static void loop_##name(const int32_t* restrict a, const int32_t* restrict b,            \
                                  int32_t* restrict out, size_t count) {                           \
        for (size_t i = 0; i < count; ++i)                                                         \
            out[i] = weft_fixed_##name(weft_fixed_from_raw(a[i]), weft_fixed_from_raw(b[i])).raw;  \
    }

LOOP_TWO(mul, WEFT_KERNEL)
LOOP_TWO(div, )
LOOP_ONE(sqrt)
LOOP_ONE(sin)
LOOP_ONE(cos)
LOOP_TWO(atan2, )
LOOP_ONE(exp)
LOOP_ONE(log)

typedef struct operation {
    const char* name;
    weft_number_loop* loop;
    double target; // Nanoseconds a call; 0: none.
} operation;

static const operation operations[WEFT_NUMBER_OPERATIONS] = {
    [WEFT_NUMBER_MUL] = {"mul", loop_mul, 0.5},   [WEFT_NUMBER_DIV] = {"div", loop_div, 0},
    [WEFT_NUMBER_SQRT] = {"sqrt", loop_sqrt, 20}, [WEFT_NUMBER_SIN] = {"sin", loop_sin, 30},
    [WEFT_NUMBER_COS] = {"cos", loop_cos, 0},     [WEFT_NUMBER_ATAN2] = {"atan2", loop_atan2, 0},
    [WEFT_NUMBER_EXP] = {"exp", loop_exp, 0},     [WEFT_NUMBER_LOG] = {"log", loop_log, 0},
};

/// One alternative: a loop over its operation's arrays.
typedef struct trial {
    const operation* what;
    bool ours;
    weft_number_loop* loop;
    numbers* over;
    size_t count;
} trial;

// Measuring --------------------------------------------------------------------------------------

static weft_status run_trial(void* context, uint64_t repeat) {
    trial* one = context;
    for (uint64_t i = 0; i < repeat; ++i)
        one->loop(one->over->a, one->over->b, one->over->out, one->count);
    return WEFT_STATUS_OK;
}

static uint64_t draw(uint64_t* state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/// Numbers that the operation is used with: angles of the whole range, exponents in -8..8, and so
/// on; divisors are not 0.
static void fill(numbers* all, weft_number_operation kind, uint64_t seed) {
    uint64_t state = seed + (uint64_t)kind;
    for (size_t i = 0; i < COUNT; ++i) {
        int32_t a = (int32_t)(draw(&state) >> 32);
        int32_t b = (int32_t)(draw(&state) >> 32);
        switch (kind) {
        case WEFT_NUMBER_MUL:
        case WEFT_NUMBER_DIV:
            a >>= 8;
            b = (b >> 8) | 1;
            break;
        case WEFT_NUMBER_SQRT:
        case WEFT_NUMBER_LOG:
            a = (a & INT32_MAX) | 1;
            break;
        case WEFT_NUMBER_EXP:
            a %= 8 * 65536;
            break;
        default:
            break;
        }
        all->a[i] = a;
        all->b[i] = b;
    }
}

static weft_status measure(const weft_measure_options* options, numbers* all,
                           weft_measure_table* table) {
    trial trials[2 * WEFT_NUMBER_OPERATIONS];
    weft_case cases[2 * WEFT_NUMBER_OPERATIONS];
    uint32_t count = 0;
    for (uint32_t kind = 0; kind < WEFT_NUMBER_OPERATIONS; ++kind) {
        const operation* what = &operations[kind];
        size_t length = kind == WEFT_NUMBER_MUL ? COUNT_MUL : COUNT;
        fill(&all[kind], (weft_number_operation)kind, options->seed);
        trials[count++] = (trial){what, true, what->loop, &all[kind], length};
        if (weft_peer_fixmath[kind] != NULL)
            trials[count++] = (trial){what, false, weft_peer_fixmath[kind], &all[kind], length};
    }
    for (uint32_t i = 0; i < count; ++i) {
        cases[i] = (weft_case){.name = trials[i].what->name,
                               .run = run_trial,
                               .context = &trials[i],
                               .units = (double)trials[i].count};
    }
    WEFT_TRY(weft_measure_cases(options, "numbers", weft_sampling_of(options), cases, count));
    for (uint32_t i = 0; i < count; ++i) {
        const trial* one = &trials[i];
        weft_measure_row* row = weft_measure_add(table, "ns/call", &cases[i].series, 1, "%s%s",
                                                 one->what->name, one->ours ? "" : ", libfixmath");
        if (one->ours && one->what->target > 0)
            weft_measure_target(options, row, WEFT_MEASURE_AT_MOST, one->what->target);
    }
    return WEFT_STATUS_OK;
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    snprintf(table->title, sizeof(table->title), "Q16.16 operations over arrays");
    weft_memory memory = weft_memory_system();
    size_t size = sizeof(numbers) * WEFT_NUMBER_OPERATIONS;
    numbers* all = memory.acquire(memory.context, size);
    weft_status status = WEFT_STATUS_OUT_OF_MEMORY;
    if (all != NULL) {
        status = measure(options, all, table);
        memory.release(memory.context, all, size);
    }
    return status;
}

const weft_measure weft_measure_numbers = {
    .name = "numbers",
    .summary = "the price of one fixed-point operation, against libfixmath",
    .run = run,
};
