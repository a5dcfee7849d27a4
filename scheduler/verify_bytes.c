#include "verify_bytes.h"

#include <string.h>
#include <weft/state.h>

static weft_status bytes_take(void* context, const void* bytes, size_t size) {
    weft__verify_bytes* all = context;
    WEFT_TRY(WEFT__VEC_RESERVE(all->arena, all->data, size));
    memcpy(all->data.items + all->data.count, bytes, size);
    all->data.count += (uint32_t)size;
    return WEFT_STATUS_OK;
}

weft_status weft__verify_encode(weft_world* world, weft__verify_bytes* out) {
    out->data.count = 0;
    if (weft_world_encoded_size(world) > UINT32_MAX)
        return weft__world_fail(world, WEFT_STATUS_OUT_OF_MEMORY,
                                "the state is larger than 4 GiB; compare a smaller world, or "
                                "another way");
    return weft_world_encode(world, bytes_take, out);
}

weft_status weft__verify_decode(weft_world* world, const weft__verify_bytes* from) {
    return weft_world_decode(world, from->data.items, from->data.count);
}
