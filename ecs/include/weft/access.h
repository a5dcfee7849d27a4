/// What a system may touch (C4). An access list is the whole truth about a system: what it does not
/// declare, it cannot reach through the API.
#pragma once

#include <weft/type.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum weft_access_mode {
    WEFT_ACCESS_READ = 1,           // Own row, required.
    WEFT_ACCESS_WRITE = 2,          // Own row, required; implies read.
    WEFT_ACCESS_READ_OPTIONAL = 3,  // Own row where the archetype has it.
    WEFT_ACCESS_WRITE_OPTIONAL = 4, // Own row where the archetype has it; implies read.
    WEFT_ACCESS_WITH = 5,           // Own row must have it; not read.
    WEFT_ACCESS_WITHOUT = 6,        // Own row must not have it.
    WEFT_ACCESS_READ_ANY = 7,       // Any row, by handle or by query; does not narrow the query.
    WEFT_ACCESS_RESOURCE_READ = 8,
    WEFT_ACCESS_RESOURCE_WRITE = 9, // World scope only; implies read.
    WEFT_ACCESS_EMIT = 10,          // Send messages of a channel.
    WEFT_ACCESS_CONSUME = 11,       // Read messages of a channel.
    WEFT_ACCESS_REDUCE = 12,        // Fill this chunk's partial of a reduction. Chunk scope only.
    WEFT_ACCESS_REDUCED = 13,       // Read the finished value of a reduction.
    WEFT_ACCESS_COMMANDS = 14,      // Record structural commands; type is null.
} weft_access_mode;

/// What a system does, as people say it: "reads", "writes optional", "reads any"; "?" for what is
/// no mode. Static. Part of a run's identity, so none ever changes.
WEFT_API const char* weft_access_mode_name(weft_access_mode mode);

/// One entry of an access list. Each type stands in a list at most once, but for pairs that do not
/// meet: READ and READ_ANY of a component, WRITE and READ_ANY of a buffered component, EMIT and
/// CONSUME of a next-tick channel.
typedef struct weft_access {
    weft_access_mode mode;
    const weft_type* type;
} weft_access;

#define WEFT_READS(name)                                                                           \
    { WEFT_ACCESS_READ, WEFT_TYPE(name) }
#define WEFT_WRITES(name)                                                                          \
    { WEFT_ACCESS_WRITE, WEFT_TYPE(name) }
#define WEFT_READS_OPTIONAL(name)                                                                  \
    { WEFT_ACCESS_READ_OPTIONAL, WEFT_TYPE(name) }
#define WEFT_WRITES_OPTIONAL(name)                                                                 \
    { WEFT_ACCESS_WRITE_OPTIONAL, WEFT_TYPE(name) }
#define WEFT_WITH(name)                                                                            \
    { WEFT_ACCESS_WITH, WEFT_TYPE(name) }
#define WEFT_WITHOUT(name)                                                                         \
    { WEFT_ACCESS_WITHOUT, WEFT_TYPE(name) }
#define WEFT_READS_ANY(name)                                                                       \
    { WEFT_ACCESS_READ_ANY, WEFT_TYPE(name) }
#define WEFT_READS_RESOURCE(name)                                                                  \
    { WEFT_ACCESS_RESOURCE_READ, WEFT_TYPE(name) }
#define WEFT_WRITES_RESOURCE(name)                                                                 \
    { WEFT_ACCESS_RESOURCE_WRITE, WEFT_TYPE(name) }
#define WEFT_EMITS(name)                                                                           \
    { WEFT_ACCESS_EMIT, WEFT_TYPE(name) }
#define WEFT_CONSUMES(name)                                                                        \
    { WEFT_ACCESS_CONSUME, WEFT_TYPE(name) }
#define WEFT_REDUCES(name)                                                                         \
    { WEFT_ACCESS_REDUCE, WEFT_TYPE(name) }
#define WEFT_REDUCED(name)                                                                         \
    { WEFT_ACCESS_REDUCED, WEFT_TYPE(name) }
#define WEFT_COMMANDS                                                                              \
    { WEFT_ACCESS_COMMANDS, NULL }

/// Fills `.access` and `.access_count` of a description: WEFT_ACCESS(WEFT_READS(A), WEFT_COMMANDS).
#define WEFT_ACCESS(...)                                                                           \
    .access = (const weft_access[]){__VA_ARGS__},                                                  \
    .access_count = sizeof((const weft_access[]){__VA_ARGS__}) / sizeof(weft_access)

#ifdef __cplusplus
}
#endif
