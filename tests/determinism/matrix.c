#include "matrix.h"

#include <criterion/criterion.h>
#include <string.h>

#include "effort.h"
#include "workload.h"

#define CONFIGS_MAX 512u

typedef struct matrix_context {
    const weft_module* module;
    weft_module_options options;
} matrix_context;

const weft_module* matrix_module(const char* name) {
    size_t count = 0;
    const weft_module* const* modules = weft_workloads(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(modules[i]->name, name) == 0)
            return modules[i];
    cr_assert(0, "no workload is called %s", name);
    return NULL;
}

static weft_status make(void* context, weft_world** world_out, weft_schedule** schedule_out) {
    const matrix_context* run = context;
    weft_world_desc desc = weft_world_desc_default();
    desc.seed = run->options.seed;
    if (run->module->describe != NULL)
        run->module->describe(&run->options, &desc);
    weft_memory memory = weft_memory_system();
    WEFT_TRY(weft_world_create(&desc, &memory, world_out));
    WEFT_TRY(weft_schedule_create(*world_out, schedule_out));
    WEFT_TRY(run->module->build(&run->options, *world_out, *schedule_out));
    WEFT_TRY(weft_world_commit(*world_out));
    return weft_schedule_build(*schedule_out);
}

static bool check(void* context, const weft_world* world, char* line, size_t capacity) {
    const matrix_context* run = context;
    return run->module->check == NULL || run->module->check(world, line, capacity);
}

static weft_verify_digests verify_by(const matrix_context* run, weft_verify_depth depth,
                                     uint64_t tick_count, const weft_executor_desc* configs,
                                     size_t config_count) {
    weft_verify_desc desc = weft_verify_desc_default();
    desc.make = make;
    desc.check = check;
    desc.context = (void*)(uintptr_t)run;
    desc.depth = depth;
    desc.tick_count = tick_count;
    desc.configs = configs;
    desc.config_count = config_count;
    weft_verify_report* report = NULL;
    weft_status status = weft_verify(&desc, &report);
    cr_assert_not_null(report, "%s: %s", run->module->name, weft_status_text(status));
    cr_assert_eq(report->reference.outcome, WEFT_VERIFY_EQUAL, "%s: %s", run->module->name,
                 report->reference.error);
    for (size_t i = 0; i < report->result_count; i++) {
        const weft_verify_result* result = &report->results[i];
        cr_assert_eq(result->outcome, WEFT_VERIFY_EQUAL,
                     "%s, kind %d, %u workers, schedule seed %llu: tick %llu, system %s, %s.%s: "
                     "%s against %s; %s",
                     run->module->name, (int)configs[i].kind, configs[i].worker_count,
                     (unsigned long long)configs[i].schedule_seed, (unsigned long long)result->tick,
                     result->place.system, result->place.type, result->place.field,
                     result->place.reference_text, result->place.found_text, result->error);
    }
    weft_verify_digests last = report->digests[report->digest_count - 1];
    weft_verify_report_destroy(report);
    return last;
}

static weft_verify_digests verify(const matrix_context* run, uint64_t tick_count,
                                  const weft_executor_desc* configs, size_t config_count) {
    return verify_by(run, WEFT_VERIFY_DEPTH_ROOT, tick_count, configs, config_count);
}

static matrix_context context_of(const char* workload, uint64_t entity_count, uint64_t seed) {
    return (matrix_context){matrix_module(workload), {entity_count, seed}};
}

weft_verify_digests matrix_run(const matrix* run) {
    static const uint32_t threads[] = {1, 2, 3, 4, 8, 64};
    static const uint32_t workers[] = {2, 3, 8};
    weft_executor_desc configs[CONFIGS_MAX];
    matrix_context context = context_of(run->workload, run->entity_count, run->seed);
    size_t count = 0;
    for (size_t i = 0; i < sizeof(workers) / sizeof(workers[0]); i++) {
        for (uint32_t seed = 0; seed < TEST_EFFORT(run->seed_count); seed++) {
            cr_assert_lt(count, CONFIGS_MAX);
            configs[count] = weft_executor_desc_default();
            configs[count].kind = WEFT_EXECUTOR_VIRTUAL;
            configs[count].worker_count = workers[i];
            configs[count].no_fusion = seed % 8 == 7;
            configs[count].sweep = seed % 2 == 0 ? WEFT_SWEEP_AUTO : WEFT_SWEEP_SYSTEM_MAJOR;
            configs[count++].schedule_seed = seed;
        }
    }
    if (count > 0)
        (void)verify(&context, run->virtual_tick_count, configs, count);
    count = 0;
    for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
        configs[count] = weft_executor_desc_default();
        configs[count].kind = WEFT_EXECUTOR_THREADS;
        configs[count].grain = (uint32_t)i % 3;
        configs[count].everybody = i % 2 == 0;
        configs[count].sweep = (weft_sweep)(i % 3);
        configs[count++].worker_count = threads[i];
    }
    return verify(&context, TEST_EFFORT_PART > 1 ? run->tick_count / 3 : run->tick_count, configs,
                  count);
}

weft_verify_digests matrix_few(const char* workload, uint64_t entity_count, uint64_t seed,
                               uint64_t tick_count) {
    weft_executor_desc configs[2] = {weft_executor_desc_default(), weft_executor_desc_default()};
    matrix_context context = context_of(workload, entity_count, seed);
    configs[0].kind = WEFT_EXECUTOR_VIRTUAL;
    configs[0].worker_count = 3;
    configs[1].kind = WEFT_EXECUTOR_THREADS;
    configs[1].worker_count = 2;
    return verify(&context, tick_count, configs, 2);
}

void matrix_deep(const char* workload, uint64_t entity_count, uint64_t tick_count) {
    weft_executor_desc configs[3] = {weft_executor_desc_default(), weft_executor_desc_default(),
                                     weft_executor_desc_default()};
    matrix_context context = context_of(workload, entity_count, 1);
    configs[0].kind = configs[1].kind = WEFT_EXECUTOR_VIRTUAL;
    configs[0].worker_count = configs[1].worker_count = 3;
    configs[1].sweep = WEFT_SWEEP_SYSTEM_MAJOR;
    configs[1].no_fusion = true;
    configs[2].kind = WEFT_EXECUTOR_THREADS;
    configs[2].worker_count = 2;
    configs[2].everybody = true;
    (void)verify_by(&context, WEFT_VERIFY_DEPTH_SYNC, tick_count, configs, 3);
    (void)verify_by(&context, WEFT_VERIFY_DEPTH_HEAVY, tick_count, configs, 3);
}

weft_verify_digests matrix_serial(const char* workload, uint64_t entity_count, uint64_t seed,
                                  uint64_t tick_count) {
    matrix_context context = context_of(workload, entity_count, seed);
    return verify(&context, tick_count, NULL, 0);
}
