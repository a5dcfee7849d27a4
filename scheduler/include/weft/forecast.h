/// What a tick would take on another machine, or with other numbers of workers.
///
/// Ticks are measured here, item by item, and played: shares, claims, helping and joins as the
/// executor of threads does them, on the CPUs that workers would have there, with the memory of
/// each NUMA node divided among those who use it. What is played is a simplification; the list of
/// what it assumes is in docs/planning.md. The same measurement gives the same forecast to the last
/// bit. One thread at a time.
#pragma once

#include <weft/executor.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Measured ticks.
typedef struct weft_forecast weft_forecast;

/// Where ticks are measured. Start from weft_forecast_desc_default().
typedef struct weft_forecast_desc {
    double core_bytes_per_ns; // What one core alone gets from memory, which is GB/s; 0: not known,
                              // and memory is taken for a part of computing.
    double all_bytes_per_ns;  // What all workers that measure get together; 0: as much as they
                              // could take.
    double move_bytes_per_ns; // At which a core takes over what is in another one's cache; 0: at
                              // once.
    double crowding;          // How much longer computing takes while all of them compute; >= 1.
    uint64_t cache_bytes;     // What their caches hold: weft_forecast_cache_bytes().
    uint32_t cookie;          // Set by the default function. Do not write.
} weft_forecast_desc;

/// Memory is not known, no crowding.
WEFT_API weft_forecast_desc weft_forecast_desc_default(void);

/// An empty forecast. Status: BAD_ARGUMENT, OUT_OF_MEMORY.
WEFT_API WEFT_NODISCARD weft_status weft_forecast_create(const weft_forecast_desc* desc,
                                                         weft_forecast** forecast_out);

/// Forgets it. Null is allowed.
WEFT_API void weft_forecast_destroy(weft_forecast* forecast);

/// Runs one tick, and the digest of it if that is wanted, and adds what it took. For executors that
/// are SERIAL, or THREADS without guard; their order inside stages had better be fixed. Ticks in
/// which the caller lost its CPU count only where there are no others. Status: UNSUPPORTED, and
/// those of weft_executor_tick().
WEFT_API WEFT_NODISCARD weft_status weft_forecast_measure(weft_forecast* forecast,
                                                          weft_executor* executor, bool digest);

/// Runs one tick on an executor of two THREADS, without guard, and never both at a time: all by the
/// caller, or each share by its worker while the other one waits. What ticks `in_turns` take longer
/// is what it costs that what is read was written by another worker. Of each batch, and of what the
/// caller does alone before it, the medians of up to 32 ticks of each way are compared. Such a tick
/// is none of those that are played. It does not count, and `counts_out`, which may be null, is
/// false, if the one before went the other way or if it was disturbed. Status: UNSUPPORTED, and
/// those of weft_executor_tick().
WEFT_API WEFT_NODISCARD weft_status weft_forecast_measure_lines(weft_forecast* forecast,
                                                                weft_executor* executor,
                                                                bool digest, bool in_turns,
                                                                bool* counts_out);

/// Forgets the last tick, which turned out to be no good; there is one.
WEFT_API void weft_forecast_drop(weft_forecast* forecast);

/// Ticks so far, and how many of them count less because they were disturbed.
WEFT_API uint32_t weft_forecast_ticks(const weft_forecast* forecast, uint32_t* disturbed_out);

/// A batch of nothing, handed out and joined, as an executor of threads last measured it, in
/// nanoseconds; 0 where nobody joins.
WEFT_API double weft_forecast_join_ns(const weft_executor* executor);

// Ticks by hand ----------------------------------------------------------------------------------

#define WEFT_FORECAST_LOOSE UINT32_MAX

/// Something that one worker does in one go.
typedef struct weft_forecast_item {
    double cost_ns; // On one core that is alone, with the time that memory takes.
    double bytes;   // From and to memory, if the caches do not hold them.
    uint32_t shard; // Loose items come first, the others ascend by shard.
    uint32_t chunk; // A number for what it touches, near 0,
    double touched; // and how many bytes that is: if the caches hold them, they are in that of the
                    // worker who touched it last.
} weft_forecast_item;

/// Items that may run at the same time, between two joins.
typedef struct weft_forecast_batch {
    double before_ns;  // What the caller does alone before it.
    uint64_t guess_ns; // By which the executor decides whether to share it; 0: it has measured.
    double lines;      // By which part its items take longer, and
    double before_lines_ns; // what is before it, if each of two workers wrote half of what is read.
    uint32_t item_count;
    const weft_forecast_item* items;
} weft_forecast_batch;

/// Begins a tick of a world of so many shards, whose components have so many bytes. Status:
/// OUT_OF_MEMORY.
WEFT_API WEFT_NODISCARD weft_status weft_forecast_add_tick(weft_forecast* forecast,
                                                           uint32_t shard_count,
                                                           uint64_t world_bytes);

/// Adds a batch to the last tick; without items it is what the caller does alone. Status:
/// BAD_ARGUMENT without a tick, for numbers below 0 or not finite, or items out of order;
/// OUT_OF_MEMORY.
WEFT_API WEFT_NODISCARD weft_status weft_forecast_add_batch(weft_forecast* forecast,
                                                            const weft_forecast_batch* batch);

// Playing ----------------------------------------------------------------------------------------

/// A machine. Start from weft_forecast_machine_default().
typedef struct weft_forecast_machine {
    const weft_topology* topology;
    weft_placement placement;
    uint32_t grain;           // Items claimed at once, as in weft_executor_desc; 0: by cost.
    double speed;             // Of its fastest cores, against those that measured. Slower kinds of
                              // cores are slower by their frequencies, where these are told.
    double smt;               // What a core does with two or more busy CPUs, against one; >= 1.
    double crowding;          // As in weft_forecast_desc, of all its CPUs; >= 1.
    double core_bytes_per_ns; // What one core gets from memory; 0: as where was measured.
    double node_bytes_per_ns; // What all on a NUMA node get together; 0: no limit.
    double move_bytes_per_ns; // From another core's cache, as in weft_forecast_desc.
    double join_ns;           // A batch of nothing between two workers,
    double line_ns;           // and the round trip of a cache line.
    double claim_ns;          // A claim on the worker's own share.
    uint32_t cookie;          // Set by the default function. Do not write.
} weft_forecast_machine;

/// As fast as here, no gain by SMT, nothing known of memory; lines and joins cost nothing.
WEFT_API weft_forecast_machine weft_forecast_machine_default(void);

/// A forecast for one number of workers. Shares are of the time of all that take part, and sum up
/// to 1.
typedef struct weft_forecast_result {
    double tick_ns;      // The median tick,
    double bound_ns;     // and what no executor could do it in: the largest item, all work shared
                         // by all, all bytes over all nodes, whichever is more, batch by batch.
    double work_ns;      // What the items and the caller cost on one core.
    double busy;         // Share: computing, or waiting for memory as long as one core alone would.
    double memory;       // Share: waiting for memory that others use.
    double lines;        // Share: waiting for lines that others wrote.
    double alone;        // Share: waiting for the caller, who does something alone.
    double waiting;      // Share: waiting for the last one, for joins and claims.
    uint32_t active;     // Workers that take part,
    uint32_t core_count; // on so many cores
    uint32_t node_count; // of so many nodes.
    bool cached;         // The caches of these cores hold the world.
    uint32_t batch_count;    // Of all ticks that count,
    uint32_t batches_shared; // and those that the workers share.
} weft_forecast_result;

#define WEFT_FORECAST_WORKERS_MAX 1024u

/// Plays the ticks with 1 to WEFT_FORECAST_WORKERS_MAX workers. Status: BAD_ARGUMENT for a machine
/// or a number that cannot be, or a forecast without ticks; OUT_OF_MEMORY, and those of
/// weft_topology_place().
WEFT_API WEFT_NODISCARD weft_status weft_forecast_play(weft_forecast* forecast,
                                                       const weft_forecast_machine* machine,
                                                       uint32_t worker_count,
                                                       weft_forecast_result* result_out);

/// What the caches of so many workers hold: the second level, and of the third at most 4 MiB for
/// each of its CPUs, since a hypervisor tells of caches that a guest does not get. Status: as
/// weft_topology_place().
WEFT_API WEFT_NODISCARD weft_status weft_forecast_cache_bytes(const weft_topology* topology,
                                                              const weft_placement* placement,
                                                              uint32_t worker_count,
                                                              uint64_t* bytes_out);

#ifdef __cplusplus
}
#endif
