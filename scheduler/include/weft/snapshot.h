/// Snapshots: the state of a world in a file (C13).
///
/// A file is written under another name, made durable and then renamed, so its name always stands
/// for a whole one. The file of a state is the same for every executor and worker count, and loads
/// into a world of any. The format is in docs/persistence.md.
#pragma once

#include <weft/executor.h>
#include <weft/identity.h>
#include <weft/state.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How a snapshot is written, and what one that is loaded must say of itself. Start from
/// weft_snapshot_desc_default().
typedef struct weft_snapshot_desc {
    bool compress;                   // By zstd, where the build has it.
    bool no_digest;                  // Neither kept nor compared: each costs a hash of the state.
    const weft_identity_pair* pairs; // Of the host.
    size_t pair_count;
    const weft_migration* migrations; // To load one of another schema (weft_world_decode_migrated):
    size_t migration_count;           // its digest is another one then, and is not compared.
    weft_executor* executor;          // Of the world, to load by all its workers; null: by one.
    uint32_t cookie;                  // Set by the default function. Do not write.
} weft_snapshot_desc;

/// Not compressed, with the digest, no pairs.
WEFT_API weft_snapshot_desc weft_snapshot_desc_default(void);

/// What a snapshot says of itself.
typedef struct weft_snapshot_info {
    uint64_t tick;
    uint64_t state_size; // Bytes of the state, as weft_world_encode() writes it.
    uint64_t file_size;
    bool compressed;
    bool has_digest;
    weft_digest full; // Zero without one.
} weft_snapshot_info;

/// Writes the state of an executor's world between ticks, in parts by all its workers. What had the
/// name is replaced. Status: FILE_ERROR, UNSUPPORTED (no zstd in this build), WRONG_PHASE (commands
/// of the host are not committed), BAD_ARGUMENT, OUT_OF_MEMORY, WORLD_FAILED; the world's error has
/// the line, and the world is as it was.
WEFT_API WEFT_NODISCARD weft_status weft_snapshot_save(weft_executor* executor, const char* path,
                                                       const weft_snapshot_desc* desc);

/// Replaces all contents of a world by a snapshot, as weft_world_decode() does. Status, with the
/// world as it was: FILE_ERROR, BAD_FORMAT (another version or byte order, cut off, damaged),
/// IDENTITY_MISMATCH (the error names what differs, with both values), UNSUPPORTED (compressed, and
/// no zstd in this build), BAD_ARGUMENT (also an executor of another world), OUT_OF_MEMORY, and
/// those of weft_world_decode(). DIGEST_MISMATCH fails the world: it is not the one that was saved.
WEFT_API WEFT_NODISCARD weft_status weft_snapshot_load(weft_world* world, const char* path,
                                                       const weft_snapshot_desc* desc);

/// Reads what a snapshot says of itself, and looks no further. Status: FILE_ERROR, BAD_FORMAT,
/// OUT_OF_MEMORY; `line` says what is wrong.
WEFT_API WEFT_NODISCARD weft_status weft_snapshot_inspect(const char* path, weft_snapshot_info* out,
                                                          char* line, size_t capacity);

#ifdef __cplusplus
}
#endif
