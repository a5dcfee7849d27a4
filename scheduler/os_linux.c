#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "os.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NANOSECONDS UINT64_C(1000000000)

enum {
    THREAD_STACK_SIZE = 8 << 20,
    THREAD_NAME_SIZE = 16,
    // The kernel can be built for 8192.
    AFFINITY_CPUS_MAX = 1 << 16,
    AFFINITY_WORD_BITS = 8 * sizeof(unsigned long),
    QUOTA_PATH_SIZE = 1024,
    QUOTA_FILE_SIZE = 3 * QUOTA_PATH_SIZE,
    QUOTA_LINE_SIZE = 8 * QUOTA_PATH_SIZE,
};

weft_status weft__os_region_reserve(size_t size, void** base) {
    WEFT_ASSERT(base != NULL);
    *base = NULL;
    if (size == 0)
        return WEFT_STATUS_BAD_ARGUMENT;
    void* memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return WEFT_STATUS_OUT_OF_MEMORY;
    (void)madvise(memory, size, MADV_HUGEPAGE);
    *base = memory;
    return WEFT_STATUS_OK;
}

void weft__os_region_small_pages(void* base, size_t size) {
    WEFT_ASSERT(base != NULL && size > 0);
    (void)madvise(base, size, MADV_NOHUGEPAGE); // Refused where there are no huge pages at all.
}

weft_status weft__os_shared_reserve(size_t size, void** base) {
    WEFT_ASSERT(base != NULL && size > 0);
    *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (*base != MAP_FAILED)
        return WEFT_STATUS_OK;
    *base = NULL;
    return WEFT_STATUS_OUT_OF_MEMORY;
}

void weft__os_region_own(void* base, size_t size) {
    (void)madvise(base, size, MADV_DONTFORK);
}

void weft__os_region_release(void* base, size_t size) {
    if (base == NULL)
        return;
    WEFT_ASSERT(size > 0);
    int failed = munmap(base, size);
    WEFT_ASSERT(failed == 0);
}

// Pages, and memory that is mapped twice ----------------------------------------------------------

size_t weft__os_page_size(void) {
    return (size_t)sysconf(_SC_PAGESIZE);
}

// The size that a file may have here. Beyond the limit the kernel would also send a signal.
static size_t file_size_max(size_t wanted) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return wanted;
    size_t whole = (size_t)limit.rlim_cur & ~(weft__os_page_size() - 1);
    return limit.rlim_cur < wanted ? whole : wanted;
}

// Maps the file twice, the one behind the other. Core files would hold all of it, twice.
static bool pair_map(weft__os_pair* pair, size_t range, bool both) {
    const int writable = PROT_READ | PROT_WRITE;
    const int flags = MAP_SHARED | MAP_FIXED | MAP_NORESERVE;
    uint8_t* base =
        mmap(NULL, 2 * range, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return false;
    if (ftruncate(pair->file, (off_t)range) != 0 ||
        mmap(base, range, writable, flags, pair->file, 0) == MAP_FAILED ||
        mmap(base + range, range, both ? writable : PROT_READ, flags, pair->file, 0) ==
            MAP_FAILED) {
        (void)munmap(base, 2 * range);
        return false;
    }
    (void)madvise(base, 2 * range, MADV_DONTDUMP);
    (void)madvise(base, range, MADV_HUGEPAGE); // Where the system has them for such memory.
    pair->base = base;
    pair->range = range;
    return true;
}

weft_status weft__os_pair_open(size_t range_max, bool both, weft__os_pair* pair) {
    WEFT_ASSERT(range_max > 0);
    *pair = (weft__os_pair){.file = memfd_create("weft", MFD_CLOEXEC)};
    if (pair->file < 0)
        return errno == ENOSYS || errno == EPERM ? WEFT_STATUS_UNSUPPORTED
                                                 : WEFT_STATUS_OUT_OF_MEMORY;
    size_t least = range_max / 1024 > 0 ? range_max / 1024 : 1;
    for (size_t range = file_size_max(range_max); range >= least; range /= 2)
        if (pair_map(pair, range & ~(weft__os_page_size() - 1), both))
            return WEFT_STATUS_OK;
    (void)close(pair->file);
    return WEFT_STATUS_OUT_OF_MEMORY;
}

weft_status weft__os_pair_take(const weft__os_pair* pair, size_t offset, size_t size) {
    WEFT_ASSERT(size > 0);
    if (size > pair->range || offset > pair->range - size)
        return WEFT_STATUS_OUT_OF_MEMORY;
    int failed;
    do {
        failed = fallocate(pair->file, FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)size);
    } while (failed != 0 && errno == EINTR);
    return failed == 0 ? WEFT_STATUS_OK : WEFT_STATUS_OUT_OF_MEMORY;
}

void weft__os_pair_give(const weft__os_pair* pair, size_t offset, size_t size) {
    WEFT_ASSERT(size <= pair->range && offset <= pair->range - size);
    (void)fallocate(pair->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
                    (off_t)size);
}

void weft__os_pair_close(const weft__os_pair* pair) {
    const weft__os_pair own = *pair; // It may lie there.
    (void)close(own.file);
    weft__os_region_release(own.base, 2 * own.range);
}

weft_status weft__os_protect(void* base, size_t size, weft__os_access access) {
    static const int protections[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE};
    return mprotect(base, size, protections[access]) == 0 ? WEFT_STATUS_OK : WEFT_STATUS_OS;
}

// Threads ----------------------------------------------------------------------------------------

static void* thread_main(void* argument) {
    weft__os_thread* thread = argument;
    thread->function(thread->context);
    return NULL;
}

void weft__os_worker_signals(sigset_t* blocked) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigfillset(blocked);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(blocked, faults[i]);
}

weft_status weft__os_thread_start(weft__os_thread* thread, weft__os_thread_function function,
                                  void* context, const char* name) {
    WEFT_ASSERT(thread != NULL);
    WEFT_ASSERT(function != NULL);
    *thread = (weft__os_thread){.function = function, .context = context};
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return WEFT_STATUS_OUT_OF_MEMORY;
    int failed = pthread_attr_setstacksize(&attributes, THREAD_STACK_SIZE);
    WEFT_ASSERT(failed == 0);
    // The new thread inherits the mask: set here, no signal can slip in before its first line.
    sigset_t blocked;
    sigset_t before;
    weft__os_worker_signals(&blocked);
    failed = pthread_sigmask(SIG_SETMASK, &blocked, &before);
    WEFT_ASSERT(failed == 0);
    int error = pthread_create(&thread->handle, &attributes, thread_main, thread);
    failed = pthread_sigmask(SIG_SETMASK, &before, NULL);
    WEFT_ASSERT(failed == 0);
    pthread_attr_destroy(&attributes);
    if (error != 0)
        return WEFT_STATUS_OS;
    if (name != NULL) {
        char shown[THREAD_NAME_SIZE] = {0};
        memcpy(shown, name, strnlen(name, sizeof shown - 1));
        (void)pthread_setname_np(thread->handle, shown);
    }
    return WEFT_STATUS_OK;
}

void weft__os_thread_join(weft__os_thread* thread) {
    WEFT_ASSERT(thread != NULL);
    int failed = pthread_join(thread->handle, NULL);
    WEFT_ASSERT(failed == 0);
}

bool weft__os_futex_wait(const weft__atomic_u32* word, uint32_t expected, uint64_t deadline_ns,
                         bool shared) {
    WEFT_ASSERT(word != NULL);
    // The form with a set of bits takes an absolute time.
    int operation = FUTEX_WAIT_BITSET | (shared ? 0 : FUTEX_PRIVATE_FLAG);
    struct timespec deadline = {.tv_sec = (time_t)(deadline_ns / NANOSECONDS),
                                .tv_nsec = (long)(deadline_ns % NANOSECONDS)};
    long result = syscall(SYS_futex, &word->value, operation, expected,
                          deadline_ns != 0 ? &deadline : NULL, NULL, FUTEX_BITSET_MATCH_ANY);
    if (result == 0)
        return true;
    WEFT_ASSERT(errno == EAGAIN || errno == EINTR || errno == ETIMEDOUT);
    return errno != ETIMEDOUT;
}

void weft__os_futex_wake(const weft__atomic_u32* word, uint32_t count, bool shared) {
    WEFT_ASSERT(word != NULL);
    int operation = FUTEX_WAKE | (shared ? 0 : FUTEX_PRIVATE_FLAG);
    uint32_t limit = count < INT_MAX ? count : INT_MAX;
    long result = syscall(SYS_futex, &word->value, operation, limit, NULL, NULL, 0);
    WEFT_ASSERT(result >= 0);
}

uint64_t weft__os_clock_ns(void) {
    struct timespec now;
    int failed = clock_gettime(CLOCK_MONOTONIC, &now);
    WEFT_ASSERT(failed == 0);
    return (uint64_t)now.tv_sec * NANOSECONDS + (uint64_t)now.tv_nsec;
}

bool weft__os_cycles_usable(void) {
#if defined(__x86_64__)
    char name[16] = "";
    FILE* file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
    bool read = file != NULL && fgets(name, sizeof(name), file) != NULL;
    if (file != NULL)
        (void)fclose(file);
    return read && strcmp(name, "tsc\n") == 0;
#else
    return false;
#endif
}

void weft__os_yield(void) {
    (void)sched_yield();
}

void weft__os_timer_exact(void) {
    (void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

weft__os_cpu_clock weft__os_cpu_clock_own(void) {
    clockid_t clock = CLOCK_MONOTONIC;
    int failed = pthread_getcpuclockid(pthread_self(), &clock);
    WEFT_ASSERT(failed == 0);
    return clock;
}

uint64_t weft__os_cpu_clock_ns(weft__os_cpu_clock clock) {
    struct timespec time;
    if (clock_gettime(clock, &time) != 0)
        return 0;
    return (uint64_t)time.tv_sec * NANOSECONDS + (uint64_t)time.tv_nsec;
}

int weft__os_process_id(void) {
    return (int)getpid();
}

// "CPU time, time on a run queue, times that it ran"
bool weft__os_cpu_wait_ns(int process, uint64_t* wait_ns) {
    char text[96];
    (void)snprintf(text, sizeof(text), "/proc/%d/schedstat", process);
    int file = open(text, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t size = read(file, text, sizeof(text) - 1);
    (void)close(file);
    if (size <= 0)
        return false;
    text[size] = '\0';
    char* second = strchr(text, ' ');
    if (second == NULL)
        return false;
    *wait_ns = strtoull(second, NULL, 10);
    return true;
}

uint64_t weft__os_preemptions(void) {
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? (uint64_t)usage.ru_nivcsw : 0;
}

static size_t page_size(void) {
    long size = sysconf(_SC_PAGESIZE);
    WEFT_ASSERT(size > 0);
    return (size_t)size;
}

const volatile uint32_t* weft__os_fork_mark_create(void) {
    uint32_t* mark =
        mmap(NULL, page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mark == MAP_FAILED)
        return NULL;
    // The child finds the page empty (since Linux 4.14; before, it is not told that it is one).
    (void)madvise(mark, page_size(), MADV_WIPEONFORK);
    *mark = 1;
    return mark;
}

void weft__os_fork_mark_set(const volatile uint32_t* mark, uint32_t value) {
    *(volatile uint32_t*)(uintptr_t)mark = value;
}

void weft__os_fork_mark_destroy(const volatile uint32_t* mark) {
    if (mark != NULL)
        (void)munmap((void*)(uintptr_t)mark, page_size());
}

uint32_t weft__os_affinity_count(void) {
    uint32_t count = weft__os_affinity_list(NULL, 0);
    return count > 0 ? count : 1;
}

uint32_t weft__os_affinity_list(uint32_t* cpus, uint32_t capacity) {
    WEFT_ASSERT(cpus != NULL || capacity == 0);
    // The library's cpu_set_t is too small for large machines, and the kernel refuses sets smaller
    // than its own.
    unsigned long words[AFFINITY_CPUS_MAX / AFFINITY_WORD_BITS] = {0};
    if (sched_getaffinity(0, sizeof words, (cpu_set_t*)words) != 0)
        return 0;
    uint32_t count = 0;
    for (uint32_t cpu = 0; cpu < AFFINITY_CPUS_MAX; cpu++) {
        if ((words[cpu / AFFINITY_WORD_BITS] >> cpu % AFFINITY_WORD_BITS & 1) == 0)
            continue;
        if (count < capacity)
            cpus[count] = cpu;
        count++;
    }
    return count;
}

weft_status weft__os_affinity_set(uint32_t cpu) {
    if (cpu >= AFFINITY_CPUS_MAX)
        return WEFT_STATUS_OS;
    unsigned long words[AFFINITY_CPUS_MAX / AFFINITY_WORD_BITS] = {0};
    words[cpu / AFFINITY_WORD_BITS] = 1UL << cpu % AFFINITY_WORD_BITS;
    bool set = sched_setaffinity(0, sizeof words, (const cpu_set_t*)words) == 0;
    return set ? WEFT_STATUS_OK : WEFT_STATUS_OS;
}

// One cgroup hierarchy as this process sees it: where it is mounted, which group of the hierarchy
// the mount shows, and this process's group.
typedef struct quota_hierarchy {
    char mount[QUOTA_PATH_SIZE];
    char mounted_group[QUOTA_PATH_SIZE];
    char group[QUOTA_PATH_SIZE];
    bool member;
} quota_hierarchy;

// The smallest limit found so far, in thousandths of a CPU, 0 for none.
typedef struct quota_search {
    quota_hierarchy v1;
    quota_hierarchy v2;
    const char* root_dir;
    char* source;
    size_t source_size;
    uint64_t milli_cpus;
    bool found_file;
    bool found_unreadable;
} quota_search;

__attribute__((format(printf, 2, 3))) static void quota_explain(quota_search* search,
                                                                const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(search->source, search->source_size, format, arguments);
    va_end(arguments);
}

static void quota_note_unreadable(quota_search* search, const char* file, const char* reason) {
    bool first = !search->found_unreadable && search->milli_cpus == 0;
    search->found_unreadable = true;
    if (first)
        quota_explain(search, "no quota known: %s is unreadable: %s", file, reason);
}

static void quota_note_limit(quota_search* search, const char* file, uint64_t quota,
                             uint64_t period) {
    WEFT_ASSERT(quota > 0);
    WEFT_ASSERT(period > 0);
    // Beyond this the quota is more CPUs than any machine has.
    if (quota > UINT64_MAX / 2000 || quota / period > UINT32_MAX / 2000)
        return;
    uint64_t milli_cpus = quota * 1000 / period + (quota * 1000 % period != 0);
    if (search->milli_cpus != 0 && search->milli_cpus <= milli_cpus)
        return;
    search->milli_cpus = milli_cpus;
    quota_explain(search, "%s: %" PRIu64 " of %" PRIu64 " us", file, quota, period);
}

// Reads the start of a small file as text. Returns 0 or an errno.
static int quota_read_text(const char* file, char* text, size_t size) {
    WEFT_ASSERT(size > 1);
    int descriptor = open(file, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return errno;
    ssize_t length = read(descriptor, text, size - 1);
    int error = length < 0 ? errno : 0;
    close(descriptor);
    text[length < 0 ? 0 : length] = '\0';
    return error;
}

// Parses a positive decimal and moves past it and the blanks behind it.
static bool quota_parse_number(const char** text, uint64_t* number) {
    if (**text < '0' || **text > '9')
        return false;
    char* end = NULL;
    errno = 0;
    *number = strtoull(*text, &end, 10);
    *text = end + strspn(end, " \n");
    return errno == 0 && *number > 0;
}

// cpu.max holds "<quota or max> <period>".
static void quota_read_v2(quota_search* search, const char* directory) {
    char file[QUOTA_FILE_SIZE + 32];
    char text[128] = "";
    int length = snprintf(file, sizeof file, "%s/cpu.max", directory);
    WEFT_ASSERT(length > 0 && (size_t)length < sizeof file);
    int error = quota_read_text(file, text, sizeof text);
    // The root group has no such file, nor has a group without the controller.
    if (error == ENOENT || error == ENOTDIR)
        return;
    if (error != 0) {
        quota_note_unreadable(search, file, strerror(error));
        return;
    }
    const char* rest = text;
    uint64_t quota = 0;
    uint64_t period = 0;
    bool limited = strncmp(rest, "max ", 4) != 0;
    if (!limited)
        rest += 4;
    bool parsed = !limited || quota_parse_number(&rest, &quota);
    if (!parsed || !quota_parse_number(&rest, &period) || *rest != '\0') {
        quota_note_unreadable(search, file, "it does not hold a quota and a period");
        return;
    }
    search->found_file = true;
    if (limited)
        quota_note_limit(search, file, quota, period);
}

// cpu.cfs_quota_us holds the quota or -1, cpu.cfs_period_us the period.
static void quota_read_v1(quota_search* search, const char* directory) {
    char file[QUOTA_FILE_SIZE + 32];
    char text[128] = "";
    int length = snprintf(file, sizeof file, "%s/cpu.cfs_quota_us", directory);
    WEFT_ASSERT(length > 0 && (size_t)length < sizeof file);
    int error = quota_read_text(file, text, sizeof text);
    if (error == ENOENT || error == ENOTDIR)
        return;
    if (error != 0) {
        quota_note_unreadable(search, file, strerror(error));
        return;
    }
    if (text[0] == '-') {
        search->found_file = true;
        return;
    }
    const char* rest = text;
    uint64_t quota = 0;
    if (!quota_parse_number(&rest, &quota) || *rest != '\0') {
        quota_note_unreadable(search, file, "it does not hold a quota");
        return;
    }
    char period_file[QUOTA_FILE_SIZE + 32];
    length = snprintf(period_file, sizeof period_file, "%s/cpu.cfs_period_us", directory);
    WEFT_ASSERT(length > 0 && (size_t)length < sizeof period_file);
    error = quota_read_text(period_file, text, sizeof text);
    rest = text;
    uint64_t period = 0;
    if (error != 0 || !quota_parse_number(&rest, &period) || *rest != '\0') {
        quota_note_unreadable(search, period_file,
                              error != 0 ? strerror(error) : "it does not hold a period");
        return;
    }
    search->found_file = true;
    quota_note_limit(search, file, quota, period);
}

// Reads this process's group and every parent that the mount shows.
static void quota_search_hierarchy(quota_search* search, const quota_hierarchy* hierarchy,
                                   void (*read_group)(quota_search*, const char*)) {
    if (!hierarchy->member || hierarchy->mount[0] == '\0')
        return;
    char group[QUOTA_PATH_SIZE];
    memcpy(group, hierarchy->group, sizeof group);
    // In a container without its own cgroup namespace the mount shows the container's group as its
    // root, while the group is named from the machine's root.
    size_t hidden = strlen(hierarchy->mounted_group);
    if (hidden > 1 && strncmp(group, hierarchy->mounted_group, hidden) == 0 &&
        (group[hidden] == '/' || group[hidden] == '\0'))
        memmove(group, group + hidden, strlen(group + hidden) + 1);
    // A group outside of the namespace is named through "..": only the mount itself is left.
    if (strstr(group, "/..") != NULL || strcmp(group, "/") == 0)
        group[0] = '\0';
    for (;;) {
        char directory[QUOTA_FILE_SIZE];
        int length = snprintf(directory, sizeof directory, "%s%s%s", search->root_dir,
                              hierarchy->mount, group);
        if (length < 0 || (size_t)length >= sizeof directory) {
            quota_note_unreadable(search, hierarchy->mount, "the path is too long");
            return;
        }
        read_group(search, directory);
        char* slash = strrchr(group, '/');
        if (slash == NULL)
            return;
        *slash = '\0';
    }
}

static bool list_has(const char* list, const char* word) {
    size_t length = strlen(word);
    for (const char* at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

// "id parent device mounted_group mount options [optional]... - type source super_options"
static void quota_take_mount(quota_search* search, const char* line) {
    char mounted_group[QUOTA_PATH_SIZE] = "";
    char mount[QUOTA_PATH_SIZE] = "";
    char type[16] = "";
    char options[QUOTA_PATH_SIZE] = "";
    const char* tail = strstr(line, " - ");
    if (tail == NULL || sscanf(line, "%*s %*s %*s %1023s %1023s", mounted_group, mount) != 2 ||
        sscanf(tail + 3, "%15s %*s %1023s", type, options) < 1)
        return;
    quota_hierarchy* hierarchy = NULL;
    if (strcmp(type, "cgroup2") == 0)
        hierarchy = &search->v2;
    else if (strcmp(type, "cgroup") == 0 && list_has(options, "cpu"))
        hierarchy = &search->v1;
    if (hierarchy == NULL || hierarchy->mount[0] != '\0')
        return;
    memcpy(hierarchy->mount, mount, sizeof mount);
    memcpy(hierarchy->mounted_group, mounted_group, sizeof mounted_group);
}

// "number:controllers:group"; version 2 has number 0 and no controllers.
static void quota_take_group(quota_search* search, const char* line) {
    const char* controllers = strchr(line, ':');
    const char* group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
    if (group == NULL)
        return;
    char list[QUOTA_PATH_SIZE] = "";
    size_t list_length = (size_t)(group - controllers) - 1;
    size_t group_length = strlen(group + 1);
    if (list_length >= sizeof list || group_length >= sizeof search->v1.group)
        return;
    memcpy(list, controllers + 1, list_length);
    quota_hierarchy* hierarchy = NULL;
    if (list_length == 0)
        hierarchy = &search->v2;
    else if (list_has(list, "cpu"))
        hierarchy = &search->v1;
    if (hierarchy == NULL)
        return;
    memcpy(hierarchy->group, group + 1, group_length + 1);
    hierarchy->member = true;
}

// Calls `take` with each line of a file below the root. Returns 0 or an errno.
static int quota_read_lines(quota_search* search, const char* name, char* path, size_t path_size,
                            void (*take)(quota_search*, const char*)) {
    int length = snprintf(path, path_size, "%s%s", search->root_dir, name);
    if (length < 0 || (size_t)length >= path_size)
        return ENAMETOOLONG;
    FILE* file = fopen(path, "re");
    if (file == NULL)
        return errno;
    char line[QUOTA_LINE_SIZE];
    errno = 0;
    for (bool whole = true; fgets(line, sizeof line, file) != NULL;) {
        // The rest of a line longer than the buffer is not a line.
        bool starts = whole;
        char* end = strchr(line, '\n');
        whole = end != NULL;
        if (whole)
            *end = '\0';
        if (starts)
            take(search, line);
    }
    int error = errno != 0 ? errno : EIO;
    bool failed = ferror(file) != 0;
    (void)fclose(file);
    return failed ? error : 0;
}

void weft__os_cpu_quota(const char* root_dir, uint32_t* milli_cpus, char* source,
                        size_t source_size) {
    WEFT_ASSERT(milli_cpus != NULL);
    WEFT_ASSERT(source != NULL && source_size > 0);
    quota_search search = {
        .root_dir = root_dir != NULL ? root_dir : "", .source = source, .source_size = source_size};
    *milli_cpus = 0;
    source[0] = '\0';
    char path[QUOTA_FILE_SIZE];
    int error = quota_read_lines(&search, "/proc/self/cgroup", path, sizeof path, quota_take_group);
    if (error != 0) {
        quota_note_unreadable(&search, path, strerror(error));
        return;
    }
    error = quota_read_lines(&search, "/proc/self/mountinfo", path, sizeof path, quota_take_mount);
    if (error != 0) {
        strcpy(search.v2.mount, "/sys/fs/cgroup");
        strcpy(search.v1.mount, "/sys/fs/cgroup/cpu");
    }
    quota_search_hierarchy(&search, &search.v2, quota_read_v2);
    quota_search_hierarchy(&search, &search.v1, quota_read_v1);
    if (search.milli_cpus == 0 && !search.found_unreadable)
        quota_explain(&search, "%s",
                      search.found_file ? "no quota is set in the control groups"
                                        : "no control group with a CPU quota is mounted");
    WEFT_ASSERT(search.milli_cpus <= UINT32_MAX);
    *milli_cpus = (uint32_t)search.milli_cpus;
}
