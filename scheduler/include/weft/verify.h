/// Verify: proves that executors are equal (C10) and finds the first place where one is not.
///
/// The serial run is made once and its digests are kept; then every configuration runs the same
/// ticks from a fresh world and is compared after each. A difference is located by running the
/// suspect and the serial run again, with the output of every task hashed.
#pragma once

#include <weft/executor.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Both digests of the state after some tick (C7).
typedef struct weft_verify_digests {
    weft_digest view;
    weft_digest full;
} weft_verify_digests;

/// What is compared after each tick. Each finds what ROOT finds, and more.
typedef enum weft_verify_depth {
    /// Both digests.
    WEFT_VERIFY_DEPTH_ROOT = 0,
    /// The state before the tick is encoded; after the tick it is decoded again, and the same tick
    /// is run serially from there. Both must give the serial run's digests, and a state must be the
    /// same bytes when it is encoded, decoded and encoded. Finds a difference in the tick that made
    /// it, with its values even if it never shows again, and whatever is kept outside of the world.
    /// Four to five times the work.
    WEFT_VERIFY_DEPTH_SYNC = 1,
    /// Also the output of every task, so that the system is named without another run, and what
    /// left no trace in the state is found too, such as a message that nobody used. Keeps 32 bytes
    /// for each task of the serial run; about twice the work.
    WEFT_VERIFY_DEPTH_HEAVY = 2,
} weft_verify_depth;

typedef enum weft_verify_phase {
    WEFT_VERIFY_REFERENCE = 0, // The serial run.
    WEFT_VERIFY_COMPARE = 1,   // A configuration against the kept digests.
    WEFT_VERIFY_LOCATE = 2,    // Both again, to find where they part.
} weft_verify_phase;

typedef struct weft_verify_progress {
    weft_verify_phase phase;
    size_t config;       // Index of the configuration, drawn ones after the others; 0 for the
                         // reference.
    uint64_t tick;       // Ticks done in this run.
    uint64_t tick_count; // Ticks that this run will have.
} weft_verify_progress;

/// What to verify. Start from weft_verify_desc_default(). All callbacks get `context` and run on
/// the calling thread.
typedef struct weft_verify_desc {
    /// Makes a fresh world, its first entities committed, and its schedule, built: the same each
    /// time. On failure both may be left set for the sake of their error lines. weft_verify()
    /// destroys what it is given.
    weft_status (*make)(void* context, weft_world** world_out, weft_schedule** schedule_out);
    /// Posts the input events of the tick that comes next: a function of the tick. May be null.
    weft_status (*input)(void* context, weft_world* world, uint64_t tick);
    /// Checks the reference after each tick and writes one line on failure. May be null.
    bool (*check)(void* context, const weft_world* world, char* line, size_t capacity);
    /// Gives one more configuration, to be compared after `configs`: number `draw` from 0 on. False
    /// when there is none. The first that is not equal is the last. May be null.
    bool (*draw)(void* context, uint64_t draw, weft_executor_desc* config_out);
    /// Called at the start of each run and after each tick. False stops there. May be null.
    bool (*progress)(void* context, const weft_verify_progress* progress);
    void* context;
    uint64_t tick_count;               // Ticks of each run.
    const weft_executor_desc* configs; // What is compared with the serial run.
    size_t config_count;
    const weft_verify_digests* expected; // Of an earlier run from tick 0 on; may be null.
    uint64_t expected_count;             // At most tick_count + 1.
    uint32_t locate_limit;               // Differences that are located; each costs re-runs.
    uint32_t attempt_limit;              // Re-runs to see one difference again.
    weft_guard guard;                    // Of the serial run; configurations have their own.
    weft_verify_depth depth;             // What is compared.
    bool digest_check;                   // After every tick rehash everything and compare.
    uint32_t cookie;                     // Set by the default function. Do not write.
} weft_verify_desc;

/// No callbacks, no configurations, digests compared, one difference located in up to four re-runs.
WEFT_API weft_verify_desc weft_verify_desc_default(void);

typedef enum weft_verify_outcome {
    WEFT_VERIFY_NOT_RUN = 0, // Stopped before it could say anything.
    WEFT_VERIFY_EQUAL = 1,
    WEFT_VERIFY_DIFFERENT = 2,
    WEFT_VERIFY_FAILED = 3, // The run ended with a status.
} weft_verify_outcome;

/// The first difference that two worlds show.
typedef enum weft_verify_kind {
    WEFT_VERIFY_KIND_NONE = 0,      // They show the same; see weft_verify_place.
    WEFT_VERIFY_KIND_ALIVE = 1,     // An entity lives in one of them only.
    WEFT_VERIFY_KIND_PRESENCE = 2,  // An entity has a component in one of them only.
    WEFT_VERIFY_KIND_FIELD = 3,     // A component's field.
    WEFT_VERIFY_KIND_RESOURCE = 4,  // A resource's field; `index` is which of its values.
    WEFT_VERIFY_KIND_MESSAGE = 5,   // A message's field; `index` is its place in the list.
    WEFT_VERIFY_KIND_COUNT = 6,     // Another number of messages.
    WEFT_VERIFY_KIND_REDUCTION = 7, // A reduction's field.
} weft_verify_kind;

#define WEFT_VERIFY_NAME_SIZE 64u
#define WEFT_VERIFY_PATH_SIZE 128u
#define WEFT_VERIFY_VALUE_SIZE 160u
#define WEFT_VERIFY_LINE_SIZE 512u

/// Where a difference is.
typedef struct weft_verify_place {
    uint32_t attempt_count; // Re-runs made; 0 when the difference was not looked for.
    bool repeated;          // It showed again.
    bool unstable;          // The serial run did not repeat itself: hidden input.
    bool traced;            // Outputs of tasks were compared. If not, `has_task` means nothing.
    bool compared;          // Values were compared. If not, `kind` means nothing.
    uint64_t tick;          // What the rest is about; not always where it showed first.

    bool has_task;     // Below: the first task whose output differs.
    bool task_missing; // The task ran in one of the runs only.
    bool world_scope;  // The system runs once per tick: archetype and shard mean nothing.
    uint32_t rank;
    uint32_t stage;
    uint32_t archetype;
    uint32_t shard;
    char system[WEFT_VERIFY_NAME_SIZE];

    weft_verify_kind kind; // Below: the first value that differs after the tick.
    weft_entity entity;    // Of the world that has it; null for resources and the like.
    uint64_t index;
    char type[WEFT_VERIFY_NAME_SIZE];
    char field[WEFT_VERIFY_PATH_SIZE];           // "speed", "parts[2].speed"
    char reference_text[WEFT_VERIFY_VALUE_SIZE]; // The serial run's value, "absent", "dead".
    char found_text[WEFT_VERIFY_VALUE_SIZE];
    uint64_t entity_count; // Entities that differ in anything.
} weft_verify_place;

/// One run, compared.
typedef struct weft_verify_result {
    weft_verify_outcome outcome;
    weft_status status;    // OK unless FAILED.
    uint64_t tick;         // DIFFERENT: the first tick whose state differs. Else: ticks completed.
    uint32_t worker_count; // As the executor had it.
    weft_verify_digests reference; // After `tick`: what was to be.
    weft_verify_digests found;     // After `tick`: what was.
    weft_verify_place place;
    weft_guard_report guard;           // FAILED with UNDECLARED: what the guard found.
    char error[WEFT_VERIFY_LINE_SIZE]; // FAILED: one line, from where it failed.
} weft_verify_result;

typedef struct weft_verify_report {
    bool stopped;                 // The progress callback said so.
    weft_verify_result reference; // EQUAL or DIFFERENT: against `expected`. Not located.
    bool expected_resumes;        // DIFFERENT: later digests are equal again.
    weft_verify_digests* digests; // The serial run's, from tick 0 to reference tick count.
    uint64_t digest_count;
    weft_verify_result* results; // By configuration.
    size_t result_count;
    uint64_t draw_count;      // Drawn configurations that were compared to the end,
    weft_verify_result drawn; // and the last one: if any is not equal, it is this.
    uint64_t schema_hash;     // Of the serial run.
    uint64_t schedule_hash;
} weft_verify_report;

/// Runs a verification. Status: OK when everything that ran is equal; DIVERGED when anything is
/// different; else the first failed run's, NOT_DETERMINISTIC where a world was made so.
/// BAD_ARGUMENT and OUT_OF_MEMORY leave *report_out null, everything else gives a report.
WEFT_API WEFT_NODISCARD weft_status weft_verify(const weft_verify_desc* desc,
                                                weft_verify_report** report_out);

/// Destroys a report. Null is allowed.
WEFT_API void weft_verify_report_destroy(weft_verify_report* report);

#ifdef __cplusplus
}
#endif
