/// Where in loaded objects, and in their sources, the frames of a fault are.
#pragma once

#include "os_fault.h"
#include "symbol.h"

typedef struct weft__source {
    char module[WEFT__SYMBOL_PATH]; // The object's file.
    uint64_t offset;                // In the object, as addr2line takes it.
    weft__symbol symbol;            // Empty where the object does not tell.
} weft__source;

/// Looks frame `index` of a fault up. False if it lies in no object.
bool weft__source_find(const weft__fault* fault, uint32_t index, weft__source* out);

/// The innermost frame that is neither the C library's nor the API's; `system` is the address of
/// the function that was called. False if there is none.
bool weft__source_innermost(const weft__fault* fault, uintptr_t system, weft__source* out);

/// ", at chase() in flock.c:41" or ", at flock.so+0x1139"; nothing where the module is empty.
void weft__source_text(const weft__source* source, char* text, size_t capacity);
