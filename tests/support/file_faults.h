/// Faults of disks, for the tables of calls of scheduler/persist/file.h.
#pragma once

#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/// What goes wrong, and what was asked for. Start from file_faults_none().
typedef struct file_faults {
    uint64_t room;       // Bytes that are taken before writes fail,
    int write_error;     // with this errno. The write that meets the end takes what there is room
                         // for, as disks do.
    size_t write_max;    // The most that one call takes.
    uint64_t sync_count; // Calls that work before fsync fails.
    bool rename_fails;
    uint64_t written;
    uint64_t syncs;
} file_faults;

static inline file_faults file_faults_none(void) {
    return (file_faults){
        .room = UINT64_MAX, .write_error = ENOSPC, .write_max = SIZE_MAX, .sync_count = UINT64_MAX};
}

static inline ptrdiff_t faulty_pwrite(void* context, int descriptor, const void* bytes, size_t size,
                                      uint64_t offset) {
    file_faults* faults = context;
    size_t now = size < faults->write_max ? size : faults->write_max;
    uint64_t room = faults->room - faults->written;
    if (room == 0) {
        errno = faults->write_error;
        return -1;
    }
    now = now < room ? now : (size_t)room;
    ptrdiff_t done = pwrite(descriptor, bytes, now, (off_t)offset);
    faults->written += done > 0 ? (uint64_t)done : 0;
    return done;
}

static inline int faulty_fsync(void* context, int descriptor) {
    file_faults* faults = context;
    (void)descriptor; // What is tested does not ask whether it reached a disk.
    if (faults->syncs++ < faults->sync_count)
        return 0;
    errno = EIO;
    return -1;
}

static inline int faulty_rename(void* context, const char* from, const char* to) {
    file_faults* faults = context;
    if (!faults->rename_fails)
        return rename(from, to);
    errno = EACCES;
    return -1;
}

/// The table; `faults` outlives it.
static inline weft__file_calls file_faults_calls(file_faults* faults) {
    return (weft__file_calls){
        .context = faults, .pwrite = faulty_pwrite, .fsync = faulty_fsync, .rename = faulty_rename};
}
