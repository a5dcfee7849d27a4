/// The format of snapshots: a head, then the encoded state in parts (weft_state.h), each a frame.
#pragma once

#include <weft/snapshot.h>

#include "frame.h"

#define WEFT__SNAPSHOT_PART UINT32_C(1 << 20) // Bytes of a part of rows, or a chunk more.

/// Kinds of frames.
#define WEFT__SNAPSHOT_HEAD 1u // The next line, then the identity.
#define WEFT__SNAPSHOT_DATA 2u // Bytes before compression (8), bytes.

/// Tick (8), bytes of the state (8), parts (4), compressed (1), has digest (1), zero (2), full
/// digest (16).
#define WEFT__SNAPSHOT_HEAD_SIZE 40u
#define WEFT__SNAPSHOT_DATA_HEAD 8u

static const weft__frame_format weft__snapshot_format = {
    .what = "snapshot", .magic = "WEFTSNAP", .version = 1, .length_max = UINT64_C(1) << 46};

/// weft_snapshot_save() on a disk with other calls; null: the system's.
WEFT_NODISCARD weft_status weft__snapshot_save(weft_executor* executor, const char* path,
                                               const weft_snapshot_desc* desc,
                                               const weft__file_calls* calls);
