#include "math_test.h"
#include "weft/base.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

Test(base, status_numbers_are_pinned) {
    // Written out again: a number that changes here breaks files and reports.
    cr_assert_eq(WEFT_STATUS_OK, 0);
    cr_assert_eq(WEFT_STATUS_OUT_OF_MEMORY, 1);
    cr_assert_eq(WEFT_STATUS_WRONG_PHASE, 11);
    cr_assert_eq(WEFT_STATUS_OUT_OF_RANGE, 12);
    cr_assert_eq(WEFT_STATUS_GRAPH_CYCLE, 20);
    cr_assert_eq(WEFT_STATUS_SYSTEM_FAILED, 40);
    cr_assert_eq(WEFT_STATUS_DIVERGED, 44);
    cr_assert_eq(WEFT_STATUS_BAD_FORMAT, 60);
    cr_assert_eq(WEFT_STATUS_UNSUPPORTED, 80);
    cr_assert_eq(WEFT_STATUS_OS, 81);
}

Test(base, every_status_has_its_own_name_and_text) {
    static const weft_status all[] = {
#define X(name, number, text) WEFT_STATUS_##name,
        WEFT_STATUS_MAP(X)
#undef X
    };
    const size_t count = sizeof all / sizeof all[0];
    cr_assert_geq(count, 20);
    for (size_t i = 0; i < count; ++i) {
        const char* name = weft_status_name(all[i]);
        const char* text = weft_status_text(all[i]);
        cr_assert_str_neq(name, "UNKNOWN");
        cr_assert_gt(strlen(text), 5);
        cr_assert_neq(text[strlen(text) - 1], '.');
        for (size_t j = 0; j < i; ++j) {
            cr_assert_neq(all[i], all[j]);
            cr_assert_str_neq(name, weft_status_name(all[j]));
            cr_assert_str_neq(text, weft_status_text(all[j]));
        }
    }
    cr_assert_str_eq(weft_status_name(WEFT_STATUS_ENTITY_LIMIT), "ENTITY_LIMIT");
    cr_assert_str_eq(weft_status_text(WEFT_STATUS_OK), "success");
}

Test(base, unlisted_status) {
    cr_assert_str_eq(weft_status_name((weft_status)79), "UNKNOWN");
    cr_assert_str_neq(weft_status_text((weft_status)79), weft_status_text(WEFT_STATUS_OK));
}

Test(base, version_matches_the_header) {
    cr_assert_str_eq(weft_version(), WEFT_VERSION);
    int parts[3] = {-1, -1, -1};
    cr_assert_eq(sscanf(weft_version(), "%d.%d.%d", &parts[0], &parts[1], &parts[2]), 3);
}

/// Runs `body` in a child with its standard error captured in `text`; gives the wait status.
static int run_child(void (*body)(void), char* text, size_t size) {
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        body();
        _exit(0);
    }
    close(ends[1]);
    size_t used = 0;
    ssize_t got = 0;
    while (used + 1 < size && (got = read(ends[0], text + used, size - 1 - used)) > 0)
        used += (size_t)got;
    text[used] = '\0';
    close(ends[0]);
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return status;
}

static void fail_directly(void) {
    weft_assert_failed("rows <= capacity", "chunk.c", 42);
}

static void fail_by_macro(void) {
    volatile int two = 2;
    WEFT_ASSERT(two == 3);
}

static void hold(void) {
    volatile int two = 2;
    WEFT_ASSERT(two == 2);
    WEFT_ASSERT(two);
}

Test(base, assertion_reports_and_aborts) {
    char text[512];
    int status = run_child(fail_directly, text, sizeof text);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "status %d", status);
    // An emulator may add a line of its own on the signal.
    static const char line[] = "weft: assertion failed: rows <= capacity (chunk.c:42)\n";
    cr_assert_eq(strncmp(text, line, sizeof line - 1), 0, "%s", text);

    status = run_child(fail_by_macro, text, sizeof text);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "status %d", status);
    cr_assert_not_null(strstr(text, "two == 3 ("));
    cr_assert_not_null(strstr(text, "test_base.c:"));

    status = run_child(hold, text, sizeof text);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d", status);
    cr_assert_str_eq(text, "");
}

static int evaluations;

static bool count_evaluation(void) {
    ++evaluations;
    return true;
}

Test(base, assertions_evaluate_once_and_checks_only_when_on) {
    evaluations = 0;
    WEFT_ASSERT(count_evaluation());
    cr_assert_eq(evaluations, 1);
    WEFT_CHECK(count_evaluation());
#ifdef WEFT_CHECKS
    cr_assert_eq(evaluations, 2);
#else
    cr_assert_eq(evaluations, 1);
#endif
}

static weft_status try_it(weft_status status, int* reached) {
    WEFT_TRY(status);
    *reached += 1;
    return WEFT_STATUS_OK;
}

Test(base, try_returns_early) {
    int reached = 0;
    cr_assert_eq(try_it(WEFT_STATUS_FILE_ERROR, &reached), WEFT_STATUS_FILE_ERROR);
    cr_assert_eq(reached, 0);
    cr_assert_eq(try_it(WEFT_STATUS_OK, &reached), WEFT_STATUS_OK);
    cr_assert_eq(reached, 1);
}
