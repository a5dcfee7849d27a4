/// Values of options: each is read from its text, or argp says what is wrong with it and exits.
#pragma once

#include "cli.h"

#include <argp.h>

/// A whole number.
void option_count(struct argp_state* state, const char* name, const char* text, bool* has,
                  uint64_t* out);

/// A number of 64 bits.
void option_u64(struct argp_state* state, const char* name, const char* text, bool* has,
                uint64_t* out);

/// A number below 2^32; `what` is what a text is not.
uint32_t option_number(struct argp_state* state, const char* name, const char* text,
                       const char* what);

/// A number from 1 to `max`.
uint32_t option_small(struct argp_state* state, const char* name, const char* text, uint32_t max);

/// An executor; it is only looked at.
void option_executor(struct argp_state* state, const char* text);

/// "2%" or "2" as 0.02.
double option_percent(struct argp_state* state, const char* name, const char* text);

/// An order inside stages.
void option_sweep(struct argp_state* state, const char* text, weft_cli_options* options);

/// A guard.
void option_guard(struct argp_state* state, const char* text, weft_cli_options* options);

/// What verify compares.
void option_depth(struct argp_state* state, const char* text, weft_cli_options* options);

/// A time.
void option_time(struct argp_state* state, const char* text, weft_cli_options* options);

/// A time as "500ms" or "30s", or 0.
void option_stuck(struct argp_state* state, const char* text, weft_cli_options* options);

/// "tick", "none", or a number of ticks.
uint32_t option_fsync(struct argp_state* state, const char* text);

/// A list of CPUs, for the placement.
void option_cpus(struct argp_state* state, const char* text, weft_cli_options* options);

/// A number in a range.
double option_factor(struct argp_state* state, const char* name, const char* text, double least,
                     double most);

/// A range of ticks as "FROM:TO", of which each may be missing.
void option_trace_ticks(struct argp_state* state, const char* text, weft_cli_options* options);
