/// The plan: stages in order, and for each stage which systems run on which chunk.
///
/// A plan belongs to one executor, but its contents are a function of schedule and world alone.
/// It is refreshed when archetypes or chunks appeared or were replaced, never inside a tick.
#pragma once

#include "pace.h"
#include "sweep.h"
#include "system.h"

/// One system of a chunk's program.
typedef struct weft__entry {
    uint32_t rank;
    uint32_t columns;     // Where its columns start in stage.columns.
    uint32_t final_count; // Columns that no later system of the tick writes, and
    uint32_t finals;      // where these start there.
    const weft__system* system;
} weft__entry;

/// The systems that run on the chunks of one archetype, by rank.
typedef struct weft__program {
    uint32_t begin; // In stage.entries.
    uint32_t count;
} weft__program;

typedef struct weft__stage {
    WEFT__VEC(uint32_t) chunk_systems; // Ranks, ascending.
    WEFT__VEC(uint32_t) world_systems; // Ranks, ascending.
    WEFT__VEC(uint32_t) channels;      // To deliver before this stage.
    WEFT__VEC(uint32_t) reductions;    // To finish before this stage.
    WEFT__VEC(weft__program) programs; // By archetype id.
    WEFT__VEC(weft__entry) entries;
    WEFT__VEC(uint32_t) columns;
    WEFT__VEC(weft__chunk*) tasks; // Chunks with a program, by shard, then archetype.
    bool joint;                    // Some chunk has several systems, so that they have an order.
    uint8_t pad[64];               // Workers read what is above, the caller writes what is below.
    uint64_t cost_ns;              // A guess by rows and systems, until `pace` knows better.
    weft__pace pace;
    weft_sweep order;  // That was asked for.
    weft__sweep sweep; // Its groups are read by workers too, in batches that have them.
    uint8_t pad_after[64];
} weft__stage;

typedef struct weft__plan {
    weft_schedule* schedule;
    WEFT__VEC(weft__stage) stages; // One more than there are: what is finished after the last.
    WEFT__VEC(const weft__access*) producers; // Writers of reductions, by reduction, then rank.
    WEFT__VEC(uint32_t) producer_begin;       // By reduction: its first one there.
    uint32_t stage_count;
    uint32_t archetype_count; // Seen at the last refresh.
    uint32_t chunk_count;
    uint32_t storage_epoch;  // Of the world, then.
    uint32_t chunk_creators; // Systems that record commands, by scope.
    uint32_t world_creators;
    WEFT__VEC(uint32_t) last_writers; // By column of the archetype at hand: a rank, or WEFT__NONE.
} weft__plan;

/// Units of provisional numbers that a world-scope system gets: it may create more than a chunk.
#define WEFT__WORLD_UNITS 64u

/// Fills a plan. `fused` false gives every system a stage of its own, in rank order.
WEFT_NODISCARD weft_status weft__plan_init(weft__plan* plan, weft_schedule* schedule, bool fused);

/// Notes the order that is asked for in each stage. Status: UNKNOWN_SYSTEM, BAD_ARGUMENT; the world
/// has the line.
WEFT_NODISCARD weft_status weft__plan_order(weft__plan* plan, const weft_executor_desc* desc);
void weft__plan_deinit(weft__plan* plan);

/// Takes in new archetypes and chunks, or all if the world's storage was replaced. Between ticks
/// only.
WEFT_NODISCARD weft_status weft__plan_refresh(weft__plan* plan);

/// Where group `group` of a stage's chunks begins, of `count` groups of about equal size.
static inline uint32_t weft__stage_cut(const weft__stage* stage, uint32_t group, uint32_t count) {
    return (uint32_t)((uint64_t)stage->tasks.count * group / count);
}

/// A system's entry in the program of an archetype, or null if it does not run there.
const weft__entry* weft__stage_entry(const weft__stage* stage, uint32_t archetype, uint32_t rank);

/// Units of provisional numbers in use with the chunks that there are.
uint32_t weft__plan_units(const weft__plan* plan);

/// First unit of a system on a chunk (null: world scope).
uint32_t weft__plan_unit(const weft__plan* plan, const weft__system* system,
                         const weft__chunk* chunk);

/// Delivers the channels, and finishes the reductions, that stage `stage` may read.
WEFT_NODISCARD weft_status weft__plan_deliver(weft__plan* plan, uint32_t stage,
                                              weft__runner* runner);
WEFT_NODISCARD weft_status weft__plan_combine(weft__plan* plan, uint32_t stage);
