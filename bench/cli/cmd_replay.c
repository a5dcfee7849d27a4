// weft replay: a journal once more, with every digest compared.

#include "layout_file.h"

#include <inttypes.h>

/// A replay under way.
typedef struct replay_state {
    const weft_cli_options* options;
    const char* path;
    const weft_module* module;
    weft_module_options sizes;
    weft_cli_persist identity;
    weft_world* world;
    weft_schedule* schedule;
    weft_executor* executor;
    weft_replay* replay;
    uint64_t first_tick;
    const char* snapshot; // That it started from, or null.
    double seconds;
    char name[256]; // Of the simulation, where the journal says it.
    char line[WEFT_CLI_LINE_SIZE];
} replay_state;

/// Reads a number that the journal says of its run.
static bool journal_number(replay_state* run, const char* name, uint64_t* out) {
    char value[256];
    if (weft_journal_value(run->path, name, value, sizeof value, run->line, sizeof run->line) !=
        WEFT_STATUS_OK)
        return false;
    if (weft_cli_u64_parse(value, out))
        return true;
    (void)snprintf(run->line, sizeof run->line,
                   "%s: the journal says no '%s': it was not written by weft run", run->path, name);
    return false;
}

/// Takes simulation and sizes from the journal.
static weft_exit replay_prepare(const weft_cli* cli, replay_state* run, weft_cli_options* options,
                                weft_cli_module* module) {
    char* name = run->name;
    if (weft_journal_value(run->path, "module", name, sizeof run->name, run->line,
                           sizeof run->line) != WEFT_STATUS_OK ||
        !journal_number(run, "entities", &options->entity_count) ||
        !journal_number(run, "seed", &options->seed)) {
        weft_cli_complain("%s", run->line);
        return WEFT_EXIT_FAILURE;
    }
    options->has_entity_count = options->has_seed = true;
    if (options->name_count == 1)
        options->names[0] = name;
    else
        options->names++;
    options->name_count = 1;
    return weft_cli_prepare(cli, "replay", options, module);
}

/// The latest snapshot that the options allow; null for none. False if one cannot be read.
static bool choose_snapshot(replay_state* run) {
    const weft_cli_options* options = run->options;
    uint64_t limit = options->has_from ? options->from : options->has_to ? options->to : UINT64_MAX;
    uint64_t best = 0;
    for (size_t i = 0; i < options->snapshot_count; i++) {
        weft_snapshot_info info;
        if (weft_snapshot_inspect(options->snapshots[i], &info, run->line, sizeof run->line) !=
            WEFT_STATUS_OK)
            return false;
        if (info.tick > limit || (run->snapshot != NULL && info.tick <= best))
            continue;
        best = info.tick;
        run->snapshot = options->snapshots[i];
    }
    return true;
}

static weft_status replay_open(replay_state* run, const weft_executor_desc* desc) {
    weft_journal_desc how = weft_journal_desc_default();
    weft_snapshot_desc state = weft_snapshot_desc_default();
    WEFT_TRY(weft_cli_world_make(run->module, &run->sizes,
                                 weft_cli_memory_for(desc->guard, desc->kind), &run->world,
                                 &run->schedule));
    WEFT_TRY(weft_cli_layout_match(run->options, run->module->name, run->schedule, run->line,
                                   sizeof run->line));
    weft_cli_persist_identify(&run->identity, run->module, run->sizes.entity_count);
    how.pairs = state.pairs = run->identity.pairs;
    how.pair_count = state.pair_count = sizeof run->identity.pairs / sizeof run->identity.pairs[0];
    WEFT_TRY(weft_executor_create(desc, run->schedule, &run->executor));
    if (desc->kind == WEFT_EXECUTOR_THREADS && desc->pin)
        (void)!weft_executor_pin_caller(run->executor);
    state.executor = run->executor;
    if (run->snapshot != NULL)
        WEFT_TRY(weft_snapshot_load(run->world, run->snapshot, &state));
    WEFT_TRY(weft_replay_open(&how, run->schedule, run->path, &run->replay));
    WEFT_TRY(weft_replay_seek(run->replay));
    run->first_tick = weft_world_tick(run->world);
    return WEFT_STATUS_OK;
}

static weft_status replay_ticks(replay_state* run) {
    weft_status status = WEFT_STATUS_OK;
    double started = weft_cli_clock();
    while (status == WEFT_STATUS_OK && !weft_replay_info_read(run->replay).ended &&
           !weft_cli_interrupted() &&
           !(run->options->has_to && weft_world_tick(run->world) >= run->options->to))
        status = weft_replay_tick(run->replay, run->executor);
    run->seconds = weft_cli_clock() - started;
    return status;
}

static bool replay_print(const replay_state* run, weft_status status, const char* line) {
    char number[WEFT_CLI_NUMBER_SIZE];
    char time[WEFT_CLI_NUMBER_SIZE];
    weft_replay_info info = weft_replay_info_read(run->replay);
    uint64_t tick = weft_world_tick(run->world);
    if (run->options->json)
        return weft_cli_json_print(json_pack(
            "{s:s, s:s, s:s, s:b, s:s, s:I, s:I, s:I, s:I, s:I, s:f}", "weft", weft_version(), //
            "module", run->module->name, "journal", run->path,                                 //
            "equal", (int)(status == WEFT_STATUS_OK), "line", line,                            //
            "first_tick", (json_int_t)run->first_tick, "last_tick", (json_int_t)tick,          //
            "compared", (json_int_t)info.compared, "inputs", (json_int_t)info.inputs,          //
            "torn_bytes", (json_int_t)info.torn, "seconds", run->seconds));
    printf("journal   %s: %s, %s entities, seed %" PRIu64 "\n", run->path, run->module->name,
           weft_cli_number(run->sizes.entity_count, number), run->sizes.seed);
    if (run->snapshot != NULL)
        printf("snapshot  %s\n", run->snapshot);
    else if (run->options->snapshot_count > 0)
        printf("snapshot  none that is early enough, so from the start\n");
    printf("ticks     %s", weft_cli_number(run->first_tick, number));
    printf(" to %s in %s\n", weft_cli_number(tick, number), weft_cli_seconds(run->seconds, time));
    printf("inputs    %s\n", weft_cli_number(info.inputs, number));
    if (info.torn > 0)
        printf("torn      the last %s bytes are no whole tick\n",
               weft_cli_number(info.torn, number));
    if (status == WEFT_STATUS_OK)
        printf("equal     %s digests\n", weft_cli_number(info.compared, number));
    else
        printf("different %s\n", line);
    return true;
}

static weft_exit replay_all(replay_state* run, const weft_executor_desc* desc) {
    if (!choose_snapshot(run)) {
        weft_cli_complain("%s", run->line);
        return WEFT_EXIT_FAILURE;
    }
    weft_status status = replay_open(run, desc);
    if (status == WEFT_STATUS_OK)
        status = replay_ticks(run);
    const char* line = "";
    if (status == WEFT_STATUS_IDENTITY_MISMATCH && run->executor == NULL)
        line = run->line;
    else if (status != WEFT_STATUS_OK)
        line = weft_cli_error(status, run->world, run->schedule);
    if (status != WEFT_STATUS_OK && (status != WEFT_STATUS_DIVERGED || run->replay == NULL)) {
        weft_cli_complain("%s [%s]", line, weft_status_name(status));
        return WEFT_EXIT_FAILURE;
    }
    if (!replay_print(run, status, line))
        return WEFT_EXIT_FAILURE;
    if (status == WEFT_STATUS_DIVERGED)
        return WEFT_EXIT_DIFFERENT;
    if (run->options->has_to && weft_world_tick(run->world) < run->options->to) {
        weft_cli_complain("%s: the journal ends with tick %" PRIu64 ", before tick %" PRIu64,
                          run->path, weft_world_tick(run->world), run->options->to);
        return WEFT_EXIT_FAILURE;
    }
    return weft_cli_interrupted() ? WEFT_EXIT_FAILURE : WEFT_EXIT_OK;
}

// Two journals -----------------------------------------------------------------------------------

static weft_exit diff(const weft_cli_options* options) {
    weft_journal_difference out;
    char line[WEFT_CLI_LINE_SIZE];
    if (options->name_count != 2) {
        weft_cli_complain("replay --diff takes two journals");
        return WEFT_EXIT_USAGE;
    }
    if (weft_journal_compare(options->names[0], options->names[1], &out, line, sizeof line) !=
        WEFT_STATUS_OK) {
        weft_cli_complain("%s", line);
        return WEFT_EXIT_FAILURE;
    }
    if (options->json) {
        bool printed = weft_cli_json_print(
            json_pack("{s:s, s:b, s:I, s:b, s:b, s:b, s:[I, I]}", "weft", weft_version(), //
                      "equal", (int)!out.found, "tick", (json_int_t)out.tick,             //
                      "inputs", (int)out.inputs, "digest", (int)out.digest,               //
                      "length", (int)out.length, "last_ticks", (json_int_t)out.last_ticks[0],
                      (json_int_t)out.last_ticks[1]));
        return !printed ? WEFT_EXIT_FAILURE : out.found ? WEFT_EXIT_DIFFERENT : WEFT_EXIT_OK;
    }
    if (!out.found) {
        printf("equal     to tick %" PRIu64 "\n", out.last_ticks[0]);
        return WEFT_EXIT_OK;
    }
    printf("different tick %" PRIu64 ": ", out.tick);
    if (out.length)
        printf("one ends with tick %" PRIu64 ", the other does not\n", out.tick - 1);
    else if (out.inputs)
        printf("the inputs differ: the cause is outside of the simulation\n");
    else
        printf("the inputs so far are the same, the digests differ\n");
    for (int i = 0; i < 2 && out.digest; i++) {
        char text[WEFT_DIGEST_TEXT];
        weft_digest_format(out.digests[i], text);
        printf("full      %s %s\n", text, options->names[i]);
    }
    return WEFT_EXIT_DIFFERENT;
}

weft_exit weft_cli_replay(const weft_cli* cli, int argc, char** argv) {
    weft_cli_options options;
    weft_cli_module module = {0};
    weft_executor_desc desc;
    weft_cli_options_parse(WEFT_CLI_REPLAY, argc, argv, &options);
    const char** names = options.names;
    weft_exit code = WEFT_EXIT_OK;
    if (options.diff) {
        code = diff(&options);
    } else if (options.name_count == 0 || options.name_count > 2) {
        weft_cli_complain("replay needs a journal, and at most one simulation");
        code = WEFT_EXIT_USAGE;
    } else {
        replay_state run = {.options = &options, .path = options.names[0]};
        code = weft_cli_layout_open(&options);
        if (code == WEFT_EXIT_OK)
            code = weft_cli_executor_choose(&options, &desc);
        if (code == WEFT_EXIT_OK)
            code = replay_prepare(cli, &run, &options, &module);
        if (code == WEFT_EXIT_OK) {
            run.module = module.module;
            run.sizes = (weft_module_options){options.entity_count, options.seed};
            struct sigaction before = weft_cli_interrupt_catch();
            code = replay_all(&run, &desc);
            weft_cli_interrupt_release(&before);
        }
        weft_replay_close(run.replay);
        weft_executor_destroy(run.executor);
        weft_schedule_destroy(run.schedule);
        weft_world_destroy(run.world);
    }
    weft_cli_module_close(&module);
    options.names = names;
    weft_cli_options_deinit(&options);
    return code;
}
