/// A module's world on an executor, as tests run it.
#pragma once

#include <weft/module.h>

#include "worlds.h"

typedef struct game {
    weft_world* world;
    weft_schedule* schedule;
    weft_executor* executor;
} game;

static inline game game_open(const weft_module* module, const weft_module_options* options,
                             const run_config* config) {
    game g = {0};
    weft_world_desc desc = weft_world_desc_default();
    desc.seed = options->seed;
    if (module->describe != NULL)
        module->describe(options, &desc);
    g.world = world_make_for(config->kind, &desc);
    g.schedule = run_schedule(g.world);
    WORLD_OK(g.world, module->build(options, g.world, g.schedule));
    world_commit(g.world);
    g.executor = run_executor(g.schedule, config);
    return g;
}

static inline void game_close(game* g) {
    weft_executor_destroy(g->executor);
    weft_schedule_destroy(g->schedule);
    weft_world_destroy(g->world);
}

/// Posts what comes in the next tick.
static inline void game_input(const weft_module* module, game* g) {
    if (module->input != NULL)
        WORLD_OK(g->world, module->input(g->world, weft_world_tick(g->world)));
}

static inline void game_tick(const weft_module* module, game* g) {
    game_input(module, g);
    WORLD_OK(g->world, weft_executor_tick(g->executor));
}

static inline weft_digest game_full(game* g) {
    weft_digest full;
    WORLD_OK(g->world, weft_executor_digest(g->executor, NULL, &full));
    return full;
}
