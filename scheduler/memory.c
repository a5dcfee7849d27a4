// Memory for worlds from the operating system: plain, and mapped twice.

#include <weft/memory.h>

#include "os.h"

static void* memory_acquire(void* context, size_t size) {
    (void)context;
    WEFT_ASSERT(size > 0);
    void* base = NULL;
    return weft__os_region_reserve(size, &base) == WEFT_STATUS_OK ? base : NULL;
}

static void memory_release(void* context, void* segment, size_t size) {
    (void)context;
    WEFT_ASSERT(segment != NULL);
    weft__os_region_release(segment, size);
}

weft_memory weft_memory_system(void) {
    return (weft_memory){.acquire = memory_acquire, .release = memory_release};
}

// Mapped twice -----------------------------------------------------------------------------------
// Addresses are reserved once, so that the distance is the same for every segment, and cost
// nothing.

#define ALIAS_RANGE ((size_t)1 << (sizeof(size_t) == 8 ? 38 : 28))

/// One world's: it lies in a region of its own.
typedef struct alias_memory {
    weft__os_pair pair;
    size_t used; // Offsets of segments ascend and are not used again: worlds give back at the end.
    size_t page;
    bool apart;
} alias_memory;

static size_t whole_pages(const alias_memory* memory, size_t size) {
    return (size + memory->page - 1) & ~(memory->page - 1);
}

static void* alias_acquire(void* context, size_t size) {
    alias_memory* memory = context;
    size_t bytes = whole_pages(memory, size);
    if (bytes < size ||
        weft__os_pair_map(&memory->pair, memory->used, bytes, memory->apart) != WEFT_STATUS_OK)
        return NULL;
    uint8_t* segment = memory->pair.base + memory->used;
    memory->used += bytes;
    return segment;
}

static void alias_release(void* context, void* segment, size_t size) {
    const alias_memory* memory = context;
    size_t offset = (size_t)((uint8_t*)segment - memory->pair.base);
    WEFT_ASSERT(offset < memory->used);
    weft__os_pair_unmap(&memory->pair, offset, whole_pages(memory, size));
}

static void alias_close(void* context) {
    alias_memory* memory = context;
    weft__os_pair_close(&memory->pair);
    weft__os_region_release(memory, sizeof(*memory));
}

weft_status weft_memory_aliased(bool apart, weft_memory* out) {
    WEFT_ASSERT(out != NULL);
    void* region = NULL;
    WEFT_TRY(weft__os_region_reserve(sizeof(alias_memory), &region));
    alias_memory* memory = region;
    weft_status status = weft__os_pair_open(ALIAS_RANGE, &memory->pair);
    if (status != WEFT_STATUS_OK) {
        weft__os_region_release(region, sizeof(*memory));
        return status;
    }
    memory->page = weft__os_page_size();
    memory->apart = apart;
    ptrdiff_t distance = (ptrdiff_t)memory->pair.range;
    *out = (weft_memory){.acquire = alias_acquire,
                         .release = alias_release,
                         .context = memory,
                         .close = alias_close,
                         .read_alias = distance,
                         .write_alias = apart ? distance : 0,
                         .apart = apart ? memory->page : 0};
    return WEFT_STATUS_OK;
}
