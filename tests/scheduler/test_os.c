#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "effort.h"
#include "folder.h"
#include "os.h"
#include "os_process.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <weft/memory.h>

Test(os, region_is_zeroed_and_writable) {
    size_t size = 3 << 20;
    void* base = NULL;
    cr_assert_eq(weft__os_region_reserve(size, &base), WEFT_STATUS_OK);
    unsigned char* bytes = base;
    cr_assert_eq((uintptr_t)base % (uintptr_t)sysconf(_SC_PAGESIZE), 0);
    for (size_t i = 0; i < size; i += 4093)
        cr_assert_eq(bytes[i], 0);
    memset(bytes, 0xA5, size);
    cr_assert_eq(bytes[size - 1], 0xA5);
    weft__os_region_release(base, size);
}

Test(os, region_larger_than_memory_is_reserved_or_refused) {
    void* base = &base;
    cr_assert_eq(weft__os_region_reserve(0, &base), WEFT_STATUS_BAD_ARGUMENT);
    cr_assert_null(base);
    // More than any address space has: half of what 64 bits number, all but 16 MiB of 32.
    size_t all = sizeof(size_t) == 4 ? SIZE_MAX - ((size_t)1 << 24) : SIZE_MAX / 2;
    cr_assert_eq(weft__os_region_reserve(all, &base), WEFT_STATUS_OUT_OF_MEMORY);
    cr_assert_null(base);
    weft__os_region_release(NULL, 0);
}

// The flags that the system keeps for the mapping of an address, as /proc/self/smaps has them.
static bool mapping_has_flag(const void* address, const char* flag) {
    FILE* file = fopen("/proc/self/smaps", "r");
    cr_assert_not_null(file);
    char line[512];
    bool inside = false;
    bool found = false;
    while (fgets(line, sizeof line, file) != NULL) {
        unsigned long long first, end;
        if (sscanf(line, "%llx-%llx ", &first, &end) == 2)
            inside = (uintptr_t)address >= first && (uintptr_t)address < end;
        else if (inside && strncmp(line, "VmFlags:", 8) == 0)
            found = strstr(line, flag) != NULL;
    }
    fclose(file);
    return found;
}

Test(os, small_pages_are_asked_for) {
    size_t size = 4 << 20;
    weft_memory memories[] = {weft_memory_system(), weft_memory_small_pages()};
    for (int small = 0; small < 2; small++) {
        unsigned char* base = memories[small].acquire(memories[small].context, size);
        cr_assert_not_null(base);
        // Where there are no huge pages, or an emulator makes the file, there is neither.
        cr_assert_not(mapping_has_flag(base, small ? " hg" : " nh"));
        base[size - 1] = 1;
        memories[small].release(memories[small].context, base, size);
    }
}

typedef struct thread_report {
    sigset_t mask;
    size_t stack_size;
    char name[32];
    unsigned char deepest;
} thread_report;

static unsigned char use_stack(void) {
    volatile unsigned char block[4 << 20];
    for (size_t i = 0; i < sizeof block; i += 1024)
        block[i] = 1;
    return block[1024];
}

static void report_thread(void* context) {
    thread_report* report = context;
    pthread_sigmask(SIG_SETMASK, NULL, &report->mask);
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstacksize(&attributes, &report->stack_size);
        pthread_attr_destroy(&attributes);
    }
    report->deepest = use_stack();
}

Test(os, thread_has_stack_and_blocked_signals, .timeout = 20) {
    thread_report report = {0};
    weft__os_thread thread;
    sigset_t before;
    sigset_t after;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    cr_assert_eq(
        weft__os_thread_start(&thread, report_thread, &report, "a name of more than fifteen bytes"),
        WEFT_STATUS_OK);
    weft__os_thread_join(&thread);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    cr_assert_eq(report.deepest, 1);
    cr_assert_geq(report.stack_size, 8 << 20);
    const int blocked[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGCHLD, SIGUSR1, SIGPIPE};
    const int open[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof blocked / sizeof *blocked; i++) {
        cr_assert_eq(sigismember(&report.mask, blocked[i]), 1);
        cr_assert_eq(sigismember(&after, blocked[i]), sigismember(&before, blocked[i]));
    }
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        cr_assert_eq(sigismember(&report.mask, open[i]), 0);
}

static void read_name(void* context) {
    char* name = context;
    // The starter names the thread after it has started it.
    for (int i = 0; i < 2000; i++) {
        pthread_getname_np(pthread_self(), name, 32);
        if (strncmp(name, "weft", 4) == 0)
            return;
        usleep(1000);
    }
}

Test(os, thread_name_is_cut, .timeout = 20) {
    char name[32] = "";
    weft__os_thread thread;
    cr_assert_eq(weft__os_thread_start(&thread, read_name, name, "weft-0123456789abcdef"),
                 WEFT_STATUS_OK);
    weft__os_thread_join(&thread);
    cr_assert_str_eq(name, "weft-0123456789");
}

static void wake_later(void* context) {
    weft__atomic_u32* word = context;
    usleep(20000);
    weft__atomic_u32_store_release(word, 1);
    weft__os_futex_wake(word, UINT32_MAX, false);
}

Test(os, futex_waits_and_wakes, .timeout = 20) {
    weft__atomic_u32 word = {0};
    cr_assert(weft__os_futex_wait(&word, 5, 0, false));
    cr_assert(weft__os_futex_wait(&word, 5, 0, true));
    cr_assert_not(weft__os_futex_wait(&word, 0, weft__os_clock_ns() + 1000, false));
    weft__os_futex_wake(&word, 1, true);
    weft__os_thread thread;
    cr_assert_eq(weft__os_thread_start(&thread, wake_later, &word, "wake"), WEFT_STATUS_OK);
    while (weft__atomic_u32_load_acquire(&word) == 0)
        (void)weft__os_futex_wait(&word, 0, 0, false);
    weft__os_thread_join(&thread);
}

typedef struct burner {
    weft__atomic_u32 ready;
    weft__atomic_u32 stop;
    weft__os_cpu_clock clock;
} burner;

static void burn(void* context) {
    burner* mine = context;
    mine->clock = weft__os_cpu_clock_own();
    weft__atomic_u32_store_release(&mine->ready, 1);
    while (weft__atomic_u32_load_acquire(&mine->stop) == 0)
        weft__cpu_relax();
}

Test(os, cpu_time_of_a_thread_grows_while_it_runs, .timeout = 20) {
    burner shared = {.stop = {0}};
    weft__os_thread thread;
    cr_assert_eq(weft__os_thread_start(&thread, burn, &shared, "burn"), WEFT_STATUS_OK);
    while (weft__atomic_u32_load_acquire(&shared.ready) == 0)
        weft__os_yield();
    uint64_t first = weft__os_cpu_clock_ns(shared.clock);
    while (weft__os_cpu_clock_ns(shared.clock) < first + 1000000)
        weft__os_yield();
    weft__atomic_u32_store_release(&shared.stop, 1);
    weft__os_thread_join(&thread);
}

static uint64_t wait_of(pid_t process) {
    uint64_t wait_ns = 0;
    if (!weft__os_cpu_wait_ns(process, &wait_ns))
        cr_skip("the system does not tell");
    return wait_ns;
}

static void burn_for(uint64_t ns) {
    uint64_t begin = weft__os_clock_ns();
    while (weft__os_clock_ns() - begin < ns)
        weft__cpu_relax();
}

// Two that burn on one CPU wait for each other; one that sleeps does not wait.
Test(os, who_has_no_cpu_waits_for_it, .timeout = 20) {
    uint64_t wait_ns;
    cpu_set_t all;
    cpu_set_t one;
    cr_assert_eq(sched_getaffinity(0, sizeof(all), &all), 0);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    cr_assert_eq(sched_setaffinity(0, sizeof(one), &one), 0);
    pid_t sleeper = fork();
    if (sleeper == 0)
        for (;;)
            (void)pause();
    pid_t burner_id = fork();
    if (burner_id == 0)
        burn_for(UINT64_C(10000000000));
    if (burner_id == 0)
        _exit(0);
    burn_for(20000000);
    uint64_t slept = wait_of(sleeper);
    uint64_t burnt = wait_of(burner_id);
    burn_for(200000000);
    cr_assert_gt(wait_of(burner_id) - burnt, 20000000);
    cr_assert_eq(wait_of(sleeper), slept);
    cr_assert_eq(kill(burner_id, SIGKILL), 0);
    cr_assert_eq(kill(sleeper, SIGKILL), 0);
    cr_assert_eq(waitpid(burner_id, NULL, 0), burner_id);
    cr_assert_eq(waitpid(sleeper, NULL, 0), sleeper);
    cr_assert(!weft__os_cpu_wait_ns(sleeper, &wait_ns));
}

Test(os, fork_mark_is_clear_in_the_child, .timeout = 20) {
    const volatile uint32_t* mark = weft__os_fork_mark_create();
    cr_assert_not_null((const void*)(uintptr_t)mark);
    cr_assert_eq(*mark, 1);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0)
        _exit(*mark == 0 ? 0 : 1);
    int status = -1;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    cr_assert_eq(*mark, 1);
    weft__os_fork_mark_destroy(mark);
    weft__os_fork_mark_destroy(NULL);
}

// Processes --------------------------------------------------------------------------------------

#if TEST_HAS_PROCESSES
typedef struct shared {
    weft__atomic_u32 word;
    weft__os_crash crash;
    weft__os_event event;
    sigset_t mask;
    char name[32];
} shared;

static shared* shared_open(void) {
    void* base = NULL;
    cr_assert_eq(weft__os_shared_reserve(sizeof(shared), &base), WEFT_STATUS_OK);
    shared* all = base;
    cr_assert_eq(weft__os_event_open(&all->event), WEFT_STATUS_OK);
    return all;
}

static void shared_close(shared* all) {
    weft__os_event_close(&all->event);
    weft__os_event_close(&all->event); // Closed twice is closed.
    weft__os_region_release(all, sizeof(*all));
}

static weft__os_process start(shared* all, void (*function)(void*)) {
    weft__os_process process;
    cr_assert_eq(weft__os_process_start(&process, function, all, "weft-test", &all->crash),
                 WEFT_STATUS_OK);
    return process;
}

static weft__os_end end_of(shared* all, weft__os_process* process) {
    weft__os_end end = {0};
    while (!weft__os_process_ended(process, &end))
        weft__os_event_await(&all->event, process, 1, 0);
    cr_assert_eq(process->id, 0);
    weft__os_process_kill(process); // Nobody is there: nothing happens.
    return end;
}

static void tell(void* context) {
    shared* all = context;
    pthread_sigmask(SIG_SETMASK, NULL, &all->mask);
    pthread_getname_np(pthread_self(), all->name, sizeof(all->name));
    weft__atomic_u32_store_release(&all->word, 7);
}

static void leave_with_three(void* context) {
    (void)context;
    _exit(3);
}

static void stay(void* context) {
    (void)context;
    for (;;)
        (void)pause();
}

static void give_and_stay(void* context) {
    shared* all = context;
    weft__os_event_give(&all->event);
    stay(context);
}

Test(os, a_process_shares_what_was_reserved_and_its_end_is_seen, .timeout = 20) {
    shared* all = shared_open();
    weft__os_process process = start(all, tell);
    weft__os_end end = end_of(all, &process);
    cr_assert(end.known && end.signal == 0 && end.code == 0);
    cr_assert_eq(weft__atomic_u32_load_acquire(&all->word), 7);
    cr_assert_str_eq(all->name, "weft-test");
    cr_assert(sigismember(&all->mask, SIGINT) == 1 && sigismember(&all->mask, SIGSEGV) == 0);
    process = start(all, leave_with_three);
    end = end_of(all, &process);
    cr_assert(end.known && end.signal == 0 && end.code == 3);
    shared_close(all);
}

Test(os, a_killed_process_is_gone, .timeout = 20) {
    shared* all = shared_open();
    weft__os_process process = start(all, stay);
    weft__os_end end;
    cr_assert_not(weft__os_process_ended(&process, &end));
    cr_assert_eq(kill(process.id, SIGTERM), 0); // Blocked.
    weft__os_event_await(&all->event, &process, 1, 20000000);
    cr_assert_not(weft__os_process_ended(&process, &end));
    cr_assert_eq(kill(process.id, SIGKILL), 0);
    end = end_of(all, &process);
    cr_assert(end.known && end.signal == SIGKILL);
    process = start(all, stay);
    pid_t id = process.id;
    weft__os_process_kill(&process);
    cr_assert(kill(id, 0) != 0 && errno == ESRCH);
    shared_close(all);
}

// A program that waits for any child takes the status away.
Test(os, an_end_that_somebody_else_has_seen_is_an_end, .timeout = 20) {
    shared* all = shared_open();
    weft__os_process process = start(all, leave_with_three);
    cr_assert_eq(waitpid(process.id, NULL, 0), process.id);
    weft__os_end end = {.known = true};
    cr_assert(weft__os_process_ended(&process, &end));
    cr_assert_not(end.known);
    shared_close(all);
}

Test(os, an_event_is_taken_once, .timeout = 20) {
    shared* all = shared_open();
    weft__os_process process = start(all, give_and_stay);
    weft__os_event_await(&all->event, &process, 1, 0);
    uint64_t begin = weft__os_clock_ns();
    weft__os_event_await(&all->event, &process, 1, 30000000);
    if (process.descriptor >= 0) // Else it looks every few milliseconds.
        cr_assert_geq(weft__os_clock_ns() - begin, 29000000);
    weft__os_process_kill(&process);
    shared_close(all);
}

Test(os, signals_have_names) {
    char text[32];
    cr_assert_str_eq(weft__os_signal_name(SIGSEGV, text, sizeof(text)), "SIGSEGV");
    cr_assert_str_eq(weft__os_signal_name(999, text, sizeof(text)), "signal 999");
}
#endif

Test(os, a_pair_is_one_memory_at_two_places_and_in_children, .timeout = 20) {
    size_t page = weft__os_page_size();
    weft__os_pair pair;
    cr_assert_eq(weft__os_pair_open(64 * page, true, &pair), WEFT_STATUS_OK);
    cr_assert_leq(pair.range, 64 * page);
    cr_assert_eq(weft__os_pair_take(&pair, page, 2 * page), WEFT_STATUS_OK);
    cr_assert_eq(weft__os_pair_take(&pair, pair.range, page), WEFT_STATUS_OUT_OF_MEMORY);
    cr_assert_eq(weft__os_pair_take(&pair, 0, pair.range + page), WEFT_STATUS_OUT_OF_MEMORY);
    pair.base[page] = 5;
    cr_assert_eq(pair.base[pair.range + page], 5);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        pair.base[page] = 6; // Everybody's.
        _exit(0);
    }
    int status = -1;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    cr_assert_eq(pair.base[page], 6);
    weft__os_pair_give(&pair, page, page);
    cr_assert_eq(pair.base[page], 0);
    weft__os_pair_close(&pair);
}

Test(os, clock_does_not_go_back) {
    uint64_t start = weft__os_clock_ns();
    uint64_t last = start;
    for (int i = 0; i < 100000; i++) {
        uint64_t now = weft__os_clock_ns();
        cr_assert_geq(now, last);
        last = now;
    }
    usleep(2000);
    cr_assert_geq(weft__os_clock_ns() - start, 2000000);
}

Test(os, affinity_is_the_calling_threads) {
    uint32_t cpus[4096];
    uint32_t count = weft__os_affinity_list(cpus, 4096);
    cr_assert_gt(count, 0);
    cr_assert_eq(weft__os_affinity_count(), count);
    for (uint32_t i = 1; i < count && i < 4096; i++)
        cr_assert_lt(cpus[i - 1], cpus[i]);
    for (uint32_t i = 0; i < count && i < 2; i++) {
        cpu_set_t only;
        CPU_ZERO(&only);
        CPU_SET(cpus[i], &only);
        cr_assert_eq(sched_setaffinity(0, sizeof only, &only), 0);
        uint32_t now = UINT32_MAX;
        cr_assert_eq(weft__os_affinity_list(&now, 1), 1);
        cr_assert_eq(now, cpus[i]);
        cr_assert_eq(weft__os_affinity_count(), 1);
    }
}

// A folder that stands for "/", and in it what a kernel would show.
static test_folder root;

static void make_root(void) {
    root = folder_open();
}

static void remove_root(void) {
    folder_close(&root);
}

static void put(const char* name, const char* text) {
    folder_put(&root, name, text);
}

static void put_folder(const char* name) {
    test_path path = folder_file(&root, name);
    size_t length = strlen(path.text);
    cr_assert_lt(length + 1, sizeof path.text);
    memcpy(path.text + length, "/", 2);
    folder_make_parents(path.text);
}

static char source[WEFT__OS_SOURCE_SIZE];

static uint32_t quota(void) {
    uint32_t milli_cpus = 12345;
    memset(source, 'x', sizeof source);
    weft__os_cpu_quota(root.path, &milli_cpus, source, sizeof source);
    cr_assert_not_null(memchr(source, '\0', sizeof source));
    return milli_cpus;
}

#define assert_source_has(text) cr_assert_not_null(strstr(source, text), "source: %s", source)

TestSuite(quota, .init = make_root, .fini = remove_root, .timeout = 20);

Test(quota, version_2) {
    const struct {
        const char* text;
        uint32_t milli_cpus;
    } cases[] = {
        {"50000 100000\n", 500},
        {"150000 100000\n", 1500},
        {"300000 100000\n", 3000},
        {"max 100000\n", 0},
        {"1 1000000\n", 1},
        {"100001 100000\n", 1001},
        {"18446744073709551615 1\n", 0},
    };
    put("proc/self/cgroup", "0::/job\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put("sys/fs/cgroup/job/cpu.max", cases[i].text);
        cr_assert_eq(quota(), cases[i].milli_cpus, "%s: %s", cases[i].text, source);
        assert_source_has(cases[i].milli_cpus > 0 ? "sys/fs/cgroup/job/cpu.max"
                                                  : "no quota is set");
    }
}

Test(quota, the_smallest_of_the_parents_wins) {
    put("proc/self/cgroup", "0::/a/b/c\n");
    put("sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n");
    put("sys/fs/cgroup/a/b/cpu.max", "200000 100000\n");
    put("sys/fs/cgroup/a/cpu.max", "300000 50000\n");
    cr_assert_eq(quota(), 2000);
    assert_source_has("/a/b/cpu.max: 200000 of 100000 us");
    put("sys/fs/cgroup/a/cpu.max", "25000 50000\n");
    cr_assert_eq(quota(), 500);
    assert_source_has("/a/cpu.max");
    put("sys/fs/cgroup/cpu.max", "10000 100000\n");
    cr_assert_eq(quota(), 100);
}

Test(quota, groups_beside_or_below_do_not_count) {
    put("proc/self/cgroup", "0::/a\n");
    put("sys/fs/cgroup/a/cpu.max", "400000 100000\n");
    put("sys/fs/cgroup/ab/cpu.max", "100000 100000\n");
    put("sys/fs/cgroup/a/b/cpu.max", "100000 100000\n");
    cr_assert_eq(quota(), 4000);
}

Test(quota, version_1) {
    put("proc/self/cgroup", "3:memory:/elsewhere\n2:cpu,cpuacct:/job/inner\n1:cpuset:/x\n");
    put("sys/fs/cgroup/cpu/job/inner/cpu.cfs_quota_us", "-1\n");
    put("sys/fs/cgroup/cpu/job/inner/cpu.cfs_period_us", "100000\n");
    cr_assert_eq(quota(), 0);
    assert_source_has("no quota is set");
    put("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "75000\n");
    put("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "50000\n");
    cr_assert_eq(quota(), 1500);
    assert_source_has("/job/cpu.cfs_quota_us: 75000 of 50000 us");
    put("sys/fs/cgroup/cpu/job/inner/cpu.cfs_quota_us", "50000\n");
    cr_assert_eq(quota(), 500);
}

Test(quota, both_versions_at_once) {
    put("proc/self/cgroup", "1:cpu:/one\n0::/two\n");
    put("sys/fs/cgroup/cpu/one/cpu.cfs_quota_us", "300000\n");
    put("sys/fs/cgroup/cpu/one/cpu.cfs_period_us", "100000\n");
    put("sys/fs/cgroup/two/cpu.max", "max 100000\n");
    cr_assert_eq(quota(), 3000);
    put("sys/fs/cgroup/two/cpu.max", "100000 100000\n");
    cr_assert_eq(quota(), 1000);
}

Test(quota, mounts_are_found_in_mountinfo) {
    put("proc/self/cgroup", "4:cpu,cpuacct:/docker/abc/leaf\n0::/docker/abc\n");
    put("proc/self/mountinfo",
        "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/root rw\n"
        "31 30 0:28 /docker/abc /cg/v1 ro master:11 shared:4 - cgroup cgroup rw,cpuacct,cpu\n"
        "32 30 0:29 / /cg/memory ro - cgroup cgroup rw,memory\n"
        "33 30 0:30 /docker/abc /cg/unified ro - cgroup2 cgroup2 rw\n");
    put("cg/v1/leaf/cpu.cfs_quota_us", "250000\n");
    put("cg/v1/leaf/cpu.cfs_period_us", "100000\n");
    put("cg/memory/cpu.cfs_quota_us", "1000\n");
    cr_assert_eq(quota(), 2500);
    put("cg/unified/cpu.max", "150000 100000\n");
    cr_assert_eq(quota(), 1500);
    assert_source_has("/cg/unified/cpu.max");
}

Test(quota, group_outside_of_the_namespace) {
    put("proc/self/cgroup", "0::/../../other\n");
    put("sys/fs/cgroup/cpu.max", "200000 100000\n");
    cr_assert_eq(quota(), 2000);
}

Test(quota, nothing_to_read) {
    cr_assert_eq(quota(), 0);
    assert_source_has("proc/self/cgroup is unreadable");
    put("proc/self/cgroup", "");
    cr_assert_eq(quota(), 0);
    assert_source_has("no control group with a CPU quota is mounted");
    put("proc/self/cgroup", "0::/\n");
    cr_assert_eq(quota(), 0);
    assert_source_has("no control group with a CPU quota is mounted");
}

Test(quota, unreadable_file) {
    put("proc/self/cgroup", "0::/a/b\n");
    put_folder("sys/fs/cgroup/a/b/cpu.max");
    cr_assert_eq(quota(), 0);
    assert_source_has("/a/b/cpu.max is unreadable");
    put("sys/fs/cgroup/a/cpu.max", "50000 100000\n");
    cr_assert_eq(quota(), 500);
    assert_source_has("/a/cpu.max: 50000");
}

Test(quota, malformed_file) {
    const char* const texts[] = {"",
                                 "\n",
                                 "max",
                                 "50000",
                                 "50000 0\n",
                                 "0 100000\n",
                                 "-5 100000\n",
                                 "x 100000\n",
                                 "50000 y\n",
                                 "5e4 100000\n",
                                 "1 2 3\n",
                                 "maximum 100000\n",
                                 "max x\n",
                                 "+5 100000\n",
                                 "99999999999999999999999 100000\n"};
    put("proc/self/cgroup", "0::/a\n");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        put("sys/fs/cgroup/a/cpu.max", texts[i]);
        cr_assert_eq(quota(), 0, "%s", texts[i]);
        assert_source_has("cpu.max is unreadable");
    }
    put("proc/self/cgroup", "1:cpu:/a\n");
    put("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "50000\n");
    cr_assert_eq(quota(), 0);
    assert_source_has("cpu.cfs_period_us is unreadable");
    put("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "much\n");
    cr_assert_eq(quota(), 0);
    assert_source_has("cpu.cfs_quota_us is unreadable");
}

Test(quota, source_text_is_cut) {
    put("proc/self/cgroup", "0::/a\n");
    put("sys/fs/cgroup/a/cpu.max", "50000 100000\n");
    uint32_t milli_cpus = 0;
    char tiny[8];
    weft__os_cpu_quota(root.path, &milli_cpus, tiny, sizeof tiny);
    cr_assert_eq(milli_cpus, 500);
    cr_assert_eq(strlen(tiny), sizeof tiny - 1);
}

Test(quota, this_machine) {
    uint32_t milli_cpus = 0;
    weft__os_cpu_quota(NULL, &milli_cpus, source, sizeof source);
    cr_assert_gt(strlen(source), 0);
}
