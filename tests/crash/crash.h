/// Processes that are killed while they write.
#pragma once

#include <stdint.h>

/// Kills a process that keeps a journal and snapshots, `rounds` times at drawn moments, and looks
/// at what it left: every tick that it was told is durable, every snapshot that it was told is
/// written; and goes on from there.
void crash_rounds(uint32_t rounds, uint64_t seed);
