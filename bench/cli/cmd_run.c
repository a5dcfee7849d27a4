// weft run: one simulation on one executor.

#include "bisect_job.h"
#include "layout_file.h"
#include "run_plot.h"
#include "run_trace.h"

#include <inttypes.h>
#include <time.h>

#define LATE_BURST 5u // Ticks at once where they are late.

/// A run under way and what it measured.
typedef struct run_state {
    const char* program;
    const weft_cli_options* options;
    const weft_module* module;
    weft_module_options sizes;
    weft_topology* topology; // Of interleaved memory.
    weft_status interleaved; // What became of it.
    weft_world* world;
    weft_schedule* schedule;
    weft_executor* executor;
    weft_cli_hashes hashes;
    weft_simlog* log; // Null: nothing is logged.
    weft_simlog_stats log_stats;
    run_plot plot;
    weft_cli_persist persist;
    run_trace* trace;            // Null: none is wanted.
    char audit[WEFT_AUDIT_TEXT]; // Empty: not wanted.
    weft_clock clock;
    uint64_t first_tick;        // Of the world when it began to run.
    weft_verify_digests last;   // After the last tick.
    uint64_t tick_count;        // Wanted.
    double tick_s;              // Spent in ticks alone.
    weft_number_report numbers; // The first, with the flags and tasks of all ticks.
    uint64_t numbers_tick;      // Of the first.
    char line[WEFT_CLI_LINE_SIZE];
} run_state;

/// Keeps the world's line, as destroying the world takes it away.
static weft_status run_fail(run_state* run, weft_status status) {
    if (run->line[0] == '\0')
        (void)snprintf(run->line, sizeof run->line, "%s",
                       weft_cli_error(status, run->world, run->schedule));
    return status;
}

/// The memory that options or layout ask for. False where that is what every run has, or a guard or
/// worker processes need another.
static weft_status run_memory(run_state* run, const weft_executor_desc* desc, weft_memory* memory,
                              bool* given) {
    weft_layout_memory wanted = WEFT_LAYOUT_HUGE_PAGES;
    if (weft_cli_memory_for(desc->guard, desc->kind) != WEFT_CLI_MEMORY_PLAIN)
        return WEFT_STATUS_OK;
    if (run->options->interleave)
        wanted = WEFT_LAYOUT_INTERLEAVED;
    else if (run->options->layout != NULL)
        wanted = run->options->layout->layout.memory;
    *given = wanted == WEFT_LAYOUT_SMALL_PAGES;
    if (*given)
        *memory = weft_memory_small_pages();
    if (wanted != WEFT_LAYOUT_INTERLEAVED)
        return WEFT_STATUS_OK;
    WEFT_TRY(weft_topology_create(NULL, &run->topology));
    run->interleaved = weft_memory_interleaved(run->topology, memory);
    *given = run->interleaved == WEFT_STATUS_OK;
    return WEFT_STATUS_OK;
}

static weft_status run_open(run_state* run, weft_executor_desc* desc) {
    weft_memory memory;
    bool given = false;
    WEFT_TRY(run_memory(run, desc, &memory, &given));
    WEFT_TRY(weft_cli_world_build(run->module, &run->sizes,
                                  weft_cli_memory_for(desc->guard, desc->kind),
                                  given ? &memory : NULL, &run->world, &run->schedule));
    WEFT_TRY(weft_cli_layout_match(run->options, run->module->name, run->schedule, run->line,
                                   sizeof run->line));
    if (run->options->hashes_path != NULL && !weft_world_is_deterministic(run->world)) {
        (void)snprintf(run->line, sizeof run->line,
                       "the module turns determinism off (weft_world_desc.deterministic or "
                       "unordered_commit), so its hashes could be compared with no other run's; "
                       "leave --hashes out");
        return WEFT_STATUS_NOT_DETERMINISTIC;
    }
    weft_cli_identity* identity = &run->hashes.identity;
    (void)snprintf(identity->version, sizeof identity->version, "%s", weft_version());
    (void)snprintf(identity->module, sizeof identity->module, "%s", run->module->name);
    identity->entity_count = run->sizes.entity_count;
    identity->seed = run->sizes.seed;
    identity->schema_hash = weft_world_schema_hash(run->world);
    identity->schedule_hash = weft_schedule_hash(run->schedule);
    identity->math = weft_world_math(run->world);
    // Workers that are processes are made of the world as it is then.
    if (desc->kind == WEFT_EXECUTOR_PROCESSES)
        WEFT_TRY(weft_world_commit(run->world));
    run_trace_prepare(run->options, &run->sizes, run->schedule, desc);
    WEFT_TRY(weft_executor_create(desc, run->schedule, &run->executor));
    // It says what the machine is, of which a pinned thread sees one CPU.
    WEFT_TRY(run_trace_open(run->options, run->module, &run->sizes, run->world, run->schedule,
                            run->executor, desc, &run->trace, run->line, sizeof run->line));
    // A refusal is no failure: what was pinned is printed.
    if (desc->kind == WEFT_EXECUTOR_THREADS && desc->pin)
        (void)!weft_executor_pin_caller(run->executor);
    WEFT_TRY(weft_executor_commit(run->executor)); // Nothing is left of processes.
    // Before what is gone on with: ticks that are run again have rows too.
    WEFT_TRY(weft_cli_log_open(run->options, run->world, &run->log, run->line, sizeof run->line));
    run->persist.log = run->log;
    weft_status status =
        weft_cli_persist_open(&run->persist, run->module, &run->sizes, run->options, run->world,
                              run->schedule, run->executor);
    if (status != WEFT_STATUS_OK && run->log != NULL)
        (void)snprintf(run->line, sizeof run->line, "%s", weft_simlog_error(run->log));
    run->first_tick = weft_world_tick(run->world);
    return status;
}

/// What follows a tick: the checks that were asked for, and the digests that are kept.
static weft_status run_look(run_state* run, bool last) {
    const weft_cli_options* options = run->options;
    char line[WEFT_CLI_LINE_SIZE - 128] = "";
    if (options->digest_check)
        WEFT_TRY(weft_world_digest_check(run->world));
    if (run->module->check != NULL && (options->digest_check || last) &&
        !run->module->check(run->world, line, sizeof line)) {
        (void)snprintf(run->line, sizeof run->line,
                       "the simulation's own check failed after tick %" PRIu64 ": %s",
                       weft_world_tick(run->world), line);
        return WEFT_STATUS_SYSTEM_FAILED;
    }
    if (options->audit && last)
        WEFT_TRY(weft_world_audit(run->world, run->audit));
    if (options->hashes_path == NULL && !last)
        return WEFT_STATUS_OK;
    WEFT_TRY(weft_executor_digest(run->executor, &run->last.view, &run->last.full));
    if (options->hashes_path != NULL)
        WEFT_TRY(weft_cli_hashes_add(&run->hashes, run->last));
    return WEFT_STATUS_OK;
}

/// Adds up what systems noted of their numbers.
static void run_numbers(run_state* run) {
    weft_number_report now = weft_executor_numbers(run->executor);
    if (now.flags == 0)
        return;
    if (run->numbers.flags == 0) {
        run->numbers = now;
        run->numbers_tick = weft_world_tick(run->world);
        return;
    }
    run->numbers.flags |= now.flags;
    run->numbers.task_count += now.task_count;
}

/// "saturated, divided by 0, undefined", as far as it applies.
static const char* numbers_text(weft_number_flags flags, char* text, size_t capacity) {
    static const char* const names[] = {"saturated", "divided by 0", "undefined"}; // By bit.
    size_t length = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && length < capacity; i++)
        if ((flags >> i & 1u) != 0)
            length += (size_t)snprintf(text + length, capacity - length, "%s%s",
                                       length > 0 ? ", " : "", names[i]);
    return text;
}

static weft_status run_record(run_state* run, const weft_task_output* outputs, size_t count) {
    bisect_record record = {.module = run->module,
                            .world = run->world,
                            .schedule = run->schedule,
                            .outputs = outputs,
                            .output_count = count};
    return bisect_record_write(run->options->record_path, &record, run->line, sizeof run->line);
}

/// One tick. The last one is recorded, where that is wanted.
static weft_status run_tick(run_state* run, uint64_t tick) {
    const weft_task_output* outputs = NULL;
    size_t count = 0;
    if (run->options->record_path == NULL || tick + 1 < run->tick_count)
        return weft_cli_persist_tick(&run->persist, run->world, run->executor);
    WEFT_TRY(weft_executor_tick_traced(run->executor, &outputs, &count));
    return run_record(run, outputs, count);
}

/// Hands the tick's rows to the log.
static weft_status run_log(run_state* run) {
    weft_status status = weft_simlog_tick(run->log);
    if (status != WEFT_STATUS_OK)
        (void)snprintf(run->line, sizeof run->line, "%s", weft_simlog_error(run->log));
    return status;
}

/// Waits until ticks are due, or a signal comes; how many are.
static uint32_t run_wait(run_state* run) {
    if (run->options->rate == 0 || weft_cli_interrupted())
        return 1;
    uint32_t due = weft_clock_due(&run->clock, weft_clock_now_ns());
    if (due > 0)
        return due;
    uint64_t now = weft_clock_now_ns();
    uint64_t next = weft_clock_next_ns(&run->clock);
    uint64_t left = next > now ? next - now : 0;
    struct timespec wait = {.tv_sec = (time_t)(left / 1000000000),
                            .tv_nsec = (long)(left % 1000000000)};
    (void)nanosleep(&wait, NULL);
    return 0;
}

/// Runs all ticks, or as many as there are before an interrupt.
static weft_status run_ticks(run_state* run) {
    char what[96];
    weft_cli_progress progress = weft_cli_progress_start(run->options->quiet);
    uint32_t due = 0;
    (void)snprintf(what, sizeof what, "%s: tick", run->module->name);
    weft_status status = run_look(run, run->tick_count <= run->first_tick);
    run_plot_tick(&run->plot, run->first_tick, weft_world_entity_count(run->world));
    if (status == WEFT_STATUS_OK && run->tick_count == 0 && run->options->record_path != NULL)
        status = run_record(run, NULL, 0);
    for (uint64_t tick = run->first_tick; tick < run->tick_count && status == WEFT_STATUS_OK;
         tick++) {
        if (weft_cli_interrupted()) {
            status = run_look(run, true);
            break;
        }
        while (due == 0)
            due = run_wait(run);
        due--;
        if (run->module->input != NULL)
            status = run->module->input(run->world, tick);
        double started = weft_cli_clock();
        if (status == WEFT_STATUS_OK)
            status = run_tick(run, tick);
        if (status == WEFT_STATUS_OK && run->log != NULL)
            status = run_log(run);
        run->tick_s += weft_cli_clock() - started;
        run_numbers(run);
        run_plot_tick(&run->plot, tick + 1, weft_world_entity_count(run->world));
        if (status == WEFT_STATUS_OK)
            status = run_look(run, tick + 1 == run->tick_count);
        weft_status traced = run_trace_tick(run->trace, tick);
        status = status == WEFT_STATUS_OK ? traced : status;
        weft_cli_progress_draw(&progress, what, tick + 1, run->tick_count);
    }
    weft_cli_progress_end(&progress);
    return status;
}

/// The log that was asked for; null where there is none but the picture's own.
static const char* run_log_path(const run_state* run) {
    return run->plot.log_path != NULL ? NULL : run->options->log_path;
}

static double run_rate(const run_state* run, uint64_t ticks) {
    return run->tick_s > 0 ? (double)(ticks - run->first_tick) / run->tick_s : 0;
}

/// How it was run, without the end of the line.
static void executor_print(const run_state* run, const weft_executor_desc* desc) {
    char number[WEFT_CLI_NUMBER_SIZE];
    char time[WEFT_CLI_NUMBER_SIZE];
    weft_executor_stats stats = weft_executor_stats_read(run->executor);
    printf("executor  %s, %u %s", weft_cli_executor_name(desc->kind), stats.worker_count,
           stats.worker_count == 1 ? "worker" : "workers");
    if (weft_cli_executor_is_parallel(desc->kind))
        printf(stats.pinned_count == stats.worker_count ? ", pinned"
               : stats.pinned_count == 0                ? ", not pinned"
                                                        : ", not all pinned");
    if (stats.pinned_count > 0 && desc->placement.policy != WEFT_PLACEMENT_SPREAD)
        printf(", %s", weft_cli_placement_name(desc->placement.policy));
    if (stats.oversubscribed)
        printf(", more than there are CPUs");
    if (desc->kind == WEFT_EXECUTOR_VIRTUAL)
        printf(", schedule seed %" PRIu64, desc->schedule_seed);
    if (desc->guard != WEFT_GUARD_NONE)
        printf(", guard %s", weft_guard_name(desc->guard));
    if (stats.states > 0) {
        printf("\nrollback  %s states kept, ", weft_cli_number(stats.states, number));
        printf("the last of %s bytes, ", weft_cli_number(stats.state_bytes, number));
        printf("in %s; ", weft_cli_seconds((double)stats.states_ns / 1e9, time));
        printf("%s ticks run again", weft_cli_number(stats.reruns, number));
    }
    if (stats.images > 0) {
        printf("\nimages    %s kept, ", weft_cli_number(stats.images, number));
        printf("the last of %s bytes, ", weft_cli_number(stats.image_bytes, number));
        printf("in %s", weft_cli_seconds((double)stats.images_ns / 1e9, time));
    }
    if (stats.crashes > 0) {
        printf("\ncrashes   %s workers died, ", weft_cli_number(stats.crashes, number));
        printf("%s ticks run again, ", weft_cli_number(stats.reruns, number));
        printf("the world was back in %s", weft_cli_seconds((double)stats.recovery_ns / 1e9, time));
        printf("\n          the last: %s", weft_executor_crash_report(run->executor)->text);
    }
    if (run->topology != NULL)
        printf("\nmemory    %s",
               run->interleaved == WEFT_STATUS_OK
                   ? "pages in turn on all nodes, read back"
                   : "where it is first touched: the system, or this build, refuses to interleave");
    if (stats.sweeps > 0)
        printf("\nstages    %s of ", weft_cli_number(stats.sweeps_by_system, number));
    if (stats.sweeps > 0)
        printf("%s runs went system by system", weft_cli_number(stats.sweeps, number));
}

static void run_print(const run_state* run, const weft_executor_desc* desc) {
    char number[WEFT_CLI_NUMBER_SIZE];
    char time[WEFT_CLI_NUMBER_SIZE];
    char text[WEFT_DIGEST_TEXT];
    char state[WEFT_CLI_LINE_SIZE] = "";
    uint64_t ticks = weft_world_tick(run->world);
    double rate = run_rate(run, ticks);
    if (run->module->describe_state != NULL)
        run->module->describe_state(run->world, state, sizeof state);

    printf("module    %s: %s\n", run->module->name,
           run->module->summary != NULL ? run->module->summary : "");
    printf("size      %s entities", weft_cli_number(run->sizes.entity_count, number));
    printf(", %s ticks, seed %" PRIu64 "%s\n", weft_cli_number(ticks, number), run->sizes.seed,
           weft_cli_math_note(weft_world_math(run->world)));
    executor_print(run, desc);
    if (run->options->layout_path != NULL)
        printf("\nlayout    %s%s", run->options->layout_path,
               run->options->layout->is_forecast ? ", a forecast that nobody measured" : "");
    printf("\nspeed     ");
    if (rate >= 1000)
        printf("%s", weft_cli_number((uint64_t)rate, number));
    else
        printf("%.1f", rate);
    printf(" ticks/s, %s in ticks\n", weft_cli_seconds(run->tick_s, time));
    if (state[0] != '\0')
        printf("state     %s\n", state);
    weft_cli_log_print(run_log_path(run), &run->log_stats);
    run_trace_print(run->trace);
    if (run->numbers.flags != 0)
        printf("numbers   %s in %s tasks, first in tick %" PRIu64
               " by system \"%s\", archetype %u, "
               "shard %u\n",
               numbers_text(run->numbers.flags, state, sizeof state),
               weft_cli_number(run->numbers.task_count, number), run->numbers_tick,
               run->numbers.system, run->numbers.archetype, run->numbers.shard);
    if (run->options->rate > 0)
        printf("clock     %" PRIu32 " ticks/s, %s late ones dropped\n", run->options->rate,
               weft_cli_number(run->clock.dropped, number));
    if (run->first_tick > 0)
        printf("resumed   from tick %s\n", weft_cli_number(run->first_tick, number));
    if (run->persist.journal_path != NULL)
        printf("journal   %s\n", run->persist.journal_path);
    if (run->persist.saved)
        printf("snapshot  %s, tick %s\n", run->options->snapshots[0],
               weft_cli_number(run->persist.saved_tick, number));
    weft_digest_format(run->last.view, text);
    printf("view      %s\n", text);
    weft_digest_format(run->last.full, text);
    printf("full      %s\n", text);
    if (run->audit[0] != '\0')
        printf("blake2b   %s\n", run->audit);
}

static bool run_print_json(const run_state* run, const weft_executor_desc* desc) {
    char state[WEFT_CLI_LINE_SIZE] = "";
    uint64_t ticks = weft_world_tick(run->world);
    weft_executor_stats stats = weft_executor_stats_read(run->executor);
    if (run->module->describe_state != NULL)
        run->module->describe_state(run->world, state, sizeof state);
    json_t* executor =
        json_pack("{s:s, s:i, s:i, s:s, s:b, s:s, s:I, s:I, s:I, s:f, s:I, s:I, s:f, s:o}", "kind",
                  weft_cli_executor_name(desc->kind),                     //
                  "workers", (int)stats.worker_count,                     //
                  "pinned", (int)stats.pinned_count,                      //
                  "placement",                                            //
                  weft_cli_placement_name(desc->placement.policy),        //
                  "oversubscribed", (int)stats.oversubscribed,            //
                  "sweep", weft_cli_sweep_name(desc->sweep),              //
                  "sweeps", (json_int_t)stats.sweeps,                     //
                  "sweeps_by_system", (json_int_t)stats.sweeps_by_system, //
                  "images", (json_int_t)stats.images,                     //
                  "images_seconds", (double)stats.images_ns / 1e9,        //
                  "crashes", (json_int_t)stats.crashes,                   //
                  "reruns", (json_int_t)stats.reruns,                     //
                  "recovery_seconds", (double)stats.recovery_ns / 1e9,    //
                  "schedule_seed", weft_cli_json_hex(desc->schedule_seed));
    char flags[64];
    json_t* numbers = json_null();
    if (run->numbers.flags != 0)
        numbers = json_pack("{s:s, s:I, s:I, s:s, s:i, s:i}", //
                            "flags", numbers_text(run->numbers.flags, flags, sizeof flags), "tasks",
                            (json_int_t)run->numbers.task_count,         //
                            "first_tick", (json_int_t)run->numbers_tick, //
                            "system", run->numbers.system,               //
                            "archetype", (int)run->numbers.archetype,    //
                            "shard", (int)run->numbers.shard);
    json_t* root =
        json_pack("{s:s, s:s, s:I, s:I, s:I, s:o, s:s, s:b, s:o, s:f, s:f, s:I, s:s, s:o, s:o, "
                  "s:o, s:o, s:o, s:o, s:o, s:s}",                              //
                  "weft", weft_version(),                                       //
                  "module", run->module->name,                                  //
                  "entities", (json_int_t)run->sizes.entity_count,              //
                  "first_tick", (json_int_t)run->first_tick,                    //
                  "ticks", (json_int_t)ticks,                                   //
                  "seed", weft_cli_json_hex(run->sizes.seed),                   //
                  "math", weft_math_name(weft_world_math(run->world)),          //
                  "interrupted", (int)(ticks < run->tick_count),                //
                  "executor", executor,                                         //
                  "seconds", run->tick_s,                                       //
                  "ticks_per_second", run_rate(run, ticks),                     //
                  "alive", (json_int_t)weft_world_entity_count(run->world),     //
                  "state", state,                                               //
                  "numbers", numbers,                                           //
                  "guard", weft_cli_guard_json(desc->guard, NULL),              //
                  "log", weft_cli_log_json(run_log_path(run), &run->log_stats), //
                  "trace", run_trace_json(run->trace),                          //
                  "crash", weft_cli_crash_json(weft_executor_crash_report(run->executor)), "view",
                  weft_cli_json_digest(run->last.view),         //
                  "full", weft_cli_json_digest(run->last.full), //
                  "blake2b", run->audit);
    if (run->line[0] != '\0')
        (void)json_object_set_new(root, "error", json_string(run->line));
    return weft_cli_json_print(root);
}

/// Prints what the guard found, if that is why the run failed.
static bool run_found(const run_state* run, const weft_executor_desc* desc) {
    if (run->executor == NULL || !weft_executor_guard_report(run->executor)->found)
        return false;
    const weft_guard_report* report = weft_executor_guard_report(run->executor);
    if (!run->options->json) {
        weft_cli_guard_print(report);
        return true;
    }
    return weft_cli_json_print(json_pack("{s:s, s:s, s:I, s:o, s:o}",                     //
                                         "weft", weft_version(),                          //
                                         "module", run->module->name,                     //
                                         "entities", (json_int_t)run->sizes.entity_count, //
                                         "seed", weft_cli_json_hex(run->sizes.seed),      //
                                         "guard", weft_cli_guard_json(desc->guard, report)));
}

/// The state before the tick that workers die in, and the command that runs it again.
static void run_crashed(run_state* run) {
    const weft_crash_report* report = weft_executor_crash_report(run->executor);
    char path[WEFT_CLI_LINE_SIZE];
    char line[WEFT_CLI_LINE_SIZE] = "";
    weft_world_unpost(run->world); // They come again when it is run again.
    weft_status saved = weft_cli_persist_rescue(&run->persist, run->world, run->executor, path,
                                                sizeof path, line, sizeof line);
    if (run->options->json) {
        (void)weft_cli_json_print(json_pack("{s:s, s:s, s:I, s:o, s:s, s:o}",                //
                                            "weft", weft_version(),                          //
                                            "module", run->module->name,                     //
                                            "entities", (json_int_t)run->sizes.entity_count, //
                                            "seed", weft_cli_json_hex(run->sizes.seed),      //
                                            "snapshot", saved == WEFT_STATUS_OK ? path : "", //
                                            "crash", weft_cli_crash_json(report)));
        return;
    }
    weft_cli_crash_print(report);
    if (saved != WEFT_STATUS_OK) {
        weft_cli_complain("%s", line);
        return;
    }
    printf("  snapshot   %s\n  repeat     ", path);
    weft_cli_shell_print(stdout, run->program);
    printf(" run ");
    weft_cli_shell_print(stdout, run->options->names[0] != NULL ? run->options->names[0]
                                                                : run->module->name);
    printf(" --entities %" PRIu64 " --seed %" PRIu64 " --resume ", run->sizes.entity_count,
           run->sizes.seed);
    weft_cli_shell_print(stdout, path);
    printf(" --ticks %" PRIu64 " --executor processes:%u\n", weft_world_tick(run->world) + 1,
           weft_executor_stats_read(run->executor).worker_count);
    printf("             with a debugger: the same with --executor serial\n");
}

/// After a failure: what the guard found, and the state that rollback left.
static weft_exit run_failed(run_state* run, const weft_executor_desc* desc, weft_status status) {
    (void)run_fail(run, status);
    weft_cli_complain("%s: %s [%s]", run->module->name, run->line, weft_status_name(status));
    if (status == WEFT_STATUS_CRASHED && !weft_world_has_failed(run->world)) {
        run_crashed(run);
        return WEFT_EXIT_FAILURE;
    }
    bool found = run_found(run, desc);
    bool stands =
        run->executor != NULL && run->options->has_rollback && !weft_world_has_failed(run->world) &&
        weft_executor_digest(run->executor, &run->last.view, &run->last.full) == WEFT_STATUS_OK;
    if (stands && !run->options->json)
        run_print(run, desc);
    else if (stands && !found)
        (void)run_print_json(run, desc);
    return found ? WEFT_EXIT_DIFFERENT : WEFT_EXIT_FAILURE;
}

/// Everything between the parsed options and the exit code.
static weft_exit run_all(run_state* run, weft_executor_desc* desc) {
    weft_status status = run_open(run, desc);
    if (status == WEFT_STATUS_OK)
        status = run_ticks(run);
    weft_status logged =
        weft_cli_log_close(&run->log, &run->log_stats, run->line, sizeof run->line);
    status = status == WEFT_STATUS_OK ? logged : status;
    if (status != WEFT_STATUS_OK)
        (void)run_fail(run, status);
    // Also of a run that failed: it may show why.
    char trace_line[WEFT_CLI_LINE_SIZE] = "";
    weft_status traced = run_trace_end(run->trace, trace_line, sizeof trace_line);
    if (status == WEFT_STATUS_OK && traced != WEFT_STATUS_OK) {
        status = traced;
        (void)snprintf(run->line, sizeof run->line, "%s", trace_line);
    }
    // The first failure is the one that is told.
    char line[WEFT_CLI_LINE_SIZE] = "";
    weft_status closed = weft_cli_persist_close(&run->persist, run->world, run->executor,
                                                status != WEFT_STATUS_OK, line, sizeof line);
    if (status == WEFT_STATUS_OK && closed != WEFT_STATUS_OK) {
        status = closed;
        (void)snprintf(run->line, sizeof run->line, "%s", line);
    }
    if (status != WEFT_STATUS_OK)
        return run_failed(run, desc, status);
    bool printed = true;
    if (run->options->json)
        printed = run_print_json(run, desc);
    else
        run_print(run, desc);
    if (run->options->hashes_path != NULL &&
        weft_cli_hashes_write(run->options->hashes_path, &run->hashes, run->line,
                              sizeof run->line) != WEFT_STATUS_OK) {
        weft_cli_complain("%s", run->line);
        return WEFT_EXIT_FAILURE;
    }
    weft_exit drawn = run_plot_draw(&run->plot, run->options->log_path, run->module->name);
    if (drawn != WEFT_EXIT_OK)
        return drawn;
    if (run->plot.names != NULL && !run->options->json)
        printf("plot      %s\n", run->plot.path);
    uint64_t ticks = weft_world_tick(run->world);
    if (ticks < run->tick_count) {
        weft_cli_complain("interrupted after tick %" PRIu64 " of %" PRIu64, ticks, run->tick_count);
        return WEFT_EXIT_FAILURE;
    }
    return printed ? WEFT_EXIT_OK : WEFT_EXIT_FAILURE;
}

weft_exit weft_cli_run(const weft_cli* cli, int argc, char** argv) {
    weft_cli_options options;
    weft_cli_module module = {0};
    weft_executor_desc desc;
    weft_cli_options_parse(WEFT_CLI_RUN, argc, argv, &options);
    weft_exit code = weft_cli_layout_open(&options);
    if (code == WEFT_EXIT_OK)
        code = weft_cli_layout_check(&options);
    if (code == WEFT_EXIT_OK)
        code = weft_cli_executor_choose(&options, &desc);
    if (code == WEFT_EXIT_OK)
        code = weft_cli_prepare(cli, "run", &options, &module);
    char line[WEFT_CLI_LINE_SIZE];
    if (code == WEFT_EXIT_OK && !weft_cli_persist_check(&options, line, sizeof line)) {
        weft_cli_complain("%s", line);
        code = WEFT_EXIT_USAGE;
    }
    if (code == WEFT_EXIT_OK && options.has_trace_ticks && options.trace_path == NULL) {
        weft_cli_complain("--trace-ticks is about the file of --trace, which is not given");
        code = WEFT_EXIT_USAGE;
    }
    run_plot plot = {0};
    if (code == WEFT_EXIT_OK)
        code = run_plot_begin(&plot, &options);
    if (code == WEFT_EXIT_OK && options.rate > 0)
        desc.tick_period_ns = 1000000000 / options.rate; // Workers are awake when a tick is due.
    if (code == WEFT_EXIT_OK) {
        run_state run = {
            .program = cli->program,
            .options = &options,
            .module = module.module,
            .plot = plot,
            .sizes = {options.entity_count, options.seed},
            .clock = weft_clock_make(options.rate > 0 ? options.rate : 1, LATE_BURST,
                                     options.skip_late ? WEFT_CLOCK_SKIP : WEFT_CLOCK_CATCH_UP),
            .tick_count =
                options.has_tick_count ? options.tick_count : module.module->tick_count_default,
        };
        struct sigaction before = weft_cli_interrupt_catch();
        code = run_all(&run, &desc);
        weft_cli_interrupt_release(&before);
        run_trace_close(run.trace);
        weft_executor_destroy(run.executor);
        weft_schedule_destroy(run.schedule);
        weft_world_destroy(run.world);
        weft_topology_destroy(run.topology);
        weft_cli_hashes_deinit(&run.hashes);
        plot = run.plot;
    }
    run_plot_end(&plot);
    weft_cli_module_close(&module);
    weft_cli_options_deinit(&options);
    return code;
}
