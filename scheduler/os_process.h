/// Worker processes: forked from this one, watched, and ended with it.
#pragma once

#include <weft/base.h>

#include "os_fault.h"

#include <sys/types.h>

#define WEFT__OS_PROCESSES_MAX 1024u

/// A child process.
typedef struct weft__os_process {
    pid_t id;       // 0: none.
    int descriptor; // By which its end is seen at once; -1 where the system has none.
} weft__os_process;

/// How a process ended.
typedef struct weft__os_end {
    bool known; // Else somebody else has taken its status: a wait for any child.
    int signal; // That killed it; 0: none,
    int code;   // and its exit code is this.
} weft__os_end;

/// Forks a process that calls `function` and ends with code 0 when that returns. In it all signals
/// but those of its own faults are blocked, it is killed when this process ends, however that is,
/// and if a fault ends it, `crash` is filled first. If it calls exit(), nothing is done that this
/// process has registered for its own exit. What stdout and stderr hold is written by this process
/// alone. `name` shows in lists of processes. Fails with OS: too many processes, or no memory.
WEFT_NODISCARD weft_status weft__os_process_start(weft__os_process* process,
                                                  void (*function)(void* context), void* context,
                                                  const char* name, weft__os_crash* crash);

/// True if the process has ended; it is then taken from the system, once.
bool weft__os_process_ended(weft__os_process* process, weft__os_end* end);

/// True if the process was stopped by a signal, and has not been continued.
bool weft__os_process_stopped(const weft__os_process* process);

/// Kills a process, if there is one, and waits until it is gone.
void weft__os_process_kill(weft__os_process* process);

/// The signal's name ("SIGSEGV"), or "signal N" in `text`.
const char* weft__os_signal_name(int signal, char* text, size_t capacity);

/// Something that a process waits for and another one gives. All who share it have it by fork.
typedef struct weft__os_event {
    int descriptor;
} weft__os_event;

/// Fails with OS.
WEFT_NODISCARD weft_status weft__os_event_open(weft__os_event* event);
void weft__os_event_close(weft__os_event* event);
void weft__os_event_give(const weft__os_event* event);

/// Waits until the event was given, and takes it, or some process may have ended, or the time is
/// over; 0: without end. Where the end of processes cannot be seen it returns every 5 ms.
void weft__os_event_await(const weft__os_event* event, const weft__os_process* processes,
                          uint32_t count, uint64_t time_ns);
