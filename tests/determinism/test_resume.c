// Every workload, stopped at drawn ticks: its state is decoded into a fresh world on another
// executor, and back into its own, and both give the digests of the run that never stopped.

#include <weft/random.h>
#include <weft/rollback.h>
#include <weft/state.h>
#include <weft/verify.h>

#include "game.h"
#include "weft_world.h"
#include "workload.h"

#define TICKS 24u
#define STOPS 4u

typedef struct bytes {
    uint8_t* data;
    size_t size;
} bytes;

static weft_status collect(void* context, const void* data, size_t size) {
    bytes* all = context;
    memcpy(all->data + all->size, data, size);
    all->size += size;
    return WEFT_STATUS_OK;
}

static bytes encode(weft_world* world) {
    bytes all = {malloc((size_t)weft_world_encoded_size(world)), 0};
    cr_assert_not_null(all.data);
    WORLD_OK(world, weft_world_encode(world, collect, &all));
    return all;
}

static void check(const weft_module* module, game* g, const weft_verify_digests* expected) {
    weft_verify_digests found;
    WORLD_OK(g->world, weft_executor_digest(g->executor, &found.view, &found.full));
    cr_assert(weft_digest_equal(found.view, expected->view) &&
                  weft_digest_equal(found.full, expected->full),
              "%s: the digests differ after tick %llu", module->name,
              (unsigned long long)weft_world_tick(g->world));
    for (uint32_t i = 0; i < g->world->shards.count; i++)
        cr_assert_null(weft__shard_fault(g->world, i), "%s", weft__shard_fault(g->world, i));
}

// Decodes and goes on to the last tick.
static void resume(const weft_module* module, game* g, const bytes* from,
                   const weft_verify_digests* expected) {
    WORLD_OK(g->world, weft_world_decode(g->world, from->data, from->size));
    bytes again = encode(g->world);
    cr_assert_eq(again.size, from->size);
    cr_assert_eq(memcmp(again.data, from->data, from->size), 0, "%s: other bytes", module->name);
    free(again.data);
    check(module, g, &expected[weft_world_tick(g->world)]);
    while (weft_world_tick(g->world) < TICKS) {
        game_tick(module, g);
        check(module, g, &expected[weft_world_tick(g->world)]);
    }
    WORLD_OK(g->world, weft_world_digest_check(g->world));
}

static void stop_and_resume(const weft_module* module, uint64_t entities, uint32_t draw) {
    weft_module_options options = {entities, 1};
    weft_verify_digests expected[TICKS + 1];
    bytes states[STOPS] = {0};
    uint64_t stops[STOPS];
    for (uint32_t i = 0; i < STOPS; i++)
        stops[i] = weft_random_below((weft_random_key){.seed = 11}, draw, i, TICKS);
    game one = game_open(module, &options, &run_configs[0]);
    for (uint64_t tick = 0; tick <= TICKS; tick++) {
        if (tick > 0)
            game_tick(module, &one);
        for (uint32_t i = 0; i < STOPS; i++)
            if (stops[i] == tick)
                states[i] = encode(one.world);
        expected[tick].view = weft_world_digest_view(one.world);
        expected[tick].full = weft_world_digest_full(one.world);
    }
    for (uint32_t i = 0; i < STOPS; i++) {
        game other = game_open(module, &options, &run_configs[(draw * STOPS + i) % RUN_CONFIGS]);
        if (i % 2 == 1)
            game_tick(module, &other);
        resume(module, &other, &states[i], expected);
        resume(module, &one, &states[i], expected);
        free(states[i].data);
        game_close(&other);
    }
    game_close(&one);
}

// The same by an executor that goes back: to drawn ticks, forth again, and to the end.
static void back_and_forth(const weft_module* module, uint64_t entities, uint32_t draw) {
    weft_module_options options = {entities, 1};
    weft_verify_digests expected[TICKS + 1];
    game one = game_open(module, &options, &run_configs[0]);
    for (uint64_t tick = 0; tick <= TICKS; tick++) {
        if (tick > 0)
            game_tick(module, &one);
        expected[tick].view = weft_world_digest_view(one.world);
        expected[tick].full = weft_world_digest_full(one.world);
    }
    game_close(&one);
    run_config config = run_configs[draw % RUN_CONFIGS];
    config.rollback_ticks = 1 + draw % 5;
    game other = game_open(module, &options, &config);
    for (uint64_t stop = 4; stop <= TICKS; stop += 4) {
        while (weft_world_tick(other.world) < stop) {
            game_tick(module, &other);
            check(module, &other, &expected[weft_world_tick(other.world)]);
        }
        uint64_t oldest;
        cr_assert(weft_executor_rollback_oldest(other.executor, &oldest));
        uint64_t target = oldest + weft_random_below((weft_random_key){.seed = 12}, draw, stop,
                                                     (uint32_t)(stop - oldest) + 1);
        WORLD_OK(other.world, weft_executor_rollback(other.executor, target));
        check(module, &other, &expected[target]);
    }
    while (weft_world_tick(other.world) < TICKS)
        game_tick(module, &other);
    check(module, &other, &expected[TICKS]);
    WORLD_OK(other.world, weft_world_digest_check(other.world));
    game_close(&other);
}

Test(resume, every_workload_goes_back_and_forth, .timeout = 120) {
    size_t count;
    const weft_module* const* modules = weft_workloads(&count);
    for (uint32_t i = 0; i < count; i++)
        if (modules[i] != &weft_workload_canary)
            back_and_forth(modules[i], modules[i] == &weft_workload_overhead ? 10 : 9000, i);
}

Test(resume, every_workload_goes_on_as_if_never_stopped, .timeout = 120) {
    size_t count;
    const weft_module* const* modules = weft_workloads(&count);
    for (uint32_t i = 0; i < count; i++)
        if (modules[i] != &weft_workload_canary) // Which keeps no promise.
            stop_and_resume(modules[i], modules[i] == &weft_workload_overhead ? 10 : 9000, i);
}
