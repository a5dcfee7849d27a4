/// The judge: compares every output of the elementary functions with MPFR.
///
/// A double of the C library serves as a filter where its own error cannot change the verdict: the
/// judge takes it to be off by up to 2^-50 of its value, eight times what the library promises.
/// Everything else, near ties above all, is decided by MPFR with 256 bits.
#pragma once

#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    JUDGE_PRECISION = 256
};

/// A function under test. Arguments and results are raw values.
typedef struct judge_function {
    const char* name;
    int bits;     // Fraction bits: 16 or 32.
    int arity;    // 1 or 2.
    double bound; // In ulp; 0.5: correctly rounded, ties to even.
    int64_t (*call)(int64_t a, int64_t b);
    double (*rough)(double a, double b);
    int (*exact)(mpfr_ptr result, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t round);
    /// What the contract says where the exact function says nothing: true with the result.
    bool (*edge)(const struct judge_function* function, int64_t a, int64_t b, int64_t* out);
    bool listed; // Part of --all.
} judge_function;

extern const judge_function judge_functions[];
extern const int judge_function_count;

int64_t judge_min(const judge_function* function);
int64_t judge_max(const judge_function* function);

/// Inputs by index, so that workers can share them out.
typedef enum judge_kind {
    JUDGE_STRIDE,
    JUDGE_EDGES,
    JUDGE_RANDOM
} judge_kind;

typedef struct judge_inputs {
    judge_kind kind;
    uint64_t count;
    int64_t from;    // JUDGE_STRIDE
    uint64_t stride; // JUDGE_STRIDE
    uint64_t seed;   // JUDGE_RANDOM
    int64_t* edges;  // JUDGE_EDGES: arity times count.
} judge_inputs;

/// Every stride-th raw value in from..to. Of two arguments it is the first, and the second is a
/// scrambled index.
judge_inputs judge_stride(const judge_function* function, int64_t from, int64_t to,
                          uint64_t stride);
judge_inputs judge_edges(const judge_function* function);
judge_inputs judge_random(uint64_t count, uint64_t seed);
void judge_inputs_free(judge_inputs* inputs);
void judge_input_at(const judge_function* function, const judge_inputs* inputs, uint64_t index,
                    int64_t* a, int64_t* b);

/// splitmix64 of an index.
uint64_t judge_scramble(uint64_t index);
