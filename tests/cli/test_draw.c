// Drawn configurations: a seed makes the same one again, and all that may vary does.

#include "cli.h"

#include <criterion/criterion.h>

Test(draw, a_seed_makes_the_same_draw_again) {
    for (uint64_t i = 0; i < 200; i++) {
        uint64_t seed = weft_cli_draw_seed(7, i);
        cr_assert_eq(seed, weft_cli_draw_seed(7, i));
        cr_assert_neq(seed, weft_cli_draw_seed(8, i));
        cr_assert_neq(seed, weft_cli_draw_seed(7, i + 1));
        weft_executor_desc one = weft_cli_draw_config(seed, false, WEFT_GUARD_ALIAS);
        weft_executor_desc two = weft_cli_draw_config(seed, false, WEFT_GUARD_ALIAS);
        cr_assert_eq(one.kind, two.kind);
        cr_assert_eq(one.worker_count, two.worker_count);
        cr_assert_eq(one.schedule_seed, two.schedule_seed);
        cr_assert_eq(one.perturb_seed, two.perturb_seed);
        cr_assert_eq(one.grain, two.grain);
        cr_assert_eq(one.sweep, two.sweep);
    }
}

Test(draw, new_seeds_are_new) {
    uint64_t one = weft_cli_draw_new_seed();
    uint64_t two = weft_cli_draw_new_seed();
    cr_assert_neq(one, two);
}

/// How often something was drawn.
typedef struct counts {
    uint32_t threads;
    uint32_t processes;
    uint32_t workers[65];
    uint32_t odd_workers; // Other than 1, 2, 3, 8, 64.
    uint32_t grains;
    uint32_t by_system;
    uint32_t unfused;
    uint32_t unpinned;
    uint32_t alone;
    uint32_t unspinning;
    uint32_t unyielding;
    uint32_t periodic;
    uint32_t checkpoints;
    uint32_t delayed;
    uint32_t placements[WEFT_PLACEMENT_LIST];
} counts;

static void count(counts* sum, const weft_executor_desc* config) {
    uint32_t workers = config->worker_count;
    bool usual = workers <= 3 || workers == 8 || workers == 64;
    cr_assert(workers >= 1 && workers <= 64);
    cr_assert_neq(config->kind, WEFT_EXECUTOR_SERIAL);
    cr_assert_neq(config->sweep, WEFT_SWEEP_AUTO);
    sum->threads += config->kind == WEFT_EXECUTOR_THREADS;
    sum->processes += config->kind == WEFT_EXECUTOR_PROCESSES;
    sum->workers[workers]++;
    sum->odd_workers += !usual;
    sum->grains += config->grain != 0;
    sum->by_system += config->sweep == WEFT_SWEEP_SYSTEM_MAJOR;
    sum->unfused += config->no_fusion;
    sum->unpinned += !config->pin;
    sum->alone += !config->everybody;
    sum->unspinning += config->spin_ns == 0;
    sum->unyielding += config->yield_ns == 0;
    sum->periodic += config->tick_period_ns != 0;
    sum->checkpoints += config->checkpoint_ticks != 64;
    sum->placements[config->placement.policy]++;
    sum->delayed += config->perturb_seed != 0;
}

Test(draw, everything_varies) {
    enum {
        DRAWS = 2000
    };
    counts sum = {0};
    for (uint64_t i = 0; i < DRAWS; i++) {
        weft_executor_desc config =
            weft_cli_draw_config(weft_cli_draw_seed(1, i), false, WEFT_GUARD_NONE);
        count(&sum, &config);
    }
    const uint32_t parts[] = {
        sum.threads,     sum.workers[1],  sum.workers[2],    sum.workers[3],    sum.workers[8],
        sum.workers[64], sum.odd_workers, sum.grains,        sum.by_system,     sum.unfused,
        sum.unpinned,    sum.alone,       sum.unspinning,    sum.unyielding,    sum.periodic,
        sum.checkpoints, sum.delayed,     sum.placements[0], sum.placements[1], sum.placements[2],
        sum.processes};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        cr_assert(parts[i] > DRAWS / 10 && parts[i] < DRAWS - DRAWS / 10, "part %zu: %u", i,
                  parts[i]);
}

Test(draw, no_pin_is_heard) {
    for (uint64_t i = 0; i < 100; i++)
        cr_assert_not(weft_cli_draw_config(i, true, WEFT_GUARD_NONE).pin);
}

Test(draw, virtual_draws_repeat_from_their_schedule_seed) {
    for (uint64_t i = 0; i < 100; i++) {
        weft_executor_desc config = weft_cli_draw_config(i, false, WEFT_GUARD_NONE);
        if (config.kind == WEFT_EXECUTOR_VIRTUAL)
            cr_assert(config.schedule_seed == i && config.perturb_seed == 0);
    }
}

// Seeds that were printed once stand for what they stood for.
Test(draw, only_seeds_of_their_own_are_processes) {
    for (uint64_t i = 0; i < 400; i++) {
        uint64_t seed = weft_cli_draw_seed(3, i);
        weft_executor_desc drawn = weft_cli_draw_config(seed, false, WEFT_GUARD_ALIAS);
        weft_executor_desc small = weft_cli_draw_config(i, false, WEFT_GUARD_ALIAS);
        weft_executor_desc watched = weft_cli_draw_config(seed, false, WEFT_GUARD_HASH);
        cr_assert_eq(drawn.kind == WEFT_EXECUTOR_PROCESSES, i % 8 == 7);
        cr_assert_neq(small.kind, WEFT_EXECUTOR_PROCESSES);
        cr_assert_eq(watched.kind, WEFT_EXECUTOR_VIRTUAL);
    }
    cr_assert_neq(weft_cli_draw_seed(3, 7), weft_cli_draw_seed(3, 15));
}

Test(draw, what_watches_one_worker_draws_one_at_a_time) {
    for (uint64_t i = 0; i < 100; i++) {
        weft_executor_desc config = weft_cli_draw_config(i, false, WEFT_GUARD_TWIN);
        cr_assert_eq(config.kind, WEFT_EXECUTOR_VIRTUAL);
        cr_assert_eq(config.guard, WEFT_GUARD_TWIN);
        cr_assert_eq(config.schedule_seed, i);
        cr_assert_eq(config.perturb_seed, 0);
    }
}

Test(draw, words) {
    char text[WEFT_CLI_DRAW_SIZE];
    weft_executor_desc config = weft_executor_desc_default();
    config.kind = WEFT_EXECUTOR_THREADS;
    config.worker_count = 8;
    config.sweep = WEFT_SWEEP_SYSTEM_MAJOR;
    config.grain = 2;
    config.pin = false;
    config.no_fusion = config.everybody = true;
    config.perturb_seed = 1;
    weft_cli_draw_text(&config, text);
    cr_assert_str_eq(text,
                     "threads, 8 workers, by system, not fused, grain 2, unpinned, everybody, "
                     "delayed");
    config.pin = true;
    config.placement.policy = WEFT_PLACEMENT_PER_NODE;
    weft_cli_draw_text(&config, text);
    cr_assert_str_eq(text,
                     "threads, 8 workers, by system, not fused, grain 2, per-node, everybody, "
                     "delayed");
    config.kind = WEFT_EXECUTOR_PROCESSES;
    weft_cli_draw_text(&config, text);
    cr_assert_str_eq(text,
                     "processes, 8 workers, by system, not fused, grain 2, per-node, everybody, "
                     "delayed");
    config = weft_executor_desc_default();
    config.kind = WEFT_EXECUTOR_VIRTUAL;
    config.worker_count = 1;
    config.sweep = WEFT_SWEEP_CHUNK_MAJOR;
    weft_cli_draw_text(&config, text);
    cr_assert_str_eq(text, "virtual, 1 worker, by chunk");
}

Test(draw, times) {
    static const struct {
        const char* text;
        double seconds;
    } good[] = {{"60s", 60}, {"90", 90}, {"5m", 300}, {"2h", 7200}, {"1s", 1}};
    static const char* const bad[] = {"",    "0",  "0s", "s",    "5x",  "5ms",        "-1",
                                      "1.5", "5 ", " 5", "1e3s", "0x5", "99999999999"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        double seconds = 0;
        cr_assert(weft_cli_time_parse(good[i].text, &seconds), "%s", good[i].text);
        cr_assert_eq(seconds, good[i].seconds, "%s", good[i].text);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double seconds = 77;
        cr_expect_not(weft_cli_time_parse(bad[i], &seconds), "'%s' was taken", bad[i]);
        cr_expect_eq(seconds, 77);
    }
}
