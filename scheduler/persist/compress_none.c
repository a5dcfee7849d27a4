// No compression in this build (compress.h).

#include "compress.h"

bool weft__compress_available(void) {
    return false;
}

size_t weft__compress_bound(size_t size) {
    return size;
}

size_t weft__compress(const void* in, size_t size, void* out, size_t capacity) {
    (void)in;
    (void)size;
    (void)out;
    (void)capacity;
    return 0;
}

bool weft__expand(const void* in, size_t size, void* out, size_t out_size) {
    (void)in;
    (void)size;
    (void)out;
    (void)out_size;
    return false;
}
