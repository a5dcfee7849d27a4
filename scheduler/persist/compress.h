/// Compression of blocks: by zstd (compress_zstd.c), or none (compress_none.c).
#pragma once

#include <weft/base.h>

/// False in a build without it: nothing else here may be called then.
bool weft__compress_available(void);

/// Room that a compressed block of this size needs at most.
size_t weft__compress_bound(size_t size);

/// Compresses a block; the size it has then, or 0 without memory. Several threads may.
size_t weft__compress(const void* in, size_t size, void* out, size_t capacity);

/// Expands a block whose size is known. False if it is no block of that size.
WEFT_NODISCARD bool weft__expand(const void* in, size_t size, void* out, size_t out_size);
