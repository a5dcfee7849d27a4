// Pictures by graphviz, in a process of its own.
//
// Not by its library: version 2.43 frees memory twice on dense graphs, after half a minute, and
// prints what it likes. A program can be ended, and its end can be told.

#define _GNU_SOURCE // memfd_create

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "graph_report.h"

#define LIMIT_S 60

extern char** environ;

/// The files that the child sees as 0, 1 and 2. They hold everything, so nobody waits for anybody.
typedef struct streams {
    int in;
    int out;
    int err;
} streams;

static bool streams_open(streams* s) {
    s->in = memfd_create("weft graph", MFD_CLOEXEC);
    s->out = memfd_create("weft picture", MFD_CLOEXEC);
    s->err = memfd_create("weft messages", MFD_CLOEXEC);
    return s->in >= 0 && s->out >= 0 && s->err >= 0;
}

static void streams_close(const streams* s) {
    int error = errno;
    if (s->in >= 0)
        (void)close(s->in);
    if (s->out >= 0)
        (void)close(s->out);
    if (s->err >= 0)
        (void)close(s->err);
    errno = error;
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

/// Starts `dot`. An errno, or 0.
static int child_start(const streams* s, pid_t* child) {
    char program[] = "dot";
    char format[] = "-Tsvg";
    char* arguments[] = {program, format, NULL};
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
        error = posix_spawnp(child, program, &actions, NULL, arguments, environ);
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

/// What graphviz said last, as a part of a line.
static void reason_read(const streams* s, char* text, size_t capacity) {
    size_t size;
    char* said = read_all(s->err, &size);
    (void)snprintf(text, capacity, "it gave no reason");
    if (said != NULL && size > 0) {
        said[strcspn(said, "\n")] = '\0';
        (void)snprintf(text, capacity, "%.200s", said);
    }
    free(said);
}

static weft_status picture_fail(const streams* s, int status, char* line, size_t capacity) {
    char reason[256];
    reason_read(s, reason, sizeof reason);
    if (WIFSIGNALED(status))
        (void)snprintf(line, capacity,
                       "graphviz's dot was ended by signal %d (%s); --format dot prints the graph "
                       "without it",
                       WTERMSIG(status), reason);
    else
        (void)snprintf(line, capacity,
                       "graphviz's dot failed with status %d: %s; --format dot prints the graph "
                       "without it",
                       WEXITSTATUS(status), reason);
    return WEFT_STATUS_OS;
}

static weft_status picture_make(const streams* s, const char* dot, char** svg_out, size_t* size_out,
                                char* line, size_t capacity) {
    pid_t child;
    int status = 0;
    if (!write_all(s->in, dot)) {
        (void)snprintf(line, capacity, "the graph cannot be handed to graphviz: %s",
                       strerror(errno));
        return WEFT_STATUS_OS;
    }
    int error = child_start(s, &child);
    if (error != 0) {
        (void)snprintf(line, capacity,
                       "SVG is made by graphviz, whose program dot cannot be started: %s; install "
                       "it (Debian: graphviz), or use --format dot",
                       strerror(error));
        return WEFT_STATUS_UNSUPPORTED;
    }
    if (!child_wait(child, &status)) {
        (void)snprintf(line, capacity,
                       "graphviz's dot did not finish in %d s; show fewer edges, or use --format "
                       "dot",
                       LIMIT_S);
        return WEFT_STATUS_OS;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return picture_fail(s, status, line, capacity);
    *svg_out = read_all(s->out, size_out);
    return *svg_out != NULL ? WEFT_STATUS_OK : WEFT_STATUS_OUT_OF_MEMORY;
}

weft_status graph_svg_make(const char* dot, char** svg_out, size_t* size_out, char* line,
                           size_t capacity) {
    streams s;
    *svg_out = NULL;
    weft_status status = WEFT_STATUS_OS;
    if (streams_open(&s))
        status = picture_make(&s, dot, svg_out, size_out, line, capacity);
    else
        (void)snprintf(line, capacity, "no memory file can be made: %s", strerror(errno));
    streams_close(&s);
    return status;
}
