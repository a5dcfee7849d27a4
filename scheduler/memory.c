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
