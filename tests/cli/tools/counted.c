// The program where the system counts, except for what the first word refuses:
// "cycles:19,page-faults:13" gives these the numbers of errors, "-" refuses nothing.

#include "fake_pmu.h"

#include <stdlib.h>

#include <weft/module.h>

static const struct {
    const char* name;
    uint32_t type;
    uint32_t config;
    uint64_t step; // What a tick counts; half of the time.
} counters[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1000},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 3000},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 10},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 1},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 4},
    {"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, 0},
};

int main(int argc, char** argv) {
    if (argc < 2)
        return 2;
    fake_pmu.enabled = 200;
    fake_pmu.running = 100;
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
        const char* at = strstr(argv[1], counters[i].name);
        fake_pmu.value[counters[i].type][counters[i].config] = counters[i].step;
        if (at != NULL)
            fake_pmu.error[counters[i].type][counters[i].config] =
                atoi(at + strlen(counters[i].name) + 1);
    }
    return weft_main(argc - 1, argv + 1, NULL, 0);
}
