// BLAKE2b by libb2 (blake.h).

#include "blake.h"

#include <blake2.h>

_Static_assert(sizeof(blake2b_state) <= WEFT__BLAKE_STATE, "the state fits");

static blake2b_state* state_of(weft__blake* blake) {
    return (blake2b_state*)(void*)blake->state;
}

bool weft__blake_begin(weft__blake* blake) {
    int failed = blake2b_init(state_of(blake), WEFT_AUDIT_SIZE);
    WEFT_ASSERT(failed == 0);
    return true;
}

void weft__blake_add(weft__blake* blake, const void* bytes, size_t size) {
    int failed = blake2b_update(state_of(blake), bytes, size);
    WEFT_ASSERT(failed == 0);
}

void weft__blake_end(weft__blake* blake, uint8_t out[WEFT_AUDIT_SIZE]) {
    int failed = blake2b_final(state_of(blake), out, WEFT_AUDIT_SIZE);
    WEFT_ASSERT(failed == 0);
}
