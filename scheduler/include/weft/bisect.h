/// Bisect: from a difference that verify found to its cause, by the digest tree (C7).
///
/// The reference is run again up to the tick in question, keeping states at distances of 1, 2, 4,
/// ... ticks before it. That tick is then run from its state, serially and as the suspect has it,
/// with the output of every task hashed; both trees are descended to the first field that differs;
/// and the write before is looked for in the kept states, backwards.
#pragma once

#include <weft/verify.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a descent cost: at each level lists of nodes are compared by halves.
typedef struct weft_descent {
    uint64_t levels;      // Nodes on the way: roots, archetype, chunk, column, row, field.
    uint64_t comparisons; // Of two digests.
    uint64_t nodes;       // That the reference's tree has, rows included.
    char node[WEFT_VERIFY_NAME_SIZE]; // The last one: "archetype 1, shard 2, column Place", ...
} weft_descent;

/// Finds the first value in which two worlds of equal schema differ, and fills the parts of the
/// place that belong to values. A task that is named there says in which chunk to look first. Both
/// worlds' digests are brought up to date. Status: WORLD_FAILED, OUT_OF_MEMORY, and
/// IDENTITY_MISMATCH where the schemas are not equal. Equal worlds give WEFT_VERIFY_KIND_NONE with
/// an empty node.
WEFT_API WEFT_NODISCARD weft_status weft_descend(weft_world* reference, weft_world* found,
                                                 weft_verify_place* place, weft_descent* descent);

/// Who made a write.
typedef enum weft_write_kind {
    WEFT_WRITE_UNKNOWN = 0, // Not looked for: nothing that is written, or no history.
    WEFT_WRITE_FIRST = 1,   // Nobody: it is as it was before the first tick.
    WEFT_WRITE_TASK = 2,    // A system, in its chunk.
    WEFT_WRITE_COMMAND = 3, // A command, which a system recorded and the commit carried out.
    WEFT_WRITE_COMMIT = 4,  // The commit, for no command that names it.
} weft_write_kind;

/// The last change of a value before the tick of a difference, in the reference.
typedef struct weft_write {
    weft_write_kind kind;
    uint64_t tick; // After which it showed; 0 for FIRST.
    uint32_t rank; // TASK, COMMAND: who.
    uint32_t archetype;
    uint32_t shard;
    bool world_scope; // Archetype and shard mean nothing.
    char system[WEFT_VERIFY_NAME_SIZE];
    char text[WEFT_VERIFY_VALUE_SIZE]; // The value since then.
} weft_write;

/// What to bisect. Start from weft_bisect_desc_default(). The callbacks are those of
/// weft_verify_desc; progress is told phase LOCATE.
typedef struct weft_bisect_desc {
    weft_status (*make)(void* context, weft_world** world_out, weft_schedule** schedule_out);
    weft_status (*input)(void* context, weft_world* world, uint64_t tick);
    bool (*progress)(void* context, const weft_verify_progress* progress);
    void* context;
    uint64_t tick;                 // After which the digests first differ.
    weft_verify_digests reference; // After it, in the serial run.
    weft_executor_desc config;     // The suspect.
    uint32_t attempt_limit;        // Runs of the tick to see the difference, then from tick 0.
    /// Instead of running the suspect: its encoded state after the tick, and what its tasks gave.
    const void* after;
    size_t after_size;
    const weft_task_output* outputs;
    size_t output_count;
    /// Instead of running the reference from tick 0: the encoded state before the tick, and the
    /// inputs of the tick, which are posted instead of calling `input`.
    const void* before;
    size_t before_size;
    const void* inputs;
    size_t inputs_size;
    uint32_t cookie; // Set by the default function. Do not write.
} weft_bisect_desc;

/// No callbacks, the default executor, four attempts.
WEFT_API weft_bisect_desc weft_bisect_desc_default(void);

/// What was found out. Arrays live as long as the report.
typedef struct weft_bisect_report {
    bool stopped;    // The progress callback said so.
    bool different;  // The difference showed.
    bool unstable;   // The reference did not give `desc.reference` again.
    bool from_start; // It showed only in a run from tick 0: the suspect keeps something outside.
    uint64_t tick;
    weft_verify_digests before; // After the tick before; zero for tick 0.
    weft_verify_digests reference;
    weft_verify_digests found;
    weft_verify_place place;
    weft_descent descent;
    weft_write write;
    uint64_t state_count; // States that were kept for the way back.
    uint64_t ticks_run;   // In all.
    uint64_t schema_hash;
    uint64_t schedule_hash;
    uint32_t worker_count; // The suspect's.
    const void* state;     // Encoded, before the tick; null for tick 0.
    size_t state_size;
    const void* inputs; // Of the tick, encoded.
    size_t inputs_size;
    weft_status status;
    char error[WEFT_VERIFY_LINE_SIZE]; // One line where the status is a failure.
} weft_bisect_report;

/// Bisects one difference. Status: DIVERGED when it showed, OK when it did not; what the worlds
/// said where something failed; BAD_FORMAT and IDENTITY_MISMATCH for states and inputs of others.
/// BAD_ARGUMENT and OUT_OF_MEMORY may leave *report_out null, everything else gives a report.
WEFT_API WEFT_NODISCARD weft_status weft_bisect(const weft_bisect_desc* desc,
                                                weft_bisect_report** report_out);

/// Destroys a report. Null is allowed.
WEFT_API void weft_bisect_report_destroy(weft_bisect_report* report);

/// The first tick at which two lists of digests differ.
typedef struct weft_tick_search {
    bool different;
    bool resumes;         // Later digests are equal again: found by looking at all of them.
    uint64_t tick;        // The first that differs.
    uint64_t steps;       // Of the search by halves, which is right where differences stay.
    uint64_t last_equal;  // RESUMES: the last tick that is equal.
    uint64_t equal_after; // RESUMES: ticks behind the first difference that are equal.
} weft_tick_search;

/// Searches by halves, then looks at all to see whether differences stay. Both have `count`
/// digests.
WEFT_API weft_tick_search weft_bisect_ticks(const weft_verify_digests* a,
                                            const weft_verify_digests* b, uint64_t count);

#ifdef __cplusplus
}
#endif
