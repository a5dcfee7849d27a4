/// A system that counts, also where the machine does not: perf_event_open(2), and read(2) and
/// close(2) of what it opened. It defines these three for the whole program, so one file of a
/// program includes it. As the kernel does, it refuses a group whose leader is not open or counts
/// another thread.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    FAKE_PMU_FILES = 1024,
    FAKE_PMU_TYPES = 2,    // PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE.
    FAKE_PMU_CONFIGS = 16, // Of a type.
    FAKE_PMU_MEMBERS = 8   // Of a group.
};

typedef struct fake_event {
    struct perf_event_attr attr;
    int thread;
    int leader;
    uint64_t value;
    uint64_t enabled; // Of a leader.
    uint64_t running;
    int members[FAKE_PMU_MEMBERS]; // As they were opened, itself first.
    uint32_t member_count;
} fake_event;

static struct {
    // Set by the test. What each read of a group adds to it, by type and config.
    uint64_t enabled;
    uint64_t running;
    uint64_t value[FAKE_PMU_TYPES][FAKE_PMU_CONFIGS];
    int error[FAKE_PMU_TYPES][FAKE_PMU_CONFIGS]; // Why it is not to be had; 0: it is.
    uint32_t room;                               // Files that may be opened yet.
    // Read by the test.
    uint32_t open; // Files.
    bool is_open[FAKE_PMU_FILES];
    fake_event events[FAKE_PMU_FILES];
} fake_pmu = {.room = UINT32_MAX};

static long (*fake_real)(long, ...);

// Before there are threads.
__attribute__((constructor)) static void fake_begin(void) {
    *(void**)&fake_real = dlsym(RTLD_NEXT, "syscall");
}

static long fake_real_syscall(long number, const long* words) {
    if (fake_real == NULL)
        fake_begin();
    return fake_real(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

static long fake_fail(int error) {
    errno = error;
    return -1;
}

static long fake_open(const struct perf_event_attr* attr, int thread, int leader,
                      unsigned long flags) {
    if (attr->type >= FAKE_PMU_TYPES || attr->config >= FAKE_PMU_CONFIGS ||
        attr->size != sizeof(*attr) || flags != PERF_FLAG_FD_CLOEXEC)
        return fake_fail(EINVAL);
    if (leader >= 0 &&
        (leader >= FAKE_PMU_FILES || !fake_pmu.is_open[leader] ||
         fake_pmu.events[leader].leader >= 0 || fake_pmu.events[leader].thread != thread ||
         fake_pmu.events[leader].member_count == FAKE_PMU_MEMBERS))
        return fake_fail(EINVAL);
    if (fake_pmu.error[attr->type][attr->config] != 0)
        return fake_fail(fake_pmu.error[attr->type][attr->config]);
    if (fake_pmu.room == 0)
        return fake_fail(EMFILE);
    int file = eventfd(0, EFD_CLOEXEC);
    if (file < 0 || file >= FAKE_PMU_FILES)
        return fake_fail(EMFILE);
    fake_pmu.room--;
    fake_pmu.open++;
    fake_pmu.is_open[file] = true;
    fake_pmu.events[file] = (fake_event){.attr = *attr, .thread = thread, .leader = leader};
    fake_event* group = &fake_pmu.events[leader >= 0 ? leader : file];
    group->members[group->member_count++] = file;
    return file;
}

// Of shared libraries too.
#define FAKE_PMU_API __attribute__((visibility("default")))

FAKE_PMU_API long syscall(long number, ...) {
    long words[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        words[i] = va_arg(list, long);
    va_end(list);
    if (number != SYS_perf_event_open)
        return fake_real_syscall(number, words);
    return fake_open((const struct perf_event_attr*)words[0], (int)words[1], (int)words[3],
                     (unsigned long)words[4]);
}

// { members, time enabled, time running, values }.
static ssize_t fake_read(int file, void* room, size_t size) {
    fake_event* leader = &fake_pmu.events[file];
    uint64_t words[3 + FAKE_PMU_MEMBERS] = {leader->member_count,
                                            leader->enabled += fake_pmu.enabled,
                                            leader->running += fake_pmu.running};
    size_t length = (3 + leader->member_count) * sizeof(words[0]);
    for (uint32_t i = 0; i < leader->member_count; i++) {
        fake_event* event = &fake_pmu.events[leader->members[i]];
        event->value += fake_pmu.value[event->attr.type][event->attr.config];
        words[3 + i] = event->value;
    }
    if (length > size)
        return fake_fail(ENOSPC);
    memcpy(room, words, length);
    return (ssize_t)length;
}

FAKE_PMU_API ssize_t read(int file, void* room, size_t size) {
    if (file >= 0 && file < FAKE_PMU_FILES && fake_pmu.is_open[file])
        return fake_read(file, room, size);
    const long words[6] = {file, (long)room, (long)size};
    return fake_real_syscall(SYS_read, words);
}

FAKE_PMU_API int close(int file) {
    if (file >= 0 && file < FAKE_PMU_FILES && fake_pmu.is_open[file]) {
        fake_pmu.is_open[file] = false;
        fake_pmu.open--;
    }
    const long words[6] = {file};
    return (int)fake_real_syscall(SYS_close, words);
}
