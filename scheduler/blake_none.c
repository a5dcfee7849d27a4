// No BLAKE2b in this build (blake.h).

#include "blake.h"

bool weft__blake_begin(weft__blake* blake) {
    (void)blake;
    return false;
}

void weft__blake_add(weft__blake* blake, const void* bytes, size_t size) {
    (void)blake;
    (void)bytes;
    (void)size;
}

void weft__blake_end(weft__blake* blake, uint8_t out[WEFT_AUDIT_SIZE]) {
    (void)blake;
    (void)out;
}
