// weft bisect A.hashes B.hashes [MODULE]: the first tick by the files, and the rest where a run
// here gives what the files have.

#include "bisect_job.h"

#include <inttypes.h>

/// Two hash files and what came of them.
typedef struct bisect_pair {
    const weft_cli* cli;
    weft_cli_options* options;
    const char* paths[2];
    weft_cli_hashes hashes[2];
    uint64_t count; // Digests that both have.
    weft_tick_search search;
    int given; // The file whose digests the serial run here gives up to the tick; -1: neither.
    bool ran;  // With a module.
} bisect_pair;

static weft_exit pair_read(bisect_pair* pair) {
    char line[WEFT_CLI_LINE_SIZE];
    for (int i = 0; i < 2; i++) {
        if (weft_cli_hashes_read(pair->paths[i], &pair->hashes[i], line, sizeof line) ==
            WEFT_STATUS_OK)
            continue;
        weft_cli_complain("%s", line);
        return WEFT_EXIT_FAILURE;
    }
    // Other systems may be what is looked for.
    weft_cli_identity other = pair->hashes[1].identity;
    other.schedule_hash = pair->hashes[0].identity.schedule_hash;
    if (weft_cli_hashes_match(pair->paths[0], &pair->hashes[0], &other, line, sizeof line) !=
        WEFT_STATUS_OK) {
        weft_cli_complain("%s; 'this run' is that of %s", line, pair->paths[1]);
        return WEFT_EXIT_FAILURE;
    }
    pair->count = pair->hashes[0].digest_count < pair->hashes[1].digest_count
                      ? pair->hashes[0].digest_count
                      : pair->hashes[1].digest_count;
    pair->search = weft_bisect_ticks(pair->hashes[0].digests, pair->hashes[1].digests, pair->count);
    return WEFT_EXIT_OK;
}

static void pair_print_head(const bisect_pair* pair) {
    for (int i = 0; i < 2; i++) {
        const weft_cli_identity* identity = &pair->hashes[i].identity;
        printf("%c         %s: module %s, %" PRIu64 " entities, seed %" PRIu64 ", %" PRIu64
               " ticks, weft %s\n",
               'A' + i, pair->paths[i], identity->module, identity->entity_count, identity->seed,
               pair->hashes[i].digest_count - 1, identity->version);
    }
    if (pair->hashes[0].identity.schedule_hash != pair->hashes[1].identity.schedule_hash)
        printf("          they have other systems, or another order of them\n");
}

static void pair_print(const bisect_pair* pair) {
    const weft_tick_search* search = &pair->search;
    if (!search->different) {
        printf("\nequal: %" PRIu64 " ticks\n", pair->count - 1);
        return;
    }
    printf("\nDIFFERENT at tick %" PRIu64 " of %" PRIu64 "\n\n", search->tick, pair->count - 1);
    if (search->resumes)
        printf("  search     by looking at all %" PRIu64
               " digests: later ones are equal again, the "
               "last after tick %" PRIu64 ",\n"
               "             which no simulation does: the line of a file is damaged\n",
               pair->count, search->last_equal);
    else
        printf("  search     %" PRIu64 " steps for %" PRIu64 " digests\n", search->steps,
               pair->count);
    verify_digests_print("A", pair->hashes[0].digests[search->tick]);
    verify_digests_print("B", pair->hashes[1].digests[search->tick]);
}

/// The file that the serial run agrees with up to the tick of the difference, or -1.
static int pair_given(const bisect_pair* pair, const weft_verify_report* report) {
    for (int i = 0; i < 2; i++) {
        uint64_t tick = 0;
        while (tick <= pair->search.tick && tick < report->digest_count &&
               weft_digest_equal(pair->hashes[i].digests[tick].full, report->digests[tick].full))
            tick++;
        if (tick > pair->search.tick)
            return i;
    }
    return -1;
}

/// A configuration that gives what the other file has. False if there is none.
static bool pair_suspect(const bisect_pair* pair, const verify_job* verify, verify_suspect* out) {
    weft_digest wanted = pair->hashes[1 - pair->given].digests[pair->search.tick].full;
    for (size_t i = 0; i <= verify->report->result_count; i++) {
        bool drawn = i == verify->report->result_count;
        *out =
            (verify_suspect){drawn ? &verify->draws.last : &verify->configs[i],
                             drawn ? &verify->report->drawn : &verify->report->results[i], drawn};
        if (out->result->outcome == WEFT_VERIFY_DIFFERENT &&
            out->result->tick == pair->search.tick &&
            weft_digest_equal(out->result->found.full, wanted))
            return true;
    }
    return false;
}

/// What the two files are to the run here, in words.
static void pair_print_given(const bisect_pair* pair, bool found) {
    if (pair->given < 0) {
        printf(
            "  rerun      the serial run here gives neither: it is of another build or module\n");
        return;
    }
    printf("  rerun      the serial run here gives %c up to tick %" PRIu64 "%s\n",
           'A' + pair->given, pair->search.tick,
           found ? ", and this gives the other:" : ", and no executor that was tried the other:");
    if (!found)
        printf("             with the program that made it, `weft bisect --builds` says more\n");
}

static json_t* pair_json(const bisect_pair* pair) {
    const weft_tick_search* search = &pair->search;
    static const char* const names[] = {"neither", "A", "B"};
    json_t* digests = json_array();
    for (int i = 0; i < 2 && search->different; i++)
        (void)json_array_append_new(
            digests, weft_cli_json_digest(pair->hashes[i].digests[search->tick].full));
    return json_pack("{s:s, s:s, s:s, s:s, s:I, s:b, s:I, s:I, s:b, s:o, s:s?}", "weft",
                     weft_version(), "module", pair->hashes[0].identity.module, "a", pair->paths[0],
                     "b", pair->paths[1], "ticks", (json_int_t)pair->count - 1, "different",
                     (int)search->different, "tick", (json_int_t)search->tick, "steps",
                     (json_int_t)search->steps, "resumes", (int)search->resumes, "digests", digests,
                     "serial_run_gives", pair->ran ? names[pair->given + 1] : NULL);
}

/// Bisects the configuration that gives the other file, and says it.
static weft_exit pair_bisect(const bisect_pair* pair, const verify_job* verify,
                             const verify_suspect* one, json_t* object) {
    bisect_job job;
    bisect_job_take(&job, verify, one);
    weft_bisect_desc desc = bisect_job_desc(&job);
    weft_exit code = bisect_job_run(&job, &desc);
    if (code == WEFT_EXIT_OK && pair->options->output_path != NULL)
        code = bisect_bundle_write(&job, job.bundle_path = pair->options->output_path);
    if (code == WEFT_EXIT_OK && object != NULL)
        (void)json_object_set_new(object, "finding", bisect_finding_json(&job));
    else if (code == WEFT_EXIT_OK) {
        printf("\n");
        bisect_print(&job);
    }
    weft_bisect_report_destroy(job.report);
    return code;
}

/// Runs the module as the files have it, up to the tick, on all executors.
static weft_exit pair_rerun(bisect_pair* pair, json_t** object_out) {
    weft_cli_module module = {0};
    weft_cli_options options = *pair->options;
    const weft_cli_identity* identity = &pair->hashes[0].identity;
    options.names += 2;
    options.name_count -= 2;
    options.has_entity_count = options.has_seed = options.has_tick_count = true;
    options.entity_count = identity->entity_count;
    options.seed = identity->seed;
    options.tick_count = pair->search.tick;
    verify_job verify = {.cli = pair->cli, .options = &options};
    verify_suspect one;
    weft_exit code = verify_job_open(&verify, "bisect", &options, &module);
    if (code == WEFT_EXIT_OK)
        code = verify_job_run(&verify);
    if (code == WEFT_EXIT_FAILURE && verify.report != NULL)
        weft_cli_complain("%s: %s", verify.module->name,
                          verify.report->stopped ? "interrupted"
                                                 : "some run failed; `weft verify` says which");
    if (code == WEFT_EXIT_OK || code == WEFT_EXIT_DIFFERENT) {
        code = WEFT_EXIT_OK;
        pair->ran = true;
        pair->given = pair_given(pair, verify.report);
        bool found = pair->given >= 0 && pair_suspect(pair, &verify, &one);
        if (pair->options->json)
            *object_out = pair_json(pair);
        else
            pair_print_given(pair, found);
        if (found)
            code = pair_bisect(pair, &verify, &one, *object_out);
    }
    verify_job_close(&verify);
    weft_cli_module_close(&module);
    return code;
}

weft_exit bisect_files(const weft_cli* cli, weft_cli_options* options) {
    bisect_pair pair = {.cli = cli, .options = options};
    json_t* object = NULL;
    if (options->name_count < 2 || options->name_count > 3) {
        weft_cli_complain("bisect takes two hash files, and the simulation that they are of");
        return WEFT_EXIT_USAGE;
    }
    pair.paths[0] = options->names[0];
    pair.paths[1] = options->names[1];
    weft_exit code = pair_read(&pair);
    if (code == WEFT_EXIT_OK && !options->json) {
        pair_print_head(&pair);
        pair_print(&pair);
    }
    // A damaged line is not to be found in any run.
    if (code == WEFT_EXIT_OK && pair.search.different && !pair.search.resumes &&
        options->name_count == 3)
        code = pair_rerun(&pair, &object);
    if (options->json && code == WEFT_EXIT_OK &&
        !weft_cli_json_print(object != NULL ? object : pair_json(&pair)))
        code = WEFT_EXIT_FAILURE;
    else if (code != WEFT_EXIT_OK)
        json_decref(object);
    if (code == WEFT_EXIT_OK && pair.search.different)
        code = WEFT_EXIT_DIFFERENT;
    weft_cli_hashes_deinit(&pair.hashes[0]);
    weft_cli_hashes_deinit(&pair.hashes[1]);
    return code;
}
