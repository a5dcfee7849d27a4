#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "os_fault.h"

#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>

// A handler gets no context from who installs it.
static pthread_mutex_t fault_lock = PTHREAD_MUTEX_INITIALIZER; // lint-ok(mutable-static): see above
static uint32_t fault_users;          // lint-ok(mutable-static): the action is the process's
static struct sigaction fault_before; // lint-ok(mutable-static): the same
static weft__os_crash* crash_record;  // lint-ok(mutable-static): a handler gets no context
static weft__crash_fn* crash_fn;      // lint-ok(mutable-static): the same
static const void* crash_context;     // lint-ok(mutable-static): the same
static int crash_bottom;              // lint-ok(mutable-static): frames of the host, that forked
// What the running thread expects. Reached without a call, as a handler may make none that
// allocates.
static __attribute__((tls_model("initial-exec"))) _Thread_local weft__fault_catch* fault_catch;

static uintptr_t context_instruction(const ucontext_t* context) {
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__i386__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_EIP];
#elif defined(__aarch64__)
    return (uintptr_t)context->uc_mcontext.pc;
#elif defined(__riscv)
    return (uintptr_t)context->uc_mcontext.__gregs[REG_PC];
#elif defined(__s390x__)
    return (uintptr_t)context->uc_mcontext.psw.addr;
#else
    (void)context;
    return 0;
#endif
}

static weft__fault_access context_access(const ucontext_t* context) {
#if defined(__x86_64__) || defined(__i386__)
    return (context->uc_mcontext.gregs[REG_ERR] & 2) != 0 ? WEFT__FAULT_WRITE : WEFT__FAULT_READ;
#else
    (void)context;
    return WEFT__FAULT_UNKNOWN;
#endif
}

#define FRAMES_MAX (WEFT__FAULT_FRAMES + 40)

// The frames from the one that faulted on: above it are the handler's. The outermost `bottom` are
// left out.
static void frames_collect(weft__fault* fault, uintptr_t instruction, int bottom) {
    void* all[FRAMES_MAX];
    int count = backtrace(all, FRAMES_MAX) - bottom;
    int first = 0;
    while (first < count && (uintptr_t)all[first] != instruction)
        first++;
    fault->frames[0] = instruction;
    fault->frame_count = instruction != 0;
    for (int i = first + 1; i < count && fault->frame_count < WEFT__FAULT_FRAMES; i++)
        fault->frames[fault->frame_count++] = (uintptr_t)all[i];
}

// What would have happened without us: another handler, or the end of the process when the
// instruction is tried again.
static void fault_pass_on(int signal, siginfo_t* info, void* context) {
    if ((fault_before.sa_flags & SA_SIGINFO) != 0)
        fault_before.sa_sigaction(signal, info, context);
    else if (fault_before.sa_handler != SIG_DFL && fault_before.sa_handler != SIG_IGN)
        fault_before.sa_handler(signal);
    else
        (void)sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
}

static void fault_handle(int signal, siginfo_t* info, void* context) {
    weft__fault_catch* expected = fault_catch;
    if (expected == NULL || info->si_code <= 0) { // Not ours, or sent by somebody.
        fault_pass_on(signal, info, context);
        return;
    }
    int error = errno;
    weft__fault* fault = &expected->fault;
    fault->address = info->si_addr;
    fault->access = context_access(context);
    if (expected->fn != NULL && expected->fn(expected->context, fault)) {
        errno = error;
        return;
    }
    fault_catch = NULL; // A fault while frames are collected ends the process.
    frames_collect(fault, context_instruction(context), 0);
    // The jump restores no mask, as saving it would be a system call for each call of a system.
    (void)pthread_sigmask(SIG_SETMASK, &((const ucontext_t*)context)->uc_sigmask, NULL);
    siglongjmp(expected->place, 1);
}

weft_status weft__os_faults_begin(void) {
    weft_status status = WEFT_STATUS_OK;
    (void)pthread_mutex_lock(&fault_lock);
    if (fault_users == 0) {
        // Not blocked in its handler: a fault there is to end the process with what it is.
        struct sigaction action = {.sa_sigaction = fault_handle,
                                   .sa_flags = SA_SIGINFO | SA_NODEFER};
        void* frame;
        (void)backtrace(&frame, 1); // Loads what it needs: not in the handler.
        (void)sigemptyset(&action.sa_mask);
        status = sigaction(SIGSEGV, &action, &fault_before) == 0 ? WEFT_STATUS_OK : WEFT_STATUS_OS;
    }
    fault_users += status == WEFT_STATUS_OK;
    (void)pthread_mutex_unlock(&fault_lock);
    return status;
}

void weft__os_faults_end(void) {
    struct sigaction now;
    (void)pthread_mutex_lock(&fault_lock);
    WEFT_ASSERT(fault_users > 0);
    fault_users--;
    // Somebody else's may have come on top, and may come back to ours: then ours stays and passes
    // everything on.
    if (fault_users == 0 && sigaction(SIGSEGV, NULL, &now) == 0 &&
        (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == fault_handle)
        (void)sigaction(SIGSEGV, &fault_before, NULL);
    (void)pthread_mutex_unlock(&fault_lock);
}

void weft__os_faults_expect(weft__fault_catch* expected) {
    fault_catch = expected;
}

// Notes what the process dies of, once, and dies of it.
static void crash_handle(int signal, siginfo_t* info, void* context) {
    weft__os_crash* crash = crash_record;
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    crash_record = NULL;
    if (crash != NULL && weft__atomic_u32_load_acquire(&crash->signal) == 0) {
        bool memory = (signal == SIGSEGV || signal == SIGBUS) && info->si_code > 0;
        crash->fault.address = memory ? info->si_addr : NULL;
        crash->fault.access = memory ? context_access(context) : WEFT__FAULT_UNKNOWN;
        frames_collect(&crash->fault, context_instruction(context), crash_bottom);
        weft__atomic_u32_store_release(&crash->signal, (uint32_t)signal);
        if (memory && crash_fn != NULL) // If it faults itself, that is the end.
            crash_fn(crash_context, &crash->fault, crash->place, sizeof(crash->place));
    }
    (void)sigaction(signal, &usual, NULL);
    if (info->si_code <= 0) // Sent, as by abort(): it does not come again by itself.
        (void)raise(signal);
}

void weft__os_crashes_explain(weft__crash_fn* fn, const void* context) {
    crash_fn = fn;
    crash_context = context;
}

void weft__os_crashes_record(weft__os_crash* crash) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    // Its own stack, for what overruns the other.
    static uint8_t stack[1 << 16]; // lint-ok(mutable-static): the process's
    const stack_t own = {.ss_sp = stack, .ss_size = sizeof(stack)};
    struct sigaction action = {.sa_sigaction = crash_handle,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    void* frames[FRAMES_MAX];
    crash_bottom = backtrace(frames, FRAMES_MAX) - 1;
    (void)sigemptyset(&action.sa_mask);
    crash_record = crash;
    (void)sigaltstack(&own, NULL);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        if (signals[i] == SIGSEGV && fault_users > 0)
            fault_before = action; // Comes after those that a guard expects.
        else
            (void)sigaction(signals[i], &action, NULL);
}
