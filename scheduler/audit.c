// Audits (audit.h): the encoded state, hashed on its way past.

#include <weft/audit.h>
#include <weft/state.h>

#include "blake.h"
#include "weft_world.h"

static weft_status add_bytes(void* context, const void* bytes, size_t size) {
    weft__blake_add(context, bytes, size);
    return WEFT_STATUS_OK;
}

weft_status weft_world_audit(weft_world* world, char text[WEFT_AUDIT_TEXT]) {
    WEFT_ASSERT(world != NULL && text != NULL);
    weft__blake blake;
    uint8_t hash[WEFT_AUDIT_SIZE];
    text[0] = '\0';
    if (!weft__blake_begin(&blake))
        return weft__world_fail(world, WEFT_STATUS_UNSUPPORTED,
                                "this build has no BLAKE2b; build it with libb2 (WEFT_B2)");
    WEFT_TRY(weft_world_encode(world, add_bytes, &blake));
    weft__blake_end(&blake, hash);
    for (uint32_t i = 0; i < 2 * WEFT_AUDIT_SIZE; i++)
        text[i] = "0123456789abcdef"[hash[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15];
    text[2 * WEFT_AUDIT_SIZE] = '\0';
    return WEFT_STATUS_OK;
}
