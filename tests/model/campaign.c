#include "campaign.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const episode_config host_configs[] = {
    {.name = "host"},
    {.name = "host, small blocks, digests at the end only",
     .lazy_digest = true,
     .block_records = 1},
};

static const episode_config system_configs[] = {
    {.name = "serial", .kind = WEFT_EXECUTOR_SERIAL, .workers = 1},
    {.name = "virtual 2", .kind = WEFT_EXECUTOR_VIRTUAL, .workers = 2},
    {.name = "virtual 3, no fusion",
     .kind = WEFT_EXECUTOR_VIRTUAL,
     .workers = 3,
     .no_fusion = true,
     .block_records = 1},
    {.name = "virtual 4, by system",
     .kind = WEFT_EXECUTOR_VIRTUAL,
     .workers = 4,
     .sweep = WEFT_SWEEP_SYSTEM_MAJOR},
    {.name = "virtual 8", .kind = WEFT_EXECUTOR_VIRTUAL, .workers = 8, .lazy_digest = true},
    {.name = "threads 1", .kind = WEFT_EXECUTOR_THREADS, .workers = 1},
    {.name = "threads 2", .kind = WEFT_EXECUTOR_THREADS, .workers = 2, .everybody = true},
    {.name = "threads 3",
     .kind = WEFT_EXECUTOR_THREADS,
     .workers = 3,
     .grain = 1,
     .block_records = 1},
#if TEST_HAS_PROCESSES
    {.name = "processes 2", .kind = WEFT_EXECUTOR_PROCESSES, .workers = 2, .everybody = true},
#endif
};

static const episode_config back_configs[] = {
    {.name = "serial", .kind = WEFT_EXECUTOR_SERIAL, .workers = 1},
    {.name = "serial, going back", .kind = WEFT_EXECUTOR_SERIAL, .workers = 1, .rollback_ticks = 1},
    {.name = "virtual 3, going back",
     .kind = WEFT_EXECUTOR_VIRTUAL,
     .workers = 3,
     .no_fusion = true,
     .rollback_ticks = 3},
    {.name = "threads 2, going back",
     .kind = WEFT_EXECUTOR_THREADS,
     .workers = 2,
     .everybody = true,
     .grain = 1,
     .rollback_ticks = 5},
#if TEST_HAS_PROCESSES
    {.name = "processes 2, going back",
     .kind = WEFT_EXECUTOR_PROCESSES,
     .workers = 2,
     .everybody = true,
     .rollback_ticks = 4},
#endif
};

// One after the other, in any order and at the same time.
static const episode_config few_configs[] = {
    {.name = "serial", .kind = WEFT_EXECUTOR_SERIAL, .workers = 1},
    {.name = "virtual 3, no fusion",
     .kind = WEFT_EXECUTOR_VIRTUAL,
     .workers = 3,
     .no_fusion = true,
     .block_records = 1},
    {.name = "threads 2",
     .kind = WEFT_EXECUTOR_THREADS,
     .workers = 2,
     .everybody = true,
     .grain = 1},
};

static uint64_t campaign_seed(void) {
    const char* text = getenv("WEFT_TEST_SEED");
    return text != NULL ? strtoull(text, NULL, 0) : UINT64_C(0x5EED0C6);
}

static void report(episode* e, const episode_config* config, const episode_outcome* outcome,
                   const char* name, uint64_t seed) {
    episode_outcome again = {0};
    episode_shrink(e, config, outcome->program);
    episode_run(e, config, &again);
    episode_print(e);
    fprintf(stderr, "after shrinking: %s\n", again.failed ? again.problem : "no failure");
    cr_assert_fail("WEFT_TEST_SEED=0x%" PRIX64 " %s, %s, program %u: %s", seed, name, config->name,
                   outcome->program, outcome->problem);
}

// The first digest of the second run that differs from the first one's; `count` if none does. A
// lazy run has only the last.
static uint32_t first_difference(const weft_digest* a, const weft_digest* b, uint32_t count,
                                 bool lazy) {
    for (uint32_t i = lazy && count > 0 ? 2 * (count - 1) : 0; i < 2 * count; i++)
        if (!weft_digest_equal(a[i], b[i]))
            return i / 2;
    return count;
}

static void run_episode(const char* name, episode* e, uint64_t seed, const episode_config* configs,
                        size_t config_count) {
    weft_digest* first = calloc(2 * (size_t)e->count, sizeof(weft_digest));
    weft_digest* other = calloc(2 * (size_t)e->count, sizeof(weft_digest));
    cr_assert(first != NULL && other != NULL);
    for (size_t i = 0; i < config_count; i++) {
        episode_outcome outcome = {.digests = i == 0 ? first : other};
        episode_run(e, &configs[i], &outcome);
        if (outcome.failed)
            report(e, &configs[i], &outcome, name, seed);
        uint32_t differs = e->count;
        if (i > 0)
            differs = first_difference(first, other, e->count, configs[i].lazy_digest);
        if (differs != e->count)
            episode_print(e);
        cr_assert(differs == e->count,
                  "WEFT_TEST_SEED=0x%" PRIX64 " %s, %s: digests differ after program %u", seed,
                  name, configs[i].name, differs);
    }
    free(first);
    free(other);
}

#define COUNT_OF(list) (sizeof(list) / sizeof((list)[0]))

void campaign_run_episode(const char* name, episode* e, bool few) {
    run_episode(name, e, e->seed, few ? few_configs : system_configs,
                few ? COUNT_OF(few_configs) : COUNT_OF(system_configs));
}

void campaign_run(const campaign* c, uint32_t scale) {
    uint64_t seed = campaign_seed();
    uint64_t state = seed;
    for (const char* at = c->name; *at != '\0'; at++)
        state = state * 131 + (uint64_t)*at;
    uint32_t programs = c->programs * scale;
    programs = TEST_EFFORT(programs);
    fprintf(stderr, "%s: WEFT_TEST_SEED=0x%" PRIX64 ", %u programs\n", c->name, seed, programs);
    for (uint32_t done = 0; done < programs; done += c->length) {
        episode e;
        episode_generate(&e, program_random(&state), c->ground, c->systems, c->length);
        if (c->back)
            run_episode(c->name, &e, seed, back_configs, COUNT_OF(back_configs));
        else
            run_episode(c->name, &e, seed, c->systems ? system_configs : host_configs,
                        c->systems ? COUNT_OF(system_configs) : COUNT_OF(host_configs));
        episode_free(&e);
    }
}
