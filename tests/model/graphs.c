#include "graphs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "campaign.h"

static weft_status check(const char* name, const plain_shape* shape, uint64_t seed,
                         const char* repeat) {
    char problem[PLAIN_PROBLEM_SIZE] = "";
    weft_world_desc desc = weft_world_desc_default();
    weft_world* world;
    weft_schedule* schedule;
    plain_graph g;
    plain_graph_init(&g, shape->count + 1);
    plain_graph_draw(&g, shape, seed);
    plain_graph_solve(&g);
    cr_assert_eq(weft_world_create(&desc, NULL, &world), WEFT_STATUS_OK);
    cr_assert_eq(plain_graph_register(&g, world), WEFT_STATUS_OK, "%s", weft_world_error(world));
    cr_assert_eq(weft_schedule_create(world, &schedule), WEFT_STATUS_OK);
    cr_assert_eq(plain_graph_schedule(&g, schedule, NULL), WEFT_STATUS_OK, "%s %s: %s", name,
                 repeat, weft_schedule_error(schedule));
    cr_assert(plain_graph_compare(&g, schedule, problem),
              "%s %s: graph 0x%" PRIX64 " of %u systems, %u types, %u terms, %u and %u relations: "
              "%s",
              name, repeat, seed, shape->count, shape->types, shape->terms, shape->relations,
              shape->backward, problem);
    weft_status result = g.result;
    if (result == WEFT_STATUS_OK) {
        weft_executor_desc executor_desc = weft_executor_desc_default();
        weft_executor* executor;
        executor_desc.kind = WEFT_EXECUTOR_SERIAL;
        cr_assert_eq(weft_executor_create(&executor_desc, schedule, &executor), WEFT_STATUS_OK);
        cr_assert_eq(weft_executor_tick(executor), WEFT_STATUS_OK, "%s", weft_world_error(world));
        weft_executor_destroy(executor);
    }
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
    plain_graph_deinit(&g);
    return result;
}

static uint32_t below(uint64_t* state, uint32_t bound) {
    return (uint32_t)(program_random(state) >> 33) % bound;
}

static plain_shape draw_shape(const graphs_campaign* c, uint64_t* state) {
    plain_shape shape = {.count = 1 + below(state, c->systems), .messages = c->messages};
    shape.types = 1 + below(state, shape.count < PLAIN_TYPES_MAX ? shape.count : PLAIN_TYPES_MAX);
    shape.terms = 1 + below(state, PLAIN_TERMS_MAX);
    shape.relations = below(state, 2 * shape.count);
    shape.backward = below(state, 2) == 0 ? 0 : below(state, 4);
    shape.reach = 1 + below(state, shape.count);
    return shape;
}

void graphs_run(const graphs_campaign* c, uint32_t scale) {
    const char* text = getenv("WEFT_TEST_SEED");
    uint64_t seed = text != NULL ? strtoull(text, NULL, 0) : UINT64_C(0x5EED06A47);
    uint64_t state = seed;
    for (const char* at = c->name; *at != '\0'; at++)
        state = state * 131 + (uint64_t)*at;
    uint32_t graphs = c->graphs * scale;
    graphs = TEST_EFFORT(graphs);
    fprintf(stderr, "graphs, %s: WEFT_TEST_SEED=0x%" PRIX64 ", %u graphs\n", c->name, seed, graphs);
    char repeat[64];
    (void)snprintf(repeat, sizeof(repeat), "WEFT_TEST_SEED=0x%" PRIX64, seed);
    uint32_t counts[3] = {0};
    for (uint32_t i = 0; i < graphs; i++) {
        plain_shape shape = draw_shape(c, &state);
        weft_status result = check(c->name, &shape, program_random(&state), repeat);
        counts[result == WEFT_STATUS_OK ? 0 : (result == WEFT_STATUS_GRAPH_CYCLE ? 1 : 2)]++;
    }
    fprintf(stderr, "graphs, %s: %u built, %u cycles, %u refused\n", c->name, counts[0], counts[1],
            counts[2]);
    cr_assert(graphs < 100 || (counts[0] > graphs / 10 && counts[1] > graphs / 10),
              "the draws are lopsided: %u of %u graphs were built, %u are cycles", counts[0],
              graphs, counts[1]);
}

void graphs_run_one(const char* name, const plain_shape* shape, uint64_t seed) {
#ifdef CAMPAIGN_SLOW
    plain_shape smaller = *shape;
    smaller.count /= 8;
    smaller.relations /= 8;
    shape = &smaller;
#endif
    fprintf(stderr, "graphs, %s: seed 0x%" PRIX64 ", %u systems\n", name, seed, shape->count);
    (void)check(name, shape, seed, "");
}
