/// Random programs of structural commands, run by a world and by the model side by side.
///
/// An episode is a world with a history: programs 0 to count - 1, one commit each. It is generated
/// from a seed with the help of the model alone; then any number of configurations run it.
#pragma once

#include <weft/executor.h>

#include "model.h"

// What entities have. The order is the order of registration.
WEFT_COMPONENT(Age, (uint32_t, years));
WEFT_COMPONENT(Wide, (int64_t, far), (weft_vec2, at), (int32_t, near), (uint16_t, low),
               (int16_t, high));
WEFT_COMPONENT(Friend, (weft_entity, who), (uint32_t, trust));
WEFT_TAG(Mark);
WEFT_COMPONENT(Echo, (int32_t, now));                         // Buffered.
WEFT_COMPONENT(Wound, (uint64_t, depth));                     // Sparse.
WEFT_TAG(Seen);                                               // Sparse.
WEFT_COMPONENT(Debt, (weft_entity, to), (int32_t, sum));      // Sparse.
WEFT_MESSAGE(Born, (weft_entity, who), (uint32_t, number));   // To the world, in the same tick.
WEFT_MESSAGE(News, (weft_entity, about), (uint32_t, number)); // To the world, in the next tick.
WEFT_RESOURCE(Focus, (weft_entity, on), (uint32_t, number));

enum {
    TYPE_AGE,
    TYPE_WIDE,
    TYPE_FRIEND,
    TYPE_MARK,
    TYPE_ECHO,
    TYPE_WOUND,
    TYPE_SEEN,
    TYPE_DEBT,
    TYPE_COUNT
};

/// Who records a step. Ranks are in this order.
typedef enum recorder {
    RECORDER_EARLY,  // World scope, announces what it creates.
    RECORDER_WALKER, // Every chunk, announces.
    RECORDER_ELDER,  // Chunks with Age, announces.
    RECORDER_HEIR,   // Chunks without Mark, hears announcements, sends news.
    RECORDER_SCRIBE, // Chunks with Friend, hears, writes Friend in place.
    RECORDER_LATE,   // World scope, hears, sends news, writes Focus.
    RECORDER_COUNT,
    RECORDER_HOST = RECORDER_COUNT,
} recorder;

typedef enum step_kind {
    STEP_COMMAND,
    STEP_WRITE_FRIEND, // In place, on the row at hand.
    STEP_NEWS,
    STEP_FOCUS,
} step_kind;

/// Components that a create may bring along.
#define STEP_PARTS_MAX 3u

/// Entities of a create or a destroy of many.
#define STEP_MANY_MAX 6u

/// The values of a part of a create of many.
typedef enum part_spread {
    SPREAD_SAME, // One for all,
    SPREAD_EACH, // or one for each.
} part_spread;

typedef struct step {
    step_kind kind;
    recorder by;
    weft_entity row; // At hand, in chunk scope.
    model_command command;
    uint32_t part_count; // Of a create: adds that go with it.
    model_command parts[STEP_PARTS_MAX];
    // Of a create: 0, or how many it makes at once, with the numbers from command.number on. Of a
    // destroy: 0, or how many it destroys at once: its target and the `others`.
    uint32_t many;
    part_spread spreads[STEP_PARTS_MAX];
    bool siblings[STEP_PARTS_MAX]; // The handle in the value is that of one of the same create.
    weft_entity others[STEP_MANY_MAX];
} step;

/// The value of a part for member `member` of a create of many.
void step_part_value(const step* s, uint32_t part, uint32_t member, uint8_t* value);

/// What member `member` of a destroy of many destroys.
static inline weft_entity step_target(const step* s, uint32_t member) {
    return member == 0 ? s->command.target : s->others[member];
}

typedef struct program {
    step* steps;
    uint32_t count;
} program;

typedef enum terrain {
    TERRAIN_SMALL,   // An empty world.
    TERRAIN_EDGE,    // Few entities, and free slots around the edges of the first shards.
    TERRAIN_LIMITED, // Few slots and few archetypes. Host only.
    TERRAIN_CROWD,   // Thousands of entities in several shards.
} terrain;

typedef struct episode {
    uint64_t seed;
    terrain ground;
    bool systems; // Recorded by systems, else by the host.
    program* programs;
    uint32_t count;
} episode;

/// How an episode is run.
typedef struct episode_config {
    const char* name;
    weft_executor_kind kind; // Ignored for episodes of the host.
    uint32_t workers;
    uint32_t grain;
    bool no_fusion;
    bool everybody;
    weft_sweep sweep;
    bool lazy_digest;        // Digests only at the end.
    uint32_t rollback_ticks; // If not 0, drawn ticks fail first, and drawn ones are gone back to.
    uint32_t block_records;  // See weft_world.block_records; 0: as it is.
} episode_config;

#define PROBLEM_SIZE 512u

/// What a run found and left.
typedef struct episode_outcome {
    bool failed;
    uint32_t program; // That failed.
    char problem[PROBLEM_SIZE];
    weft_digest* digests; // [2 * count]: view and full after each program; may be null.
} episode_outcome;

void episode_generate(episode* e, uint64_t seed, terrain ground, bool systems, uint32_t count);
void episode_free(episode* e);

/// Runs an episode and compares everything with the model after every commit.
void episode_run(const episode* e, const episode_config* config, episode_outcome* outcome);

/// Drops programs and steps while the run still fails, and prints what is left.
void episode_shrink(episode* e, const episode_config* config, uint32_t program);
void episode_print(const episode* e);

// Shared by the two sides.

extern const model_type program_types[TYPE_COUNT];
const weft_type* program_weft_type(uint32_t type);
void program_model_init(model* m, terrain ground);

/// Fills `commands` with the setup of a terrain, one commit for each `stage` from 0; 0: none left.
uint32_t program_setup(terrain ground, const model* m, uint32_t stage, model_command** commands);

/// A message as the model expects it.
typedef struct expected_message {
    weft_entity entity;
    uint32_t number;
} expected_message;

typedef struct expectation {
    expected_message* born; // Delivered in this tick.
    uint32_t born_count;
    expected_message* news; // Sent in this tick, delivered in the next.
    uint32_t news_count;
    bool has_focus;
    expected_message focus; // As Focus is left, where it was written.
} expectation;

/// Runs one program on the model: what of it is really recorded, then the commit.
model_result program_run_model(model* m, const program* p, bool systems, expectation* expected);
void expectation_free(expectation* expected);

/// splitmix64.
uint64_t program_random(uint64_t* state);
