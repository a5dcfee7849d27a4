#include "matrix.h"

#include <criterion/criterion.h>
#include <string.h>
#include <weft/memory.h>

#include "effort.h"
#include "workload.h"

#define CONFIGS_MAX 512u

typedef struct matrix_context {
    const weft_module* module;
    weft_module_options options;
    bool shared; // Worlds are in memory that worker processes share.
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
    if (run->shared)
        WEFT_TRY(weft_memory_aliased(false, &memory));
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
    cr_assert_eq(report->result_count, config_count);
    for (size_t i = 0; i < config_count; i++) {
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
    return (matrix_context){matrix_module(workload), {entity_count, seed}, false};
}

static void add(weft_executor_desc* configs, size_t* count, weft_executor_kind kind,
                uint32_t workers) {
    cr_assert_lt(*count, CONFIGS_MAX);
    configs[*count] = weft_executor_desc_default();
    configs[*count].kind = kind;
    configs[(*count)++].worker_count = workers;
}

// Worker processes; what is shared by all is also perturbed.
static weft_verify_digests verify_processes(const matrix_context* run, uint64_t tick_count) {
    static const uint32_t counts[] = {1, 2, 3, 8, 64};
    weft_executor_desc configs[2 * sizeof(counts) / sizeof(counts[0])];
    matrix_context context = *run;
    size_t count = 0;
    context.shared = true;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        add(configs, &count, WEFT_EXECUTOR_PROCESSES, counts[i]);
        configs[count - 1].grain = (uint32_t)i % 3;
        configs[count - 1].sweep = (weft_sweep)(i % 3);
        if (i == 0 || counts[i] > 3)
            continue;
        add(configs, &count, WEFT_EXECUTOR_PROCESSES, counts[i]);
        configs[count - 1].everybody = true;
        configs[count - 1].perturb_seed = 1 + i;
    }
    return verify(&context, tick_count, configs, TEST_HAS_PROCESSES ? count : 0);
}

weft_verify_digests matrix_run(const matrix* run) {
    static const uint32_t threads[] = {1, 2, 3, 4, 8, 64};
    static const uint32_t workers[] = {2, 3, 8};
    weft_executor_desc configs[CONFIGS_MAX];
    matrix_context context = context_of(run->workload, run->entity_count, run->seed);
    size_t count = 0;
    for (size_t i = 0; i < sizeof(workers) / sizeof(workers[0]); i++) {
        for (uint32_t seed = 0; seed < TEST_EFFORT(run->seed_count); seed++) {
            add(configs, &count, WEFT_EXECUTOR_VIRTUAL, workers[i]);
            configs[count - 1].no_fusion = seed % 8 == 7;
            configs[count - 1].sweep = seed % 2 == 0 ? WEFT_SWEEP_AUTO : WEFT_SWEEP_SYSTEM_MAJOR;
            configs[count - 1].schedule_seed = seed;
        }
    }
    if (count > 0)
        (void)verify(&context, run->virtual_tick_count, configs, count);
    count = 0;
    for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
        add(configs, &count, WEFT_EXECUTOR_THREADS, threads[i]);
        configs[count - 1].grain = (uint32_t)i % 3;
        configs[count - 1].everybody = i % 2 == 0;
        configs[count - 1].sweep = (weft_sweep)(i % 3);
    }
    uint64_t ticks = TEST_EFFORT_PART > 1 ? run->tick_count / 3 : run->tick_count;
    (void)verify_processes(&context, ticks);
    return verify(&context, ticks, configs, count);
}

weft_verify_digests matrix_few(const char* workload, uint64_t entity_count, uint64_t seed,
                               uint64_t tick_count) {
    weft_executor_desc configs[2];
    matrix_context context = context_of(workload, entity_count, seed);
    size_t count = 0;
    add(configs, &count, WEFT_EXECUTOR_VIRTUAL, 3);
    add(configs, &count, WEFT_EXECUTOR_THREADS, 2);
    weft_verify_digests digests = verify(&context, tick_count, configs, count);
    weft_verify_digests shared = verify_processes(&context, tick_count);
    cr_assert(weft_digest_equal(digests.view, shared.view) &&
                  weft_digest_equal(digests.full, shared.full),
              "%s: shared memory gives other digests", workload);
    return digests;
}

void matrix_deep(const char* workload, uint64_t entity_count, uint64_t tick_count) {
    weft_executor_desc configs[4];
    matrix_context context = context_of(workload, entity_count, 1);
    size_t count = 0;
    context.shared = TEST_HAS_PROCESSES;
    add(configs, &count, WEFT_EXECUTOR_VIRTUAL, 3);
    add(configs, &count, WEFT_EXECUTOR_VIRTUAL, 3);
    configs[1].sweep = WEFT_SWEEP_SYSTEM_MAJOR;
    configs[1].no_fusion = true;
    add(configs, &count, WEFT_EXECUTOR_THREADS, 2);
    configs[2].everybody = true;
    if (TEST_HAS_PROCESSES) {
        add(configs, &count, WEFT_EXECUTOR_PROCESSES, 2);
        configs[3].everybody = true;
    }
    (void)verify_by(&context, WEFT_VERIFY_DEPTH_SYNC, tick_count, configs, count);
    (void)verify_by(&context, WEFT_VERIFY_DEPTH_HEAVY, tick_count, configs, count);
}

weft_verify_digests matrix_serial(const char* workload, uint64_t entity_count, uint64_t seed,
                                  uint64_t tick_count) {
    matrix_context context = context_of(workload, entity_count, seed);
    return verify(&context, tick_count, NULL, 0);
}
