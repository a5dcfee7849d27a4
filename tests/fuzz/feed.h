/// Any bytes as files: snapshots and journals are read from them. Whatever they are, the readers
/// say so, and what was there before is as it was.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct feed feed;

typedef enum feed_kind {
    FEED_SNAPSHOT = 0,
    FEED_JOURNAL = 1,
} feed_kind;

/// Worlds and files to feed; aborts where there is no memory.
feed* feed_open(void);
void feed_close(feed* all);

/// A whole file, as it was written.
const uint8_t* feed_sample(const feed* all, feed_kind kind, size_t* size_out);

/// Reads bytes as a file of a kind. With `seal`, the checksums of frames and sections are made
/// right first, as far as lengths make sense, so that what is behind them is reached. True if they
/// were taken. Aborts where a reader broke a promise.
bool feed_give(feed* all, feed_kind kind, uint8_t* bytes, size_t size, bool seal);
