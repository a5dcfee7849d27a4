// Processes by fork, pidfd and poll.
//
// Who watches for the end of the host is a thread of each worker, by a descriptor of the host: the
// system's own way (PR_SET_PDEATHSIG) goes by the thread that forked, which may end before.
//
// Streams are not flushed before a fork: fflush(NULL) waits for every stream, and a thread of the
// host that reads its terminal has one for as long as nobody types.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "os_process.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os.h"

#define POLL_MS 5    // Where nobody tells of ends.
#define UNWATCHED 70 // Exit code of a process that could not start its watcher.

static int process_descriptor(pid_t id) {
    return (int)syscall(SYS_pidfd_open, id, 0);
}

// In the new process ----------------------------------------------------------------------------

/// What the watcher of a worker needs; on the main thread's stack, which outlives it.
typedef struct watcher {
    pid_t host;
    int descriptor;
} watcher;

static void* watch_host(void* context) {
    const watcher* self = context;
    struct pollfd host = {.fd = self->descriptor, .events = POLLIN};
    while (getppid() == self->host)
        (void)poll(&host, 1, self->descriptor >= 0 ? -1 : POLL_MS);
    (void)kill(getpid(), SIGKILL);
    return NULL;
}

// What is registered with exit() is the host's, and not for a worker to do: its files, its threads.
static void leave(int code, void* context) {
    (void)context;
    (void)fflush(stdout);
    (void)fflush(stderr);
    _exit(code);
}

static __attribute__((noreturn)) void process_main(void (*function)(void* context), void* context,
                                                   const char* name, weft__os_crash* crash,
                                                   watcher* host) {
    pthread_t thread;
    pthread_attr_t attributes;
    __fpurge(stdout); // The host will write that itself.
    __fpurge(stderr);
    (void)on_exit(leave, NULL);
    (void)prctl(PR_SET_NAME, name);
    weft__os_crashes_record(crash);
    if (pthread_attr_init(&attributes) != 0 ||
        pthread_attr_setstacksize(&attributes, 1u << 16) != 0 ||
        pthread_create(&thread, &attributes, watch_host, host) != 0)
        _exit(UNWATCHED);
    function(context);
    leave(0, NULL);
    _exit(0);
}

weft_status weft__os_process_start(weft__os_process* process, void (*function)(void* context),
                                   void* context, const char* name, weft__os_crash* crash) {
    WEFT_ASSERT(process != NULL && function != NULL && crash != NULL);
    watcher host = {.host = getpid()};
    host.descriptor = process_descriptor(host.host);
    *process = (weft__os_process){.descriptor = -1};
    sigset_t blocked;
    sigset_t before;
    weft__os_worker_signals(&blocked);
    (void)pthread_sigmask(SIG_SETMASK, &blocked, &before); // From its first moment on.
    pid_t id = fork();
    if (id == 0)
        process_main(function, context, name, crash, &host);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (host.descriptor >= 0)
        (void)close(host.descriptor);
    if (id < 0)
        return WEFT_STATUS_OS;
    process->id = id;
    process->descriptor = process_descriptor(id);
    return WEFT_STATUS_OK;
}

// In the host ------------------------------------------------------------------------------------

static void forget(weft__os_process* process) {
    if (process->descriptor >= 0)
        (void)close(process->descriptor);
    *process = (weft__os_process){.descriptor = -1};
}

static int wait_by(idtype_t type, int id, siginfo_t* info, int options) {
    int failed;
    *info = (siginfo_t){.si_pid = 0};
    do {
        failed = waitid(type, (id_t)id, info, options);
    } while (failed != 0 && errno == EINTR);
    return failed;
}

// By its descriptor, as somebody else may have waited for it, and then its id may be another's.
static int wait_for(const weft__os_process* process, siginfo_t* info, int options) {
    int failed = -1;
    if (process->descriptor >= 0)
        failed = wait_by(P_PIDFD, process->descriptor, info, options);
    if (failed != 0 && (process->descriptor < 0 || errno == EINVAL)) // Before Linux 5.4.
        failed = wait_by(P_PID, process->id, info, options);
    return failed;
}

// False if it still runs.
static bool take(const weft__os_process* process, int options, weft__os_end* end) {
    siginfo_t info;
    int failed = wait_for(process, &info, WEXITED | options);
    *end = (weft__os_end){.known = failed == 0};
    if (failed == 0 && info.si_code == CLD_EXITED)
        end->code = info.si_status;
    else if (failed == 0)
        end->signal = info.si_status;
    return failed != 0 || info.si_pid != 0;
}

bool weft__os_process_ended(weft__os_process* process, weft__os_end* end) {
    WEFT_ASSERT(process->id > 0);
    if (!take(process, WNOHANG, end))
        return false;
    forget(process);
    return true;
}

// Only looked at: it stays stopped for whoever looks next.
bool weft__os_process_stopped(const weft__os_process* process) {
    siginfo_t info;
    WEFT_ASSERT(process->id > 0);
    return wait_for(process, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

void weft__os_process_kill(weft__os_process* process) {
    weft__os_end end;
    if (process->id <= 0)
        return;
    if (process->descriptor >= 0)
        (void)syscall(SYS_pidfd_send_signal, process->descriptor, SIGKILL, NULL, 0);
    else if (!take(process, WNOHANG, &end))
        (void)kill(process->id, SIGKILL);
    else
        process->id = 0;
    if (process->id > 0)
        (void)take(process, 0, &end);
    forget(process);
}

const char* weft__os_signal_name(int signal, char* text, size_t capacity) {
    const char* name = sigabbrev_np(signal);
    if (name == NULL)
        (void)snprintf(text, capacity, "signal %d", signal);
    else
        (void)snprintf(text, capacity, "SIG%s", name);
    return text;
}

// Events -----------------------------------------------------------------------------------------

weft_status weft__os_event_open(weft__os_event* event) {
    event->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return event->descriptor >= 0 ? WEFT_STATUS_OK : WEFT_STATUS_OS;
}

void weft__os_event_close(weft__os_event* event) {
    if (event->descriptor >= 0)
        (void)close(event->descriptor);
    event->descriptor = -1;
}

void weft__os_event_give(const weft__os_event* event) {
    static const uint64_t one = 1;
    ssize_t written = write(event->descriptor, &one, sizeof(one));
    WEFT_ASSERT(written == (ssize_t)sizeof(one) || errno == EAGAIN);
}

void weft__os_event_await(const weft__os_event* event, const weft__os_process* processes,
                          uint32_t count, uint64_t time_ns) {
    struct pollfd all[WEFT__OS_PROCESSES_MAX + 1];
    uint64_t given;
    bool blind = false;
    WEFT_ASSERT(count <= WEFT__OS_PROCESSES_MAX);
    all[0] = (struct pollfd){.fd = event->descriptor, .events = POLLIN};
    for (uint32_t i = 0; i < count; i++) {
        all[i + 1] = (struct pollfd){.fd = processes[i].descriptor, .events = POLLIN};
        blind |= processes[i].descriptor < 0;
    }
    int wait_ms = time_ns == 0 ? -1 : (int)((time_ns + 999999) / 1000000);
    if (blind && (wait_ms < 0 || wait_ms > POLL_MS))
        wait_ms = POLL_MS;
    if (poll(all, count + 1, wait_ms) > 0 && (all[0].revents & POLLIN) != 0)
        (void)!read(event->descriptor, &given, sizeof(given));
}
