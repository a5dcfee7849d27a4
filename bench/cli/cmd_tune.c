// weft tune: a faster layout for a simulation on this machine, or one for another machine.

#include <stdlib.h>
#include <string.h>

#include "tune_forecast.h"
#include "tune_rig.h"

#define TIME_DEFAULT_S 60.0
#define COSTS_S 2.0
#define PATH_DEFAULT "layout.json"
#define QUICK_ENTITIES 2000u

/// A search under way.
typedef struct tune_job {
    const weft_cli_options* options;
    weft_topology* topology;
    weft_world* world; // Not run: what is asked about systems.
    weft_schedule* schedule;
    weft_cli_progress progress;
    weft_cli_executor executor; // What is to be beaten; 0 workers: not said.
    uint32_t worker_max;        // The same.
    tune_report report;
} tune_job;

const char* tune_layout_path(const weft_cli_options* options) {
    return options->output_path != NULL ? options->output_path : PATH_DEFAULT;
}

static bool job_stopped(void* context) {
    (void)context;
    return weft_cli_interrupted();
}

static void job_progress(void* context, const char* what, double share) {
    tune_job* job = context;
    char text[160];
    uint64_t percent = share < 1 ? (uint64_t)(share * 100) : 100;
    (void)snprintf(text, sizeof text, "%s: %s: percent", job->report.module->name, what);
    weft_cli_progress_draw(&job->progress, text, percent, 100);
}

static weft_exit job_fail(const tune_job* job, const char* line, weft_status status) {
    weft_cli_complain("%s: %s [%s]", job->report.module->name,
                      line[0] != '\0' ? line : weft_cli_error(status, job->world, job->schedule),
                      weft_status_name(status));
    return status == WEFT_STATUS_DIVERGED ? WEFT_EXIT_DIFFERENT : WEFT_EXIT_FAILURE;
}

/// A world that is built and not run, and the machine.
static weft_status job_open(tune_job* job) {
    const tune_report* report = &job->report;
    weft_module_options sizes = {report->entity_count, report->seed};
    WEFT_TRY(weft_topology_create(NULL, &job->topology));
    WEFT_TRY(weft_cli_world_make(report->module, &sizes, WEFT_CLI_MEMORY_PLAIN, &job->world,
                                 &job->schedule));
    uint32_t workers = job->executor.worker_count;
    workers = workers != 0 ? workers : job->worker_max;
    job->report.topology = job->topology;
    job->report.start = weft_layout_default(
        workers != 0 ? workers : weft_topology_suggested_workers(job->topology));
    job->report.start.kind = job->executor.kind;
    return WEFT_STATUS_OK;
}

static weft_status job_search(tune_job* job, weft_tune_rig* rig) {
    weft_tune_ground ground = weft_tune_rig_ground(rig);
    weft_tune_desc desc = {.topology = job->topology,
                           .schedule = job->schedule,
                           .start = job->report.start,
                           .worker_max = job->worker_max,
                           .time_s =
                               job->options->time_s > 0 ? job->options->time_s : TIME_DEFAULT_S,
                           .quick = job->options->quick};
    double started = weft_cli_clock();
    job->progress = weft_cli_progress_start(job->options->quiet);
    weft_status status = weft_tune_search(&desc, &ground, &job->report.result);
    weft_cli_progress_end(&job->progress);
    job->report.time_s = weft_cli_clock() - started;
    job->report.compared = weft_tune_rig_compared(rig);
    job->report.compares = weft_tune_rig_compares(rig);
    return status;
}

/// Where the time of the chosen layout goes.
static weft_exit job_explain(tune_job* job) {
    char line[WEFT_CLI_LINE_SIZE] = "";
    tune_report* report = &job->report;
    weft_costs_desc desc = {.module = report->module,
                            .entity_count = report->entity_count,
                            .seed = report->seed,
                            .topology = job->topology,
                            .layout = &report->result.chosen,
                            .time_s = COSTS_S,
                            .quick = job->options->quick};
    report->schedule = job->schedule;
    weft_status status = weft_costs_measure(&desc, &report->costs, line, sizeof line);
    if (status == WEFT_STATUS_OK)
        status = tune_explain(report);
    return status == WEFT_STATUS_OK ? WEFT_EXIT_OK : job_fail(job, line, status);
}

static weft_exit job_write(tune_job* job) {
    char line[WEFT_CLI_LINE_SIZE];
    const char* path = tune_layout_path(job->options);
    weft_cli_layout* file = calloc(1, sizeof(*file));
    WEFT_ASSERT(file != NULL);
    (void)snprintf(file->module, sizeof file->module, "%s", job->report.module->name);
    file->schedule_hash = weft_schedule_hash(job->schedule);
    file->entity_count = job->report.entity_count;
    file->layout = job->report.result.chosen;
    weft_status status =
        weft_cli_layout_write(path, file, tune_file_json(&job->report), line, sizeof line);
    free(file);
    if (status != WEFT_STATUS_OK) {
        weft_cli_complain("%s", line);
        return WEFT_EXIT_FAILURE;
    }
    job->report.path = path;
    return WEFT_EXIT_OK;
}

static weft_exit job_run(tune_job* job) {
    weft_status status = job_open(job);
    if (status != WEFT_STATUS_OK)
        return job_fail(job, "", status);
    weft_tune_rig_desc desc = {.module = job->report.module,
                               .entity_count = job->report.entity_count,
                               .seed = job->report.seed,
                               .topology = job->topology,
                               .quick = job->options->quick,
                               .stopped = job_stopped,
                               .progress = job_progress,
                               .context = job};
    weft_tune_rig* rig = NULL;
    status = weft_tune_rig_create(&desc, &rig);
    if (status != WEFT_STATUS_OK)
        return job_fail(job, weft_status_text(status), status);
    status = job_search(job, rig);
    weft_exit code = WEFT_EXIT_OK;
    if (status != WEFT_STATUS_OK)
        code = job_fail(job, weft_tune_rig_error(rig), status);
    weft_tune_rig_destroy(rig);
    if (code == WEFT_EXIT_OK && job->report.result.stopped) {
        weft_cli_complain("interrupted: no layout is written");
        code = WEFT_EXIT_FAILURE;
    }
    if (code == WEFT_EXIT_OK)
        code = job_write(job);
    if (code == WEFT_EXIT_OK)
        code = job_explain(job);
    if (code != WEFT_EXIT_OK)
        return code;
    if (!job->options->json)
        tune_print(&job->report);
    else if (!tune_print_json(&job->report))
        code = WEFT_EXIT_FAILURE;
    return code;
}

// Options ----------------------------------------------------------------------------------------

/// What only a forecast has, and what only a search has.
static weft_exit check_options(const weft_cli_options* options) {
    bool forecasts = options->has_tick_count || options->has_placement || options->digest ||
                     options->quota_milli_cpus > 0 || options->speed > 0 || options->smt > 0 ||
                     options->bandwidth > 0;
    if (options->machine == NULL && forecasts) {
        weft_cli_complain("--ticks, --cpus, --digest, --quota, --speed, --smt and --bandwidth are "
                          "for a forecast: add --machine, or leave them out to measure here");
        return WEFT_EXIT_USAGE;
    }
    if (options->machine != NULL && (options->time_s > 0 || options->executor != NULL)) {
        weft_cli_complain("--time and --executor are for a search on this machine, and --machine "
                          "asks for a forecast, which plays threads: leave one out");
        return WEFT_EXIT_USAGE;
    }
    return WEFT_EXIT_OK;
}

/// What is to be beaten, and the most workers.
static weft_exit read_workers(tune_job* job) {
    const weft_cli_options* options = job->options;
    uint64_t most = 0;
    if (options->worker_counts != NULL && (!weft_cli_u64_parse(options->worker_counts, &most) ||
                                           most == 0 || most > WEFT_CLI_WORKERS_MAX)) {
        weft_cli_complain("--workers: '%s' is not a number from 1 to %u; a list is for --machine",
                          options->worker_counts, WEFT_CLI_WORKERS_MAX);
        return WEFT_EXIT_USAGE;
    }
    job->worker_max = (uint32_t)most;
    job->executor = (weft_cli_executor){WEFT_EXECUTOR_THREADS, 0};
    if (options->executor == NULL)
        return WEFT_EXIT_OK;
    (void)weft_cli_executor_parse(options->executor, strlen(options->executor), &job->executor);
    if (!weft_cli_executor_is_parallel(job->executor.kind)) {
        weft_cli_complain("--executor: tune looks for better than threads:N or processes:N; with "
                          "threads it also tries serial");
        return WEFT_EXIT_USAGE;
    }
    if (most != 0 && job->executor.worker_count > most) {
        weft_cli_complain("--executor %s has more than --workers %u allows", options->executor,
                          job->worker_max);
        return WEFT_EXIT_USAGE;
    }
    return WEFT_EXIT_OK;
}

static weft_exit search_here(tune_job* job) {
    weft_exit code = read_workers(job);
    if (code != WEFT_EXIT_OK)
        return code;
    struct sigaction before = weft_cli_interrupt_catch();
    code = job_run(job);
    weft_cli_interrupt_release(&before);
    return code;
}

weft_exit weft_cli_tune(const weft_cli* cli, int argc, char** argv) {
    weft_cli_options options;
    weft_cli_module module = {0};
    weft_cli_options_parse(WEFT_CLI_TUNE, argc, argv, &options);
    weft_exit code = check_options(&options);
    if (code == WEFT_EXIT_OK)
        code = weft_cli_prepare(cli, "tune", &options, &module);
    tune_job* job = calloc(1, sizeof(*job));
    WEFT_ASSERT(job != NULL);
    if (options.quick && !options.has_entity_count && options.entity_count > QUICK_ENTITIES)
        options.entity_count = QUICK_ENTITIES;
    job->options = &options;
    job->report.module = module.module;
    job->report.entity_count = options.entity_count;
    job->report.seed = options.seed;
    if (code == WEFT_EXIT_OK && options.machine != NULL)
        code = tune_forecast_run(&options, module.module);
    else if (code == WEFT_EXIT_OK)
        code = search_here(job);
    tune_explain_deinit(&job->report);
    weft_schedule_destroy(job->schedule);
    weft_world_destroy(job->world);
    weft_topology_destroy(job->topology);
    free(job);
    weft_cli_module_close(&module);
    weft_cli_options_deinit(&options);
    return code;
}
