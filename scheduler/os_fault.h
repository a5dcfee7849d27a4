/// Faults of memory access that a thread expects: told to who expects them, and left by a jump.
///
/// A signal's action belongs to the whole process, so what is here is the one place of the layer
/// with state of its own: how many ask for faults, and what action was there before. A fault that
/// no thread expects goes to that one.
#pragma once

#include <weft/base.h>

#include "atomics.h"

#include <setjmp.h>

#define WEFT__FAULT_FRAMES 24u
#define WEFT__CRASH_PLACE_SIZE 160u

typedef enum weft__fault_access {
    WEFT__FAULT_UNKNOWN = 0, // The machine does not tell.
    WEFT__FAULT_READ = 1,
    WEFT__FAULT_WRITE = 2,
} weft__fault_access;

/// What is known of a fault.
typedef struct weft__fault {
    const uint8_t* address;
    weft__fault_access access;
    uintptr_t frames[WEFT__FAULT_FRAMES]; // The instruction, then where its callers go on.
    uint32_t frame_count;                 // 0: the machine does not tell.
} weft__fault;

/// Looks at a fault, inside the signal's handler: true if the cause is gone and the instruction is
/// to be tried again.
typedef bool weft__fault_fn(void* context, const weft__fault* fault);

/// A thread that expects faults. Who leaves it set must not have returned from where it was set.
typedef struct weft__fault_catch {
    sigjmp_buf place;   // Set by sigsetjmp(place, 0), which returns again, with 1, after a fault.
    weft__fault_fn* fn; // May be null.
    void* context;
    weft__fault fault; // After the jump.
} weft__fault_catch;

/// From the first call to the last weft__os_faults_end() faults are caught. Fails with OS.
WEFT_NODISCARD weft_status weft__os_faults_begin(void);
void weft__os_faults_end(void);

/// Which faults the calling thread expects; null: none. Set to null by a jump.
void weft__os_faults_expect(weft__fault_catch* fault_catch);

/// What a process that dies by a signal of its own leaves behind. It lies in shared memory.
typedef struct weft__os_crash {
    weft__atomic_u32 signal;            // 0: nothing. Set last.
    weft__fault fault;                  // The address and access of SIGSEGV and SIGBUS only.
    char place[WEFT__CRASH_PLACE_SIZE]; // What lies at the address; empty: nobody knows.
} weft__os_crash;

/// Says what lies at the address of a fault, inside the signal's handler.
typedef void weft__crash_fn(const void* context, const weft__fault* fault, char* text,
                            size_t capacity);

/// From here on a fault that nobody expects, or an abort, is noted there before it ends the
/// process. For a process that was forked to work and has no handlers but those of this file.
void weft__os_crashes_record(weft__os_crash* crash);

/// Who is asked, after all else is noted.
void weft__os_crashes_explain(weft__crash_fn* fn, const void* context);
