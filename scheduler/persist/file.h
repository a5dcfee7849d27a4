/// Files that are written front to back, and reading of whole files: the calls under snapshots,
/// journals and logs.
///
/// A new file is written under a temporary name and gets its own by weft__file_publish(), so a name
/// never stands for a part. Short writes are gone on with. The first failure sticks: later calls
/// return it, and `line` says what, where and why. Used by one thread at a time, but for
/// weft__file_write_at().
#pragma once

#include <weft/base.h>

#define WEFT__FILE_PATH 1024u // With the NUL. Longer ones are refused.
#define WEFT__FILE_LINE 1280u

/// The calls that change the disk. Tests put faults in their place. Each behaves like the system
/// call of its name: -1 and errno on failure, fewer bytes than asked for at will.
typedef struct weft__file_calls {
    void* context;
    ptrdiff_t (*pwrite)(void* context, int descriptor, const void* bytes, size_t size,
                        uint64_t offset);
    int (*fsync)(void* context, int descriptor);
    int (*rename)(void* context, const char* from, const char* to);
} weft__file_calls;

/// The system's own.
extern const weft__file_calls weft__file_calls_system;

/// A file that is written. Zeroed, it is none.
typedef struct weft__file {
    const weft__file_calls* calls;
    int descriptor;
    bool open;
    bool published;
    uint64_t size;      // Bytes written: where the next ones go.
    weft_status status; // The first failure.
    char path[WEFT__FILE_PATH];
    char line[WEFT__FILE_LINE]; // On the first failure; else empty.
} weft__file;

/// True if something has this name.
bool weft__file_exists(const char* path);

/// Starts a file under the name `path`.tmp, or takes over the one that a killed writer left there.
/// `calls` may be null. Status: FILE_ERROR, also where another writer is at it or what is there is
/// no regular file.
WEFT_NODISCARD weft_status weft__file_create(weft__file* file, const char* path,
                                             const weft__file_calls* calls);

/// Opens a file to go on behind its first `size` bytes; what follows them is cut off. Status:
/// FILE_ERROR, also where another writer is at it or the file is shorter.
WEFT_NODISCARD weft_status weft__file_continue(weft__file* file, const char* path, uint64_t size,
                                               const weft__file_calls* calls);

/// Appends bytes. After a failure part of them may be there, which later appends do not follow: the
/// file is as long as readers take it to be. Status: FILE_ERROR.
WEFT_NODISCARD weft_status weft__file_append(weft__file* file, const void* bytes, size_t size);

/// Writes bytes anywhere. Leaves size, status and line alone, so several threads may call it at
/// once; the errno of a failure, else 0.
WEFT_NODISCARD int weft__file_write_at(const weft__file* file, const void* bytes, size_t size,
                                       uint64_t offset);

/// Counts bytes that weft__file_write_at() has put behind the end.
void weft__file_extend(weft__file* file, uint64_t size);

/// Fails a file by an errno that weft__file_write_at() returned.
weft_status weft__file_fail(weft__file* file, int error);

/// Makes durable what was written. Status: FILE_ERROR.
WEFT_NODISCARD weft_status weft__file_sync(weft__file* file);

/// Makes the file durable and gives it its name, in place of the file of that name if `replace`;
/// it stays open. Status: FILE_ERROR, also where the name is taken.
WEFT_NODISCARD weft_status weft__file_publish(weft__file* file, bool replace);

/// Closes a file. One that was not published is removed. Syncs nothing. A zeroed file is allowed.
void weft__file_close(weft__file* file);

/// A file that is read: regular, and as long as it was when it was opened.
typedef struct weft__source {
    int descriptor;
    bool open;
    uint64_t size;
    char path[WEFT__FILE_PATH];
    char line[WEFT__FILE_LINE];
} weft__source;

/// Status: FILE_ERROR.
WEFT_NODISCARD weft_status weft__source_open(weft__source* source, const char* path);

/// Reads bytes, all of which are inside the file. Leaves `line` alone, so several threads may call
/// it at once; the errno of a failure, ENODATA where the file was cut off meanwhile, else 0.
WEFT_NODISCARD int weft__source_read_at(const weft__source* source, void* bytes, size_t size,
                                        uint64_t offset);

/// The same with a line. Status: FILE_ERROR.
WEFT_NODISCARD weft_status weft__source_read(weft__source* source, void* bytes, size_t size,
                                             uint64_t offset);

/// Closes a source. A zeroed one is allowed.
void weft__source_close(weft__source* source);
