/// Guards from the inside: what stands around each call of a system.
///
/// A guard works on the memory of the world in place. Systems that read or write through an alias
/// do so at a constant distance, so the guard of pages closes and opens that side alone.
#pragma once

#include <weft/guard.h>

#include "os_fault.h"
#include "system.h"

/// What a system may do with some bytes.
typedef enum weft__span_access {
    WEFT__SPAN_HIDDEN = 0, // Not declared.
    WEFT__SPAN_READ = 1,
    WEFT__SPAN_WRITE = 2,
    WEFT__SPAN_ROOM = 3, // Behind the last row: nobody's.
} weft__span_access;

typedef struct weft__span {
    uint8_t* at;
    size_t bytes;
    weft__span_access access;
    uint32_t
        shared; // WRITE of a presence table: its number + 1; rows of other chunks are not ours.
} weft__span;

/// What lies at an address.
typedef struct weft__spot {
    weft_guard_place place; // NOWHERE: the rest is empty.
    const weft__chunk* chunk;
    uint32_t type_id; // 0: handles.
    bool back;
    bool beyond;
    uint32_t row;
    uint32_t offset; // In the value.
    uint8_t* begin;  // Of the rows or values,
    size_t used;     // and their bytes.
} weft__spot;

/// A range of pages that is open now.
typedef struct weft__guard_open {
    uint8_t* base;
    size_t bytes;
} weft__guard_open;

/// What a run of a system left, for the comparison of twins (guard_twin.c).
typedef struct weft__twin_record {
    uint32_t stream;
    uint32_t row;
    weft_digest digest;
} weft__twin_record;

typedef struct weft__twin_result {
    weft_status status;
    weft_number_flags flags;
    WEFT__VEC(uint8_t) bytes; // Of the spans that it may write.
    WEFT__VEC(weft__twin_record) records;
} weft__twin_result;

/// A stream of a lane's log as it was.
typedef struct weft__twin_stream {
    weft__log_block* current;
    uint32_t used;
    uint32_t segment_count;
    uint64_t task;
} weft__twin_stream;

/// One worker's.
typedef struct weft__guard_lane {
    struct weft__guard* guard;
    const weft__system* system; // Of the running call.
    weft_view* view;
    weft__fault_catch fault_catch;
    bool faulted;
    WEFT__VEC(weft__span) spans;
    WEFT__VEC(uint8_t) copy; // Of what must not change.
    // Twins.
    WEFT__VEC(uint8_t) hidden; // What garbage replaces.
    WEFT__VEC(uint8_t) before; // Of what is written.
    WEFT__VEC(uint8_t) filled; // Of the chunk.
    WEFT__VEC(weft__twin_stream) streams;
    weft__failure failure;
    weft__twin_result trial;
    weft__twin_result real;
    // Pages.
    WEFT__VEC(weft__guard_open) open; // Never grows in a handler.
    bool open_more;                   // There was no room for all that are open.
    weft__key key;                    // Of the report.
    weft_guard_report report;
    uint8_t pad[128];
    bool rests; // Of own pages: they are open.
} weft__guard_lane;

typedef struct weft__guard {
    weft_guard mode;
    weft_world* world;
    uint64_t seed;  // Of the garbage.
    uint64_t calls; // Picks what is looked at in turn. One worker: see weft__guard_create().
    uint32_t lane_count;
    weft__guard_lane* lanes;
    bool own_pages; // Each worker is a process, which has closed its own since it started.
    bool rests;     // With own_pages: systems are trusted, since their ticks went well once.
    weft_guard_report none; // Nothing was found.
} weft__guard;

// guard_call.c
/// A guard for an executor; null for NONE. On failure the world has the line. Status: BAD_ARGUMENT
/// for more than one worker at once (not ALIAS) and for TRAP without the memory for it; OS;
/// OUT_OF_MEMORY.
WEFT_NODISCARD weft_status weft__guard_create(weft_world* world, weft_guard mode, uint32_t lanes,
                                              bool one_at_a_time, uint64_t seed,
                                              weft__guard** guard_out);
void weft__guard_destroy(weft__guard* guard);
/// In a worker process, before its first task. Fails with OS.
WEFT_NODISCARD weft_status weft__guard_worker_begin(weft__guard* guard, uint32_t worker);
/// Around the stages of a tick. On failure the world has the line.
WEFT_NODISCARD weft_status weft__guard_tick_begin(weft__guard* guard);
WEFT_NODISCARD weft_status weft__guard_tick_end(weft__guard* guard);
/// Calls a system, and looks. UNDECLARED with the line in view->message, or what the system says.
WEFT_NODISCARD weft_status weft__guard_call(weft__guard* guard, weft_view* view, uint32_t worker,
                                            const weft__system* system);
/// Calls it; a fault ends it, with UNDECLARED and `faulted` set.
WEFT_NODISCARD weft_status weft__guard_run(weft__guard_lane* lane);
/// The finding with the smallest key, or an empty report.
const weft_guard_report* weft__guard_report(const weft__guard* guard);

// guard_hash.c, guard_twin.c, guard_trap.c: one call under each guard.
WEFT_NODISCARD weft_status weft__guard_hash(weft__guard_lane* lane);
WEFT_NODISCARD weft_status weft__guard_twin(weft__guard_lane* lane);
WEFT_NODISCARD weft_status weft__guard_trap(weft__guard_lane* lane);
void weft__guard_twin_free(weft__guard_lane* lane);
/// Closes all that systems can see, or opens it.
WEFT_NODISCARD weft_status weft__guard_trap_all(const weft__guard* guard, bool open);
/// A weft__fault_fn: opens what the system declared and where it is not worth opening beforehand.
bool weft__guard_trap_fault(void* context, const weft__fault* fault);

// guard_span.c
/// Lists what the lane's guard looks at, around the running call. Status: OUT_OF_MEMORY.
WEFT_NODISCARD weft_status weft__guard_spans(weft__guard_lane* lane);
/// Copies the spans that must not change; then finds the first byte that did. Status:
/// OUT_OF_MEMORY.
WEFT_NODISCARD weft_status weft__guard_keep(weft__guard_lane* lane);
const uint8_t* weft__guard_changed(const weft__guard_lane* lane);
/// What lies at an address, in place.
weft__spot weft__guard_spot(const weft_world* world, const uint8_t* address);
/// The address in place of what a system saw at `address`; null if that is not of the world.
const uint8_t* weft__guard_in_place(const weft_world* world, const uint8_t* address);
/// The term for a type, of a mode in the bit set; null if there is none.
const weft__term* weft__guard_term(const weft__access* access, uint32_t type_id, uint32_t modes);
#define WEFT__MODE(name) (1u << WEFT_ACCESS_##name)

// guard_report.c
/// Reports what the running call of a lane did. `note`, which may be empty, ends the line. Returns
/// UNDECLARED.
weft_status weft__guard_blame(weft__guard_lane* lane, weft_guard_act act, const weft__spot* spot,
                              const char* note);
/// The same of a fault.
weft_status weft__guard_blame_fault(weft__guard_lane* lane);
/// The same where no place can be named: `text` is the line.
weft_status weft__guard_blame_text(weft__guard_lane* lane, const char* text);
/// "Velocity.x of entity 17:1 (archetype 1, shard 0)" and the like.
void weft__guard_spot_text(const weft_world* world, const weft__spot* spot, char* text,
                           size_t capacity);
