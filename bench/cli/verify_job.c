// One verification: what the options ask for, and its run.

#include "verify_job.h"

#include "layout_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CONFIGS_DEFAULT                                                                            \
    "serial,virtual:2,virtual:3,virtual:8,threads:1,threads:2,threads:3,threads:8,threads:64,"     \
    "processes:1,processes:2,processes:3"
#define SEEDS_DEFAULT 20u
// What is watched is watched one worker at a time, and costs more.
#define CONFIGS_GUARDED "serial,virtual:2,virtual:3"
#define SEEDS_GUARDED 3u

// Without --entities and --ticks a whole verification stays near half a minute: big worlds are cut
// to a size that still has many chunks, and the ticks to what a short probe says that there is time
// for. What is chosen is printed.
#define TICKS_MAX 1000u
#define TICKS_MIN 10u
#define BUDGET_S 30.0
#define PROBE_S 0.2
#define DRAW_S 0.25 // A drawn run, where there is a time for all: many short ones find more.

static weft_guard job_guard(const weft_cli_options* options) {
    return options->has_guard ? options->guard : WEFT_GUARD_ALIAS;
}

/// Schedules that are drawn for each virtual executor.
static uint32_t job_seeds(const weft_cli_options* options) {
    if (options->has_seed_count)
        return options->seed_count;
    return job_guard(options) > WEFT_GUARD_ALIAS ? SEEDS_GUARDED : SEEDS_DEFAULT;
}

// Configurations ---------------------------------------------------------------------------------

/// Adds one executor with all its schedule seeds. Arrays have room.
static void job_add(verify_job* job, weft_cli_executor executor) {
    const weft_cli_options* options = job->options;
    uint32_t seeds = job_seeds(options);
    verify_group* group = &job->groups[job->group_count++];
    if (executor.kind != WEFT_EXECUTOR_VIRTUAL)
        seeds = 1;
    *group = (verify_group){.executor = executor, .first = job->config_count, .count = seeds};
    for (uint32_t i = 0; i < seeds; i++) {
        weft_executor_desc* desc = &job->configs[job->config_count++];
        uint64_t seed = options->schedule_seed + i;
        *desc = weft_cli_executor_desc(executor, seed, options->no_pin);
        if (options->layout == NULL)
            weft_cli_executor_permute(desc, seed + executor.worker_count);
        weft_cli_layout_apply(options, desc);
        weft_cli_executor_place(options, desc);
        desc->guard = job_guard(options);
        // Else drawn from the seed, or by system where the count is odd: the serial run that all
        // are compared with goes by chunk.
        if (options->has_sweep) {
            desc->sweep = options->sweep;
            desc->sweep_count = 0;
        } else if (options->layout == NULL && executor.kind != WEFT_EXECUTOR_VIRTUAL &&
                   desc->worker_count % 2 == 1) {
            desc->sweep = WEFT_SWEEP_SYSTEM_MAJOR;
        }
    }
}

#define JOB_LIST 32u

/// The list of executors that the options ask for, as text; null for none. Of a layout it is
/// `text`.
static weft_exit job_list(const verify_job* job, char text[JOB_LIST], const char** list_out) {
    const weft_cli_options* options = job->options;
    *list_out = job_guard(options) > WEFT_GUARD_ALIAS ? CONFIGS_GUARDED : CONFIGS_DEFAULT;
    if (options->configs != NULL && options->executor != NULL) {
        weft_cli_complain("--configs and --executor say the same thing twice: leave one out");
        return WEFT_EXIT_USAGE;
    }
    if (options->configs != NULL) {
        *list_out = options->configs;
    } else if (options->executor != NULL) {
        *list_out = options->executor;
    } else if (options->worker_count != 0) {
        *list_out = "virtual,threads";
    } else if (options->layout != NULL) {
        const weft_layout* layout = &options->layout->layout;
        const char* name = weft_cli_executor_name(layout->kind);
        if (layout->kind == WEFT_EXECUTOR_SERIAL || layout->worker_count == 0)
            (void)snprintf(text, JOB_LIST, "%s", name);
        else
            (void)snprintf(text, JOB_LIST, "%s:%u", name, layout->worker_count);
        *list_out = text;
    } else if (job->draws.wanted) {
        *list_out = NULL;
    }
    return WEFT_EXIT_OK;
}

static size_t list_count(const char* list) {
    size_t count = 1;
    for (; *list != '\0'; list++)
        count += *list == ',';
    return count;
}

/// Turns the list into configurations.
static weft_exit job_configure(verify_job* job) {
    const weft_cli_options* options = job->options;
    const char* list;
    char text[JOB_LIST];
    weft_exit code = job_list(job, text, &list);
    if (code != WEFT_EXIT_OK || list == NULL)
        return code;
    size_t count = list_count(list);
    uint32_t seeds = job_seeds(options);
    job->groups = calloc(count, sizeof(*job->groups));
    job->configs = calloc(count * seeds, sizeof(*job->configs));
    if (job->groups == NULL || job->configs == NULL) {
        weft_cli_complain("no memory is left for the list of executors");
        return WEFT_EXIT_FAILURE;
    }
    for (const char* at = list; at != NULL; at = *at == ',' ? at + 1 : NULL) {
        size_t length = strcspn(at, ",");
        weft_cli_executor executor;
        if (!weft_cli_executor_parse(at, length, &executor)) {
            weft_cli_complain("--configs: '%.*s' is not serial, virtual:N, threads:N or "
                              "processes:N with 1 to %u workers",
                              (int)length, at, WEFT_CLI_WORKERS_MAX);
            return WEFT_EXIT_USAGE;
        }
        if (executor.kind != WEFT_EXECUTOR_SERIAL && executor.worker_count == 0)
            executor.worker_count = options->worker_count;
        if (executor.worker_count != 1 &&
            !weft_cli_guard_watches(job_guard(options), executor.kind)) {
            weft_cli_complain("--guard=%s watches one worker at a time: take serial, virtual:N, "
                              "threads:1 or, with trap, processes:N",
                              weft_guard_name(options->guard));
            return WEFT_EXIT_USAGE;
        }
        job_add(job, executor);
        at += length;
    }
    return WEFT_EXIT_OK;
}

/// How often a draw of threads or processes is made again: they hang on timing.
#define DRAW_AGAIN 20u

/// What is to be drawn.
static weft_exit job_draws(verify_job* job) {
    const weft_cli_options* options = job->options;
    verify_draws* draws = &job->draws;
    bool many = options->has_perturb_count || options->time_s > 0;
    if (options->has_perturb_draw && (many || options->has_perturb_seed)) {
        weft_cli_complain(
            "--perturb-draw makes one draw again: leave --perturb, --perturb-seed and "
            "--time out");
        return WEFT_EXIT_USAGE;
    }
    if (options->has_perturb_seed && !many) {
        weft_cli_complain(
            "--perturb-seed says from what to draw, but not how much: add --perturb N "
            "or --time TIME");
        return WEFT_EXIT_USAGE;
    }
    draws->wanted = many || options->has_perturb_draw;
    draws->one = options->has_perturb_draw;
    draws->seed = options->has_perturb_seed ? options->perturb_seed : weft_cli_draw_new_seed();
    draws->limit = options->has_perturb_count ? options->perturb_count : UINT64_MAX;
    draws->time_s = options->time_s;
    if (draws->one) {
        draws->seed = options->perturb_draw;
        weft_executor_desc config =
            weft_cli_draw_config(draws->seed, options->no_pin, job_guard(options));
        draws->limit = weft_cli_executor_is_parallel(config.kind) ? DRAW_AGAIN : 1;
    }
    return WEFT_EXIT_OK;
}

/// Seconds that making a world and one tick with its digests take on the serial executor.
typedef struct job_pace {
    double make_s;
    double tick_s;
} job_pace;

static weft_status probe_tick(const verify_job* job, weft_world* world, weft_executor* executor) {
    weft_digest view;
    weft_digest full;
    if (job->module->input != NULL)
        WEFT_TRY(job->module->input(world, weft_world_tick(world)));
    WEFT_TRY(weft_executor_tick(executor));
    return weft_executor_digest(executor, &view, &full);
}

/// Runs for a moment to see how fast it goes. A failure is left to the verification to report.
static job_pace job_probe(const verify_job* job) {
    weft_world* world = NULL;
    weft_schedule* schedule = NULL;
    weft_executor* executor = NULL;
    weft_executor_desc desc = weft_cli_executor_desc((weft_cli_executor){WEFT_EXECUTOR_SERIAL, 1},
                                                     0, job->options->no_pin);
    double started = weft_cli_clock();
    uint64_t ticks = 0;
    desc.guard = job_guard(job->options);
    weft_status status = weft_cli_world_make(
        job->module, &job->sizes, weft_cli_memory_for(desc.guard, desc.kind), &world, &schedule);
    if (status == WEFT_STATUS_OK)
        status = weft_executor_create(&desc, schedule, &executor);
    double made = weft_cli_clock();
    double now = made;
    while (status == WEFT_STATUS_OK && ticks < TICKS_MAX && now - made < PROBE_S) {
        status = probe_tick(job, world, executor);
        ticks++;
        now = weft_cli_clock();
    }
    weft_executor_destroy(executor);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
    return (job_pace){made - started, ticks > 0 ? (now - made) / (double)ticks : 0};
}

/// The greatest of 10, 20, 50, 100, ... that is not above the number.
static uint64_t round_down(double number) {
    static const uint64_t steps[] = {1000, 500, 200, 100, 50, 20};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        if (number >= (double)steps[i])
            return steps[i];
    }
    return TICKS_MIN;
}

/// How many ticks each run has.
static void job_ticks(verify_job* job) {
    uint64_t ticks = job->module->tick_count_default;
    job->tick_count = ticks;
    if (job->options->has_tick_count) {
        job->tick_count = job->options->tick_count;
    } else if (job->against.digest_count > 0) {
        job->tick_count = job->against.digest_count - 1;
    } else if (ticks > TICKS_MIN) {
        static const double costs[] = {1, 5, 2}; // Of a check, in runs that only take digests.
        job_pace pace = job_probe(job);
        pace.tick_s *= costs[job->options->depth];
        double runs = (double)job->config_count + 1;
        if (job->draws.time_s > 0)
            runs += BUDGET_S / DRAW_S;
        else if (job->draws.wanted)
            runs += (double)job->draws.limit;
        double run_s = BUDGET_S / runs - pace.make_s;
        uint64_t affordable = pace.tick_s > 0 ? round_down(run_s / pace.tick_s) : TICKS_MAX;
        job->ticks_cut = ticks > affordable;
        job->tick_count = job->ticks_cut ? affordable : ticks;
    }
}

// Against a file ---------------------------------------------------------------------------------

static weft_status job_identity(const verify_job* job, weft_cli_identity* identity, char* line,
                                size_t capacity) {
    weft_world* world = NULL;
    weft_schedule* schedule = NULL;
    weft_status status =
        weft_cli_world_make(job->module, &job->sizes, WEFT_CLI_MEMORY_PLAIN, &world, &schedule);
    *identity = (weft_cli_identity){
        .entity_count = job->sizes.entity_count,
        .seed = job->sizes.seed,
    };
    (void)snprintf(identity->version, sizeof identity->version, "%s", weft_version());
    (void)snprintf(identity->module, sizeof identity->module, "%s", job->module->name);
    if (status == WEFT_STATUS_OK) {
        identity->schema_hash = weft_world_schema_hash(world);
        identity->schedule_hash = weft_schedule_hash(schedule);
        identity->math = weft_world_math(world);
    } else {
        (void)snprintf(line, capacity, "%s: %s [%s]", job->module->name,
                       weft_cli_error(status, world, schedule), weft_status_name(status));
    }
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
    return status;
}

/// Reads the file; what the command line leaves open is taken from it.
static weft_exit job_against(verify_job* job, weft_cli_options* options) {
    char line[WEFT_CLI_LINE_SIZE];
    weft_cli_identity identity;
    const char* path = options->against_path;
    weft_status status = weft_cli_hashes_read(path, &job->against, line, sizeof line);
    if (status == WEFT_STATUS_OK) {
        if (!options->has_entity_count)
            options->entity_count = job->against.identity.entity_count;
        job->entities_cut = false;
        if (!options->has_seed)
            options->seed = job->against.identity.seed;
        job->sizes = (weft_module_options){options->entity_count, options->seed};
        status = job_identity(job, &identity, line, sizeof line);
    }
    if (status == WEFT_STATUS_OK)
        status = weft_cli_hashes_match(path, &job->against, &identity, line, sizeof line);
    if (status == WEFT_STATUS_OK && options->has_tick_count &&
        options->tick_count >= job->against.digest_count) {
        (void)snprintf(line, sizeof line,
                       "%s:6: has %" PRIu64 " ticks, this run wants %" PRIu64
                       "; leave --ticks out to take the file's",
                       path, job->against.digest_count - 1, options->tick_count);
        status = WEFT_STATUS_IDENTITY_MISMATCH;
    }
    if (status == WEFT_STATUS_OK)
        return WEFT_EXIT_OK;
    weft_cli_complain("%s", line);
    return WEFT_EXIT_FAILURE;
}

/// Whether the layout, if there is one, is of this simulation.
static weft_exit job_layout(const verify_job* job) {
    char line[WEFT_CLI_LINE_SIZE] = "";
    weft_world* world = NULL;
    weft_schedule* schedule = NULL;
    if (job->options->layout == NULL)
        return WEFT_EXIT_OK;
    weft_status status = weft_cli_world_build(job->module, &job->sizes, WEFT_CLI_MEMORY_PLAIN, NULL,
                                              &world, &schedule);
    if (status == WEFT_STATUS_OK)
        status =
            weft_cli_layout_match(job->options, job->module->name, schedule, line, sizeof line);
    if (status != WEFT_STATUS_OK)
        weft_cli_complain("%s [%s]",
                          line[0] != '\0' ? line : weft_cli_error(status, world, schedule),
                          weft_status_name(status));
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
    return status == WEFT_STATUS_OK ? WEFT_EXIT_OK : WEFT_EXIT_FAILURE;
}

// Callbacks --------------------------------------------------------------------------------------

static weft_status job_make(void* context, weft_world** world_out, weft_schedule** schedule_out) {
    const verify_job* job = context;
    weft_executor_kind kind = job->draws.last.kind;
    for (size_t i = 0; i < job->config_count; i++)
        if (job->configs[i].kind == WEFT_EXECUTOR_PROCESSES)
            kind = WEFT_EXECUTOR_PROCESSES;
    return weft_cli_world_make(job->module, &job->sizes,
                               weft_cli_memory_for(job_guard(job->options), kind), world_out,
                               schedule_out);
}

static weft_status job_input(void* context, weft_world* world, uint64_t tick) {
    const verify_job* job = context;
    return job->module->input(world, tick);
}

static bool job_check(void* context, const weft_world* world, char* line, size_t capacity) {
    const verify_job* job = context;
    return job->module->check(world, line, capacity);
}

/// The next drawn configuration.
static bool job_draw(void* context, uint64_t draw, weft_executor_desc* config_out) {
    verify_job* job = context;
    verify_draws* draws = &job->draws;
    double now = weft_cli_clock();
    if (draw == 0)
        draws->started_s = now;
    draws->ended_s = now;
    if (draw >= draws->limit || (draws->time_s > 0 && now - draws->started_s >= draws->time_s))
        return false;
    draws->last_seed = draws->one ? draws->seed : weft_cli_draw_seed(draws->seed, draw);
    draws->last =
        weft_cli_draw_config(draws->last_seed, job->options->no_pin, job_guard(job->options));
    weft_cli_executor_place(job->options, &draws->last);
    *config_out = draws->last;
    return true;
}

/// What a drawn run says while it runs.
static void draw_progress(verify_job* job, size_t config, double now, char* what, size_t capacity) {
    verify_draws* draws = &job->draws;
    char left[WEFT_CLI_NUMBER_SIZE] = "";
    draws->ended_s = now;
    if (draws->time_s > 0 && draws->started_s + draws->time_s > now)
        (void)weft_cli_seconds(draws->started_s + draws->time_s - now, left);
    (void)snprintf(what, capacity, "schedule %zu, %s:%u%s%s: tick", config - job->config_count + 1,
                   weft_cli_executor_name(draws->last.kind), draws->last.worker_count,
                   left[0] != '\0' ? ", time left " : "", left);
}

/// The row of a configuration.
static verify_group* job_group(verify_job* job, size_t config) {
    verify_group* group = job->groups;
    while (config >= group->first + group->count)
        group++;
    return group;
}

/// Books the time since the last call and draws progress.
static bool job_progress(void* context, const weft_verify_progress* progress) {
    verify_job* job = context;
    double now = weft_cli_clock();
    double passed = now - job->seen_s;
    char what[96];
    job->seen_s = now;
    if (progress->phase == WEFT_VERIFY_REFERENCE) {
        job->reference_s += passed;
        (void)snprintf(what, sizeof what, "serial run: tick");
    } else if (progress->phase == WEFT_VERIFY_LOCATE) {
        job->locate_s += passed;
        (void)snprintf(what, sizeof what, "locating the difference: tick");
    } else if (progress->config >= job->config_count) {
        draw_progress(job, progress->config, now, what, sizeof what);
    } else {
        verify_group* group = job_group(job, progress->config);
        group->time_s += passed;
        (void)snprintf(what, sizeof what, "run %zu of %zu, %s: tick", progress->config + 1,
                       job->config_count, weft_cli_executor_name(group->executor.kind));
    }
    weft_cli_progress_draw(&job->progress, what, progress->tick, progress->tick_count);
    return !weft_cli_interrupted();
}

// The run ----------------------------------------------------------------------------------------

weft_exit verify_job_open(verify_job* job, const char* command, weft_cli_options* options,
                          weft_cli_module* module) {
    weft_exit code = weft_cli_layout_open(options);
    if (code == WEFT_EXIT_OK)
        code = job_draws(job);
    if (code == WEFT_EXIT_OK)
        code = job_configure(job);
    if (code == WEFT_EXIT_OK)
        code = weft_cli_prepare(job->cli, command, options, module);
    if (code != WEFT_EXIT_OK)
        return code;
    job->module = module->module;
    job->module_name = options->name_count > 0 ? options->names[0] : NULL;
    if (!options->has_entity_count && options->entity_count > WEFT_CLI_ENTITIES_MAX) {
        options->entity_count = WEFT_CLI_ENTITIES_MAX;
        job->entities_cut = true;
    }
    job->sizes = (weft_module_options){options->entity_count, options->seed};
    if (options->against_path != NULL)
        code = job_against(job, options);
    if (code == WEFT_EXIT_OK)
        code = job_layout(job);
    if (code == WEFT_EXIT_OK)
        job_ticks(job);
    return code;
}

weft_exit verify_job_run(verify_job* job) {
    weft_verify_desc desc = weft_verify_desc_default();
    desc.make = job_make;
    desc.input = job->module->input != NULL ? job_input : NULL;
    desc.check = job->module->check != NULL ? job_check : NULL;
    desc.draw = job->draws.wanted ? job_draw : NULL;
    desc.progress = job_progress;
    desc.context = job;
    desc.tick_count = job->tick_count;
    desc.configs = job->configs;
    desc.config_count = job->config_count;
    desc.expected = job->against.digests;
    desc.expected_count = job->against.digest_count;
    if (desc.expected_count > desc.tick_count + 1)
        desc.expected_count = desc.tick_count + 1;
    desc.digest_check = job->options->digest_check;
    desc.depth = job->options->depth;
    // What the guard finds in any run it finds in the serial one first, if that is watched too: a
    // costly one watches the others only.
    if (job_guard(job->options) != WEFT_GUARD_TRAP && job_guard(job->options) != WEFT_GUARD_NONE)
        desc.guard = WEFT_GUARD_ALIAS;
    job->progress = weft_cli_progress_start(job->options->quiet);
    job->seen_s = weft_cli_clock();
    weft_status status = weft_verify(&desc, &job->report);
    weft_cli_progress_end(&job->progress);
    if (job->report == NULL) {
        weft_cli_complain("%s: %s", job->module->name, weft_status_text(status));
        return WEFT_EXIT_FAILURE;
    }
    return status == WEFT_STATUS_DIVERGED || status == WEFT_STATUS_UNDECLARED ? WEFT_EXIT_DIFFERENT
           : status != WEFT_STATUS_OK || job->report->stopped                 ? WEFT_EXIT_FAILURE
                                                                              : WEFT_EXIT_OK;
}

void verify_job_close(verify_job* job) {
    weft_verify_report_destroy(job->report);
    weft_cli_hashes_deinit(&job->against);
    free(job->groups);
    free(job->configs);
}
