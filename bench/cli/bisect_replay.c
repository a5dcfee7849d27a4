// weft bisect BUNDLE: the tick of a bundle once more, on whatever machine and build this is.

#include "bisect_job.h"

#include <inttypes.h>
#include <string.h>

/// What a replay showed.
typedef enum replay_verdict {
    REPLAY_SAME,       // The same difference.
    REPLAY_OTHER,      // A difference, with other states.
    REPLAY_AS_SERIAL,  // None: all is as the bundle's serial run had it.
    REPLAY_AS_SUSPECT, // None: but the serial run here is what differed there.
    REPLAY_THIRD,      // None: but the serial run here is neither.
} replay_verdict;

static const char* const verdict_names[] = {"same", "other", "as_serial", "as_suspect", "third"};

static bool digests_equal(const weft_verify_digests* a, const weft_verify_digests* b) {
    return weft_digest_equal(a->view, b->view) && weft_digest_equal(a->full, b->full);
}

static replay_verdict judge(const bisect_job* job, const bisect_bundle* bundle) {
    const weft_bisect_report* report = job->report;
    bool as_serial = digests_equal(&report->reference, &bundle->digests[0]);
    bool as_suspect = digests_equal(&report->reference, &bundle->digests[1]);
    if (report->different)
        return as_serial && digests_equal(&report->found, &bundle->digests[1]) ? REPLAY_SAME
                                                                               : REPLAY_OTHER;
    return as_serial ? REPLAY_AS_SERIAL : as_suspect ? REPLAY_AS_SUSPECT : REPLAY_THIRD;
}

/// Refuses a module with other types or systems than the bundle's.
static weft_exit match(const char* path, const bisect_job* job, const bisect_bundle* bundle) {
    weft_world* world = NULL;
    weft_schedule* schedule = NULL;
    weft_status status =
        weft_cli_world_make(job->module, &job->sizes, WEFT_CLI_MEMORY_PLAIN, &world, &schedule);
    weft_exit code = WEFT_EXIT_FAILURE;
    if (status != WEFT_STATUS_OK)
        weft_cli_complain("%s: %s [%s]", job->module->name, weft_cli_error(status, world, schedule),
                          weft_status_name(status));
    else if (weft_world_schema_hash(world) != bundle->schema_hash)
        weft_cli_complain("%s: made with schema 0x%016" PRIx64 ", module '%s' has 0x%016" PRIx64
                          ": its components or their fields have changed",
                          path, bundle->schema_hash, job->module->name,
                          weft_world_schema_hash(world));
    else if (weft_schedule_hash(schedule) != bundle->schedule_hash)
        weft_cli_complain("%s: made with schedule 0x%016" PRIx64 ", module '%s' has 0x%016" PRIx64
                          ": its systems, their access or their order have changed",
                          path, bundle->schedule_hash, job->module->name,
                          weft_schedule_hash(schedule));
    else
        code = WEFT_EXIT_OK;
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
    return code;
}

static weft_exit replay_print(const bisect_job* job, const bisect_bundle* bundle) {
    replay_verdict verdict = judge(job, bundle);
    char hash[WEFT_DIGEST_TEXT];
    bisect_module_hash(job->module_name, hash);
    bool same_module = strcmp(hash, bundle->module_hash) == 0;
    weft_exit code = verdict == REPLAY_AS_SERIAL ? WEFT_EXIT_OK : WEFT_EXIT_DIFFERENT;
    if (job->options->json)
        return bisect_print_json(job, verdict_names[verdict]) ? code : WEFT_EXIT_FAILURE;
    printf("bundle    %s: module %s, tick %" PRIu64 "\n", job->bundle_path, job->module->name,
           job->tick);
    printf("file      the module's file is %s the one that the bundle was made with\n\n",
           same_module ? "the same as" : "another than");
    switch (verdict) {
    case REPLAY_SAME:
        printf("REPLAYED: the same difference, bit for bit\n\n");
        break;
    case REPLAY_OTHER:
        printf("REPLAYED: a difference, but not the one in the bundle\n\n");
        break;
    case REPLAY_AS_SERIAL:
        printf("no difference in %u runs: the tick is as the serial run of the bundle had it\n",
               job->report->place.attempt_count);
        break;
    case REPLAY_AS_SUSPECT:
        printf(
            "DIFFERENT from the bundle's serial run: the serial run here gives what the bundle's "
            "suspect\ngave, %s\n",
            job->suspect);
        break;
    case REPLAY_THIRD:
        printf("DIFFERENT from both states of the bundle: this build gives a third\n");
        break;
    }
    if (job->report->different)
        bisect_print(job);
    return code;
}

weft_exit bisect_replay(const weft_cli* cli, weft_cli_options* options) {
    char line[WEFT_CLI_LINE_SIZE];
    bisect_bundle bundle;
    weft_cli_module module = {0};
    const char* path = options->names[0];
    weft_exit code = WEFT_EXIT_FAILURE;
    if (options->name_count > 2) {
        weft_cli_complain("a bundle is replayed with one module: '%s' is one too many",
                          options->names[2]);
        return WEFT_EXIT_USAGE;
    }
    if (bisect_bundle_read(path, &bundle, line, sizeof line) != WEFT_STATUS_OK) {
        weft_cli_complain("%s", line);
        return WEFT_EXIT_FAILURE;
    }
    const char* name = options->name_count > 1 ? options->names[1] : bundle.module;
    if (weft_cli_module_open(cli, name, &module, &code, line, sizeof line) != WEFT_STATUS_OK) {
        weft_cli_complain("%s%s", line,
                          options->name_count > 1 ? "" : "; name the module behind the bundle");
        bisect_bundle_deinit(&bundle);
        return code;
    }
    bisect_job job = {.cli = cli,
                      .options = options,
                      .module = module.module,
                      .module_name = name,
                      .sizes = bundle.sizes,
                      .config = bundle.config,
                      .tick = bundle.tick,
                      .expected = bundle.digests[0],
                      .seen = bundle.digests[1],
                      .bundle_path = path,
                      .sides = {"serial", "here"}};
    memcpy(job.suspect, bundle.suspect, sizeof job.suspect);
    memcpy(job.reference, bundle.reference, sizeof job.reference);
    code = match(path, &job, &bundle);
    if (code == WEFT_EXIT_OK) {
        weft_bisect_desc desc = bisect_job_desc(&job);
        desc.before = bundle.file.bytes[WEFT_CLI_SECTION_STATE];
        desc.before_size = bundle.file.sizes[WEFT_CLI_SECTION_STATE];
        desc.inputs = bundle.file.bytes[WEFT_CLI_SECTION_INPUTS];
        desc.inputs_size = bundle.file.sizes[WEFT_CLI_SECTION_INPUTS];
        code = bisect_job_run(&job, &desc);
    }
    if (code == WEFT_EXIT_OK) {
        job.write = bundle.write;
        code = replay_print(&job, &bundle);
    }
    weft_bisect_report_destroy(job.report);
    weft_cli_module_close(&module);
    bisect_bundle_deinit(&bundle);
    return code;
}
