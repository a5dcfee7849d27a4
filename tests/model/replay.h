/// The world's side of an episode: systems, the host's recorder, the comparison.
#pragma once

#include "programs.h"

enum {
    NAMES_MAX = 2048,
    STALE_MAX = 64,
};

/// Creates that one task can name.
typedef struct names {
    uint32_t numbers[NAMES_MAX];
    weft_entity entities[NAMES_MAX];
    uint32_t count;
} names;

/// How a tick is made to fail: by a recorder, after it has recorded.
typedef struct stumble {
    bool wanted;
    uint64_t tick;
    recorder by;
} stumble;

typedef struct replay {
    const episode* episode;
    const episode_config* config;
    weft_world* world;
    weft_schedule* schedule;
    weft_executor* executor;
    model m;
    names host_names;             // Of the last program of the host.
    weft_entity stale[STALE_MAX]; // Handles that have died.
    uint32_t stale_count;
    model_visit_item* items; // Room for every living entity.
    uint32_t item_capacity;
    stumble* fault; // Worker processes see it too.
    uint64_t draws; // State of what is drawn beside the episode.
} replay;

/// Compares everything that the API shows with the model. False with the first difference in
/// `problem`.
bool replay_compare(replay* r, char* problem);
