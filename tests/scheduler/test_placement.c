#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "os.h"
#include "placement.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef WEFT_TEST_DIR
#define WEFT_TEST_DIR "tests"
#endif

enum {
    WORKERS_MAX = 300,
};

static weft_topology* open_source(const char* source) {
    weft_topology_desc desc = weft_topology_desc_default();
    desc.source = source;
    weft_topology* topology = NULL;
    weft_status status = weft_topology_create(&desc, &topology);
    if (status == WEFT_STATUS_UNSUPPORTED) {
        printf("skipped: this build reads no other topology than the machine's\n");
        return NULL;
    }
    cr_assert_eq(status, WEFT_STATUS_OK, "%s", source);
    return topology;
}

static weft_topology* open_file(const char* name) {
    char path[4096];
    const char* folder = getenv("WEFT_TOPOLOGIES");
    if (folder == NULL)
        folder = WEFT_TEST_DIR "/../../shared/topologies";
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (access(path, R_OK) != 0) {
        printf("skipped: no %s (set WEFT_TOPOLOGIES to the folder that holds it)\n", path);
        return NULL;
    }
    return open_source(path);
}

static uint32_t placed_cpus[WORKERS_MAX];
static uint32_t placed_help[WORKERS_MAX * WORKERS_MAX];

static weft__placement place(const weft_topology* topology, uint32_t workers,
                             weft__placement_policy policy) {
    cr_assert_leq(workers, WORKERS_MAX);
    memset(placed_cpus, 0xEE, sizeof placed_cpus);
    memset(placed_help, 0xEE, sizeof placed_help);
    weft__placement placement = {.cpus = placed_cpus, .help_order = placed_help};
    cr_assert_eq(weft__placement_compute(topology, workers, policy, &placement), WEFT_STATUS_OK);
    return placement;
}

static uint32_t worker_distance(const weft_topology* topology, const weft__placement* placement,
                                uint32_t a, uint32_t b) {
    if (topology == NULL || placement->cpus[a] == WEFT__PLACEMENT_UNPINNED)
        return WEFT_TOPOLOGY_OTHER;
    return weft_topology_distance(topology, placement->cpus[a], placement->cpus[b]);
}

// Every other worker once, nearest first, ties in cyclic order.
static void assert_help_order(const weft_topology* topology, const weft__placement* placement,
                              uint32_t workers) {
    for (uint32_t self = 0; self < workers; self++) {
        const uint32_t* row = placement->help_order + (size_t)self * (workers - 1);
        bool seen[WORKERS_MAX] = {false};
        seen[self] = true;
        for (uint32_t i = 0; i + 1 < workers; i++) {
            cr_assert_lt(row[i], workers);
            cr_assert_not(seen[row[i]]);
            seen[row[i]] = true;
            if (i == 0)
                continue;
            uint32_t last = worker_distance(topology, placement, self, row[i - 1]);
            uint32_t here = worker_distance(topology, placement, self, row[i]);
            cr_assert_leq(last, here);
            if (last == here)
                cr_assert_lt((row[i - 1] + workers - self) % workers,
                             (row[i] + workers - self) % workers);
        }
    }
}

// Every worker on a usable CPU, and each CPU with as many workers as any other, or one fewer.
static void assert_fair(const weft_topology* topology, const weft__placement* placement,
                        uint32_t workers) {
    uint32_t count = 0;
    const weft_topology_cpu* cpus = weft_topology_cpus(topology, &count);
    uint32_t total = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t users = 0;
        for (uint32_t worker = 0; worker < workers; worker++)
            users += placement->cpus[worker] == cpus[i].os_index;
        cr_assert_geq(users, workers / count);
        cr_assert_leq(users, workers / count + (workers % count != 0));
        total += users;
    }
    cr_assert_eq(total, workers);
    cr_assert_eq(placement->oversubscribed, workers > count);
}

static void assert_cpus(const weft_topology* topology, uint32_t workers, const uint32_t* expected) {
    weft__placement placement = place(topology, workers, WEFT__PLACEMENT_SPREAD);
    for (uint32_t worker = 0; worker < workers; worker++)
        cr_assert_eq(placement.cpus[worker], expected[worker], "worker %u of %u: %u", worker,
                     workers, placement.cpus[worker]);
    assert_help_order(topology, &placement, workers);
}

static void check_all(const weft_topology* topology) {
    static const uint32_t counts[] = {1, 2, 3, 8, 64};
    static const weft__placement_policy policies[] = {WEFT__PLACEMENT_SPREAD,
                                                      WEFT__PLACEMENT_COMPACT};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
            weft__placement placement = place(topology, counts[i], policies[p]);
            assert_fair(topology, &placement, counts[i]);
            assert_help_order(topology, &placement, counts[i]);
        }
        weft__placement placement = place(topology, counts[i], WEFT__PLACEMENT_NONE);
        for (uint32_t worker = 0; worker < counts[i]; worker++)
            cr_assert_eq(placement.cpus[worker], WEFT__PLACEMENT_UNPINNED);
        assert_help_order(NULL, &placement, counts[i]);
    }
}

Test(placement, this_machine, .timeout = 20) {
    weft_topology* topology = NULL;
    cr_assert_eq(weft_topology_create(NULL, &topology), WEFT_STATUS_OK);
    check_all(topology);
    weft_topology_destroy(topology);
}

Test(placement, restricted_to_one_cpu, .timeout = 20) {
    uint32_t allowed[CPU_SETSIZE];
    uint32_t count = weft__os_affinity_list(allowed, CPU_SETSIZE);
    for (uint32_t i = 0; i < count && i < 2; i++) {
        cpu_set_t only;
        CPU_ZERO(&only);
        CPU_SET(allowed[i], &only);
        cr_assert_eq(sched_setaffinity(0, sizeof only, &only), 0);
        weft_topology* topology = NULL;
        cr_assert_eq(weft_topology_create(NULL, &topology), WEFT_STATUS_OK);
        check_all(topology);
        weft__placement placement = place(topology, 8, WEFT__PLACEMENT_SPREAD);
        cr_assert(placement.oversubscribed);
        for (uint32_t worker = 0; worker < 8; worker++)
            cr_assert_eq(placement.cpus[worker], allowed[i]);
        weft_topology_destroy(topology);
    }
}

Test(placement, without_topology_is_flat, .timeout = 20) {
    static const uint32_t counts[] = {1, 2, 3, 8, 64};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        weft__placement placement = place(NULL, counts[i], WEFT__PLACEMENT_SPREAD);
        for (uint32_t worker = 0; worker < counts[i]; worker++)
            cr_assert_eq(placement.cpus[worker], WEFT__PLACEMENT_UNPINNED);
        cr_assert_not(placement.oversubscribed);
        cr_assert_not(placement.over_quota);
        assert_help_order(NULL, &placement, counts[i]);
    }
}

Test(placement, one_worker_needs_no_help_order) {
    uint32_t cpu = 0;
    weft__placement placement = {.cpus = &cpu};
    cr_assert_eq(weft__placement_compute(NULL, 1, WEFT__PLACEMENT_SPREAD, &placement),
                 WEFT_STATUS_OK);
    cr_assert_eq(cpu, WEFT__PLACEMENT_UNPINNED);
}

Test(placement, is_a_pure_function, .timeout = 20) {
    weft_topology* topology = open_source("synthetic:package:2 numa:2 l3:2 core:4 pu:2");
    if (topology == NULL)
        return;
    uint32_t first[WORKERS_MAX];
    for (int i = 0; i < 3; i++) {
        place(topology, 64, WEFT__PLACEMENT_SPREAD);
        if (i == 0)
            memcpy(first, placed_cpus, sizeof first);
        cr_assert_eq(memcmp(first, placed_cpus, sizeof first), 0);
    }
    check_all(topology);
    weft_topology_destroy(topology);
}

Test(placement, spread_and_compact, .timeout = 20) {
    weft_topology* topology = open_source("synthetic:package:2 numa:2 l3:2 core:2 pu:2");
    if (topology == NULL)
        return;
    assert_cpus(topology, 2, (const uint32_t[]){0, 16});
    assert_cpus(topology, 4, (const uint32_t[]){0, 8, 16, 24});
    assert_cpus(topology, 8, (const uint32_t[]){0, 4, 8, 12, 16, 20, 24, 28});
    assert_cpus(topology, 3, (const uint32_t[]){0, 8, 16});
    weft__placement placement = place(topology, 4, WEFT__PLACEMENT_COMPACT);
    for (uint32_t worker = 0; worker < 4; worker++)
        cr_assert_eq(placement.cpus[worker], 2 * worker);
    // One worker for each core before the first sibling.
    placement = place(topology, 17, WEFT__PLACEMENT_SPREAD);
    for (uint32_t worker = 0; worker < 16; worker++)
        cr_assert_eq(placement.cpus[worker], 2 * worker);
    cr_assert_eq(placement.cpus[16], 1);
    weft_topology_destroy(topology);
}

Test(placement, nearest_are_helped_first, .timeout = 20) {
    weft_topology* topology = open_source("synthetic:package:2 l3:2 core:2 pu:1");
    if (topology == NULL)
        return;
    weft__placement placement = place(topology, 8, WEFT__PLACEMENT_SPREAD);
    static const uint32_t of_5[] = {4, 6, 7, 0, 1, 2, 3};
    cr_assert_eq(memcmp(placement.help_order + (size_t)5 * 7, of_5, sizeof of_5), 0);
    weft_topology_destroy(topology);
}

Test(placement, flags_tell_sharing_and_quota, .timeout = 20) {
    char root[] = "/tmp/weft-placement-XXXXXX";
    cr_assert_not_null(mkdtemp(root));
    char command[256];
    snprintf(command, sizeof command,
             "mkdir -p %s/proc/self %s/sys/fs/cgroup && echo 0::/ > %s/proc/self/cgroup && "
             "echo 150000 100000 > %s/sys/fs/cgroup/cpu.max",
             root, root, root, root);
    cr_assert_eq(system(command), 0);
    weft_topology_desc desc = {.cgroup_root = root};
    weft_topology* topology = NULL;
    cr_assert_eq(weft_topology_create(&desc, &topology), WEFT_STATUS_OK);
    uint32_t cpus = weft_topology_info_get(topology).worker_cpu_count;
    for (uint32_t workers = 1; workers <= 8; workers++) {
        weft__placement placement = place(topology, workers, WEFT__PLACEMENT_SPREAD);
        cr_assert_eq(placement.over_quota, workers > 2);
        cr_assert_eq(placement.oversubscribed, workers > cpus);
        placement = place(topology, workers, WEFT__PLACEMENT_NONE);
        cr_assert_eq(placement.over_quota, workers > 2);
    }
    weft_topology_destroy(topology);
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    cr_assert_eq(system(command), 0);
}

Test(placement, file_four_packages_with_siblings, .timeout = 20) {
    weft_topology* topology = open_file("x1-4s2c2t.xml");
    if (topology == NULL)
        return;
    assert_cpus(topology, 8, (const uint32_t[]){0, 4, 1, 5, 2, 6, 3, 7});
    assert_cpus(topology, 4, (const uint32_t[]){0, 1, 2, 3});
    check_all(topology);
    weft_topology_destroy(topology);
}

Test(placement, file_hybrid, .timeout = 20) {
    weft_topology* topology = open_file("x2-hybrid-i7-1370p.xml");
    if (topology == NULL)
        return;
    assert_cpus(topology, 6, (const uint32_t[]){0, 2, 4, 6, 8, 10});
    assert_cpus(topology, 14,
                (const uint32_t[]){0, 2, 4, 6, 8, 10, 12, 13, 14, 15, 16, 17, 18, 19});
    check_all(topology);
    weft_topology_destroy(topology);
}

Test(placement, file_many_nodes, .timeout = 20) {
    weft_topology* topology = open_file("x3-2s-epyc-7742.xml");
    if (topology == NULL)
        return;
    assert_cpus(topology, 8, (const uint32_t[]){0, 16, 32, 48, 64, 80, 96, 112});
    uint32_t expected[256];
    for (uint32_t i = 0; i < 256; i++)
        expected[i] = i;
    assert_cpus(topology, 128, expected);
    assert_cpus(topology, 256, expected);
    check_all(topology);
    weft_topology_destroy(topology);
}

Test(placement, file_with_reserved_cores, .timeout = 20) {
    weft_topology* topology = open_file("x4-power9-lassen.xml");
    if (topology == NULL)
        return;
    uint32_t expected[40];
    for (uint32_t i = 0; i < 40; i++)
        expected[i] = i < 20 ? 8 + 4 * i : 96 + 4 * (i - 20);
    assert_cpus(topology, 40, expected);
    weft__placement placement = place(topology, 300, WEFT__PLACEMENT_SPREAD);
    assert_fair(topology, &placement, 300);
    check_all(topology);
    weft_topology_destroy(topology);
}

Test(placement, file_with_a_restricted_cpuset, .timeout = 20) {
    weft_topology* topology = open_file("x5-restricted-cpuset.xml");
    if (topology == NULL)
        return;
    cr_assert_eq(weft_topology_suggested_workers(topology), 10);
    assert_cpus(topology, 10, (const uint32_t[]){0, 1, 2, 3, 5, 6, 12, 13, 14, 15});
    check_all(topology);
    weft_topology_destroy(topology);
}
