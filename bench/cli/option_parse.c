// What each option sets. The parsers ask each other: what one does not know is the next one's.

#define _GNU_SOURCE // reallocarray

#include "option_parse.h"

#include <stdlib.h>
#include <string.h>

#include "option_values.h"

/// What is for worker processes.
static error_t parse_process(int key, const char* text, struct argp_state* state) {
    weft_cli_options* options = state->input;
    switch (key) {
    case KEY_IMAGES:
        options->image_ticks = option_number(state, "images", text, "number of ticks");
        options->has_images = true;
        return 0;
    case KEY_RETRIES:
        options->retries = option_number(state, "retries", text, "whole number");
        options->has_retries = true;
        return 0;
    case KEY_STUCK:
        option_stuck(state, text, options);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_option(int key, char* text, struct argp_state* state) {
    weft_cli_options* options = state->input;
    switch (key) {
    case KEY_IMAGES:
    case KEY_RETRIES:
    case KEY_STUCK:
        return parse_process(key, text, state);
    case KEY_ENTITIES:
        option_count(state, "entities", text, &options->has_entity_count, &options->entity_count);
        return 0;
    case KEY_TICKS:
        option_count(state, "ticks", text, &options->has_tick_count, &options->tick_count);
        return 0;
    case KEY_SEED:
        option_u64(state, "seed", text, &options->has_seed, &options->seed);
        return 0;
    case KEY_SCHEDULE_SEED:
        option_u64(state, "schedule-seed", text, &options->has_schedule_seed,
                   &options->schedule_seed);
        return 0;
    case KEY_SWEEP:
        option_sweep(state, text, options);
        return 0;
    case KEY_GUARD:
        option_guard(state, text, options);
        return 0;
    case KEY_ROLLBACK:
        options->rollback_ticks =
            text == NULL ? 0 : option_small(state, "rollback", text, UINT32_MAX);
        options->has_rollback = true;
        return 0;
    case KEY_SEEDS:
        options->seed_count = option_small(state, "seeds", text, WEFT_CLI_SEEDS_MAX);
        options->has_seed_count = true;
        return 0;
    case KEY_WORKERS:
        options->worker_count = option_small(state, "workers", text, WEFT_CLI_WORKERS_MAX);
        return 0;
    case KEY_EXECUTOR:
        option_executor(state, text);
        options->executor = text;
        return 0;
    case ARGP_KEY_ARG:
        options->names[options->name_count++] = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void list_add(const char*** list, size_t* count, const char* text) {
    const char** grown = reallocarray(*list, *count + 1, sizeof(**list));
    WEFT_ASSERT(grown != NULL);
    *list = grown;
    grown[(*count)++] = text;
}

void weft_cli_options_flag(weft_cli_options* options, const char* flag) {
    list_add(&options->flags, &options->flag_count, flag);
}

static error_t parse_bench(int key, char* text, struct argp_state* state) {
    weft_cli_options* options = state->input;
    switch (key) {
    case KEY_QUICK:
        options->quick = true;
        return 0;
    case KEY_SUITE:
        options->suite = true;
        return 0;
    case KEY_SAVE:
        options->save_path = text;
        return 0;
    case KEY_THRESHOLD:
        options->threshold = option_percent(state, "threshold", text);
        return 0;
    default:
        return parse_option(key, text, state);
    }
}

static error_t parse_lint(int key, char* text, struct argp_state* state) {
    weft_cli_options* options = state->input;
    switch (key) {
    case KEY_ALL:
        options->all = true;
        return 0;
    case KEY_FLOAT:
        if (text != NULL)
            list_add(&options->float_files, &options->float_file_count, text);
        else
            options->floats = true;
        return 0;
    case KEY_PURE:
        list_add(&options->pure, &options->pure_count, text);
        return 0;
    case KEY_WITHOUT:
        list_add(&options->without, &options->without_count, text);
        return 0;
    case KEY_FLAG:
        weft_cli_options_flag(options, text);
        return 0;
    case KEY_OBJECT:
        options->object = true;
        return 0;
    case KEY_SARIF:
        options->sarif = true;
        return 0;
    case KEY_LIST_RULES:
        options->list_rules = true;
        return 0;
    case KEY_LIST:
        options->list = true;
        return 0;
    default:
        return parse_bench(key, text, state);
    }
}

static error_t parse_graph(int key, char* text, struct argp_state* state) {
    weft_cli_options* options = state->input;
    switch (key) {
    case KEY_FORMAT:
        options->format = text;
        return 0;
    case KEY_OUTPUT:
        options->output_path = text;
        return 0;
    case KEY_ALL_EDGES:
        options->all_edges = true;
        return 0;
    case KEY_OVERLAPS:
        options->overlaps = true;
        return 0;
    case KEY_WHY:
        options->why = true;
        return 0;
    case KEY_DENY:
        list_add(&options->deny, &options->deny_count, text);
        return 0;
    case KEY_DENY_AMBIGUOUS:
        list_add(&options->deny, &options->deny_count, "ambiguous");
        return 0;
    case KEY_BUNDLE:
        options->bundle_path = text;
        return 0;
    case KEY_BUILDS:
        options->builds = true;
        return 0;
    case KEY_RECORD:
        options->record_path = text;
        return 0;
    default:
        return parse_lint(key, text, state);
    }
}

static error_t parse_log(int key, char* text, struct argp_state* state) {
    weft_cli_options* options = state->input;
    switch (key) {
    case KEY_LOG:
        options->log_path = text;
        return 0;
    case KEY_LOG_POLICY:
        if (!weft_cli_log_policy_parse(text, &options->log_policy))
            argp_error(state, "--log-policy: '%s' is not block, drop or count", text);
        options->has_log_policy = true;
        return 0;
    case KEY_TABLE:
        options->table = text;
        return 0;
    default:
        return parse_graph(key, text, state);
    }
}

static error_t parse_perturb(int key, char* text, struct argp_state* state) {
    weft_cli_options* options = state->input;
    switch (key) {
    case KEY_PERTURB:
        option_count(state, "perturb", text, &options->has_perturb_count, &options->perturb_count);
        if (options->perturb_count == 0)
            argp_error(state, "--perturb: draw at least one configuration");
        return 0;
    case KEY_PERTURB_SEED:
        option_u64(state, "perturb-seed", text, &options->has_perturb_seed, &options->perturb_seed);
        return 0;
    case KEY_PERTURB_DRAW:
        option_u64(state, "perturb-draw", text, &options->has_perturb_draw, &options->perturb_draw);
        return 0;
    case KEY_TIME:
        option_time(state, text, options);
        return 0;
    case KEY_CHECK:
        option_depth(state, text, options);
        return 0;
    default:
        return parse_log(key, text, state);
    }
}

static error_t parse_persist(int key, char* text, struct argp_state* state) {
    weft_cli_options* options = state->input;
    switch (key) {
    case KEY_JOURNAL:
        options->journal_path = text;
        return 0;
    case KEY_FSYNC:
        options->sync_ticks = option_fsync(state, text);
        options->has_fsync = true;
        return 0;
    case KEY_SNAPSHOT:
        list_add(&options->snapshots, &options->snapshot_count, text);
        return 0;
    case KEY_SNAPSHOT_EVERY:
        option_count(state, "snapshot-every", text, &options->has_snapshot_every,
                     &options->snapshot_every);
        return 0;
    case KEY_COMPRESS:
        options->compress = true;
        return 0;
    case KEY_RESUME:
        options->resume_path = text;
        return 0;
    case KEY_FROM:
        option_count(state, "from", text, &options->has_from, &options->from);
        return 0;
    case KEY_TO:
        option_count(state, "to", text, &options->has_to, &options->to);
        return 0;
    case KEY_DIFF:
        options->diff = true;
        return 0;
    case KEY_AUDIT:
        options->audit = true;
        return 0;
    case KEY_RATE:
        options->rate = option_small(state, "rate", text, WEFT_CLOCK_RATE_MAX);
        return 0;
    case KEY_LATE:
        if (strcmp(text, "catch-up") != 0 && strcmp(text, "skip") != 0)
            argp_error(state, "--late: '%s' is not catch-up or skip", text);
        options->skip_late = text[0] == 's';
        return 0;
    default:
        return parse_perturb(key, text, state);
    }
}

static error_t parse_trace(int key, char* text, struct argp_state* state) {
    weft_cli_options* options = state->input;
    switch (key) {
    case KEY_TRACE:
        options->trace_path = text;
        return 0;
    case KEY_TRACE_TICKS:
        option_trace_ticks(state, text, options);
        return 0;
    default:
        return parse_persist(key, text, state);
    }
}

static error_t parse_forecast(int key, char* text, struct argp_state* state) {
    weft_cli_options* options = state->input;
    switch (key) {
    case KEY_WORKER_COUNTS:
        options->worker_counts = text;
        return 0;
    case KEY_SPEED:
        options->speed = option_factor(state, "speed", text, 0.01, 100);
        return 0;
    case KEY_SMT:
        options->smt = option_factor(state, "smt", text, 1, 8);
        return 0;
    case KEY_BANDWIDTH:
        options->bandwidth = option_factor(state, "bandwidth", text, 0.1, 100000);
        return 0;
    case KEY_DIGEST:
        options->digest = true;
        return 0;
    default:
        return parse_trace(key, text, state);
    }
}

static error_t parse_place(int key, char* text, struct argp_state* state) {
    weft_cli_options* options = state->input;
    switch (key) {
    case KEY_PLACEMENT:
    case KEY_CPUS:
        if (options->has_placement && (options->cpus != NULL) != (key == KEY_CPUS))
            argp_error(state, "--placement and --cpus exclude each other");
        options->has_placement = true;
        if (key == KEY_CPUS)
            option_cpus(state, text, options);
        else if (!weft_cli_placement_parse(text, &options->placement.policy))
            argp_error(state, "--placement: '%s' is not spread, compact or per-node", text);
        return 0;
    case KEY_NO_PIN:
        options->no_pin = true;
        return 0;
    case KEY_INTERLEAVE:
        options->interleave = true;
        return 0;
    case KEY_LAYOUT:
        options->layout_path = text;
        return 0;
    case KEY_MACHINE:
        options->machine = text;
        return 0;
    case KEY_QUOTA:
        if (!weft_cli_quota_parse(text, &options->quota_milli_cpus))
            argp_error(state, "--quota: '%s' is not a number of CPUs; write 1.5", text);
        return 0;
    case KEY_SVG:
        options->svg_path = text;
        return 0;
    case ARGP_KEY_END:
        if (options->interleave && options->guard != WEFT_GUARD_NONE)
            argp_error(state, "--interleave and --guard want different memory");
        if (options->no_pin && options->has_placement)
            argp_error(state, "--no-pin leaves no room for --placement or --cpus");
        return 0;
    default:
        return parse_forecast(key, text, state);
    }
}

static error_t parse_report(int key, char* text, struct argp_state* state) {
    weft_cli_options* options = state->input;
    switch (key) {
    case KEY_PLOT:
        options->plot = text;
        return 0;
    case KEY_MODULE:
        options->module = text;
        return 0;
    case KEY_TITLE:
        options->title = text;
        return 0;
    default:
        return parse_place(key, text, state);
    }
}

/// Options that are kept as they are.
error_t option_parse(int key, char* text, struct argp_state* state) {
    weft_cli_options* options = state->input;
    switch (key) {
    case KEY_CONFIGS:
        options->configs = text;
        return 0;
    case KEY_AGAINST:
        options->against_path = text;
        return 0;
    case KEY_HASHES:
        options->hashes_path = text;
        return 0;
    case KEY_DIGEST_CHECK:
        options->digest_check = true;
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    case KEY_QUIET:
        options->quiet = true;
        return 0;
    default:
        return parse_report(key, text, state);
    }
}
