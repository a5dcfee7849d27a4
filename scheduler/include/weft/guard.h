/// Guards: that systems touch what they declared and nothing else (C12).
///
/// Without a guard a system that casts a const away, goes past the end of a column or follows a
/// pointer that it kept reaches anything. Each guard finds some of that, at some cost:
/// docs/guard.md has both. A finding fails the tick with the status UNDECLARED.
#pragma once

#include <weft/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum weft_guard {
    WEFT_GUARD_NONE = 0,
    WEFT_GUARD_ALIAS = 1, // A system that faults is named. In a world of weft_memory_aliased() that
                          // is one that writes what it was given to read. Any number of workers.
    WEFT_GUARD_HASH = 2,  // Also: what a system did not declare to write is compared after it.
    WEFT_GUARD_TWIN = 3,  // Also: each system runs twice, once with garbage in what it did not
                          // declare; its results are compared.
    WEFT_GUARD_TRAP = 4,  // What a system did not declare is closed while it runs, so that the
                          // instruction faults. Needs weft_memory_aliased(true).
} weft_guard;

/// "none", "alias", "hash", "twin", "trap".
WEFT_API const char* weft_guard_name(weft_guard guard);

typedef enum weft_guard_act {
    WEFT_GUARD_TOUCH = 0, // Read or write: the machine does not tell.
    WEFT_GUARD_READ = 1,
    WEFT_GUARD_WRITE = 2,
} weft_guard_act;

/// What was touched.
typedef enum weft_guard_place {
    WEFT_GUARD_NOWHERE = 0, // Nothing that a world has for systems.
    WEFT_GUARD_COMPONENT = 1,
    WEFT_GUARD_ENTITIES = 2, // The handles of a chunk.
    WEFT_GUARD_RESOURCE = 3,
    WEFT_GUARD_MESSAGE = 4,
    WEFT_GUARD_REDUCTION = 5,
    WEFT_GUARD_HIDDEN = 6, // TWIN: nothing of the world, see weft_guard_report.text.
} weft_guard_place;

#define WEFT_GUARD_NAME_SIZE 64u
#define WEFT_GUARD_PATH_SIZE 256u
#define WEFT_GUARD_TEXT_SIZE 288u

/// What a guard found first: of several systems' findings the one with the smallest (rank,
/// archetype, shard).
typedef struct weft_guard_report {
    bool found; // Else the rest is empty.
    weft_guard guard;
    weft_guard_act act;
    weft_guard_place place;
    bool declared;      // The system declared to read it, and wrote.
    bool beyond;        // Past the last row or value of what is named.
    bool back;          // Of a buffered component: world(t+1).
    uint64_t tick;      // Ticks completed before.
    uint32_t archetype; // Of the touched row; COMPONENT of sparse storage: 0.
    uint32_t shard;
    uint32_t row;       // In its chunk; of a resource or channel: which value.
    weft_entity entity; // COMPONENT, ENTITIES; null beyond the rows.
    char system[WEFT_GUARD_NAME_SIZE];
    char type[WEFT_GUARD_NAME_SIZE];  // Component, resource, channel or reduction.
    char field[WEFT_GUARD_NAME_SIZE]; // "speed", "parts[2].speed"; empty if unknown.
    // Where the instruction is, if there was one: the innermost that is the user's.
    char module[WEFT_GUARD_PATH_SIZE];   // The object's file; empty: no instruction, or unknown.
    uint64_t offset;                     // In the object, as addr2line takes it.
    char function[WEFT_GUARD_NAME_SIZE]; // Empty if the object does not tell, as the next two.
    char file[WEFT_GUARD_PATH_SIZE];
    uint32_t line;
    char text[WEFT_GUARD_TEXT_SIZE]; // All of it in one line.
} weft_guard_report;

#ifdef __cplusplus
}
#endif
