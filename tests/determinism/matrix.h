/// One workload on many executors: every digest of every tick must be the serial run's.
#pragma once

#include <weft/module.h>
#include <weft/verify.h>

/// What a matrix runs.
typedef struct matrix {
    const char* workload;
    uint64_t entity_count;
    uint64_t seed;
    uint64_t tick_count;         // Of the thread executors.
    uint64_t virtual_tick_count; // Of each virtual run.
    uint32_t seed_count;         // Schedule seeds of each virtual worker count.
} matrix;

/// The module of a name; fails the test if there is none.
const weft_module* matrix_module(const char* name);

/// Compares threads 1, 2, 3, 4, 8 and 64, processes 1, 2, 3, 8 and 64, and virtual 2, 3 and 8 for
/// every seed. Fails the test with the place of the first difference. Sanitizers run a third of the
/// ticks and fewer seeds. Returns the digests of the serial run after the last tick.
weft_verify_digests matrix_run(const matrix* run);

/// The same with virtual 3, threads 2 and the processes only.
weft_verify_digests matrix_few(const char* workload, uint64_t entity_count, uint64_t seed,
                               uint64_t tick_count);

/// Each tick also serially from its encoded state, and the outputs of every task: by virtual 3,
/// threads 2 and processes 2.
void matrix_deep(const char* workload, uint64_t entity_count, uint64_t tick_count);

/// The digests of a serial run after its last tick.
weft_verify_digests matrix_serial(const char* workload, uint64_t entity_count, uint64_t seed,
                                  uint64_t tick_count);
