// Every workload, saved to a file at drawn ticks by one executor and loaded by another: the file is
// the same for each, and what was loaded runs on as if it had never stopped.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <weft/random.h>
#include <weft/snapshot.h>

#include "compress.h"
#include "effort.h"
#include "folder.h"
#include "game.h"
#include "workload.h"

#define TICKS 20u
#define STOPS 3u

static test_bytes save(game* g, const char* path, bool compress) {
    weft_snapshot_desc desc = weft_snapshot_desc_default();
    desc.compress = compress;
    WORLD_OK(g->world, weft_snapshot_save(g->executor, path, &desc));
    return bytes_load(path);
}

static void load_and_go_on(const weft_module* module, game* g, const char* path,
                           const weft_digest* expected) {
    weft_snapshot_desc desc = weft_snapshot_desc_default();
    desc.executor = g->executor;
    WORLD_OK(g->world, weft_snapshot_load(g->world, path, &desc));
    for (;;) {
        uint64_t tick = weft_world_tick(g->world);
        cr_assert(weft_digest_equal(game_full(g), expected[tick]), "%s differs after tick %llu",
                  module->name, (unsigned long long)tick);
        if (tick == TICKS)
            break;
        game_tick(module, g);
    }
}

static void stop_and_go_on(const weft_module* module, uint64_t entities, uint32_t draw) {
    weft_module_options options = {entities, 1};
    weft_digest expected[TICKS + 1];
    uint64_t stops[STOPS];
    test_folder folder = folder_open();
    game one = game_open(module, &options, &run_configs[0]);
    for (uint32_t i = 0; i < STOPS; i++)
        stops[i] = weft_random_below((weft_random_key){.seed = 19}, draw, i, TICKS);
    for (uint64_t tick = 0; tick <= TICKS; tick++) {
        if (tick > 0)
            game_tick(module, &one);
        expected[tick] = game_full(&one);
        for (uint32_t i = 0; i < STOPS; i++) {
            char name[] = {(char)('a' + i), '\0'};
            if (stops[i] == tick)
                free(save(&one, folder_file(&folder, name).text,
                          i == 1 && weft__compress_available())
                         .data);
        }
    }
    for (uint32_t i = 0; i < STOPS; i++) {
        char name[] = {(char)('a' + i), '\0'};
        test_path path = folder_file(&folder, name);
        game other = game_open(module, &options, &run_configs[(draw * STOPS + i) % RUN_CONFIGS]);
        weft_snapshot_desc desc = weft_snapshot_desc_default();
        bool compress = i == 1 && weft__compress_available();
        test_bytes bytes = bytes_load(path.text);
        load_and_go_on(module, &other, path.text, expected);
        WORLD_OK(other.world, weft_snapshot_load(other.world, path.text, &desc));
        test_bytes again = save(&other, folder_file(&folder, "again").text, compress);
        cr_assert_eq(again.size, bytes.size);
        cr_assert_eq(memcmp(again.data, bytes.data, bytes.size), 0, "%s: another file",
                     module->name);
        free(again.data);
        free(bytes.data);
        game_close(&other);
    }
    game_close(&one);
    folder_close(&folder);
}

Test(snapshot, every_workload_goes_on_as_if_never_stopped, .timeout = 120) {
    size_t count;
    const weft_module* const* modules = weft_workloads(&count);
    for (uint32_t i = 0; i < count; i++)
        if (modules[i] != &weft_workload_canary) // Which keeps no promise.
            stop_and_go_on(modules[i], modules[i] == &weft_workload_overhead ? 10 : 9000, i);
}

// Several rounds of several parts each.
Test(snapshot, large_worlds, .timeout = 120) {
    weft_module_options options = {TEST_EFFORT_PART > 1 ? 1000000 : 3000000, 1};
    test_folder folder = folder_open();
    test_path path = folder_file(&folder, "large");
    weft_snapshot_desc desc = weft_snapshot_desc_default();
    game one = game_open(&weft_workload_motion, &options, &run_configs[7]);
    game_tick(&weft_workload_motion, &one);
    WORLD_OK(one.world, weft_snapshot_save(one.executor, path.text, &desc));
    weft_digest full = game_full(&one);
    for (int i = 0; i < 2; i++) {
        desc.executor = i == 0 ? one.executor : NULL;
        game_tick(&weft_workload_motion, &one);
        WORLD_OK(one.world, weft_snapshot_load(one.world, path.text, &desc));
        DIGEST_EQ(game_full(&one), full);
        WORLD_OK(one.world, weft_world_digest_check(one.world));
    }
    game_close(&one);
    folder_close(&folder);
}

WEFT_RESOURCE(Noise, (uint64_t, bits));

static weft_world* noise_world(uint64_t seed, uint32_t count) {
    weft_world* world = world_make();
    uint64_t* values = malloc(count * sizeof(uint64_t));
    cr_assert_not_null(values);
    for (uint32_t i = 0; i < count; i++)
        values[i] = weft_random_u64((weft_random_key){.seed = seed}, 0, i);
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Noise), count, values));
    free(values);
    return world;
}

// A part that is larger than the scratch of a worker, compressed and not.
Test(snapshot, large_parts) {
    const uint32_t count = 700000;
    test_folder folder = folder_open();
    test_path path = folder_file(&folder, "noise");
    for (int i = 0; i < 1 + weft__compress_available(); i++) {
        weft_snapshot_desc desc = weft_snapshot_desc_default();
        weft_world* worlds[2] = {noise_world(1, count), noise_world(2, count)};
        weft_schedule* schedules[2] = {run_schedule(worlds[0]), run_schedule(worlds[1])};
        weft_executor* one = run_executor(schedules[0], &run_configs[7]);
        weft_executor* two = run_executor(schedules[1], &run_configs[7]);
        desc.compress = i == 1;
        desc.executor = two;
        WORLD_OK(worlds[0], weft_snapshot_save(one, path.text, &desc));
        WORLD_OK(worlds[1], weft_snapshot_load(worlds[1], path.text, &desc));
        DIGEST_EQ(weft_world_digest_full(worlds[1]), weft_world_digest_full(worlds[0]));
        weft_executor_destroy(one);
        weft_executor_destroy(two);
        for (int j = 0; j < 2; j++) {
            weft_schedule_destroy(schedules[j]);
            weft_world_destroy(worlds[j]);
        }
    }
    folder_close(&folder);
}
