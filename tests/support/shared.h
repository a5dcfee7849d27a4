/// What a test and the worker processes of its executors both see: what the host tells systems
/// between ticks, and what these note.
#pragma once

#include <criterion/criterion.h>
#include <sys/mman.h>

/// Zeroed memory that this process shares with those that it forks. It is there until it ends.
static inline void* shared_make(size_t size) {
    void* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(memory, MAP_FAILED);
    return memory;
}
