/// What the machine is like at the moment, in a few milliseconds.
///
/// On a shared virtual machine the same two CPUs may be near (a cache line goes to and fro in 55 to
/// 130 ns) or far (about 470 ns) from one second to the next, which moves the times of small
/// parallel work 2 to 6 times. So the round trip is part of a result.
#pragma once

#include <weft/topology.h>

/// The longest that weft_probe_line_ns may take.
#define WEFT_PROBE_NS 10000000u

/// The round trip of one cache line between the topology's first CPU and the first one of another
/// core, in nanoseconds: the median of batches between two pinned threads. 0 where there is only
/// one CPU, or where the CPUs were taken away all the time.
double weft_probe_line_ns(const weft_topology* topology, uint64_t limit_ns);

/// The same between two CPUs, by OS index; 0 where they were taken away all the time.
double weft_probe_pair_ns(const weft_topology* topology, const uint32_t cpu[2], uint64_t limit_ns);

/// The clock of the CPU that the caller is on, in GHz, by the time of dependent additions, one a
/// cycle: the best of several batches. 0 in a build without optimisation.
double weft_probe_ghz(void);
