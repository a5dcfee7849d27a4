/// The identity of a run as bytes in files: named values, and what differs between two of them.
#pragma once

#include <weft/identity.h>

#include "system.h"

/// Where a value comes from. Numbers enter files.
typedef enum weft__identity_kind {
    WEFT__IDENTITY_NOTE = 0,   // Kept, never compared.
    WEFT__IDENTITY_HOST = 1,   // Pairs of the host.
    WEFT__IDENTITY_WORLD = 2,  // Seed, numbers, limits, types.
    WEFT__IDENTITY_SYSTEM = 3, // Systems by rank, with access.
} weft__identity_kind;

/// Which kinds are compared.
#define WEFT__IDENTITY_STATE ((1u << WEFT__IDENTITY_HOST) | (1u << WEFT__IDENTITY_WORLD))
#define WEFT__IDENTITY_RUN (WEFT__IDENTITY_STATE | (1u << WEFT__IDENTITY_SYSTEM))

typedef WEFT__VEC(uint8_t) weft__identity;

/// Appends the identity of a run to bytes in the world's arena; a null schedule has no systems.
/// Status: BAD_ARGUMENT (a pair; the world's error names it), OUT_OF_MEMORY.
WEFT_NODISCARD weft_status weft__identity_make(weft_world* world, const weft_schedule* schedule,
                                               const weft_identity_pair* pairs, size_t pair_count,
                                               weft__identity* out);

/// Compares the identity of a file with this run's. `kinds` are bits by weft__identity_kind. `text`
/// gets the values that differ, as many as there is room for. Status: IDENTITY_MISMATCH,
/// BAD_FORMAT.
WEFT_NODISCARD weft_status weft__identity_compare(const void* file, size_t file_size,
                                                  const weft__identity* own, uint32_t kinds,
                                                  char* text, size_t capacity);

/// The value of a name in an identity, or empty text.
void weft__identity_value(const void* bytes, size_t size, const char* name, char* value,
                          size_t capacity);
