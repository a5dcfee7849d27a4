/// Tables of the elementary functions' kernels. tests/judge/tables.c computes them with MPFR: it
/// prints tables_circle.c and tables_log.c and, as a test, compares these arrays with what it
/// computes.
///
/// A piece is a polynomial that interpolates a function at the Chebyshev nodes of one segment. Its
/// variable h runs through the segment from 0 to 1; coefficients ascend.
#pragma once

#include "weft_wide128.h"

enum {
    WEFT__SINE_TERMS = 7,
    WEFT__ARCTANGENT_TERMS = 8,
    WEFT__TANGENT_TERMS = 8,
    WEFT__LOG_FINE_LOW = -69, // The first j of weft__log_fine.
    WEFT__LOG_FINE_COUNT = 69 + 128,
};

/// sin(x pi/2) for x in 0..1 in 64 segments, in steps of 2^-62. Off by less than 2^-62.
extern const int64_t weft__sine_pieces[64][WEFT__SINE_TERMS];

/// atan(x) for x in 0..1 in 64 segments, in steps of 2^-62. Off by less than 2^-64.
extern const int64_t weft__arctangent_pieces[64][WEFT__ARCTANGENT_TERMS];

/// tan(x pi/2) / (2 x) for x in 0..1/2 in 64 segments, in steps of 2^-62. Off by less than 2^-62.
extern const int64_t weft__tangent_pieces[64][WEFT__TANGENT_TERMS];

/// 2^(i/128) in steps of 2^-126.
extern const weft__u128 weft__exp2_coarse[128];

/// 2^(j/2^14) - 1 in steps of 2^-71.
extern const uint64_t weft__exp2_fine[128];

/// A factor r near 1/x, and -log2(r) in steps of 2^-120, two's complement.
typedef struct weft__log_step {
    uint64_t factor;
    weft__u128 log;
} weft__log_step;

/// x in 1 + i/128 .. 1 + (i+1)/128; the factor is in steps of 2^-10. It is 1 for the first segment
/// and 1/2 for the last, so that the logarithm of a number near a power of 2 is free of
/// cancellation.
extern const weft__log_step weft__log_coarse[128];

/// x in 1 + j/2^14 .. 1 + (j+1)/2^14 for j from WEFT__LOG_FINE_LOW; the factor is in steps of
/// 2^-21. It is 1 on both sides of x = 1.
extern const weft__log_step weft__log_fine[WEFT__LOG_FINE_COUNT];

/// (2^19 - 3 * 2^8) / (256 + i), rounded down: the first step of a reciprocal.
extern const uint16_t weft__reciprocal_start[256];
