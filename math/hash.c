#include "weft_hash.h"

#include <string.h>

#define XXH_STATIC_LINKING_ONLY // The size of a hash under way; the functions are the stable ones.

// The dispatched entry points choose the widest vectors of the machine at run time; the plain ones
// those of the library's build. The values are the same.
#ifdef WEFT_XXHASH_DISPATCH
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

// The dispatched functions of some builds (Debian's 0.8.1) return with the upper halves of the
// vector registers in use, and every instruction without AVX that follows waits for them: churn
// took 10% longer, far away from here. Up to 240 bytes are hashed without vectors.
static inline void leave_wide(size_t size) {
#ifdef WEFT_XXHASH_DISPATCH
    if (size > 240 && __builtin_cpu_supports("avx"))
        // weft-lint: allow(asm): changes no value
        __asm__ volatile("vzeroupper" ::
                             : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                               "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
                               "xmm15");
#else
    (void)size;
#endif
}

#if XXH_VERSION_NUMBER < 800
#error "weft needs xxHash 0.8 or later: XXH3 was not frozen before"
#endif

weft_digest weft_digest_of(const void* bytes, size_t size, uint64_t seed) {
    XXH128_hash_t hash = XXH3_128bits_withSeed(bytes, size, seed);
    leave_wide(size);
    return (weft_digest){.low = hash.low64, .high = hash.high64};
}

uint64_t weft_hash64_of(const void* bytes, size_t size, uint64_t seed) {
    uint64_t hash = XXH3_64bits_withSeed(bytes, size, seed);
    leave_wide(size);
    return hash;
}

static inline XXH3_state_t* state_of(weft__hash64* hash) {
    _Static_assert(sizeof(XXH3_state_t) <= sizeof(hash->state), "the library's state fits");
    _Static_assert(_Alignof(XXH3_state_t) <= _Alignof(weft__hash64), "where it may lie");
    return (XXH3_state_t*)(void*)hash->state;
}

void weft__hash64_begin(weft__hash64* hash, uint64_t seed) {
    memset(hash, 0, sizeof(*hash)); // It looks at an old seed.
    XXH_errorcode failed = XXH3_64bits_reset_withSeed(state_of(hash), seed);
    WEFT_ASSERT(failed == XXH_OK);
}

void weft__hash64_add(weft__hash64* hash, const void* bytes, size_t size) {
    if (size == 0)
        return;
    XXH_errorcode failed = XXH3_64bits_update(state_of(hash), bytes, size);
    WEFT_ASSERT(failed == XXH_OK);
    leave_wide(SIZE_MAX);
}

uint64_t weft__hash64_end(const weft__hash64* hash) {
    uint64_t value = XXH3_64bits_digest((const XXH3_state_t*)(const void*)hash->state);
    leave_wide(SIZE_MAX);
    return value;
}

uint64_t weft_hash64_of_name(const char* name) {
    return weft_hash64_of(name, strlen(name), 0);
}

void weft_digest_format(weft_digest digest, char text[WEFT_DIGEST_TEXT]) {
    for (unsigned i = 0; i < 32; ++i) {
        uint64_t half = i < 16 ? digest.high : digest.low;
        text[i] = "0123456789abcdef"[(half >> (60 - 4 * (i % 16))) & 15u];
    }
    text[32] = '\0';
}

static bool hex_digit(char character, uint64_t* out) {
    if (character >= '0' && character <= '9')
        *out = (uint64_t)(character - '0');
    else if (character >= 'a' && character <= 'f')
        *out = (uint64_t)(character - 'a') + 10u;
    else
        return false;
    return true;
}

weft_status weft_digest_parse(const char* text, weft_digest* out) {
    weft_digest digest = {0, 0};
    for (unsigned i = 0; i < 32; ++i) {
        uint64_t digit = 0;
        if (!hex_digit(text[i], &digit))
            return WEFT_STATUS_BAD_FORMAT;
        uint64_t* half = i < 16 ? &digest.high : &digest.low;
        *half = (*half << 4) | digit;
    }
    if (text[32] != '\0')
        return WEFT_STATUS_BAD_FORMAT;
    *out = digest;
    return WEFT_STATUS_OK;
}
