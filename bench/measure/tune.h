/// The search for a faster layout.
///
/// One factor after another is changed in the best layout so far. Each candidate is tried against
/// that layout: both run the same ticks in turn, and a sample is the ratio of their times in one
/// round. A candidate is taken when it is certainly faster, and given up when a gain worth having
/// is out of the question. At the end the best is tried once more against the first layout, with
/// new samples, so that what was chosen for its luck does not count: only if that gain is certain,
/// it is the result.
#pragma once

#include "layout.h"
#include "statistics.h"

#include <weft/schedule.h>

/// Gains below 1% are not worth a layout.
#define WEFT_TUNE_GAIN 0.01
/// A candidate is taken wrongly with this probability at most, all looks together,
#define WEFT_TUNE_ERROR 0.05
/// and the result with this one.
#define WEFT_TUNE_FINAL_ERROR 0.01

#define WEFT_TUNE_TRIALS_MAX 96u
#define WEFT_TUNE_ROUNDS_MAX 60u
#define WEFT_TUNE_WHAT 96u

typedef enum weft_tune_factor {
    WEFT_TUNE_WORKERS = 0,
    WEFT_TUNE_MEMORY = 1,
    WEFT_TUNE_ORDER = 2, // By chunk or by system, stage by stage.
    WEFT_TUNE_GRAIN = 3,
    WEFT_TUNE_WAITING = 4, // Spinning, yielding, sleeping.
    WEFT_TUNE_PLACEMENT = 5,
    WEFT_TUNE_FACTORS = 6,
} weft_tune_factor;

/// "workers", "memory", "order", "grain", "waiting", "placement".
extern const char* const weft_tune_factor_names[WEFT_TUNE_FACTORS];

typedef enum weft_tune_verdict {
    WEFT_TUNE_NO_GAIN = 0,   // A gain of WEFT_TUNE_GAIN is out of the question.
    WEFT_TUNE_FASTER = 1,    // Certainly.
    WEFT_TUNE_UNCERTAIN = 2, // Neither could be shown in the time.
    WEFT_TUNE_REFUSED = 3,   // The system, or this build, does not have it.
} weft_tune_verdict;

/// "no gain", "faster", "uncertain", "refused".
extern const char* const weft_tune_verdict_names[4];

/// One candidate against the best before it.
typedef struct weft_tune_trial {
    weft_tune_factor factor;
    char what[WEFT_TUNE_WHAT]; // "4 workers".
    weft_tune_verdict verdict;
    weft_statistics_ratio ratio; // Its time to the other's.
    uint32_t rounds;
} weft_tune_trial;

/// Where two layouts are tried against each other.
typedef struct weft_tune_ground {
    void* context;
    /// Begins with two layouts; to be closed also if it fails. UNSUPPORTED or OS refuse one of
    /// them.
    weft_status (*open)(void* context, const weft_layout* a, const weft_layout* b);
    /// Runs the same ticks with both and adds up nothing: nanoseconds of a tick, of each. DIVERGED
    /// if their digests differ.
    weft_status (*round)(void* context, double ns[2]);
    void (*close)(void* context);
    double (*seconds)(void* context); // A clock that never goes back.
    bool (*stopped)(void* context);   // The user wants no more; may be null.
    void (*progress)(void* context, const char* what, double share); // May be null.
} weft_tune_ground;

typedef struct weft_tune_desc {
    const weft_topology* topology;
    const weft_schedule* schedule;
    weft_layout start;   // What is to be beaten. Of processes all candidates are processes: who
                         // asks for them does so for what they hold off, not for their speed.
    uint32_t worker_max; // 0: none but the CPUs.
    double time_s;       // For all of it; a third is for the last comparison.
    bool quick;          // Two rounds each: to test the search.
} weft_tune_desc;

typedef struct weft_tune_result {
    weft_layout found;  // The best.
    weft_layout chosen; // The same if its gain is certain, else the start.
    bool is_certain;
    weft_statistics_ratio gain; // The time of `found` to that of the start; 1 if they are the same.
    uint32_t gain_rounds;
    double tick_ns[2]; // Medians of the start and of `found`, in the last comparison.
    weft_tune_trial trial[WEFT_TUNE_TRIALS_MAX];
    uint32_t trial_count;
    uint32_t skipped; // Candidates that there was no time for.
    bool stopped;
} weft_tune_result;

/// Searches. Status: DIVERGED and others of the ground's rounds, which end the search.
weft_status weft_tune_search(const weft_tune_desc* desc, const weft_tune_ground* ground,
                             weft_tune_result* result);

/// A change of the best layout.
typedef struct weft_tune_candidate {
    weft_layout layout;
    char what[WEFT_TUNE_WHAT];
} weft_tune_candidate;

/// Change number `index` of a factor, made to the best layout, which may have it already. False
/// past the last one, and where the factor does not apply.
bool weft_tune_candidate_at(const weft_tune_desc* desc, const weft_layout* best,
                            weft_tune_factor factor, uint32_t index, weft_tune_candidate* out);
