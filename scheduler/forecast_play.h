/// Measured ticks as they are kept, and how they are played.
#pragma once

#include <weft/forecast.h>

#include "exec.h"
#include "sharing.h"

enum {
    WEFT__FORECAST_SAMPLES = 32, // Of each way of a part.
};

/// Ticks of two workers, never two at a time, by which it is found what lines cost.
typedef enum weft__forecast_way {
    WEFT__FORECAST_CALLER, // The caller does all of it.
    WEFT__FORECAST_TURNS,  // Each does its share in turn.
    WEFT__FORECAST_WAYS,
} weft__forecast_way;

typedef struct weft__forecast_samples {
    uint32_t count;
    double items_ns[WEFT__FORECAST_SAMPLES];
    double before_ns[WEFT__FORECAST_SAMPLES];
} weft__forecast_samples;

/// A batch that comes again tick by tick.
typedef struct weft__forecast_part {
    // It is the same one if it follows the same stage and does the same.
    uint32_t stage; // From 1 on; 0: none.
    void (*fn)(void* context, uint32_t worker, uint32_t item);
    uint64_t seen;              // The last tick that had it, by number.
    double items_ns, before_ns; // Of that tick.
    weft__forecast_samples ways[WEFT__FORECAST_WAYS];
    // Found from those, as in weft_forecast_batch.
    double lines;
    double before_lines_ns;
} weft__forecast_part;

typedef struct weft__forecast_batch {
    double before_ns;
    uint64_t guess_ns;
    uint32_t part; // Whose lines count, or WEFT__NONE: these.
    double lines;
    double before_lines_ns;
    uint32_t begin; // In the forecast's items.
    uint32_t count;
    uint32_t loose;
} weft__forecast_batch;

typedef struct weft__forecast_tick {
    uint32_t begin; // In the forecast's batches.
    uint32_t count;
    uint32_t shard_count;
    uint64_t world_bytes;
    uint32_t workers; // That took part.
    bool disturbed;
} weft__forecast_tick;

struct weft_forecast {
    weft__arena arena;
    weft_forecast_desc desc;
    WEFT__VEC(weft__forecast_tick) ticks;
    WEFT__VEC(weft__forecast_batch) batches;
    WEFT__VEC(weft_forecast_item) items;
    WEFT__VEC(weft__forecast_part) parts;
    uint64_t seen;          // Ticks that were run to be measured.
    weft__forecast_way way; // Of the last tick that was run for lines.
    bool way_known;
    uint32_t chunk_count; // Above the number of each item's chunk.
    // Of the items of the batch that is being measured, and by chunk.
    WEFT__VEC(uint64_t) times;
    WEFT__VEC(uint32_t) workers;
    WEFT__VEC(uint32_t) last; // Who touched it last, or WEFT__NONE.
};

/// One worker: where it is, and what it is doing.
typedef struct weft__forecast_player {
    uint32_t core; // Dense, as the next.
    uint32_t node;
    double speed;
    // The piece at hand. It takes delay_ns and then, all mixed, the rest.
    double delay_ns;
    double lines_ns; // Of the delay.
    double compute_ns;
    double memory_ns;
    double bytes;
    uint32_t home; // The node that the bytes are on.
    double part;   // Of the piece that is still to do.
    // By the last look at who runs: the whole piece, and what of it is memory that others use.
    double whole_ns;
    double base_ns;
    bool runs; // An item; else it is on its way to the first one.
    bool done;
    uint32_t help_at; // How many of the others it has looked at.
    double end_ns;
} weft__forecast_player;

/// One worker's items of the batch: loose ones, then homed ones, by number.
typedef struct weft__forecast_share {
    uint32_t loose_begin;
    uint32_t loose_count;
    uint32_t homed_begin;
    uint32_t count;
    uint32_t left; // Not claimed.
} weft__forecast_share;

/// What the batches of one play have in common. Arrays have an entry for each worker that takes
/// part, unless they say something else.
typedef struct weft__forecast_play {
    weft_forecast* forecast;
    const weft_forecast_machine* machine;
    uint32_t worker_count;
    uint32_t active;
    uint32_t core_count;
    uint32_t node_count;
    uint32_t cpu_count; // Of the machine.
    uint64_t cache_bytes;
    double join_ns;       // Of all that take part.
    double far;           // Of what workers read others wrote so much, against two workers.
    double far_measured;  // The same when the tick was measured.
    bool limited;         // The caches do not hold the world of the tick that is played.
    uint32_t shard_count; // Of the same.
    weft__forecast_player* players;
    weft__forecast_share* shares;
    uint32_t* on_core;    // By core: workers that run something.
    double* slow;         // By node: how much longer memory takes, at least 1.
    uint32_t* help_order; // [worker_count][worker_count - 1]
    uint32_t* last;       // By chunk: who touched it last, or WEFT__NONE.
    uint32_t* ran_by;     // By item of the batch, if it was shared.
    // Sums of workers' time.
    double busy_ns;
    double memory_ns;
    double lines_ns;
    double alone_ns;
} weft__forecast_play;

// forecast.c
/// Sorts the values, of which there is one at least.
double weft__forecast_median(double* values, uint32_t count);

// forecast_lines.c
/// Finds what lines cost from the samples of the parts.
void weft__forecast_parts_know(weft_forecast* forecast);

// forecast_seats.c
/// Fills what is about workers and the machine. Status: those of weft_topology_place().
WEFT_NODISCARD weft_status weft__forecast_seats(weft__forecast_play* play);

// forecast_play.c
/// The time of a batch, by the caller alone or together, as the executor would have it, after what
/// the caller does alone before it. Adds to the sums.
double weft__forecast_batch_time(weft__forecast_play* play, const weft__forecast_batch* batch,
                                 bool* shared_out);

/// What an item costs one worker that has written all it reads, and what the caller does alone
/// before the batch.
double weft__forecast_cost(const weft__forecast_play* play, const weft__forecast_batch* batch,
                           const weft_forecast_item* item);
double weft__forecast_before(const weft__forecast_play* play, const weft__forecast_batch* batch);

/// The part of that cost that is memory, as measured; 0 where caches hold the world.
double weft__forecast_memory_part(const weft__forecast_play* play,
                                  const weft__forecast_batch* batch,
                                  const weft_forecast_item* item);

/// What an item takes on a core of this speed that has a node to itself.
double weft__forecast_item_time(const weft__forecast_play* play, const weft__forecast_batch* batch,
                                const weft_forecast_item* item, double speed);
