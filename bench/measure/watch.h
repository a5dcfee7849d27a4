/// Who else used the CPUs while something was measured, by the system's own accounts.
///
/// The system counts the CPUs' time in ticks of 10 ms and this process' time in nanoseconds, so a
/// short interval shows only coarse shares; a preemption of a few milliseconds shows in the number
/// of involuntary switches. Together they decide whether a sample was disturbed.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define WEFT_WATCH_CPUS_MAX 4096u

/// The CPUs that are watched: those which the process may use.
typedef struct weft_watch_cpus {
    uint64_t mask[WEFT_WATCH_CPUS_MAX / 64];
    uint32_t count;
} weft_watch_cpus;

/// The CPUs that the calling thread may use; so call it before the thread is pinned.
weft_watch_cpus weft_watch_cpus_read(void);

/// Readings at one moment, in nanoseconds from some origin.
typedef struct weft_watch {
    uint64_t wall;
    uint64_t own;      // CPU time of this process, its children and theirs.
    uint64_t busy;     // Of the watched CPUs, whoever used them.
    uint64_t stolen;   // By other machines on the same host.
    uint64_t switches; // Involuntary ones of this process.
    bool known;        // Whether the system tells `busy` and `stolen`.
} weft_watch;

/// Reads all.
weft_watch weft_watch_read(const weft_watch_cpus* cpus);

/// What happened between two readings.
typedef struct weft_watched {
    double others; // Share of the CPUs' time that other processes used; 0 where it is not known.
    double stolen; // Share that other machines took.
    bool known;
    bool disturbed; // More of either, or more switches, than the system's own errands make.
} weft_watched;

/// Compares two readings of the same CPUs.
weft_watched weft_watch_compare(const weft_watch_cpus* cpus, const weft_watch* from,
                                const weft_watch* to);

/// One line of /proc/stat: the CPU's number, and its busy and stolen time in ticks. False for other
/// lines, the sum of all CPUs among them.
bool weft_watch_parse(const char* line, uint32_t* cpu_out, uint64_t* busy_out,
                      uint64_t* stolen_out);

/// Nanoseconds of a steady clock.
uint64_t weft_measure_now_ns(void);

/// Involuntary context switches of this process so far: the system gave a CPU to somebody else.
uint64_t weft_measure_switches(void);

/// Whether so many switches in so long a time are more than the system's own small errands: more
/// than one in 10 ms.
bool weft_measure_is_disturbed(uint64_t switches, uint64_t elapsed_ns);
