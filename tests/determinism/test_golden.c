// Every workload gives the committed digests: on every machine, compiler, optimisation level and
// sanitizer, serial, on virtual workers and on threads.
//
// A line of the file is a run: workload, entities, ticks, view and full digest after the last tick.
// WEFT_UPDATE_GOLDEN=1 writes the digests anew, and a run of 200 ticks for a workload that has
// none.

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix.h"
#include "workload.h"

#define GOLDEN_PATH WEFT_TEST_DIR "/golden/workload_digests.txt"

enum {
    RUNS_MAX = 256,
    TICKS = 200,
    ENTITIES_MAX = 5000 // More than one shard has.
};

typedef struct golden_run {
    char workload[64];
    uint64_t entity_count;
    uint64_t tick_count;
    char view[WEFT_DIGEST_TEXT];
    char full[WEFT_DIGEST_TEXT];
} golden_run;

static size_t golden_read(golden_run runs[RUNS_MAX]) {
    FILE* file = fopen(GOLDEN_PATH, "r");
    cr_assert_not_null(file, "%s is missing", GOLDEN_PATH);
    size_t count = 0;
    int fields = 0;
    while (count < RUNS_MAX) {
        golden_run* run = &runs[count];
        fields = fscanf(file, "%63s %" SCNu64 " %" SCNu64 " %32s %32s", run->workload,
                        &run->entity_count, &run->tick_count, run->view, run->full);
        if (fields != 5)
            break;
        count++;
    }
    cr_assert(fields == EOF, "%s: line %zu is no run", GOLDEN_PATH, count + 1);
    (void)fclose(file);
    return count;
}

static bool is_updating(void) {
    return getenv("WEFT_UPDATE_GOLDEN") != NULL;
}

// The canary lies about its access: it has no digest of its own.
static bool is_honest(const weft_module* module) {
    return module != &weft_workload_canary;
}

static bool has_long_run(const golden_run* runs, size_t count, const char* workload) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(runs[i].workload, workload) == 0 && runs[i].tick_count >= TICKS)
            return true;
    return false;
}

static size_t add_missing(golden_run runs[RUNS_MAX], size_t count) {
    size_t module_count = 0;
    const weft_module* const* modules = weft_workloads(&module_count);
    for (size_t i = 0; i < module_count; i++) {
        const weft_module* module = modules[i];
        if (!is_honest(module) || has_long_run(runs, count, module->name))
            continue;
        cr_assert_lt(count, RUNS_MAX);
        golden_run* run = &runs[count++];
        (void)snprintf(run->workload, sizeof(run->workload), "%s", module->name);
        run->entity_count = module->entity_count_default < ENTITIES_MAX
                                ? module->entity_count_default
                                : ENTITIES_MAX;
        run->tick_count = TICKS;
    }
    return count;
}

Test(golden, every_run_is_of_a_workload_and_every_workload_has_a_long_run, .timeout = 120) {
    static golden_run runs[RUNS_MAX];
    size_t count = golden_read(runs);
    if (is_updating()) {
        count = add_missing(runs, count);
        FILE* file = fopen(GOLDEN_PATH, "w");
        cr_assert_not_null(file);
        for (size_t i = 0; i < count; i++) {
            golden_run* run = &runs[i];
            weft_verify_digests digests =
                matrix_serial(run->workload, run->entity_count, 1, run->tick_count);
            weft_digest_format(digests.view, run->view);
            weft_digest_format(digests.full, run->full);
            (void)fprintf(file, "%s %" PRIu64 " %" PRIu64 " %s %s\n", run->workload,
                          run->entity_count, run->tick_count, run->view, run->full);
        }
        (void)fclose(file);
    }
    for (size_t i = 0; i < count; i++)
        cr_assert_not_null(weft_workload_find(runs[i].workload), "%s is no workload",
                           runs[i].workload);
    size_t module_count = 0;
    const weft_module* const* modules = weft_workloads(&module_count);
    for (size_t i = 0; i < module_count; i++)
        cr_assert(!is_honest(modules[i]) || has_long_run(runs, count, modules[i]->name),
                  "%s has no run of %d ticks; WEFT_UPDATE_GOLDEN=1 adds it", modules[i]->name,
                  TICKS);
}

ParameterizedTestParameters(golden, runs_have_the_committed_digests) {
    static size_t numbers[64];
    size_t count = 0;
    (void)weft_workloads(&count);
    count = count < 64 ? count : 64;
    for (size_t i = 0; i < count; i++)
        numbers[i] = i;
    return cr_make_param_array(size_t, numbers, count);
}

// The same run now, on all the executors.
static golden_run run_again(const golden_run* run) {
    golden_run now = *run;
    weft_verify_digests digests = matrix_few(run->workload, run->entity_count, 1, run->tick_count);
    weft_digest_format(digests.view, now.view);
    weft_digest_format(digests.full, now.full);
    return now;
}

static bool is_same(const golden_run* a, const golden_run* b) {
    return strcmp(a->view, b->view) == 0 && strcmp(a->full, b->full) == 0;
}

Test(golden, one_changed_digit_is_a_difference, .timeout = 120) {
    golden_run run = {.workload = "overhead", .entity_count = 10, .tick_count = 3};
    run = run_again(&run);
    golden_run now = run_again(&run);
    cr_assert(is_same(&now, &run));
    run.full[31] = run.full[31] == '0' ? '1' : '0';
    cr_assert_not(is_same(&now, &run));
    run.full[31] = now.full[31];
    run.view[0] = run.view[0] == '0' ? '1' : '0';
    cr_assert_not(is_same(&now, &run));
}

// `tests/run --cross` reads the line that a workload prints when all its runs are equal.
ParameterizedTest(size_t* number, golden, runs_have_the_committed_digests, .timeout = 120) {
    static golden_run runs[RUNS_MAX];
    size_t module_count = 0;
    const weft_module* module = weft_workloads(&module_count)[*number];
    cr_assert_leq(module_count, 64);
    if (is_updating() || !is_honest(module))
        return;
    size_t count = golden_read(runs);
    for (size_t i = 0; i < count; i++) {
        const golden_run* run = &runs[i];
        if (strcmp(run->workload, module->name) != 0)
            continue;
        golden_run now = run_again(run);
        cr_assert(is_same(&now, run),
                  "%s of %" PRIu64 " entities over %" PRIu64 " ticks gave view %s and full %s, the "
                  "file has %s and %s; if that was meant, set WEFT_UPDATE_GOLDEN=1 and say why in "
                  "the commit",
                  run->workload, run->entity_count, run->tick_count, now.view, now.full, run->view,
                  run->full);
    }
    printf("golden %s equal\n", module->name);
    (void)fflush(stdout);
}
