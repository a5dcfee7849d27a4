/// A stable sort that allocates nothing: the C library's may allocate, and is not stable.
#pragma once

#include <stdint.h>
#include <string.h>

/// Defines `static void name(type* items, type* scratch, uint32_t count, const context* extra)`: a
/// bottom-up merge sort, by insertion for short lists. `before(a, b, extra)` is a strict order; the
/// right one is taken only if it is before the left one, so equal items keep their order. `scratch`
/// has room for `count` items.
#define WEFT__SORT(name, type, context, before)                                                    \
    static void name(type* items, type* scratch, uint32_t count, const context* extra) {           \
        (void)extra;                                                                               \
        for (uint32_t i = 1; i < count && count <= 16; i++) {                                      \
            type moved = items[i];                                                                 \
            uint32_t at = i;                                                                       \
            for (; at > 0 && before(moved, items[at - 1], extra); at--)                            \
                items[at] = items[at - 1];                                                         \
            items[at] = moved;                                                                     \
        }                                                                                          \
        for (uint64_t width = 1; width < count && count > 16; width *= 2) {                        \
            for (uint64_t begin = 0; begin < count; begin += 2 * width) {                          \
                uint64_t middle = begin + width < count ? begin + width : count;                   \
                uint64_t end = begin + 2 * width < count ? begin + 2 * width : count;              \
                uint64_t left = begin;                                                             \
                uint64_t right = middle;                                                           \
                for (uint64_t out = begin; out < end; out++)                                       \
                    scratch[out] = right < end && (left >= middle ||                               \
                                                   before(items[right], items[left], extra))       \
                                       ? items[right++]                                            \
                                       : items[left++];                                            \
            }                                                                                      \
            memcpy(items, scratch, count * sizeof(type));                                          \
        }                                                                                          \
    }
