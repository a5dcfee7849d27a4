// weft verify: every executor against the serial run.

#include "bisect_job.h"

/// Writes the serial run's digests where the options say.
static weft_exit job_write_hashes(const verify_job* job) {
    char line[WEFT_CLI_LINE_SIZE];
    const weft_verify_report* report = job->report;
    weft_cli_hashes hashes = {
        .identity = {.entity_count = job->sizes.entity_count,
                     .seed = job->sizes.seed,
                     .schema_hash = report->schema_hash,
                     .schedule_hash = report->schedule_hash,
                     .math = weft_cli_world_desc(job->module, &job->sizes).math},
        .digests = report->digests,
        .digest_count = report->digest_count,
    };
    (void)snprintf(hashes.identity.version, sizeof hashes.identity.version, "%s", weft_version());
    (void)snprintf(hashes.identity.module, sizeof hashes.identity.module, "%s", job->module->name);
    if (report->digest_count == 0 || weft_cli_hashes_write(job->options->hashes_path, &hashes, line,
                                                           sizeof line) == WEFT_STATUS_OK)
        return WEFT_EXIT_OK;
    weft_cli_complain("%s", line);
    return WEFT_EXIT_FAILURE;
}

static weft_exit job_run(verify_job* job) {
    weft_exit code = verify_job_run(job);
    const weft_verify_report* report = job->report;
    if (report == NULL)
        return code;
    if (!job->options->json)
        verify_print(job);
    else if (!verify_print_json(job))
        code = WEFT_EXIT_FAILURE;
    if (report->stopped)
        weft_cli_complain("interrupted: what is shown as not run is not verified");
    if (job->options->hashes_path != NULL && job_write_hashes(job) != WEFT_EXIT_OK)
        code = WEFT_EXIT_FAILURE;
    if (code == WEFT_EXIT_DIFFERENT && job->options->bundle_path != NULL && !report->stopped)
        code = bisect_verified(job, job->options->bundle_path);
    return code;
}

weft_exit weft_cli_verify(const weft_cli* cli, int argc, char** argv) {
    weft_cli_options options;
    weft_cli_module module = {0};
    weft_cli_options_parse(WEFT_CLI_VERIFY, argc, argv, &options);
    verify_job job = {.cli = cli, .options = &options};
    weft_exit code = verify_job_open(&job, "verify", &options, &module);
    if (code == WEFT_EXIT_OK) {
        if (!options.json)
            verify_print_head(&job);
        struct sigaction before = weft_cli_interrupt_catch();
        code = job_run(&job);
        weft_cli_interrupt_release(&before);
    }
    verify_job_close(&job);
    weft_cli_module_close(&module);
    weft_cli_options_deinit(&options);
    return code;
}
