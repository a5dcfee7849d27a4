// A runner for Criterion tests in sanitizer builds and cross builds.
//
// Criterion maps a shared arena at a fixed address and leaves its workers without running exit
// handlers: the thread sanitizer cannot map its shadow around the first, and the leak check never
// happens because of the second. This file takes the place of Criterion's main() and of the few
// functions that the assertion macros call. Each test runs in a plain fork and leaves by exit(), so
// every check of the sanitizer is made. Redirection and theories are not supported. Nothing of
// Criterion's library is needed, only its headers: no library has to exist for the machine.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    EXIT_FAILED = 1,
    EXIT_SKIPPED = 77
};

// The linker makes the bounds of the sections that Test() and TestSuite() fill.
extern struct criterion_test* __start_cr_tst[] __attribute__((weak));
extern struct criterion_test* __stop_cr_tst[] __attribute__((weak));
extern struct criterion_suite* __start_cr_sts[] __attribute__((weak));
extern struct criterion_suite* __stop_cr_sts[] __attribute__((weak));

// State of the forked child: the test that it runs and whether a soft assertion failed.
static struct criterion_test* current;
static void* current_param;
static bool soft_failed;

static const struct criterion_test_extra_data* suite_data(const char* name) {
    for (struct criterion_suite** suite = __start_cr_sts; suite < __stop_cr_sts; suite++) {
        if (strcmp((*suite)->name, name) == 0)
            return (*suite)->data;
    }
    return NULL;
}

static void call_if_set(void (*function)(void)) {
    if (function != NULL)
        function();
}

void criterion_internal_test_setup(void) {
    const struct criterion_test_extra_data* suite = suite_data(current->category);
    if (suite != NULL)
        call_if_set(suite->init);
    call_if_set(current->data->init);
}

void criterion_internal_test_main(void (*function)(void)) {
    if (current_param != NULL)
        ((void (*)(void*))function)(current_param);
    else
        function();
}

void criterion_internal_test_teardown(void) {
    call_if_set(current->data->fini);
    const struct criterion_test_extra_data* suite = suite_data(current->category);
    if (suite != NULL)
        call_if_set(suite->fini);
}

void criterion_send_assert(struct criterion_assert_stats* stats) {
    if (!stats->passed)
        fprintf(stderr, "%s:%u: assertion failed: %s\n", stats->file, stats->line, stats->message);
}

struct criterion_options criterion_options;

int cr_asprintf(char** text, const char* format, ...) {
    va_list args;
    va_start(args, format);
    int length = vasprintf(text, format, args);
    va_end(args);
    if (length < 0)
        *text = NULL;
    return length;
}

void cr_asprintf_free(char* text) {
    free(text);
}

// What an assertion without a message of its own says. The first argument is its expression.
char* cr_translate_assert_msg(int kind, ...) {
    va_list args;
    va_start(args, kind);
    const char* expression = va_arg(args, const char*);
    char* text = NULL;
    if (kind == CRITERION_ASSERT_MSG_EXPR_AS_STRINGS_FALSE) {
        const char* actual = va_arg(args, const char*);
        const char* expected = va_arg(args, const char*);
        cr_asprintf(&text, "%s: \"%s\", \"%s\"", expression, actual, expected);
    } else {
        cr_asprintf(&text, "%s", expression);
    }
    va_end(args);
    return text;
}

void cr_log(enum criterion_severity severity, const char* format, ...) {
    (void)severity;
    va_list args;
    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    (void)fputc('\n', stderr);
}

void cri_asserts_passed_incr(void) {
}

void criterion_continue_test(void) {
    soft_failed = true;
}

// A failed test has not freed what it holds: leaving by _exit() keeps the leak check out of it.
void criterion_abort_test(void) {
    fflush(NULL);
    _exit(EXIT_FAILED);
}

void criterion_skip_test(const char* format, ...) {
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fflush(NULL);
    _exit(EXIT_SKIPPED);
}

void criterion_test_die(const char* format, ...) {
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    criterion_abort_test();
}

static void run_child(struct criterion_test* test, void* param) {
    current = test;
    current_param = param;
    double timeout = test->data->timeout;
    if (timeout > 0)
        alarm((unsigned)(timeout * 10) + 1); // Sanitizers are slow.
    test->test();
    exit(soft_failed ? EXIT_FAILED : 0);
}

// Runs one test in a child; true if it ended as it said it would.
static bool run_test(struct criterion_test* test, void* param) {
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) {
        perror("fork");
        return false;
    }
    if (child == 0)
        run_child(test, param);
    int status = 0;
    if (waitpid(child, &status, 0) != child)
        return false;
    const struct criterion_test_extra_data* suite = suite_data(test->category);
    int want_signal = test->data->signal;
    int want_exit = test->data->exit_code;
    if (want_signal == 0 && suite != NULL)
        want_signal = suite->signal;
    bool signalled = WIFSIGNALED(status);
    int ended = signalled ? WTERMSIG(status) : WEXITSTATUS(status);
    bool skipped = !signalled && want_signal == 0 && ended == EXIT_SKIPPED;
    if (skipped ||
        (signalled == (want_signal != 0) && ended == (signalled ? want_signal : want_exit)))
        return true;
    printf("[----] %s ended with %s %d\n", test->data->identifier_, signalled ? "signal" : "exit",
           ended);
    return false;
}

// Runs a test with each of its parameters; counts what ran and returns what failed.
static int run_all_params(struct criterion_test* test, int* run_count) {
    if (test->data->kind_ != CR_TEST_PARAMETERIZED) {
        *run_count += 1;
        return run_test(test, NULL) ? 0 : 1;
    }
    int failed = 0;
    struct criterion_test_params params = test->data->param_();
    for (size_t i = 0; i < params.length; i++) {
        *run_count += 1;
        if (!run_test(test, (char*)params.params + i * params.size))
            failed++;
    }
    if (params.cleanup != NULL)
        params.cleanup(&params);
    return failed;
}

static const char* find_filter(int argc, char** argv) {
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--filter=", 9) == 0)
            return argv[i] + 9;
        if (strcmp(argv[i], "--filter") == 0 && i + 1 < argc)
            return argv[i + 1];
    }
    return "*";
}

int main(int argc, char** argv) {
    const char* filter = find_filter(argc, argv);
    int run_count = 0;
    int failed_count = 0;
    for (struct criterion_test** slot = __start_cr_tst; slot < __stop_cr_tst; slot++) {
        struct criterion_test* test = *slot;
        if (test == NULL || test->data->disabled || fnmatch(filter, test->data->identifier_, 0))
            continue;
        int failed = run_all_params(test, &run_count);
        if (failed != 0)
            printf("[FAIL] %s\n", test->data->identifier_);
        failed_count += failed;
    }
    printf("[====] Tested: %d | Failing: %d\n", run_count, failed_count);
    return failed_count == 0 ? 0 : 1;
}
