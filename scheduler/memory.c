// Memory for worlds from the operating system.

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

static void* small_acquire(void* context, size_t size) {
    void* base = memory_acquire(context, size);
    if (base != NULL)
        weft__os_region_small_pages(base, size);
    return base;
}

weft_memory weft_memory_small_pages(void) {
    return (weft_memory){.acquire = small_acquire, .release = memory_release};
}

// In turn on all nodes ---------------------------------------------------------------------------

static void* interleaved_acquire(void* context, size_t size) {
    const weft_topology* topology = context;
    void* base = memory_acquire(NULL, size);
    if (base != NULL)
        (void)!weft_topology_interleave(topology, base, size);
    return base;
}

weft_status weft_memory_interleaved(const weft_topology* topology, weft_memory* out) {
    WEFT_ASSERT(topology != NULL && out != NULL);
    void* page = NULL;
    size_t size = weft__os_page_size();
    WEFT_TRY(weft__os_region_reserve(size, &page));
    weft_status status = weft_topology_interleave(topology, page, size);
    weft__os_region_release(page, size);
    // What is only read comes back as a context that could be written.
    *out = (weft_memory){.acquire = interleaved_acquire,
                         .release = memory_release,
                         .context = (void*)(uintptr_t)topology};
    return status;
}
