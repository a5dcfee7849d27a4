/// A small simulation that holds one fault, at one place, to test the instruments that look for
/// faults. Without a fault it is honest.
///
/// It has what instruments meet elsewhere: several systems in shared and separate stages, two
/// archetypes over three shards, births, deaths, commands of several rows on one entity, a
/// resource, a float component. What it keeps outside of its world, which no simulation may, is in
/// one struct of the caller's: nothing here is global.
#pragma once

#include <weft/executor.h>

typedef enum weft_fault {
    WEFT_FAULT_NONE = 0,
    // In runs only whose order of chunks is not the serial one.
    WEFT_FAULT_BIT = 1,          // A bit of a field is flipped.
    WEFT_FAULT_MERGE = 2,        // Two commands on one entity have each other's key.
    WEFT_FAULT_LOST_COMMAND = 3, // A command is not recorded.
    WEFT_FAULT_TIE = 4,          // A tie goes by who comes first.
    WEFT_FAULT_LOST_MESSAGE = 5, // A message that nobody reads is not sent.
    // In all runs, never twice the same.
    WEFT_FAULT_PADDING = 6, // Bytes that nobody set are copied into a component.
    WEFT_FAULT_CLOCK = 7,   // The time is stored.
    WEFT_FAULT_ADDRESS = 8, // A loop goes by address.
    WEFT_FAULT_HOST = 9,    // The host's commands come in another order.
    // In all runs.
    WEFT_FAULT_WRITE_READ = 10,   // A component that is declared to be read is written.
    WEFT_FAULT_WRITE_HIDDEN = 11, // One that is not declared is written,
    WEFT_FAULT_READ_HIDDEN = 12,  // or read.
    WEFT_FAULT_FLOAT_MODE = 13,   // A system leaves the rounding changed.
    WEFT_FAULT_NAN = 14,          // A float becomes NaN.
    WEFT_FAULT_COUNT = 15,
} weft_fault;

enum {
    WEFT_FAULTY_ENTITIES = 10240,
    WEFT_FAULTY_TICKS = 6,
    WEFT_FAULTY_TICK = 3,    // Ticks complete before the one with the fault.
    WEFT_FAULTY_SLOT = 4138, // Of the entity that it is about: archetype 1, shard 1, row 21.
    WEFT_FAULTY_BIT = 5,     // That is flipped.
    WEFT_FAULTY_NODES = 8,
};

/// One element of a list whose memory is given out in another order each time.
typedef struct weft_faulty_node {
    uint32_t key;
} weft_faulty_node;

/// The simulation's own. Start with all but the first three zero; worlds that share one do not run
/// at the same time.
typedef struct weft_faulty {
    weft_fault fault;
    uint64_t tick; // WEFT_FAULTY_TICK,
    uint32_t slot; // and WEFT_FAULTY_SLOT, if nothing else is wanted.
    struct weft_faulty_outside {
        uint32_t arrivals;  // Chunks of the tick that were marked.
        uint32_t first;     // 1: shard 0 is among them.
        uint32_t late;      // 1: shard 1 came before it.
        uint32_t calls;     // Of the faulty code, in all runs.
        uint8_t scratch[8]; // Not cleared between its users.
        weft_faulty_node nodes[WEFT_FAULTY_NODES];
        void* secrets;          // A column that a system had to write.
        volatile uint32_t line; // Where the faulty access is.
    } outside;
} weft_faulty;

/// What its worlds need: float components.
void weft_faulty_describe(weft_world_desc* desc);

/// Registers types and systems and records the first entities; the caller commits and builds.
/// `faulty` must outlive the schedule.
weft_status weft_faulty_build(weft_faulty* faulty, weft_world* world, weft_schedule* schedule);

/// Records what the host does before a tick.
weft_status weft_faulty_input(weft_faulty* faulty, weft_world* world, uint64_t tick);
