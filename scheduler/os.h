/// What the scheduler needs of the operating system: memory, threads, futexes, time, limits.
#pragma once

#include <weft/base.h>

#include "atomics.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Reserves `size` bytes of zeroed, readable and writable private memory, page aligned. Pages cost
/// memory when they are first touched, on the touching thread's node; huge pages are asked for.
/// Fails with OUT_OF_MEMORY, or BAD_ARGUMENT for size 0.
WEFT_NODISCARD weft_status weft__os_region_reserve(size_t size, void** base);

/// Takes back the wish for huge pages in a region that nobody has touched yet.
void weft__os_region_small_pages(void* base, size_t size);

/// The same, shared with the processes that are forked from this one, who have it at the same
/// address. Given back like a region; the memory goes when all have done so, or are gone.
WEFT_NODISCARD weft_status weft__os_shared_reserve(size_t size, void** base);

/// Leaves a region out of processes that are forked later: what is written to it meanwhile is then
/// not copied for them.
void weft__os_region_own(void* base, size_t size);

/// Gives a region back. `base` and `size` are those of the reservation; a null base does nothing.
void weft__os_region_release(void* base, size_t size);

/// Bytes of a page.
size_t weft__os_page_size(void);

/// Memory that is mapped twice: what is at `base` + n is also at `base` + `range` + n. Both
/// mappings are made at once and are the same in processes forked from this one; memory is taken
/// piece by piece, by whichever process.
typedef struct weft__os_pair {
    uint8_t* base;
    size_t range;
    int file;
} weft__os_pair;

/// Maps at most `range_max` bytes, fewer where there are not so many addresses or the process's
/// limit on file sizes does not allow it, and takes no memory: touch nothing of it yet. The second
/// mapping is writable if `both`. Fails with OUT_OF_MEMORY, or UNSUPPORTED where the system has no
/// memory files.
WEFT_NODISCARD weft_status weft__os_pair_open(size_t range_max, bool both, weft__os_pair* pair);

/// Takes memory for `size` bytes of zeroes at an offset, both multiples of a page. Fails with
/// OUT_OF_MEMORY; without this touching it might end the process instead.
WEFT_NODISCARD weft_status weft__os_pair_take(const weft__os_pair* pair, size_t offset,
                                              size_t size);

/// Gives it back; it reads as zeroes then.
void weft__os_pair_give(const weft__os_pair* pair, size_t offset, size_t size);

/// Unmaps it here. The memory goes when no process has it any more.
void weft__os_pair_close(const weft__os_pair* pair);

typedef enum weft__os_access {
    WEFT__OS_NONE = 0,
    WEFT__OS_READ = 1,
    WEFT__OS_WRITE = 2, // And read.
} weft__os_access;

/// Says what may be done with whole pages. Fails with OS: the process has too many mappings.
WEFT_NODISCARD weft_status weft__os_protect(void* base, size_t size, weft__os_access access);

/// What a thread runs.
typedef void (*weft__os_thread_function)(void* context);

/// A thread. It stays at its address from start to join.
typedef struct weft__os_thread {
    pthread_t handle;
    weft__os_thread_function function;
    void* context;
} weft__os_thread;

/// Starts a thread with an ample stack. All signals but those of its own faults are blocked in it,
/// so a process-wide signal goes to a thread of the user. `name` (cut to 15 bytes) shows in
/// debuggers and may be null.
WEFT_NODISCARD weft_status weft__os_thread_start(weft__os_thread* thread,
                                                 weft__os_thread_function function, void* context,
                                                 const char* name);

/// The signals that are blocked in workers: all but those of their own faults, which else would end
/// the process without the handler that reports them.
void weft__os_worker_signals(sigset_t* blocked);

/// Waits until a started thread has returned. Exactly once per start.
void weft__os_thread_join(weft__os_thread* thread);

/// Sleeps while the word holds `expected`, until weft__os_clock_ns() shows `deadline_ns` if that is
/// not 0. Returns false when the deadline has come. May return early for no reason: look again.
/// `shared` is true if threads of other processes wake it, and the same for all waits and wakes on
/// a word.
bool weft__os_futex_wait(const weft__atomic_u32* word, uint32_t expected, uint64_t deadline_ns,
                         bool shared);

/// Wakes up to `count` sleepers of the word.
void weft__os_futex_wake(const weft__atomic_u32* word, uint32_t count, bool shared);

/// Nanoseconds of a clock that never goes back; the start is arbitrary.
uint64_t weft__os_clock_ns(void);

/// Whether weft__os_cycles() counts evenly and alike on all CPUs: the system itself tells the time
/// by it.
bool weft__os_cycles_usable(void);

/// A counter that is read in half the time of a clock; where there is none, the clock.
static inline uint64_t weft__os_cycles(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return weft__os_clock_ns();
#endif
}

/// Gives the CPU to whoever else waits for it.
void weft__os_yield(void);

/// Lets the calling thread's timed sleeps end on time, not within the usual slack of 50 us.
void weft__os_timer_exact(void);

/// A clock of the CPU time that somebody has had.
typedef int weft__os_cpu_clock;

/// The calling thread's, for other threads of the process. There is none for other processes: while
/// one runs, what it has had is told to others every few milliseconds only.
weft__os_cpu_clock weft__os_cpu_clock_own(void);

/// Reads it; 0 if the system does not tell. A system call.
uint64_t weft__os_cpu_clock_ns(weft__os_cpu_clock clock);

/// The calling process's number.
int weft__os_process_id(void);

/// How long the main thread of a process has ever waited for a CPU when it could have run, up to
/// when it last got one. False if the system does not tell. Some system calls.
bool weft__os_cpu_wait_ns(int process, uint64_t* wait_ns);

/// How often the calling thread has lost its CPU to another that wanted it. A system call.
uint64_t weft__os_preemptions(void);

/// A word that each process has for itself: 1 in this one, 0 in a process that is forked from it,
/// until that one sets its own. Null if there is no memory.
const volatile uint32_t* weft__os_fork_mark_create(void);
void weft__os_fork_mark_set(const volatile uint32_t* mark, uint32_t value);
void weft__os_fork_mark_destroy(const volatile uint32_t* mark);

/// Bytes that the source text of weft__os_cpu_quota needs at most; longer text is cut.
#define WEFT__OS_SOURCE_SIZE 256

/// The CPU time quota of this process in thousandths of a CPU, rounded up: the smallest limit of
/// its control group and the group's parents, version 2 (cpu.max) and version 1 (cpu.cfs_quota_us
/// by cpu.cfs_period_us). 0 means that none is set or that none could be read; `source` tells which
/// file, or why. `root_dir` stands for "/" (null is the machine's own): below it are read
/// proc/self/cgroup, proc/self/mountinfo (where absent, the usual mount points are taken) and the
/// files below sys/fs/cgroup.
void weft__os_cpu_quota(const char* root_dir, uint32_t* milli_cpus, char* source,
                        size_t source_size);

/// How many CPUs the calling thread may run on; at least 1.
uint32_t weft__os_affinity_count(void);

/// Writes the indices of the CPUs that the calling thread may run on, ascending, up to `capacity`,
/// and returns how many there are in all; 0 if the system does not tell.
uint32_t weft__os_affinity_list(uint32_t* cpus, uint32_t capacity);

/// Restricts the calling thread to one CPU. Fails with OS.
WEFT_NODISCARD weft_status weft__os_affinity_set(uint32_t cpu);
