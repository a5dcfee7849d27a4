// Inputs by index: strides, edges and random values.

#include "judge.h"

#include "weft_wide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t judge_scramble(uint64_t index) {
    uint64_t z = (index + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static int64_t clamp(const judge_function* function, double value) {
    if (value >= (double)judge_max(function))
        return judge_max(function);
    return value <= (double)judge_min(function) ? judge_min(function) : (int64_t)value;
}

/// a + b in the function's range.
static int64_t plus(const judge_function* function, int64_t a, int64_t b) {
    if (b > 0 && a > judge_max(function) - b)
        return judge_max(function);
    if (b < 0 && a < judge_min(function) - b)
        return judge_min(function);
    return a + b;
}

/// A multiple of pi/2 as a raw value, rounded down, or the largest value.
static int64_t quarter_turns(const judge_function* function, uint64_t count) {
    weft__u128 product = weft__mul_wide(count, UINT64_C(0x921fb54442d1846a));
    product.high += count; // pi/2 has a whole 1
    if (product.high >= (UINT64_C(1) << (function->bits - 1)))
        return judge_max(function);
    return (int64_t)(product.high << function->bits | product.low >> (64 - function->bits));
}

judge_inputs judge_stride(const judge_function* function, int64_t from, int64_t to,
                          uint64_t stride) {
    if (from < judge_min(function))
        from = judge_min(function);
    if (to > judge_max(function))
        to = judge_max(function);
    uint64_t count = from > to ? 0 : ((uint64_t)to - (uint64_t)from) / stride + 1;
    return (judge_inputs){.kind = JUDGE_STRIDE, .count = count, .from = from, .stride = stride};
}

judge_inputs judge_random(uint64_t count, uint64_t seed) {
    return (judge_inputs){.kind = JUDGE_RANDOM, .count = count, .seed = seed};
}

void judge_inputs_free(judge_inputs* inputs) {
    free(inputs->edges);
    inputs->edges = NULL;
}

// Edges ------------------------------------------------------------------------------------------

/// The hardest inputs that exhaustive runs have met: nearest to a tie.
static const struct {
    const char* name;
    int64_t raw;
} hardest[] = {
    {"fixed.rsqrt", 1418222513}, // 2^-33.8 ulp from a tie
    {"fixed.sin", 1096971357},   // 2^-31.8
    {"fixed.cos", -1624208088},  // 2^-32.8
    {"fixed.tan", -1530505983},  // 2^-32.7
    {"fixed.asin", 36782},       // 2^-16.8
    {"fixed.acos", -7695},       // 2^-20.1
    {"fixed.atan", 1338799809},  // 2^-34.8
    {"fixed.exp", -129660},      // 2^-21.1
    {"fixed.exp2", -205477},     // 2^-22.4
    {"fixed.log", 2089657644},   // 2^-32.5
    {"fixed.log2", 1906104463},  // 2^-30.5
};

typedef struct list {
    const judge_function* function;
    int64_t* item;
    uint64_t count, room;
} list;

static void append(list* all, int64_t raw) {
    if (all->count == all->room) {
        all->room = all->room * 2 + 64;
        all->item = realloc(all->item, all->room * sizeof(int64_t));
        if (all->item == NULL)
            abort();
    }
    all->item[all->count++] = raw;
}

/// A value, its negative, and what lies within `near` steps of both.
static void append_near(list* all, int64_t raw, int64_t near) {
    for (int64_t step = -near; step <= near; ++step) {
        int64_t value = plus(all->function, raw, step);
        append(all, value);
        append(all, value == judge_min(all->function) ? judge_max(all->function) : -value);
    }
}

static void append_edges(list* all) {
    const judge_function* function = all->function;
    append_near(all, 0, 70);
    append_near(all, judge_max(function), 3);
    append_near(all, judge_min(function), 3);
    for (int bit = 0; bit < 2 * function->bits - 1; ++bit)
        append_near(all, INT64_C(1) << bit, 2);
    for (uint64_t k = 1; k <= 200; ++k)
        append_near(all, quarter_turns(function, k), 2);
    for (uint64_t k = 1; k < UINT64_C(1) << 31; k = k * 3 / 2 + 1)
        append_near(all, quarter_turns(function, k), 2);
    for (int64_t half = 1; half <= 140; ++half)
        append_near(all, half << (function->bits - 1), 2);
    for (size_t i = 0; i < sizeof hardest / sizeof hardest[0]; ++i) {
        if (strcmp(hardest[i].name, function->name) == 0)
            append_near(all, hardest[i].raw, 1);
    }
}

/// Every pair of a shorter list.
static void append_pairs(list* all) {
    const judge_function* function = all->function;
    list shorter = {.function = function};
    append_near(&shorter, 0, 2);
    append_near(&shorter, judge_max(function), 1);
    append_near(&shorter, judge_min(function), 1);
    append_near(&shorter, INT64_C(1) << function->bits, 2);
    for (int bit = 1; bit < 2 * function->bits - 1; bit += 3)
        append_near(&shorter, INT64_C(1) << bit, 1);
    for (int64_t half = 1; half <= 8; ++half)
        append_near(&shorter, half << (function->bits - 1), 0);
    for (uint64_t i = 0; i < shorter.count; ++i) {
        for (uint64_t k = 0; k < shorter.count; ++k) {
            append(all, shorter.item[i]);
            append(all, shorter.item[k]);
        }
    }
    free(shorter.item);
}

judge_inputs judge_edges(const judge_function* function) {
    list all = {.function = function};
    if (function->arity == 1)
        append_edges(&all);
    else
        append_pairs(&all);
    return (judge_inputs){
        .kind = JUDGE_EDGES, .count = all.count / (uint64_t)function->arity, .edges = all.item};
}

// Random values ----------------------------------------------------------------------------------

/// Of random size, with a random number of low bits cleared.
static int64_t random_raw(const judge_function* function, uint64_t* state) {
    uint64_t bits = judge_scramble((*state)++);
    uint64_t how = judge_scramble((*state)++);
    int64_t raw = (int64_t)bits >> (64 - 2 * function->bits);
    raw >>= how % (2 * (unsigned)function->bits);
    unsigned clear = (unsigned)(how >> 8) % (2 * (unsigned)function->bits);
    return (how >> 16) % 4 == 0 ? (int64_t)((uint64_t)raw & (UINT64_MAX << clear)) : raw;
}

/// Uniform in -1..1.
static double random_unit(uint64_t* state) {
    return (double)(int64_t)judge_scramble((*state)++) * 0x1p-63;
}

static void random_input(const judge_function* function, uint64_t index, uint64_t seed, int64_t* a,
                         int64_t* b) {
    uint64_t state = judge_scramble(seed) + index * 8;
    double one = ldexp(1, function->bits);
    *a = random_raw(function, &state);
    *b = random_raw(function, &state);
    bool directed = (judge_scramble(state++) & 3) != 0;
    if (!directed)
        return;
    const char* what = strchr(function->name, '.');
    what = what ? what : "";
    if (strncmp(what, ".exp", 4) == 0) {
        *a = clamp(function, random_unit(&state) * (function->bits + 2) * one);
    } else if (strcmp(what, ".asin") == 0 || strcmp(what, ".acos") == 0) {
        *a = clamp(function, random_unit(&state) * one);
    } else if (strcmp(what, ".pow") == 0) {
        // The result is in range: y = t / log2(x), also for x next to 1.
        if ((judge_scramble(state++) & 1) != 0)
            *a = plus(function, INT64_C(1) << function->bits, *b >> function->bits);
        double log = log2(fabs((double)*a / one));
        *b = log == 0 ? *b : clamp(function, random_unit(&state) * function->bits / log * one);
        if (*a < 0)
            *b &= -(INT64_C(1) << function->bits);
    } else if (strcmp(what, ".tan") == 0 && function->bits == 32) {
        uint64_t size = judge_scramble(state++) % 31;
        uint64_t count = judge_scramble(state++) >> (33 + size);
        *a = plus(function, quarter_turns(function, count | 1), *b >> (30 + (index & 31)));
    }
}

void judge_input_at(const judge_function* function, const judge_inputs* inputs, uint64_t index,
                    int64_t* a, int64_t* b) {
    switch (inputs->kind) {
    case JUDGE_STRIDE:
        *a = (int64_t)((uint64_t)inputs->from + index * inputs->stride);
        *b = 0;
        if (function->arity == 2)
            *b = (int64_t)judge_scramble(index) >> (64 - 2 * function->bits);
        break;
    case JUDGE_EDGES:
        *a = inputs->edges[index * (uint64_t)function->arity];
        *b = function->arity == 2 ? inputs->edges[index * 2 + 1] : 0;
        break;
    case JUDGE_RANDOM:
        random_input(function, index, inputs->seed, a, b);
        break;
    }
}
