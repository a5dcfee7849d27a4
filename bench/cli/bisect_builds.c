// weft bisect --builds PROGRAM_A PROGRAM_B MODULE...: each program runs by itself and leaves hash
// files; then B records the tick in which they part, and A, which knows its own module, takes the
// record as the suspect of a bisection.

#define _GNU_SOURCE // asprintf

#include "bisect_job.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

#define ARGUMENTS_MAX 24u

/// A command line under construction.
typedef struct bisect_command {
    char* words[ARGUMENTS_MAX];
    size_t count;
    bool failed;
} bisect_command;

static void command_add(bisect_command* command, const char* format, ...) WEFT_PRINTF(2, 3);

static void command_add(bisect_command* command, const char* format, ...) {
    va_list args;
    va_start(args, format);
    WEFT_ASSERT(command->count + 1 < ARGUMENTS_MAX);
    if (vasprintf(&command->words[command->count], format, args) < 0)
        command->failed = true;
    else
        command->count++;
    va_end(args);
}

/// Runs the command and forgets it. Its exit code, or -1 where it did not run to its end, which is
/// said.
static int command_run(bisect_command* command, bool silent) {
    pid_t child = 0;
    int state = 0;
    posix_spawn_file_actions_t actions;
    int error = command->failed ? ENOMEM : posix_spawn_file_actions_init(&actions);
    if (error == 0) {
        if (silent)
            error =
                posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        (void)fflush(stdout);
        if (error == 0)
            error =
                posix_spawnp(&child, command->words[0], &actions, NULL, command->words, environ);
        (void)posix_spawn_file_actions_destroy(&actions);
    }
    while (error == 0 && waitpid(child, &state, 0) < 0)
        error = errno == EINTR ? 0 : errno;
    if (error != 0)
        weft_cli_complain("%s: cannot be run: %s", command->words[0], strerror(error));
    else if (!WIFEXITED(state))
        weft_cli_complain("%s %s: ended by signal %d", command->words[0], command->words[1],
                          WTERMSIG(state));
    for (size_t i = 0; i < command->count; i++)
        free(command->words[i]);
    *command = (bisect_command){0};
    return error == 0 && WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

/// Two programs with a folder for what they leave.
typedef struct bisect_programs {
    const weft_cli* cli;
    const weft_cli_options* options;
    const char* programs[2];
    const char* modules[2]; // Null: the program's only one.
    char folder[256];
    char hashes_path[2][320];
    char record_path[320];
    weft_cli_hashes hashes[2];
    weft_tick_search search;
    uint64_t count;
} bisect_programs;

/// `PROGRAM COMMAND [MODULE] --quiet`.
static bisect_command program_start(const bisect_programs* both, int which, const char* name) {
    bisect_command command = {0};
    command_add(&command, "%s", both->programs[which]);
    command_add(&command, "%s", name);
    if (both->modules[which] != NULL)
        command_add(&command, "%s", both->modules[which]);
    command_add(&command, "--quiet");
    return command;
}

/// The sizes of the run that left the first hash file.
static void command_add_sizes(bisect_command* command, const bisect_programs* both) {
    const weft_cli_identity* identity = &both->hashes[0].identity;
    command_add(command, "--entities=%" PRIu64, identity->entity_count);
    command_add(command, "--seed=%" PRIu64, identity->seed);
    command_add(command, "--ticks=%" PRIu64, both->search.tick);
}

static weft_exit program_hash(bisect_programs* both, int which) {
    char line[WEFT_CLI_LINE_SIZE];
    const weft_cli_options* options = both->options;
    bisect_command command = program_start(both, which, "run");
    command_add(&command, "--executor=serial");
    command_add(&command, "--hashes=%s", both->hashes_path[which]);
    if (options->has_entity_count)
        command_add(&command, "--entities=%" PRIu64, options->entity_count);
    if (options->has_seed)
        command_add(&command, "--seed=%" PRIu64, options->seed);
    if (options->has_tick_count)
        command_add(&command, "--ticks=%" PRIu64, options->tick_count);
    int code = command_run(&command, true);
    if (code != WEFT_EXIT_OK) {
        weft_cli_complain("program %c, %s: its serial run did not end well%s", 'A' + which,
                          both->programs[which],
                          code == WEFT_EXIT_USAGE ? ": it may be no program of weft" : "");
        return WEFT_EXIT_FAILURE;
    }
    if (weft_cli_hashes_read(both->hashes_path[which], &both->hashes[which], line, sizeof line) ==
        WEFT_STATUS_OK)
        return WEFT_EXIT_OK;
    weft_cli_complain("%s", line);
    return WEFT_EXIT_FAILURE;
}

static weft_exit programs_search(bisect_programs* both) {
    char line[WEFT_CLI_LINE_SIZE];
    weft_exit code = program_hash(both, 0);
    if (code == WEFT_EXIT_OK)
        code = program_hash(both, 1);
    if (code != WEFT_EXIT_OK)
        return code;
    weft_cli_identity other = both->hashes[1].identity;
    other.schedule_hash = both->hashes[0].identity.schedule_hash; // May be what is looked for.
    if (weft_cli_hashes_match(both->programs[0], &both->hashes[0], &other, line, sizeof line) !=
        WEFT_STATUS_OK) {
        weft_cli_complain("%s; 'this run' is that of %s", line, both->programs[1]);
        return WEFT_EXIT_FAILURE;
    }
    both->count = both->hashes[0].digest_count < both->hashes[1].digest_count
                      ? both->hashes[0].digest_count
                      : both->hashes[1].digest_count;
    both->search = weft_bisect_ticks(both->hashes[0].digests, both->hashes[1].digests, both->count);
    return WEFT_EXIT_OK;
}

static void programs_print(const bisect_programs* both) {
    for (int i = 0; i < 2; i++)
        printf("%c         %s%s%s: weft %s\n", 'A' + i, both->programs[i],
               both->modules[i] != NULL ? " with " : "",
               both->modules[i] != NULL ? both->modules[i] : "", both->hashes[i].identity.version);
    if (!both->search.different)
        printf("\nequal: the serial runs of both, %" PRIu64 " ticks\n", both->count - 1);
    else
        printf("search    %" PRIu64 " steps for the digests of %" PRIu64 " ticks\n\n",
               both->search.steps, both->count);
}

/// B records the tick, A bisects it. The exit code is A's.
static weft_exit programs_bisect(bisect_programs* both) {
    bisect_command command = program_start(both, 1, "run");
    command_add(&command, "--executor=serial");
    command_add_sizes(&command, both);
    command_add(&command, "--record=%s", both->record_path);
    if (command_run(&command, true) != WEFT_EXIT_OK)
        return WEFT_EXIT_FAILURE;
    command = program_start(both, 0, "bisect");
    command_add_sizes(&command, both);
    command_add(&command, "--record=%s", both->record_path);
    if (both->options->json)
        command_add(&command, "--json");
    if (both->options->output_path != NULL)
        command_add(&command, "--output=%s", both->options->output_path);
    int code = command_run(&command, false);
    return code < 0 || code > (int)WEFT_EXIT_FAILURE ? WEFT_EXIT_FAILURE : (weft_exit)code;
}

static bool folder_make(bisect_programs* both) {
    const char* place = getenv("TMPDIR");
    int length = snprintf(both->folder, sizeof both->folder, "%s/weft-bisect-XXXXXX",
                          place != NULL && place[0] != '\0' ? place : "/tmp");
    if (length < 0 || (size_t)length >= sizeof both->folder || mkdtemp(both->folder) == NULL) {
        weft_cli_complain("%s: no folder can be made there: %s", both->folder, strerror(errno));
        return false;
    }
    for (int i = 0; i < 2; i++)
        (void)snprintf(both->hashes_path[i], sizeof both->hashes_path[i], "%s/%c.hashes",
                       both->folder, 'a' + i);
    (void)snprintf(both->record_path, sizeof both->record_path, "%s/b.record", both->folder);
    return true;
}

static void folder_remove(const bisect_programs* both) {
    (void)unlink(both->hashes_path[0]);
    (void)unlink(both->hashes_path[1]);
    (void)unlink(both->record_path);
    (void)rmdir(both->folder);
}

weft_exit bisect_builds(const weft_cli* cli, weft_cli_options* options) {
    if (options->name_count < 2 || options->name_count > 4) {
        weft_cli_complain("--builds takes two programs, and one simulation or one for each");
        return WEFT_EXIT_USAGE;
    }
    bisect_programs both = {.cli = cli, .options = options};
    for (size_t i = 0; i < 2; i++) {
        both.programs[i] = options->names[i];
        if (options->name_count > 2)
            both.modules[i] = options->names[options->name_count == 4 ? 2 + i : 2];
    }
    if (!folder_make(&both))
        return WEFT_EXIT_FAILURE;
    weft_exit code = programs_search(&both);
    if (code == WEFT_EXIT_OK && !options->json)
        programs_print(&both);
    if (code == WEFT_EXIT_OK && both.search.different)
        code = programs_bisect(&both);
    else if (code == WEFT_EXIT_OK && options->json &&
             !weft_cli_json_print(json_pack("{s:s, s:b, s:I}", "weft", weft_version(), "different",
                                            0, "ticks", (json_int_t)both.count - 1)))
        code = WEFT_EXIT_FAILURE;
    weft_cli_hashes_deinit(&both.hashes[0]);
    weft_cli_hashes_deinit(&both.hashes[1]);
    folder_remove(&both);
    return code;
}

// The part of A ----------------------------------------------------------------------------------

weft_exit bisect_against_record(const weft_cli* cli, weft_cli_options* options) {
    char line[WEFT_CLI_LINE_SIZE];
    weft_cli_module module = {0};
    bisect_recorded record;
    weft_exit code = weft_cli_prepare(cli, "bisect", options, &module);
    if (code != WEFT_EXIT_OK)
        return code;
    if (bisect_record_read(options->record_path, &record, line, sizeof line) != WEFT_STATUS_OK) {
        weft_cli_complain("%s", line);
        weft_cli_module_close(&module);
        return WEFT_EXIT_FAILURE;
    }
    bisect_job job = {.cli = cli,
                      .options = options,
                      .module = module.module,
                      .module_name = options->name_count > 0 ? options->names[0] : NULL,
                      .sizes = {options->entity_count, options->seed},
                      .config = weft_executor_desc_default(),
                      .tick = record.tick,
                      .sides = {"A", "B"}};
    (void)snprintf(job.suspect, sizeof job.suspect, "B, %.*s", 140, record.program);
    (void)snprintf(job.reference, sizeof job.reference, "A");
    code = bisect_record_compare(&job, &record);
    if (code == WEFT_EXIT_OK) {
        bool different = job.report->different;
        if (different && options->output_path != NULL)
            code = bisect_bundle_write(&job, job.bundle_path = options->output_path);
        if (code == WEFT_EXIT_OK && different)
            code = WEFT_EXIT_DIFFERENT;
        if (code != WEFT_EXIT_FAILURE && options->json && !bisect_print_json(&job, NULL))
            code = WEFT_EXIT_FAILURE;
        else if (code != WEFT_EXIT_FAILURE && !options->json)
            bisect_print(&job);
    }
    weft_bisect_report_destroy(job.report);
    bisect_record_deinit(&record);
    weft_cli_module_close(&module);
    return code;
}
