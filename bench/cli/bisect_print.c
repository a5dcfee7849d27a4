// What `weft bisect` says: one screen from which the cause is found.

#define _GNU_SOURCE // open_memstream

#include "bisect_job.h"

#include <inttypes.h>
#include <stdlib.h>

/// The report in the form that verify's printer takes.
static weft_verify_result job_result(const bisect_job* job) {
    const weft_bisect_report* report = job->report;
    return (weft_verify_result){.outcome = WEFT_VERIFY_DIFFERENT,
                                .tick = report->tick,
                                .worker_count = report->worker_count,
                                .reference = report->reference,
                                .found = report->found,
                                .place = report->place};
}

static void tick_print(uint64_t tick) {
    if (tick == 0)
        printf("  tick       0: the state before the first tick\n");
    else if (tick == 1)
        printf("  tick       1: the states before the first tick are equal\n");
    else
        printf("  tick       %" PRIu64 ": the states after ticks 0 to %" PRIu64 " are equal\n",
               tick, tick - 1);
}

static const char* write_text(const weft_write* write, char* text, size_t capacity) {
    char where[64];
    (void)snprintf(where, sizeof where, "archetype %u, shard %u", write->archetype, write->shard);
    switch (write->kind) {
    case WEFT_WRITE_UNKNOWN:
        break;
    case WEFT_WRITE_FIRST:
        (void)snprintf(text, capacity, "none: since before the first tick it is %s", write->text);
        return text;
    case WEFT_WRITE_TASK:
        (void)snprintf(text, capacity, "tick %" PRIu64 ", system %s (rank %u), %s: %s", write->tick,
                       write->system, write->rank, write->world_scope ? "once per tick" : where,
                       write->text);
        return text;
    case WEFT_WRITE_COMMAND:
        (void)snprintf(text, capacity, "tick %" PRIu64 ", a command of system %s (rank %u), %s: %s",
                       write->tick, write->system, write->rank,
                       write->world_scope ? "once per tick" : where, write->text);
        return text;
    case WEFT_WRITE_COMMIT:
        (void)snprintf(text, capacity, "tick %" PRIu64 ", the commit: %s", write->tick,
                       write->text);
        return text;
    }
    return NULL;
}

static void descent_print(const weft_bisect_report* report) {
    char number[WEFT_CLI_NUMBER_SIZE];
    const weft_descent* descent = &report->descent;
    printf("  descent    %" PRIu64 " of %s nodes in %" PRIu64 " comparisons", descent->levels,
           weft_cli_number(descent->nodes, number), descent->comparisons);
    printf(", to %s\n", descent->node);
    if (report->state_count > 0)
        printf("             %" PRIu64 " %s kept, %s ticks run\n", report->state_count,
               report->state_count == 1 ? "state" : "states",
               weft_cli_number(report->ticks_run, number));
}

void bisect_replay_print(const bisect_job* job, FILE* file) {
    weft_cli_shell_print(file, job->cli->program);
    (void)fputs(" bisect ", file);
    weft_cli_shell_print(file, job->bundle_path);
}

static void commands_print(const bisect_job* job) {
    if (job->bundle_path != NULL) {
        printf("  bundle     %s\n  replay     ", job->bundle_path);
        bisect_replay_print(job, stdout);
        printf("\n");
    }
    if (job->verify == NULL)
        return;
    printf("  repeat     ");
    verify_suspect_command(job->verify, job->one, "bisect", stdout);
    if (job->bundle_path == NULL)
        printf(" -o found.weftbundle");
    printf("\n");
    if (weft_cli_executor_is_parallel(job->config.kind))
        printf("             threads hang on timing: it may take several runs\n");
}

void bisect_print(const bisect_job* job) {
    const weft_bisect_report* report = job->report;
    weft_verify_result result = job_result(job);
    char text[WEFT_CLI_LINE_SIZE];
    printf("DIFFERENT at tick %" PRIu64 ": %s, from %s\n\n", job->tick, job->suspect,
           job->reference);
    tick_print(job->tick);
    if (!report->different) {
        printf("  cause      unknown: the difference did not show again in %u runs, so it hangs on "
               "timing;\n"
               "             virtual executors with more --seeds find such places repeatably\n",
               report->place.attempt_count);
        verify_digests_print("serial", job->expected);
        verify_digests_print("here", job->seen);
        commands_print(job);
        return;
    }
    if (job->other_systems)
        printf("  system     unknown: the builds have other systems, so their tasks are not "
               "compared\n");
    else
        verify_task_print(&report->place);
    verify_value_print(&result, job->sides[0], job->sides[1]);
    if (write_text(&job->write, text, sizeof text) != NULL)
        printf("  before     %s\n", text);
    descent_print(report);
    if (report->from_start)
        printf("  warning    it shows only in runs from tick 0: the simulation keeps something "
               "outside of the world\n");
    if (report->unstable && job->verify != NULL)
        printf("  warning    serially the tick from its state gives other digests than in the run: "
               "the simulation\n"
               "             keeps something outside of the world, or changes what it does not "
               "declare, which\n"
               "             --digest-check names\n");
    verify_digests_print(job->sides[0], report->reference);
    verify_digests_print(job->sides[1], report->found);
    commands_print(job);
}

// JSON -------------------------------------------------------------------------------------------

static json_t* digests_json(const weft_verify_digests* digests) {
    return json_pack("{s:o, s:o}", "view", weft_cli_json_digest(digests->view), "full",
                     weft_cli_json_digest(digests->full));
}

static json_t* write_json(const weft_write* write) {
    static const char* const names[] = {
        [WEFT_WRITE_UNKNOWN] = "unknown", [WEFT_WRITE_FIRST] = "first",
        [WEFT_WRITE_TASK] = "task",       [WEFT_WRITE_COMMAND] = "command",
        [WEFT_WRITE_COMMIT] = "commit",
    };
    return json_pack("{s:s, s:i, s:I, s:i, s:i, s:i, s:b, s:s, s:s}", "name", names[write->kind],
                     "kind", (int)write->kind, "tick", (json_int_t)write->tick, "rank",
                     (int)write->rank, "archetype", (int)write->archetype, "shard",
                     (int)write->shard, "world_scope", (int)write->world_scope, "system",
                     write->system, "value", write->text);
}

json_t* bisect_finding_json(const bisect_job* job) {
    const weft_bisect_report* report = job->report;
    const weft_descent* descent = &report->descent;
    bool shown = report->different;
    json_t* steps =
        json_pack("{s:I, s:I, s:I, s:s, s:I, s:I}", "levels", (json_int_t)descent->levels,
                  "comparisons", (json_int_t)descent->comparisons, "nodes",
                  (json_int_t)descent->nodes, "last", descent->node, "states_kept",
                  (json_int_t)report->state_count, "ticks_run", (json_int_t)report->ticks_run);
    return json_pack("{s:s, s:s, s:I, s:b, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", //
                     "suspect", job->suspect,                                        //
                     "from", job->reference,                                         //
                     "tick", (json_int_t)job->tick,                                  //
                     "shown", (int)shown,                                            //
                     "serial_run_unstable", (int)report->unstable,                   //
                     "from_start_only", (int)report->from_start,                     //
                     "before", digests_json(&report->before),                        //
                     "serial", digests_json(shown ? &report->reference : &job->expected), "here",
                     digests_json(shown ? &report->found : &job->seen), //
                     "place", verify_place_json(&report->place),        //
                     "write", write_json(&job->write),                  //
                     "descent", steps);
}

bool bisect_print_json(const bisect_job* job, const char* replay) {
    json_t* object =
        json_pack("{s:s, s:s, s:I, s:o, s:s?, s:s?, s:o}", "weft", weft_version(), "module",
                  job->module->name, "entities", (json_int_t)job->sizes.entity_count, "seed",
                  weft_cli_json_hex(job->sizes.seed), "bundle", job->bundle_path, "replay", replay,
                  "finding", bisect_finding_json(job));
    char* text = NULL;
    size_t size = 0;
    FILE* file = job->verify != NULL ? open_memstream(&text, &size) : NULL;
    if (file != NULL) {
        verify_suspect_command(job->verify, job->one, "bisect", file);
        if (fclose(file) == 0)
            (void)json_object_set_new(object, "repeat", json_string(text));
        free(text);
    }
    return weft_cli_json_print(object);
}
