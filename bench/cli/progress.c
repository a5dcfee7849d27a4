// Progress and interrupts: what a long run says while it runs, and how it is ended early.

#include "cli.h"

#include <time.h>
#include <unistd.h>

#define PROGRESS_AFTER_S 2.0
#define PROGRESS_EVERY_S 0.2

double weft_cli_clock(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

weft_cli_progress weft_cli_progress_start(bool quiet) {
    return (weft_cli_progress){
        .enabled = !quiet && isatty(STDERR_FILENO) == 1,
        .started_s = weft_cli_clock(),
    };
}

void weft_cli_progress_draw(weft_cli_progress* progress, const char* what, uint64_t done,
                            uint64_t total) {
    if (!progress->enabled)
        return;
    double now = weft_cli_clock();
    if (now - progress->started_s < PROGRESS_AFTER_S || now - progress->drawn_s < PROGRESS_EVERY_S)
        return;
    char done_text[WEFT_CLI_NUMBER_SIZE];
    char total_text[WEFT_CLI_NUMBER_SIZE];
    progress->drawn_s = now;
    progress->shown = true;
    (void)fprintf(stderr, "\r%s %s of %s\033[K", what, weft_cli_number(done, done_text),
                  weft_cli_number(total, total_text));
    (void)fflush(stderr);
}

void weft_cli_progress_end(weft_cli_progress* progress) {
    if (progress->shown)
        (void)fprintf(stderr, "\r\033[K");
    progress->shown = false;
}

/// Set by the signal handler and nothing else.
static volatile sig_atomic_t interrupt_seen;

static void interrupt_handle(int signal_number) {
    (void)signal_number;
    interrupt_seen = 1;
}

struct sigaction weft_cli_interrupt_catch(void) {
    struct sigaction before;
    struct sigaction action = {.sa_flags = (int)SA_RESETHAND};
    action.sa_handler = interrupt_handle;
    (void)sigemptyset(&action.sa_mask);
    interrupt_seen = 0;
    (void)sigaction(SIGINT, NULL, &before);
    if (before.sa_handler != SIG_IGN)
        (void)sigaction(SIGINT, &action, NULL);
    return before;
}

void weft_cli_interrupt_release(const struct sigaction* before) {
    (void)sigaction(SIGINT, before, NULL);
}

bool weft_cli_interrupted(void) {
    return interrupt_seen != 0;
}
