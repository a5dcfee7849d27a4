// Memory that is mapped twice.
//
// Addresses cost nothing: all that a world may ever need are mapped at once, so that the distance
// is the same for every segment, and so that worker processes see what any of them has taken.

#include "memory_alias.h"

#define ALIAS_RANGE ((size_t)1 << (sizeof(size_t) == 8 ? 38 : 28))

static size_t whole_pages(const weft__alias_memory* memory, size_t size) {
    return (size + memory->page - 1) & ~(memory->page - 1);
}

static void* alias_acquire(void* context, size_t size) {
    weft__alias_memory* memory = context;
    size_t bytes = whole_pages(memory, size);
    if (*memory->mark == 0 || bytes < size ||
        weft__os_pair_take(&memory->pair, memory->used, bytes) != WEFT_STATUS_OK)
        return NULL;
    uint8_t* segment = memory->pair.base + memory->used;
    memory->used += bytes;
    return segment;
}

static void alias_release(void* context, void* segment, size_t size) {
    const weft__alias_memory* memory = context;
    size_t offset = (size_t)((uint8_t*)segment - memory->pair.base);
    WEFT_ASSERT(offset < memory->used);
    if (*memory->mark != 0) // Else it is another process's that this one was forked from.
        weft__os_pair_give(&memory->pair, offset, whole_pages(memory, size));
}

static void alias_close(void* context) {
    const weft__alias_memory* memory = context;
    weft__os_fork_mark_destroy(memory->mark);
    weft__os_pair_close(&memory->pair);
}

weft__alias_memory* weft__memory_alias(const weft_memory* memory) {
    return memory->acquire == alias_acquire ? memory->context : NULL;
}

bool weft__memory_is_foreign(const weft_memory* memory) {
    const weft__alias_memory* alias = weft__memory_alias(memory);
    return alias != NULL && *alias->mark == 0;
}

void weft__memory_forget_after(weft__alias_memory* memory, size_t used) {
    WEFT_ASSERT(used <= memory->pair.range);
    weft__os_pair_give(&memory->pair, used, memory->pair.range - used);
    memory->used = used;
}

// The record lies at the start of the memory that it is about.
weft_status weft_memory_aliased(bool apart, weft_memory* out) {
    WEFT_ASSERT(out != NULL);
    weft__os_pair pair;
    WEFT_TRY(weft__os_pair_open(ALIAS_RANGE, apart, &pair));
    size_t page = weft__os_page_size();
    const volatile uint32_t* mark = weft__os_fork_mark_create();
    if (mark == NULL || weft__os_pair_take(&pair, 0, page) != WEFT_STATUS_OK) {
        weft__os_fork_mark_destroy(mark);
        weft__os_pair_close(&pair);
        return WEFT_STATUS_OUT_OF_MEMORY;
    }
    weft__alias_memory* memory = (void*)pair.base;
    *memory = (weft__alias_memory){.pair = pair, .used = page, .page = page, .mark = mark};
    ptrdiff_t distance = (ptrdiff_t)pair.range;
    *out = (weft_memory){.acquire = alias_acquire,
                         .release = alias_release,
                         .context = memory,
                         .close = alias_close,
                         .read_alias = distance,
                         .write_alias = apart ? distance : 0,
                         .apart = apart ? page : 0};
    return WEFT_STATUS_OK;
}
