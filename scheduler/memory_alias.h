/// Memory that is mapped twice, from the inside.
#pragma once

#include <weft/memory.h>

#include "os.h"

/// One world's: it lies at the start of the memory itself, for all processes that have it.
typedef struct weft__alias_memory {
    weft__os_pair pair;
    size_t used; // Offsets of segments ascend and are not used again: worlds give back at the end.
    size_t page;
    const volatile uint32_t* mark; // 0 in a process that is none of ours.
    bool led;                      // Some executor has worker processes on it.
} weft__alias_memory;

/// The record of memory that is mapped twice; null of any other.
weft__alias_memory* weft__memory_alias(const weft_memory* memory);

/// True of memory that this process only shares with the one that it was forked from: nothing may
/// be written there, nor given back.
bool weft__memory_is_foreign(const weft_memory* memory);

/// Gives back all that may have been taken beyond the first `used` bytes.
void weft__memory_forget_after(weft__alias_memory* memory, size_t used);
