// Snapshots and journals of a run.

#define _GNU_SOURCE

#include "cli.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "machine.h"

bool weft_cli_persist_check(const weft_cli_options* options, char* line, size_t capacity) {
    const char* wrong = NULL;
    bool journal = options->journal_path != NULL || options->resume_path != NULL;
    if (options->snapshot_count > 1)
        wrong = "--snapshot: one file is enough";
    else if (options->has_snapshot_every && options->snapshot_count == 0)
        wrong = "--snapshot-every needs --snapshot FILE";
    else if (options->has_snapshot_every && options->snapshot_every == 0)
        wrong = "--snapshot-every: at least 1";
    else if (options->compress && options->snapshot_count == 0 && options->log_path == NULL)
        wrong = "--compress needs --snapshot FILE or --log FILE";
    else if (options->has_log_policy && options->log_path == NULL)
        wrong = "--log-policy needs --log FILE";
    else if (options->has_fsync && !journal)
        wrong = "--fsync needs --journal FILE";
    else if (options->record_path != NULL && (journal || options->has_snapshot_every))
        wrong = "--record is of one tick: leave --journal, --resume and --snapshot-every out";
    else if (options->resume_path != NULL && options->hashes_path != NULL)
        wrong = "--hashes needs a run from its start; leave --resume out";
    (void)snprintf(line, capacity, "%s", wrong != NULL ? wrong : "");
    return wrong == NULL;
}

void weft_cli_persist_identify(weft_cli_persist* persist, const weft_module* module,
                               uint64_t entity_count) {
    (void)snprintf(persist->entities, sizeof persist->entities, "%" PRIu64, entity_count);
    persist->pairs[0] = (weft_identity_pair){"module", module->name, false};
    persist->pairs[1] = (weft_identity_pair){"entities", persist->entities, false};
    persist->pairs[2] = (weft_identity_pair){"commit", weft_build_commit, true};
    persist->pairs[3] = (weft_identity_pair){"flags", weft_build_flags, true};
}

static weft_snapshot_desc snapshot_desc(const weft_cli_persist* persist) {
    weft_snapshot_desc desc = weft_snapshot_desc_default();
    desc.compress = persist->options->compress;
    desc.pairs = persist->pairs;
    desc.pair_count = sizeof persist->pairs / sizeof persist->pairs[0];
    return desc;
}

weft_status weft_cli_persist_load(const weft_cli_options* options, const weft_module* module,
                                  uint64_t entity_count, weft_world* world, const char* path) {
    weft_cli_persist persist = {.options = options};
    weft_cli_persist_identify(&persist, module, entity_count);
    weft_snapshot_desc desc = snapshot_desc(&persist);
    return weft_snapshot_load(world, path, &desc);
}

static weft_journal_desc journal_desc(const weft_cli_persist* persist) {
    weft_journal_desc desc = weft_journal_desc_default();
    desc.sync_ticks = persist->options->sync_ticks;
    desc.pairs = persist->pairs;
    desc.pair_count = sizeof persist->pairs / sizeof persist->pairs[0];
    return desc;
}

/// Whether a file begins as journals do. What it is instead, whoever reads it says.
static bool is_journal(const char* path) {
    char magic[8] = "";
    FILE* file = fopen(path, "re");
    bool journal = file != NULL && fread(magic, 1, sizeof magic, file) == sizeof magic &&
                   memcmp(magic, "WEFTJRNL", sizeof magic) == 0;
    if (file != NULL)
        (void)fclose(file);
    return journal;
}

static weft_status replay_tick(const weft_cli_persist* persist, weft_replay* replay,
                               weft_executor* executor) {
    WEFT_TRY(weft_replay_tick(replay, executor));
    return persist->log != NULL ? weft_simlog_tick(persist->log) : WEFT_STATUS_OK;
}

/// Runs a journal from the world's tick to its end.
static weft_status run_journal(const weft_cli_persist* persist, const char* path,
                               weft_schedule* schedule, weft_executor* executor) {
    weft_journal_desc desc = journal_desc(persist);
    weft_replay* replay;
    WEFT_TRY(weft_replay_open(&desc, schedule, path, &replay));
    weft_status status = weft_replay_seek(replay);
    while (status == WEFT_STATUS_OK && !weft_replay_info_read(replay).ended)
        status = replay_tick(persist, replay, executor);
    weft_replay_info info = weft_replay_info_read(replay);
    weft_replay_close(replay);
    if (status == WEFT_STATUS_OK && info.torn > 0)
        weft_cli_complain("%s: the last %" PRIu64 " bytes are no whole tick, as a run that was "
                          "killed leaves them: going on after tick %" PRIu64,
                          path, info.torn, info.tick);
    return status;
}

weft_status weft_cli_persist_open(weft_cli_persist* persist, const weft_module* module,
                                  const weft_module_options* sizes, const weft_cli_options* options,
                                  weft_world* world, weft_schedule* schedule,
                                  weft_executor* executor) {
    persist->options = options;
    weft_cli_persist_identify(persist, module, sizes->entity_count);
    bool from_journal = options->resume_path != NULL && is_journal(options->resume_path);
    const char* path = options->journal_path;
    if (path == NULL && from_journal)
        path = options->resume_path;
    if (options->resume_path != NULL && !from_journal) {
        weft_snapshot_desc desc = snapshot_desc(persist);
        desc.executor = executor;
        WEFT_TRY(weft_snapshot_load(world, options->resume_path, &desc));
    }
    // What there is of a journal that is gone on with comes first.
    bool there = path != NULL && options->resume_path != NULL && access(path, F_OK) == 0;
    if (from_journal)
        WEFT_TRY(run_journal(persist, options->resume_path, schedule, executor));
    else if (there)
        WEFT_TRY(run_journal(persist, path, schedule, executor));
    if (path == NULL)
        return WEFT_STATUS_OK;
    weft_journal_desc desc = journal_desc(persist);
    persist->journal_path = path;
    return there ? weft_journal_continue(&desc, schedule, path, &persist->journal)
                 : weft_journal_create(&desc, schedule, path, &persist->journal);
}

static weft_status save(weft_cli_persist* persist, weft_world* world, weft_executor* executor) {
    weft_snapshot_desc desc = snapshot_desc(persist);
    if (persist->journal != NULL)
        WEFT_TRY(weft_journal_sync(persist->journal)); // A snapshot is never ahead of its journal.
    persist->saved_tick = weft_world_tick(world);
    persist->saved = true;
    return weft_snapshot_save(executor, persist->options->snapshots[0], &desc);
}

weft_status weft_cli_persist_rescue(weft_cli_persist* persist, weft_world* world,
                                    weft_executor* executor, char* path, size_t path_capacity,
                                    char* line, size_t capacity) {
    weft_snapshot_desc desc = snapshot_desc(persist);
    if (persist->options->snapshot_count > 0)
        (void)snprintf(path, path_capacity, "%s", persist->options->snapshots[0]);
    else
        (void)snprintf(path, path_capacity, "%s-crash-%" PRIu64 ".snapshot",
                       persist->pairs[0].value, weft_world_tick(world));
    weft_status status = weft_snapshot_save(executor, path, &desc);
    if (status != WEFT_STATUS_OK)
        (void)snprintf(line, capacity, "%s", weft_world_error(world));
    return status;
}

weft_status weft_cli_persist_tick(weft_cli_persist* persist, weft_world* world,
                                  weft_executor* executor) {
    if (persist->journal != NULL)
        WEFT_TRY(weft_journal_tick(persist->journal, executor));
    else
        WEFT_TRY(weft_executor_tick(executor));
    uint64_t every = persist->options->has_snapshot_every ? persist->options->snapshot_every : 0;
    if (every == 0 || weft_world_tick(world) % every != 0)
        return WEFT_STATUS_OK;
    return save(persist, world, executor);
}

weft_status weft_cli_persist_close(weft_cli_persist* persist, weft_world* world,
                                   weft_executor* executor, bool failed, char* line,
                                   size_t capacity) {
    weft_status status = WEFT_STATUS_OK;
    bool wanted = !failed && persist->options != NULL && persist->options->snapshot_count > 0;
    if (wanted && !(persist->saved && persist->saved_tick == weft_world_tick(world)))
        status = save(persist, world, executor);
    if (status != WEFT_STATUS_OK)
        (void)snprintf(line, capacity, "%s", weft_world_error(world));
    weft_status closed =
        weft_journal_close(persist->journal, line, status == WEFT_STATUS_OK ? capacity : 0);
    persist->journal = NULL;
    return status != WEFT_STATUS_OK ? status : closed;
}
