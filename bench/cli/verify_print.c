// What `weft verify` says: a table of all runs and, on a difference, the one screen from which its
// cause is found.

#include "verify_job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static weft_math_backend job_math(const verify_job* job) {
    return weft_cli_world_desc(job->module, &job->sizes).math;
}

void verify_print_head(const verify_job* job) {
    char entities[WEFT_CLI_NUMBER_SIZE];
    char ticks[WEFT_CLI_NUMBER_SIZE];
    printf("module    %s: %s\n", job->module->name,
           job->module->summary != NULL ? job->module->summary : "");
    printf("size      %s entities, %s ticks, seed %" PRIu64 "%s\n",
           weft_cli_number(job->sizes.entity_count, entities),
           weft_cli_number(job->tick_count, ticks), job->sizes.seed,
           weft_cli_math_note(job_math(job)));
    if (job->entities_cut)
        printf("          entities cut from %s; --entities N sets them\n",
               weft_cli_number(job->module->entity_count_default, entities));
    if (job->ticks_cut)
        printf("          ticks cut from %s to keep the runs short; --ticks N sets them\n",
               weft_cli_number(job->module->tick_count_default, ticks));
    if (job->options->depth == WEFT_VERIFY_DEPTH_SYNC)
        printf("check     sync: each tick also serially, from its encoded state\n");
    if (job->options->depth == WEFT_VERIFY_DEPTH_HEAVY)
        printf("check     heavy: also the output of every task\n");
    if (job->draws.wanted && !job->draws.one)
        printf("draws     from seed 0x%016" PRIx64 "; --perturb-seed takes it\n", job->draws.seed);
    printf("\n");
    (void)fflush(stdout);
}

// The table --------------------------------------------------------------------------------------

/// The runs of a group, summed up.
typedef struct group_sum {
    size_t equal;
    size_t different;
    size_t failed;
    const weft_verify_result* shown; // The first that is not equal, else the first.
    size_t shown_config;
} group_sum;

static group_sum group_sum_up(const verify_job* job, const verify_group* group) {
    group_sum sum = {0};
    for (size_t i = group->first; i < group->first + group->count; i++) {
        const weft_verify_result* result = &job->report->results[i];
        bool equal = result->outcome == WEFT_VERIFY_EQUAL;
        bool first = sum.shown == NULL;
        sum.equal += equal;
        sum.different += result->outcome == WEFT_VERIFY_DIFFERENT;
        sum.failed += result->outcome == WEFT_VERIFY_FAILED;
        if (first || (!equal && sum.shown->outcome == WEFT_VERIFY_EQUAL)) {
            sum.shown = result;
            sum.shown_config = i;
        }
    }
    return sum;
}

/// What became of a group: "equal", "different at tick 17", "failed", "not run".
static void group_result_text(const verify_group* group, const group_sum* sum, char* text,
                              size_t capacity) {
    size_t odd = sum->different + sum->failed;
    int length = 0;
    if (sum->different > 0 && sum->shown->outcome == WEFT_VERIFY_DIFFERENT)
        length = snprintf(text, capacity, "different at tick %" PRIu64, sum->shown->tick);
    else if (odd > 0)
        length = snprintf(text, capacity, "failed after tick %" PRIu64, sum->shown->tick);
    else
        length = snprintf(text, capacity, "%s", sum->equal == group->count ? "equal" : "not run");
    if (group->count > 1 && odd > 0 && length > 0 && (size_t)length < capacity)
        (void)snprintf(text + length, capacity - (size_t)length, ", %zu of %zu seeds", odd,
                       group->count);
}

static void table_add_row(weft_cli_table* table, const char* executor, uint32_t workers,
                          size_t seeds, const weft_verify_result* result, const char* text,
                          double time_s) {
    char number[WEFT_CLI_NUMBER_SIZE];
    char digest[WEFT_DIGEST_TEXT] = "";
    weft_cli_table_add(table, "%s", executor);
    weft_cli_table_add(table, "%u", workers);
    weft_cli_table_add(table, seeds > 0 ? "%zu" : "-", seeds);
    weft_cli_table_add(table, "%s", weft_cli_number(result->tick, number));
    weft_cli_table_add(table, "%s", text);
    weft_cli_table_add(table, "%s", weft_cli_seconds(time_s, number));
    if (result->outcome == WEFT_VERIFY_EQUAL || result->outcome == WEFT_VERIFY_DIFFERENT)
        weft_digest_format(result->found.full, digest);
    weft_cli_table_add(table, "%s", digest);
}

static void table_print(const verify_job* job) {
    static const char* const head[] = {"executor", "workers", "seeds", "ticks",
                                       "result",   "time",    "digest"};
    const weft_verify_report* report = job->report;
    weft_cli_table table = weft_cli_table_create("lrrrlrl");
    for (size_t i = 0; i < sizeof head / sizeof head[0]; i++)
        weft_cli_table_add(&table, "%s", head[i]);
    const weft_verify_result* reference = &report->reference;
    const char* text = reference->outcome == WEFT_VERIFY_FAILED    ? "failed"
                       : reference->outcome == WEFT_VERIFY_NOT_RUN ? "not run"
                                                                   : "reference";
    table_add_row(&table, "serial", 1, 0, reference, text, job->reference_s);
    // Without a reference nothing was compared.
    size_t row_count = reference->outcome == WEFT_VERIFY_FAILED ? 0 : job->group_count;
    for (size_t i = 0; i < row_count; i++) {
        const verify_group* group = &job->groups[i];
        char result_text[96];
        group_sum sum = group_sum_up(job, group);
        uint32_t workers = sum.shown->worker_count;
        group_result_text(group, &sum, result_text, sizeof result_text);
        table_add_row(&table, weft_cli_executor_name(group->executor.kind),
                      workers != 0 ? workers : group->executor.worker_count,
                      group->executor.kind == WEFT_EXECUTOR_VIRTUAL ? group->count : 0, sum.shown,
                      result_text, group->time_s);
    }
    weft_cli_table_print(&table, stdout);
}

// One difference ---------------------------------------------------------------------------------

static verify_suspect suspect_of(const verify_job* job, size_t config) {
    return (verify_suspect){&job->configs[config], &job->report->results[config], false};
}

/// The last drawn configuration.
static verify_suspect suspect_drawn(const verify_job* job) {
    return (verify_suspect){&job->draws.last, &job->report->drawn, true};
}

/// The first configuration with this outcome, drawn ones last. False if there is none.
bool verify_suspect_find(const verify_job* job, weft_verify_outcome outcome, verify_suspect* out) {
    for (size_t i = 0; i < job->report->result_count; i++) {
        *out = suspect_of(job, i);
        if (out->result->outcome == outcome)
            return true;
    }
    *out = suspect_drawn(job);
    return job->report->draw_count > 0 && out->result->outcome == outcome;
}

/// The executor of a configuration in words.
void verify_suspect_text(const verify_suspect* one, char* text, size_t capacity) {
    const weft_executor_desc* desc = one->config;
    uint32_t workers = one->result->worker_count;
    char drawn[WEFT_CLI_DRAW_SIZE];
    if (one->drawn) {
        weft_cli_draw_text(desc, drawn);
        (void)snprintf(text, capacity, "%s", drawn);
        return;
    }
    int length = snprintf(text, capacity, "%s, %u %s", weft_cli_executor_name(desc->kind), workers,
                          workers == 1 ? "worker" : "workers");
    if (desc->kind == WEFT_EXECUTOR_VIRTUAL && length > 0 && (size_t)length < capacity)
        (void)snprintf(text + length, capacity - (size_t)length, ", schedule seed %" PRIu64,
                       desc->schedule_seed);
}

static void command_print_config(const verify_job* job, const verify_suspect* one, FILE* file) {
    const weft_executor_desc* desc = one->config;
    if (one->drawn) {
        (void)fprintf(file, " --perturb-draw 0x%016" PRIx64, job->draws.last_seed);
        return;
    }
    (void)fprintf(file, " --configs %s", weft_cli_executor_name(desc->kind));
    if (desc->kind != WEFT_EXECUTOR_SERIAL)
        (void)fprintf(file, ":%u", one->result->worker_count);
    if (desc->kind == WEFT_EXECUTOR_VIRTUAL)
        (void)fprintf(file, " --schedule-seed %" PRIu64 " --seeds 1", desc->schedule_seed);
    if (desc->kind != WEFT_EXECUTOR_VIRTUAL || job->options->has_sweep)
        (void)fprintf(file, " --sweep %s", weft_cli_sweep_name(desc->sweep));
}

/// Nothing for a placement that was permuted.
static void placement_print(const weft_cli_options* options, FILE* file) {
    const weft_placement* placement = &options->placement;
    if (options->has_placement && placement->policy != WEFT_PLACEMENT_LIST)
        (void)fprintf(file, " --placement %s", weft_cli_placement_name(placement->policy));
    for (uint32_t i = 0; i < placement->cpu_count; i++)
        (void)fprintf(file, "%s%u", i == 0 ? " --cpus " : ",", placement->cpus[i]);
}

// Threads get all ticks, for more chances.
void verify_suspect_command(const verify_job* job, const verify_suspect* one, const char* command,
                            FILE* file) {
    bool all = weft_cli_executor_is_parallel(one->config->kind) ||
               one->result->outcome == WEFT_VERIFY_FAILED;
    uint64_t tick = all ? job->tick_count : one->result->tick;
    weft_cli_shell_print(file, job->cli->program);
    (void)fprintf(file, " %s", command);
    if (job->module_name != NULL) {
        (void)fputc(' ', file);
        weft_cli_shell_print(file, job->module_name);
    }
    (void)fprintf(file, " --entities %" PRIu64 " --seed %" PRIu64 " --ticks %" PRIu64,
                  job->sizes.entity_count, job->sizes.seed, tick);
    command_print_config(job, one, file);
    if (job->options->has_guard)
        (void)fprintf(file, " --guard=%s", weft_guard_name(job->options->guard));
    if (job->options->no_pin)
        (void)fputs(" --no-pin", file);
    placement_print(job->options, file);
    if (job->options->layout_path != NULL) {
        (void)fputs(" --layout ", file);
        weft_cli_shell_print(file, job->options->layout_path);
    }
    if (job->options->digest_check)
        (void)fputs(" --digest-check", file);
    if (job->options->depth != WEFT_VERIFY_DEPTH_ROOT)
        (void)fprintf(file, " --check %s", weft_cli_depth_name(job->options->depth));
}

/// Why a part of the place is not known.
static void place_print_unknown(const weft_verify_place* place, const char* part) {
    printf("  %-9s  unknown: the difference did not show again in %u re-runs, so it hangs on "
           "timing;\n"
           "             virtual executors with more --seeds find such places repeatably\n",
           part, place->attempt_count);
}

void verify_task_print(const weft_verify_place* place) {
    if (place->tick == 0) {
        printf(
            "  system     none: the worlds differ before the first tick, so building them is not "
            "repeatable\n");
        return;
    }
    if (!place->traced) {
        place_print_unknown(place, "system");
        return;
    }
    if (!place->has_task) {
        printf("  system     the output that each system declares is the same: one of them changes "
               "what it does not\n"
               "             declare, or the difference was made outside of systems\n");
        return;
    }
    printf("  system     %s (stage %u, rank %u)%s\n", place->system, place->stage, place->rank,
           place->task_missing ? ", which ran in one of the runs only" : "");
    if (place->world_scope)
        printf("  chunk      none: the system runs once per tick\n");
    else
        printf("  chunk      archetype %u, shard %u (slots %" PRIu64 " to %" PRIu64 ")\n",
               place->archetype, place->shard, (uint64_t)place->shard * WEFT_SHARD_SLOTS,
               (uint64_t)place->shard * WEFT_SHARD_SLOTS + WEFT_SHARD_SLOTS - 1);
}

void verify_value_print(const weft_verify_result* result, const char* reference,
                        const char* found) {
    char number[WEFT_CLI_NUMBER_SIZE];
    const weft_verify_place* place = &result->place;
    if (weft_digest_equal(result->found.full, result->reference.full)) {
        printf("  value      none: the states after the tick are equal, so what differs was "
               "dropped, like a message\n"
               "             that nobody reads\n");
        return;
    }
    if (!place->compared) {
        place_print_unknown(place, "value");
        return;
    }
    if (place->kind == WEFT_VERIFY_KIND_NONE) {
        printf("  value      every entity and value is the same: what differs is the order of free "
               "slots, the ids of\n"
               "             archetypes or messages for the next tick\n");
        return;
    }
    if (place->kind <= WEFT_VERIFY_KIND_FIELD)
        printf("  entity     slot %u, generation %u\n", place->entity.slot,
               place->entity.generation);
    switch (place->kind) {
    case WEFT_VERIFY_KIND_NONE:
    case WEFT_VERIFY_KIND_ALIVE:
        break;
    case WEFT_VERIFY_KIND_PRESENCE:
        printf("  component  %s\n", place->type);
        break;
    case WEFT_VERIFY_KIND_FIELD:
        printf("  component  %s.%s\n", place->type, place->field);
        break;
    case WEFT_VERIFY_KIND_RESOURCE:
        printf("  resource   %s[%" PRIu64 "].%s\n", place->type, place->index, place->field);
        break;
    case WEFT_VERIFY_KIND_MESSAGE:
        printf("  message    %s[%" PRIu64 "].%s\n", place->type, place->index, place->field);
        break;
    case WEFT_VERIFY_KIND_COUNT:
        printf("  channel    %s\n", place->type);
        break;
    case WEFT_VERIFY_KIND_REDUCTION:
        printf("  reduction  %s.%s\n", place->type, place->field);
        break;
    }
    printf("  %-9s  %s\n  %-9s  %s\n", reference, place->reference_text, found, place->found_text);
    if (place->entity_count > 0)
        printf("  extent     %s %s at the end of this tick\n",
               weft_cli_number(place->entity_count, number),
               place->entity_count == 1 ? "entity differs" : "entities differ");
}

void verify_digests_print(const char* label, weft_verify_digests digests) {
    char view[WEFT_DIGEST_TEXT];
    char full[WEFT_DIGEST_TEXT];
    weft_digest_format(digests.view, view);
    weft_digest_format(digests.full, full);
    printf("  %-9s  view %s full %s\n", label, view, full);
}

/// The screen on the first difference between a configuration and the serial run.
static void difference_print(const verify_job* job, const verify_suspect* one) {
    const weft_verify_result* result = one->result;
    const weft_verify_place* place = &result->place;
    char text[WEFT_CLI_DRAW_SIZE];
    verify_suspect_text(one, text, sizeof text);
    printf("\nDIFFERENT from the serial run: %s\n\n", text);
    if (one->drawn)
        printf("  draw       0x%016" PRIx64 "\n", job->draws.last_seed);
    if (result->tick == 0)
        printf("  tick       0: the state before the first tick\n");
    else if (result->tick == 1)
        printf("  tick       1: the states before the first tick are equal\n");
    else
        printf("  tick       %" PRIu64 ": the states after ticks 1 to %" PRIu64 " are equal\n",
               result->tick, result->tick - 1);
    if (place->repeated && place->tick != result->tick)
        printf("  again      at tick %" PRIu64 " of a re-run, which the next lines are about\n",
               place->tick);
    if (place->repeated || place->traced || place->compared) {
        verify_task_print(place);
        verify_value_print(result, "serial", "here");
    } else {
        place_print_unknown(place, "place");
    }
    if (place->unstable)
        printf("  warning    the serial run did not repeat itself: the simulation depends on "
               "something that is not\n"
               "             in the world, such as a clock, an address, global or uninitialised "
               "memory\n");
    verify_digests_print("serial", result->reference);
    verify_digests_print("here", result->found);
    printf("  repeat     ");
    verify_suspect_command(job, one, "verify", stdout);
    printf("\n  bisect     ");
    verify_suspect_command(job, one, "bisect", stdout);
    printf("\n");
    if (weft_cli_executor_is_parallel(one->config->kind))
        printf("             threads hang on timing: it may take several runs\n");
}

/// Lines before the line of tick 0 in a hash file.
#define HASH_FILE_HEAD_LINES 9u

static void against_print(const verify_job* job) {
    const weft_verify_report* report = job->report;
    const weft_verify_result* result = &report->reference;
    const char* path = job->options->against_path;
    const char* version = job->against.identity.version;
    if (result->outcome == WEFT_VERIFY_EQUAL)
        printf("\n%s: equal, %" PRIu64 " ticks\n", path, result->tick);
    if (result->outcome != WEFT_VERIFY_DIFFERENT)
        return;
    printf("\nDIFFERENT from the file: the serial run\n\n");
    printf("  file       %s:%" PRIu64 "\n", path, result->tick + HASH_FILE_HEAD_LINES + 1);
    printf("  tick       %" PRIu64 "\n", result->tick);
    verify_digests_print("in file", result->reference);
    verify_digests_print("here", result->found);
    if (report->expected_resumes)
        printf(
            "  hint       later ticks are equal again, which no simulation does: this line of the "
            "file is damaged\n");
    if (strcmp(version, weft_version()) != 0)
        printf("  hint       the file was made by weft %s, this is weft %s\n", version,
               weft_version());
}

static void failure_print(const verify_job* job) {
    const weft_verify_report* report = job->report;
    char text[WEFT_CLI_DRAW_SIZE];
    verify_suspect one;
    if (report->reference.outcome == WEFT_VERIFY_FAILED)
        weft_cli_complain("%s: serial: %s [%s]", job->module->name, report->reference.error,
                          weft_status_name(report->reference.status));
    if (!verify_suspect_find(job, WEFT_VERIFY_FAILED, &one))
        return;
    verify_suspect_text(&one, text, sizeof text);
    weft_cli_complain("%s: %s: %s [%s]", job->module->name, text, one.result->error,
                      weft_status_name(one.result->status));
}

/// How a drawn run that failed is made again.
static void failed_draw_print(const verify_job* job) {
    verify_suspect one = suspect_drawn(job);
    if (one.result->outcome != WEFT_VERIFY_FAILED)
        return;
    printf("\n  draw       0x%016" PRIx64 "\n  repeat     ", job->draws.last_seed);
    verify_suspect_command(job, &one, "verify", stdout);
    printf("\n");
}

/// Drawn schedules a minute; 0 if there was no time to tell.
static uint64_t draws_per_minute(const verify_job* job) {
    double seconds = job->draws.ended_s - job->draws.started_s;
    return seconds > 0 ? (uint64_t)((double)job->report->draw_count * 60 / seconds) : 0;
}

/// What became of the drawn configurations, in a line.
static void draws_print(const verify_job* job) {
    const weft_verify_report* report = job->report;
    char count[WEFT_CLI_NUMBER_SIZE];
    char time[WEFT_CLI_NUMBER_SIZE];
    char rate[WEFT_CLI_NUMBER_SIZE];
    if (!job->draws.wanted || report->reference.outcome == WEFT_VERIFY_FAILED)
        return;
    const char* text = report->drawn.outcome == WEFT_VERIFY_DIFFERENT ? "the last one is different"
                       : report->drawn.outcome == WEFT_VERIFY_FAILED  ? "the last one failed"
                                                                      : "all equal";
    printf("\ndrawn     %s schedule%s in %s, %s a minute: %s\n",
           weft_cli_number(report->draw_count, count), report->draw_count == 1 ? "" : "s",
           weft_cli_seconds(job->draws.ended_s - job->draws.started_s, time),
           weft_cli_number(draws_per_minute(job), rate), text);
}

/// What a guard found first; null if nothing was.
static const weft_guard_report* guard_found(const weft_verify_report* report) {
    if (report->reference.guard.found)
        return &report->reference.guard;
    for (size_t i = 0; i < report->result_count; i++) {
        if (report->results[i].guard.found)
            return &report->results[i].guard;
    }
    return report->drawn.guard.found ? &report->drawn.guard : NULL;
}

void verify_print(const verify_job* job) {
    const weft_verify_report* report = job->report;
    size_t equal = 0;
    verify_suspect one;
    for (size_t i = 0; i < report->result_count; i++)
        equal += report->results[i].outcome == WEFT_VERIFY_EQUAL;
    bool all = equal == report->result_count;
    if (report->draw_count > 0) {
        bool last = report->drawn.outcome != WEFT_VERIFY_DIFFERENT &&
                    report->drawn.outcome != WEFT_VERIFY_FAILED;
        equal += report->draw_count - (last ? 0 : 1);
        all = all && last;
    }
    table_print(job);
    draws_print(job);
    if (job->options->against_path != NULL)
        against_print(job);
    if (verify_suspect_find(job, WEFT_VERIFY_DIFFERENT, &one))
        difference_print(job, &one);
    if (all && equal > 0)
        printf("\nequal: %zu runs, every digest of every tick is the serial run's\n", equal);
    failed_draw_print(job);
    failure_print(job);
    const weft_guard_report* found = guard_found(job->report);
    if (found != NULL)
        weft_cli_guard_print(found);
}

// JSON -------------------------------------------------------------------------------------------

static const char* outcome_name(weft_verify_outcome outcome) {
    static const char* const names[] = {
        [WEFT_VERIFY_NOT_RUN] = "not_run",
        [WEFT_VERIFY_EQUAL] = "equal",
        [WEFT_VERIFY_DIFFERENT] = "different",
        [WEFT_VERIFY_FAILED] = "failed",
    };
    return names[outcome];
}

static const char* kind_name(weft_verify_kind kind) {
    static const char* const names[] = {
        [WEFT_VERIFY_KIND_NONE] = "hidden",       [WEFT_VERIFY_KIND_ALIVE] = "entity",
        [WEFT_VERIFY_KIND_PRESENCE] = "presence", [WEFT_VERIFY_KIND_FIELD] = "component",
        [WEFT_VERIFY_KIND_RESOURCE] = "resource", [WEFT_VERIFY_KIND_MESSAGE] = "message",
        [WEFT_VERIFY_KIND_COUNT] = "channel",     [WEFT_VERIFY_KIND_REDUCTION] = "reduction",
    };
    return names[kind];
}

json_t* verify_place_json(const weft_verify_place* place) {
    json_t* task = place->has_task
                       ? json_pack("{s:s, s:i, s:i, s:i, s:i, s:b}", "system", place->system,
                                   "stage", (int)place->stage, "rank", (int)place->rank,
                                   "archetype", (int)place->archetype, "shard", (int)place->shard,
                                   "missing", (int)place->task_missing)
                       : json_null();
    json_t* value =
        json_pack("{s:s, s:I, s:I, s:I, s:s, s:s, s:s, s:s, s:I}", "kind", kind_name(place->kind),
                  "slot", (json_int_t)place->entity.slot, "generation",
                  (json_int_t)place->entity.generation, "index", (json_int_t)place->index, "type",
                  place->type, "field", place->field, "serial", place->reference_text, "here",
                  place->found_text, "entities_different", (json_int_t)place->entity_count);
    return json_pack("{s:I, s:b, s:b, s:b, s:b, s:I, s:o, s:o}", "attempts",
                     (json_int_t)place->attempt_count, "repeated", (int)place->repeated, "traced",
                     (int)place->traced, "compared", (int)place->compared, "serial_run_unstable",
                     (int)place->unstable, "tick", (json_int_t)place->tick, "task", task, "value",
                     value);
}

static json_t* result_json(const weft_verify_result* result) {
    json_t* object = json_pack(
        "{s:s, s:i, s:I, s:o, s:o}", "result", outcome_name(result->outcome), "workers",
        (int)result->worker_count, "tick", (json_int_t)result->tick, "view",
        weft_cli_json_digest(result->found.view), "full", weft_cli_json_digest(result->found.full));
    if (result->outcome == WEFT_VERIFY_FAILED) {
        (void)json_object_set_new(object, "status", json_string(weft_status_name(result->status)));
        (void)json_object_set_new(object, "error", json_string(result->error));
    }
    if (result->outcome == WEFT_VERIFY_DIFFERENT) {
        (void)json_object_set_new(object, "expected_view",
                                  weft_cli_json_digest(result->reference.view));
        (void)json_object_set_new(object, "expected_full",
                                  weft_cli_json_digest(result->reference.full));
    }
    if (result->guard.found)
        (void)json_object_set_new(object, "guard",
                                  weft_cli_guard_json(result->guard.guard, &result->guard));
    if (result->place.attempt_count > 0 || result->place.traced)
        (void)json_object_set_new(object, "place", verify_place_json(&result->place));
    return object;
}

/// The command that repeats a difference, as one string.
static json_t* command_json(const verify_job* job, const verify_suspect* one, const char* command) {
    char* text = NULL;
    size_t size = 0;
    FILE* file = open_memstream(&text, &size);
    if (file == NULL)
        return json_null();
    verify_suspect_command(job, one, command, file);
    json_t* value = fclose(file) == 0 ? json_string(text) : json_null();
    free(text);
    return value;
}

/// One run; with the command that repeats it if it is the difference that is shown.
static json_t* suspect_json(const verify_job* job, const verify_suspect* one, bool shown) {
    WEFT_ASSERT(one->result != NULL);
    json_t* run = result_json(one->result);
    (void)json_object_set_new(run, "executor",
                              json_string(weft_cli_executor_name(one->config->kind)));
    if (one->config->kind == WEFT_EXECUTOR_VIRTUAL)
        (void)json_object_set_new(run, "schedule_seed",
                                  weft_cli_json_hex(one->config->schedule_seed));
    if (one->drawn)
        (void)json_object_set_new(run, "draw", weft_cli_json_hex(job->draws.last_seed));
    if (shown)
        (void)json_object_set_new(run, "repeat", command_json(job, one, "verify"));
    if (shown && one->result->outcome == WEFT_VERIFY_DIFFERENT)
        (void)json_object_set_new(run, "bisect", command_json(job, one, "bisect"));
    return run;
}

/// The drawn configurations; null where none was wanted.
static json_t* draws_json(const verify_job* job, const weft_verify_result* shown) {
    verify_suspect one = suspect_drawn(job);
    if (!job->draws.wanted)
        return json_null();
    return json_pack("{s:o, s:I, s:I, s:o}", "seed", weft_cli_json_hex(job->draws.seed),
                     "schedules", (json_int_t)job->report->draw_count, "per_minute",
                     (json_int_t)draws_per_minute(job), "last",
                     job->report->draw_count > 0 ? suspect_json(job, &one, one.result == shown)
                                                 : json_null());
}

bool verify_print_json(const verify_job* job) {
    const weft_verify_report* report = job->report;
    verify_suspect found;
    const weft_verify_result* shown =
        verify_suspect_find(job, WEFT_VERIFY_DIFFERENT, &found) ? found.result : NULL;
    json_t* runs = json_array();
    for (size_t i = 0; i < report->result_count; i++) {
        verify_suspect one = suspect_of(job, i);
        (void)json_array_append_new(runs, suspect_json(job, &one, one.result == shown));
    }
    failure_print(job);
    return weft_cli_json_print(json_pack(
        "{s:s, s:s, s:s, s:I, s:I, s:o, s:s, s:o, s:o, s:b, s:o, s:o, s:o}", "weft", weft_version(),
        "module", job->module->name, "check", weft_cli_depth_name(job->options->depth), "entities",
        (json_int_t)job->sizes.entity_count, "ticks", (json_int_t)job->tick_count, "seed",
        weft_cli_json_hex(job->sizes.seed), "math", weft_math_name(job_math(job)), "schema",
        weft_cli_json_hex(report->schema_hash), "schedule",
        weft_cli_json_hex(report->schedule_hash), "stopped", (int)report->stopped, "reference",
        result_json(&report->reference), "runs", runs, "drawn", draws_json(job, shown)));
}
