#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "source.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <weft/world.h>

static uintptr_t base_of(uintptr_t address) {
    Dl_info info;
    return dladdr((void*)address, &info) != 0 ? (uintptr_t)info.dli_fbase : 0;
}

// The file of an object that is loaded: the program's own name may be relative to where it began.
static void object_path(const Dl_info* info, char* path, size_t capacity) {
    (void)snprintf(path, capacity, "%s", info->dli_fname != NULL ? info->dli_fname : "");
    if (path[0] == '\0' || access(path, R_OK) != 0) {
        ssize_t length = readlink("/proc/self/exe", path, capacity - 1);
        path[length > 0 ? length : 0] = '\0';
    }
}

// Callers are named by where they go on, which may be the next line.
static uintptr_t frame_at(const weft__fault* fault, uint32_t index) {
    WEFT_ASSERT(index < fault->frame_count);
    return fault->frames[index] - (index > 0);
}

bool weft__source_find(const weft__fault* fault, uint32_t index, weft__source* out) {
    uintptr_t at = frame_at(fault, index);
    Dl_info info;
    *out = (weft__source){.offset = 0};
    if (dladdr((void*)at, &info) == 0)
        return false;
    object_path(&info, out->module, sizeof(out->module));
    out->offset = at - (uintptr_t)info.dli_fbase;
    weft__symbol_find(out->module, (uintptr_t)info.dli_fbase, at, &out->symbol);
    return true;
}

bool weft__source_innermost(const weft__fault* fault, uintptr_t system, weft__source* out) {
    uintptr_t user = base_of(system);
    uintptr_t api = base_of((uintptr_t)weft_world_create);
    uintptr_t library = base_of((uintptr_t)getpid); // No sanitizer has its own.
    for (uint32_t i = 0; i < fault->frame_count; i++) {
        uintptr_t base = base_of(frame_at(fault, i));
        if (base == 0 || (base != user && (base == api || base == library)))
            continue;
        if (!weft__source_find(fault, i, out))
            continue;
        if (base == api && strncmp(out->symbol.function, "weft_", 5) == 0)
            continue; // One object with the system: linked statically.
        return true;
    }
    *out = (weft__source){.offset = 0};
    return false;
}

void weft__source_text(const weft__source* source, char* text, size_t capacity) {
    const char* file = strrchr(source->symbol.file, '/');
    const char* module = strrchr(source->module, '/');
    file = file != NULL ? file + 1 : source->symbol.file;
    module = module != NULL ? module + 1 : source->module;
    text[0] = '\0';
    if (source->module[0] == '\0')
        return;
    if (file[0] != '\0')
        (void)snprintf(text, capacity, ", at %.48s() in %.48s:%u", source->symbol.function, file,
                       source->symbol.line);
    else
        (void)snprintf(text, capacity, ", at %.48s+0x%llx", module,
                       (unsigned long long)source->offset);
}
