// Configurations drawn from a seed: who runs the systems and how, in all ways that may not change a
// result. A draw's seed alone makes it again.

#include "cli.h"

#include <time.h>

#include <weft/random.h>

#define SYSTEM_DRAW UINT64_C(0x44524157)
#define SYSTEM_CONFIG UINT64_C(0x434F4E46)
// Every so many draws have a seed that begins so, and stand for worker processes: all other seeds
// are threads or virtual workers, and stay what they are.
#define PROCESSES_EVERY 8u
#define PROCESSES_PREFIX UINT64_C(0x5052)
#define PREFIX_SHIFT 48

uint64_t weft_cli_draw_new_seed(void) {
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    weft_random_key key = {.seed = (uint64_t)now.tv_sec, .tick = (uint64_t)now.tv_nsec};
    return weft_random_u64(key, 0, 0);
}

uint64_t weft_cli_draw_seed(uint64_t perturb_seed, uint64_t draw) {
    weft_random_key key = {.seed = perturb_seed, .system = SYSTEM_DRAW, .tick = draw};
    uint64_t seed = weft_random_u64(key, 0, 0);
    if (draw % PROCESSES_EVERY == PROCESSES_EVERY - 1)
        seed = PROCESSES_PREFIX << PREFIX_SHIFT | seed >> (64 - PREFIX_SHIFT);
    return seed;
}

/// One of a list.
#define PICK(key, number, list)                                                                    \
    ((list)[weft_random_below((key), 0, (number), sizeof(list) / sizeof((list)[0]))])

weft_executor_desc weft_cli_draw_config(uint64_t draw_seed, bool no_pin, weft_guard guard) {
    static const uint32_t workers[] = {1, 2, 3, 8, 64, 0};
    static const uint32_t grains[] = {0, 1, 2, 16, 100};
    static const uint32_t spins[] = {100000, 0, 3000};
    static const uint32_t yields[] = {20000, 0};
    static const uint32_t periods[] = {0, 0, 1000000};
    static const uint32_t checkpoints[] = {64, 1, 7};
    weft_random_key key = {.seed = draw_seed, .system = SYSTEM_CONFIG};
    weft_executor_desc desc = weft_executor_desc_default();
    bool processes = draw_seed >> PREFIX_SHIFT == PROCESSES_PREFIX;
    bool parallel =
        (weft_random_below(key, 0, 0, 2) != 0 || processes) && guard <= WEFT_GUARD_ALIAS;
    desc.kind = WEFT_EXECUTOR_VIRTUAL;
    if (parallel)
        desc.kind = processes ? WEFT_EXECUTOR_PROCESSES : WEFT_EXECUTOR_THREADS;
    desc.guard = guard;
    desc.worker_count = PICK(key, 1, workers);
    if (desc.worker_count == 0)
        desc.worker_count = 1 + weft_random_below(key, 0, 2, 32);
    desc.grain = PICK(key, 3, grains);
    // Not the order that takes less time: a draw repeats.
    desc.sweep =
        weft_random_below(key, 0, 4, 2) == 0 ? WEFT_SWEEP_CHUNK_MAJOR : WEFT_SWEEP_SYSTEM_MAJOR;
    desc.no_fusion = weft_random_below(key, 0, 5, 3) == 0;
    desc.pin = weft_random_below(key, 0, 6, 2) == 0 && !no_pin;
    desc.everybody = weft_random_below(key, 0, 7, 4) != 0;
    desc.spin_ns = PICK(key, 8, spins);
    desc.yield_ns = PICK(key, 9, yields);
    desc.tick_period_ns = PICK(key, 10, periods);
    desc.checkpoint_ticks = PICK(key, 11, checkpoints);
    desc.placement.policy =
        (weft_placement_policy)weft_random_below(key, 0, 13, WEFT_PLACEMENT_LIST);
    bool delayed = weft_random_below(key, 0, 12, 4) != 0;
    if (!parallel)
        desc.schedule_seed = draw_seed;
    else if (delayed)
        desc.perturb_seed = draw_seed != 0 ? draw_seed : 1;
    return desc;
}

void weft_cli_draw_text(const weft_executor_desc* config, char text[WEFT_CLI_DRAW_SIZE]) {
    bool parallel = weft_cli_executor_is_parallel(config->kind);
    char grain[32] = "";
    if (parallel && config->grain != 0)
        (void)snprintf(grain, sizeof grain, ", grain %u", config->grain);
    const char* placement = "";
    if (parallel)
        placement = config->pin ? weft_cli_placement_name(config->placement.policy) : "unpinned";
    (void)snprintf(text, WEFT_CLI_DRAW_SIZE, "%s, %u %s, by %s%s%s%s%s%s%s",
                   weft_cli_executor_name(config->kind), config->worker_count,
                   config->worker_count == 1 ? "worker" : "workers",
                   weft_cli_sweep_name(config->sweep), config->no_fusion ? ", not fused" : "",
                   grain, parallel ? ", " : "", placement,
                   parallel && config->everybody ? ", everybody" : "",
                   config->perturb_seed != 0 ? ", delayed" : "");
}
