// Compression by zstd (compress.h). Level 1: it is as fast as a disk, and higher ones gain a few
// percent on columns.

#include "compress.h"

#include <zstd.h>

#define LEVEL 1

bool weft__compress_available(void) {
    return true;
}

size_t weft__compress_bound(size_t size) {
    return ZSTD_compressBound(size);
}

size_t weft__compress(const void* in, size_t size, void* out, size_t capacity) {
    size_t done = ZSTD_compress(out, capacity, in, size, LEVEL);
    return ZSTD_isError(done) ? 0 : done;
}

bool weft__expand(const void* in, size_t size, void* out, size_t out_size) {
    return ZSTD_getFrameContentSize(in, size) == out_size &&
           ZSTD_decompress(out, out_size, in, size) == out_size;
}
