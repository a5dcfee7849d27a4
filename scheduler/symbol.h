/// Where in the sources an instruction is: by debug information if there is any and the build can
/// read it (symbol_dw.c), else by nothing (symbol_none.c).
#pragma once

#include <weft/base.h>

#define WEFT__SYMBOL_NAME 64u
#define WEFT__SYMBOL_PATH 256u

typedef struct weft__symbol {
    char function[WEFT__SYMBOL_NAME]; // Empty if unknown.
    char file[WEFT__SYMBOL_PATH];     // The same, and then `line` means nothing.
    uint32_t line;
} weft__symbol;

/// Looks an instruction of this process up. `path` is the object's file, loaded at `base`.
void weft__symbol_find(const char* path, uintptr_t base, uintptr_t instruction, weft__symbol* out);
