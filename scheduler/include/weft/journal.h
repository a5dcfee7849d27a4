/// Journals: the input events and the digest of every tick in a file, and running them again (C13).
///
/// A journal begins with the identity of the run and its first tick. Each tick then adds a frame: a
/// background thread writes it, so a tick waits for the disk only where the description says so, or
/// where the disk is slower than the run. Time and everything else from outside enter a run as
/// input events (weft_world_post) only, so the journal alone, or with a snapshot of any of its
/// ticks, gives the run again, on any executor. The format is in docs/persistence.md.
#pragma once

#include <weft/executor.h>
#include <weft/identity.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_journal weft_journal;
typedef struct weft_replay weft_replay;

/// How a journal is kept. Start from weft_journal_desc_default().
typedef struct weft_journal_desc {
    /// The file is made durable every so many ticks. 1: weft_journal_tick() returns when its tick
    /// is durable. More: a machine that dies loses fewer than twice as many. 0: when the journal is
    /// closed. A process that dies alone loses what was not written yet (weft_journal_progress).
    uint32_t sync_ticks;
    uint32_t digest_ticks; // A digest every so many ticks; at least 1.
    uint32_t ring_size;    // Bytes between the run and the writer: a power of 2, 4096 at least.
    const weft_identity_pair* pairs; // Of the host.
    size_t pair_count;
    uint32_t cookie; // Set by the default function. Do not write.
} weft_journal_desc;

/// Durable at the end, a digest of every tick, a ring of 1 MiB, no pairs.
WEFT_API weft_journal_desc weft_journal_desc_default(void);

// Writing ----------------------------------------------------------------------------------------

/// Starts a journal at the present tick of a schedule's world. The name must be free. Both outlive
/// it. Status: FILE_ERROR, BAD_ARGUMENT, NOT_DETERMINISTIC, WRONG_PHASE (commands of the host are
/// not committed), OS, OUT_OF_MEMORY, WORLD_FAILED, and those of weft_schedule_build(); the world's
/// error has the line.
WEFT_API WEFT_NODISCARD weft_status weft_journal_create(const weft_journal_desc* desc,
                                                        weft_schedule* schedule, const char* path,
                                                        weft_journal** journal_out);

/// Goes on with a journal whose last whole tick is the world's, as after a replay to its end. What
/// follows that tick, of a writer that died, is cut off. Status: those of weft_journal_create(),
/// BAD_FORMAT (damage: nothing is cut), IDENTITY_MISMATCH (the line names what differs), DIVERGED
/// (another tick, or another digest).
WEFT_API WEFT_NODISCARD weft_status weft_journal_continue(const weft_journal_desc* desc,
                                                          weft_schedule* schedule, const char* path,
                                                          weft_journal** journal_out);

/// Runs one tick, as weft_executor_tick() does, and records it. Every tick of the world from now on
/// is run by this. Commands of the host are refused (WRONG_PHASE): they could not be run again.
/// Status: also FILE_ERROR once a write has failed (a full disk); the tick was then not begun, or
/// is complete, and nothing more is recorded. The world has not failed and the file is readable.
/// The world's error has the line.
WEFT_API WEFT_NODISCARD weft_status weft_journal_tick(weft_journal* journal,
                                                      weft_executor* executor);

/// Returns when every tick recorded so far is durable, whatever `sync_ticks` says. Before a
/// snapshot is saved beside a journal: else a crash may leave a snapshot of a tick that the journal
/// does not have, and the run cannot go on from the two. Status: FILE_ERROR, with the line as the
/// world's error. From the thread that runs the ticks.
WEFT_API WEFT_NODISCARD weft_status weft_journal_sync(weft_journal* journal);

/// How far a journal is. Ticks count as weft_world_tick() does.
typedef struct weft_journal_progress {
    uint64_t recorded_tick; // Handed to the writer.
    uint64_t written_tick;  // In the file: it outlives the process.
    uint64_t durable_tick;  // On the disk: it outlives the machine.
    uint64_t bytes;         // Of the file.
    uint64_t waits;         // Ticks that waited for the writer.
    weft_status status;     // FILE_ERROR once a write has failed.
} weft_journal_progress;

/// Reads it; from any thread.
WEFT_API weft_journal_progress weft_journal_progress_read(weft_journal* journal);

/// Writes what is left, makes the file durable and forgets the journal. Null is allowed. Status:
/// FILE_ERROR, with the line.
WEFT_API weft_status weft_journal_close(weft_journal* journal, char* line, size_t capacity);

// Running again ----------------------------------------------------------------------------------

/// Opens a journal for running it again in a schedule's world. Only the pairs of the description
/// count. Status: FILE_ERROR, BAD_FORMAT, IDENTITY_MISMATCH (the line names what differs, with both
/// values), BAD_ARGUMENT, OUT_OF_MEMORY, and those of weft_schedule_build(); the world's error has
/// the line.
WEFT_API WEFT_NODISCARD weft_status weft_replay_open(const weft_journal_desc* desc,
                                                     weft_schedule* schedule, const char* path,
                                                     weft_replay** replay_out);

/// Reads one value of what a journal says of its run: a pair of the host, "seed", "weft", "system
/// 1" and so on; empty if there is none of that name. Status: FILE_ERROR, BAD_FORMAT,
/// OUT_OF_MEMORY, with the line.
WEFT_API WEFT_NODISCARD weft_status weft_journal_value(const char* path, const char* name,
                                                       char* value, size_t value_capacity,
                                                       char* line, size_t line_capacity);

/// What was found of a journal so far.
typedef struct weft_replay_info {
    uint64_t first_tick; // Of the world when it was started.
    uint64_t tick;       // Of its last frame that was read.
    uint64_t compared;   // Digests that were compared with the world's.
    uint64_t inputs;     // Input events posted.
    uint64_t torn;       // At the end: bytes behind the last whole tick.
    bool ended;          // There is no further tick.
} weft_replay_info;

/// Reads it.
WEFT_API weft_replay_info weft_replay_info_read(const weft_replay* replay);

/// Goes to the world's tick, as a snapshot has made it. Status: DIVERGED (the digest there is
/// another one), OUT_OF_RANGE (the journal has no such tick), BAD_FORMAT, FILE_ERROR,
/// OUT_OF_MEMORY.
WEFT_API WEFT_NODISCARD weft_status weft_replay_seek(weft_replay* replay);

/// Runs the next tick: posts its inputs, ticks, and compares the digest. Where there is none,
/// nothing happens and the information says that it ended. Status: DIVERGED (the line has both
/// digests), WRONG_PHASE (the world is not at the journal's tick), BAD_FORMAT, FILE_ERROR,
/// OUT_OF_MEMORY, and those of weft_executor_tick().
WEFT_API WEFT_NODISCARD weft_status weft_replay_tick(weft_replay* replay, weft_executor* executor);

/// Forgets it. Null is allowed.
WEFT_API void weft_replay_close(weft_replay* replay);

/// Where two journals of one run part. Values of journal A stand first.
typedef struct weft_journal_difference {
    bool found;
    uint64_t tick; // The first that differs.
    bool inputs;   // Its inputs differ: the cause is outside of the simulation.
    bool digest;   // Its digest differs.
    bool length;   // One ends before this tick.
    weft_digest digests[2];
    uint64_t last_ticks[2]; // Last ones that were read.
} weft_journal_difference;

/// Compares two journals tick by tick, without running them. Ticks with digests in one alone are
/// compared by their inputs. Status: FILE_ERROR, BAD_FORMAT, OUT_OF_MEMORY, IDENTITY_MISMATCH (the
/// runs differ in more than their ticks), OUT_OF_RANGE (they start at different ticks); `line` has
/// the reason.
WEFT_API WEFT_NODISCARD weft_status weft_journal_compare(const char* path_a, const char* path_b,
                                                         weft_journal_difference* out, char* line,
                                                         size_t capacity);

#ifdef __cplusplus
}
#endif
