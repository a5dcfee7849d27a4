#include "state_bytes.h"

#include <string.h>
#include <weft/state.h>

static weft_status bytes_take(void* context, const void* bytes, size_t size) {
    weft__state_bytes* all = context;
    WEFT_ASSERT(size <= all->capacity - all->size);
    memcpy(all->data + all->size, bytes, size);
    all->size += size;
    return WEFT_STATUS_OK;
}

// Old contents do not matter, so nothing is copied where the memory grows; a world that grows
// slowly does not make it grow each time.
static weft_status bytes_reserve(weft__state_bytes* bytes, uint64_t need) {
    if (need <= bytes->capacity)
        return WEFT_STATUS_OK;
    weft__state_bytes_free(bytes);
    uint64_t wanted = need + need / 8;
    if (wanted > WEFT__ARENA_BLOCK_MAX)
        wanted = need;
    if (wanted <= WEFT__ARENA_BLOCK_MAX)
        bytes->data = weft__arena_alloc(bytes->arena, (size_t)wanted);
    if (bytes->data == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    bytes->capacity = (size_t)wanted;
    return WEFT_STATUS_OK;
}

weft_status weft__state_bytes_encode(weft_world* world, weft__state_bytes* out) {
    uint64_t need = weft_world_encoded_size(world);
    out->size = 0;
    if (bytes_reserve(out, need) != WEFT_STATUS_OK)
        return weft__world_fail(world, WEFT_STATUS_OUT_OF_MEMORY,
                                "no memory is left for a state of %llu bytes; give the world more",
                                (unsigned long long)need);
    weft_status status = weft_world_encode(world, bytes_take, out);
    if (status != WEFT_STATUS_OK)
        out->size = 0;
    return status;
}

weft_status weft__state_bytes_copy(weft__state_bytes* out, const void* bytes, size_t size) {
    out->size = 0;
    WEFT_TRY(bytes_reserve(out, size));
    return size == 0 ? WEFT_STATUS_OK : bytes_take(out, bytes, size);
}

void weft__state_bytes_free(weft__state_bytes* bytes) {
    weft__arena_free(bytes->arena, bytes->data, bytes->capacity);
    *bytes = (weft__state_bytes){.arena = bytes->arena};
}
