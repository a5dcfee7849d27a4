// One bisection: its callbacks, its run, and where verify leads to it.

#include "bisect_job.h"

static weft_status job_make(void* context, weft_world** world_out, weft_schedule** schedule_out) {
    const bisect_job* job = context;
    return weft_cli_world_make(job->module, &job->sizes,
                               weft_cli_memory_for(WEFT_GUARD_NONE, job->config.kind), world_out,
                               schedule_out);
}

static weft_status job_input(void* context, weft_world* world, uint64_t tick) {
    const bisect_job* job = context;
    return job->module->input(world, tick);
}

static bool job_progress(void* context, const weft_verify_progress* progress) {
    bisect_job* job = context;
    weft_cli_progress_draw(&job->progress, "bisecting: tick", progress->tick, progress->tick_count);
    return !weft_cli_interrupted();
}

weft_bisect_desc bisect_job_desc(bisect_job* job) {
    weft_bisect_desc desc = weft_bisect_desc_default();
    desc.make = job_make;
    desc.input = job->module->input != NULL ? job_input : NULL;
    desc.progress = job_progress;
    desc.context = job;
    desc.tick = job->tick;
    desc.reference = job->expected;
    desc.config = job->config;
    // What hangs on timing gets more chances.
    desc.attempt_limit = weft_cli_executor_is_parallel(job->config.kind) ? 20 : 2;
    return desc;
}

weft_exit bisect_job_run(bisect_job* job, const weft_bisect_desc* desc) {
    job->progress = weft_cli_progress_start(job->options->quiet);
    weft_status status = weft_bisect(desc, &job->report);
    weft_cli_progress_end(&job->progress);
    if (status != WEFT_STATUS_OK && status != WEFT_STATUS_DIVERGED) {
        weft_cli_complain("%s: %s [%s]", job->module->name,
                          job->report != NULL ? job->report->error : weft_status_text(status),
                          weft_status_name(status));
        return WEFT_EXIT_FAILURE;
    }
    if (job->report->stopped) {
        weft_cli_complain("interrupted: nothing is said of the cause");
        return WEFT_EXIT_FAILURE;
    }
    job->write = job->report->write;
    return WEFT_EXIT_OK;
}

void bisect_job_take(bisect_job* job, const verify_job* verify, const verify_suspect* one) {
    const weft_verify_result* result = one->result;
    WEFT_ASSERT(result != NULL && verify->report != NULL);
    bool moved = result->place.repeated && result->place.compared;
    *job = (bisect_job){.cli = verify->cli,
                        .options = verify->options,
                        .module = verify->module,
                        .module_name = verify->module_name,
                        .sizes = verify->sizes,
                        .config = *one->config,
                        .tick = moved ? result->place.tick : result->tick,
                        .seen = result->found,
                        .verify = verify,
                        .one = one,
                        .sides = {"serial", "here"}};
    // What a guard watches it does not change, and it would not let pass what is looked for here.
    job->config.guard = WEFT_GUARD_NONE;
    // As it was, where the machine decided.
    if (job->config.worker_count == 0)
        job->config.worker_count = result->worker_count;
    job->expected = verify->report->digests[job->tick];
    verify_suspect_text(one, job->suspect, sizeof job->suspect);
    (void)snprintf(job->reference, sizeof job->reference, "the serial run");
}

weft_exit bisect_verified(const verify_job* verify, const char* path) {
    verify_suspect one;
    bisect_job job;
    if (!verify_suspect_find(verify, WEFT_VERIFY_DIFFERENT, &one)) {
        weft_cli_complain(
            "--bundle: no executor differs from the serial run, so there is nothing to "
            "bisect; `weft bisect A.hashes B.hashes MODULE` goes on from a file");
        return WEFT_EXIT_DIFFERENT;
    }
    bisect_job_take(&job, verify, &one);
    weft_bisect_desc desc = bisect_job_desc(&job);
    weft_exit code = bisect_job_run(&job, &desc);
    if (code == WEFT_EXIT_OK)
        code = bisect_bundle_write(&job, path);
    if (code == WEFT_EXIT_OK && !verify->options->json) {
        job.bundle_path = path;
        printf("  bundle     ");
        bisect_replay_print(&job, stdout);
        printf("\n");
        if (!job.report->different)
            printf("             the difference did not show again in %u runs\n",
                   job.report->place.attempt_count);
    }
    weft_bisect_report_destroy(job.report);
    return code == WEFT_EXIT_OK ? WEFT_EXIT_DIFFERENT : code;
}

weft_exit bisect_module(const weft_cli* cli, weft_cli_options* options) {
    weft_cli_module module = {0};
    verify_job verify = {.cli = cli, .options = options};
    verify_suspect one;
    bisect_job job = {0};
    weft_exit code = verify_job_open(&verify, "bisect", options, &module);
    if (code == WEFT_EXIT_OK && !options->json)
        verify_print_head(&verify);
    if (code == WEFT_EXIT_OK)
        code = verify_job_run(&verify);
    bool found =
        code == WEFT_EXIT_DIFFERENT && verify_suspect_find(&verify, WEFT_VERIFY_DIFFERENT, &one);
    // Without a difference of states there is nothing to descend.
    bool dropped = found && weft_digest_equal(one.result->found.full, one.result->reference.full);
    if (verify.report != NULL && (!found || dropped)) {
        if (!options->json)
            verify_print(&verify);
        else if (!verify_print_json(&verify))
            code = WEFT_EXIT_FAILURE;
        if (verify.report->stopped)
            weft_cli_complain("interrupted: what is shown as not run is not verified");
    } else if (found) {
        bisect_job_take(&job, &verify, &one);
        weft_bisect_desc desc = bisect_job_desc(&job);
        code = bisect_job_run(&job, &desc);
        if (code == WEFT_EXIT_OK && options->output_path != NULL)
            code = bisect_bundle_write(&job, job.bundle_path = options->output_path);
        if (code == WEFT_EXIT_OK) {
            code = WEFT_EXIT_DIFFERENT;
            if (!options->json)
                bisect_print(&job);
            else if (!bisect_print_json(&job, NULL))
                code = WEFT_EXIT_FAILURE;
        }
        weft_bisect_report_destroy(job.report);
    }
    verify_job_close(&verify);
    weft_cli_module_close(&module);
    return code;
}
