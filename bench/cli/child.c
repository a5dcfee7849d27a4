// Another program, which gets a text and gives bytes.
//
// No library does it in this process: graphviz 2.43 frees memory twice on dense graphs, after half
// a minute, and prints what it likes. A program can be ended, and its end can be told.

#define _GNU_SOURCE // memfd_create

#include "cli.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_S 60

extern char** environ;

/// The files that the child sees as 0, 1 and 2. They hold everything, so nobody waits for anybody.
typedef struct streams {
    int in;
    int out;
    int err;
} streams;

static bool streams_open(streams* s) {
    s->in = memfd_create("weft input", MFD_CLOEXEC);
    s->out = memfd_create("weft picture", MFD_CLOEXEC);
    s->err = memfd_create("weft messages", MFD_CLOEXEC);
    return s->in >= 0 && s->out >= 0 && s->err >= 0;
}

static void streams_close(const streams* s) {
    if (s->in >= 0)
        (void)close(s->in);
    if (s->out >= 0)
        (void)close(s->out);
    if (s->err >= 0)
        (void)close(s->err);
}

static bool write_all(int file, const char* text) {
    for (size_t size = strlen(text); size > 0;) {
        ssize_t written = write(file, text, size);
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0) {
            text += written;
            size -= (size_t)written;
        }
    }
    return lseek(file, 0, SEEK_SET) == 0;
}

/// Everything in a file, with a zero behind it; null when that fails.
static char* read_all(int file, size_t* size_out) {
    off_t size = lseek(file, 0, SEEK_END);
    char* data = size >= 0 ? malloc((size_t)size + 1) : NULL;
    size_t at = 0;
    while (data != NULL && at < (size_t)size) {
        ssize_t got = pread(file, data + at, (size_t)size - at, (off_t)at);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            free(data);
            return NULL;
        }
        at += got > 0 ? (size_t)got : 0;
    }
    if (data != NULL)
        data[at] = '\0';
    *size_out = at;
    return data;
}

/// Starts the program. An errno, or 0.
static int child_start(const streams* s, char* const* arguments, pid_t* child) {
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    error = posix_spawn_file_actions_adddup2(&actions, s->in, 0);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(&actions, s->out, 1);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(&actions, s->err, 2);
    if (error == 0)
        error = posix_spawnp(child, arguments[0], &actions, NULL, arguments, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    return error;
}

/// Waits for the child, and ends it when it takes too long. False then.
static bool child_wait(pid_t child, int* status) {
    const struct timespec nap = {.tv_nsec = 2000000};
    double end = weft_cli_clock() + LIMIT_S;
    pid_t ended;
    while ((ended = waitpid(child, status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        if (weft_cli_clock() > end) {
            (void)kill(child, SIGKILL);
            (void)waitpid(child, status, 0);
            return false;
        }
        (void)nanosleep(&nap, NULL);
    }
    return ended == child;
}

/// What the program said first, as a part of a line.
static void reason_read(const streams* s, char* text, size_t capacity) {
    size_t size;
    char* said = read_all(s->err, &size);
    const char* at = said != NULL ? said + strspn(said, "\r\n\t ") : "";
    (void)snprintf(text, capacity, "it gave no reason");
    if (*at != '\0')
        (void)snprintf(text, capacity, "%.*s", (int)strcspn(at, "\n"), at);
    free(said);
}

static weft_status child_fail(const streams* s, const weft_cli_child* child, int status, char* line,
                              size_t capacity) {
    char reason[200];
    reason_read(s, reason, sizeof reason);
    if (WIFSIGNALED(status))
        (void)snprintf(line, capacity, "%s was ended by signal %d (%s)", child->name,
                       WTERMSIG(status), reason);
    else
        (void)snprintf(line, capacity, "%s failed with status %d: %s", child->name,
                       WEXITSTATUS(status), reason);
    return WEFT_STATUS_OS;
}

static weft_status child_run(const streams* s, const weft_cli_child* child, char** bytes_out,
                             size_t* size_out, char* line, size_t capacity) {
    pid_t id;
    int status = 0;
    if (!write_all(s->in, child->input)) {
        (void)snprintf(line, capacity, "nothing can be handed to %s: %s", child->name,
                       strerror(errno));
        return WEFT_STATUS_OS;
    }
    int error = child_start(s, child->arguments, &id);
    if (error != 0) {
        (void)snprintf(line, capacity,
                       "%s, whose program %s cannot be started: %s; install it "
                       "(Debian: %s)",
                       child->name, child->arguments[0], strerror(error), child->package);
        return WEFT_STATUS_UNSUPPORTED;
    }
    if (!child_wait(id, &status)) {
        (void)snprintf(line, capacity, "%s did not finish in %d s", child->name, LIMIT_S);
        return WEFT_STATUS_OS;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return child_fail(s, child, status, line, capacity);
    *bytes_out = read_all(s->out, size_out);
    return *bytes_out != NULL ? WEFT_STATUS_OK : WEFT_STATUS_OUT_OF_MEMORY;
}

weft_status weft_cli_child_run(const weft_cli_child* child, char** bytes_out, size_t* size_out,
                               char* line, size_t capacity) {
    streams s;
    *bytes_out = NULL;
    weft_status status = WEFT_STATUS_OS;
    if (streams_open(&s))
        status = child_run(&s, child, bytes_out, size_out, line, capacity);
    else
        (void)snprintf(line, capacity, "no memory file can be made: %s", strerror(errno));
    streams_close(&s);
    return status;
}
