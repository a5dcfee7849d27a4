/// The host's side of worker processes.
#pragma once

#include <weft/crash.h>

#include "exec_processes.h"
#include "os_process.h"
#include "pool.h"
#include "recovery.h"
#include "system.h"

/// Where the host and the leader meet, in memory that all share.
typedef struct weft__desk {
    WEFT_CACHE_ALIGNED weft__atomic_u32 asked; // Number of the last request. By the host,
    weft__request request;                     // as these.
    uint64_t argument;
    weft__park park;                              // The leader waits there.
    WEFT_CACHE_ALIGNED weft__atomic_u32 answered; // By the leader, as these.
    weft_status status;
    WEFT_CACHE_ALIGNED weft__atomic_u32 waits; // The host sleeps, and wants the event.
} weft__desk;

/// How somebody who is stuck was seen.
typedef enum weft__stand {
    WEFT__STAND_NONE = 0,
    WEFT__STAND_TASK = 1,    // In a system, or another item.
    WEFT__STAND_STOPPED = 2, // By a signal.
    WEFT__STAND_AWAKE = 3,   // Awake, between items.
} weft__stand;

/// What is told of a system when somebody has died in it.
typedef struct weft__system_card {
    char name[WEFT__SYSTEM_NAME];
    weft_system_fn* run;
    weft_scope scope;
} weft__system_card;

/// In memory of the host alone, so that it survives whatever workers do.
typedef struct weft__processes {
    weft_executor* executor;
    weft_world* world;
    weft__pool* pool;       // Null: no workers live. After a death it may hold anything: hence
    weft__task_note* notes; // what is read of it then.
    const weft__worker* pool_workers;
    const volatile uint32_t* pool_mark;
    size_t pool_size;
    weft_topology* own_topology;
    weft__desk* desk;
    weft__os_crash* crashes; // [worker_count], shared.
    size_t shared_size;      // Of desk and crashes.
    weft__os_event event;
    uint64_t idle_spin_ns; // How long host and leader spin for each other.
    uint64_t stuck_ns;     // 0: nobody is stuck.
    bool idlers_sleep;     // Before two looks at who is stuck.
    uint64_t looked_ns;    // When the host last looked for deaths without being told.
    weft__recovery recovery;
    weft_executor_stats stats;  // Of the executor,
    weft__alias_memory alias;   // and the record of the world's memory, before the last
                                // request.
    weft__system_card* systems; // [system_count], by rank.
    uint32_t system_count;
    // What the world's memory has of the host's own, for when that is lost.
    bool lost; // It is.
    bool guarded;
    weft_executor_desc desc;
    weft_world_desc world_desc;
    weft_memory memory;
    weft_schedule* schedule;
    struct weft__trace* trace;
    size_t trace_size;
    uint32_t worker_count;
    weft__os_process* workers; // [worker_count]
    uint64_t* seen;            // [worker_count]: how far it was at the last look,
    uint64_t* held_ns;         // and how long it has stood there with nothing to wait for.
    uint64_t quiet_ns;         // So long nobody has gone on, while the host waits.
    uint64_t stuck_looked_ns;  // When that was last looked at.
    uint64_t asked_ns;         // When the last request began.
    size_t size;
    // The last death outside of ticks that run again.
    weft_crash_report report;
    weft__stand stand;
    uint32_t rank;
    weft__fault fault;
    char place[WEFT__CRASH_PLACE_SIZE];
} weft__processes;

// processes.c
/// Prepares; starts nobody. On failure what is there is to be destroyed.
WEFT_NODISCARD weft_status weft__processes_create(weft_executor* executor);
/// Ends the workers, by and by or by force, and forgets them. In a forked child of the host: only
/// forgets them.
void weft__processes_destroy(weft__processes* processes);
/// Forks all workers and waits until they are there. Status: OS, OUT_OF_MEMORY, with the line as
/// the world's error, and no worker lives.
WEFT_NODISCARD weft_status weft__processes_start(weft__processes* processes);
/// Kills all workers, and waits until they are gone.
void weft__processes_kill(weft__processes* processes);
/// Has the leader do something. False if somebody has died meanwhile, or is stuck: `report`, if it
/// is not null, is then of it, as far as it can be told without the world. No worker may be trusted
/// any more.
bool weft__processes_ask(weft__processes* processes, weft__request request, uint64_t argument,
                         weft_crash_report* report, weft_status* status);
/// True in a worker.
bool weft__processes_inside(const weft__pool* pool);

// loss.c
/// Keeps what the next asks for. Before any worker lives. Status: OUT_OF_MEMORY.
WEFT_NODISCARD weft_status weft__processes_keep(weft__processes* processes);
/// After all are killed, where no image is kept: describes the death, and puts an empty world that
/// has failed in the place of the old one, which is not read any more.
void weft__processes_lose(weft__processes* processes, uint64_t tick);

// crash.c
/// Fills in what a report says in words.
void weft__crash_describe(weft__processes* processes);
/// A weft__crash_fn; the context is the world.
void weft__crash_place(const void* context, const weft__fault* fault, char* text, size_t capacity);
