#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "folder.h"
#include "machines.h"
#include "os.h"
#include "placement.h"

#include <sched.h>

enum {
    WORKERS_MAX = 300,
};

static uint32_t placed_cpus[WORKERS_MAX];
static uint32_t placed_help[WORKERS_MAX * WORKERS_MAX];

static weft__placement place(const weft_topology* topology, uint32_t workers,
                             const weft_placement* wanted) {
    cr_assert_leq(workers, WORKERS_MAX);
    memset(placed_cpus, 0xEE, sizeof placed_cpus);
    memset(placed_help, 0xEE, sizeof placed_help);
    weft__placement placement = {.cpus = placed_cpus, .help_order = placed_help};
    cr_assert_eq(weft__placement_compute(topology, workers, wanted, &placement), WEFT_STATUS_OK);
    return placement;
}

static const weft_placement spread = {.policy = WEFT_PLACEMENT_SPREAD};
static const weft_placement compact = {.policy = WEFT_PLACEMENT_COMPACT};
static const weft_placement per_node = {.policy = WEFT_PLACEMENT_PER_NODE};

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
    cr_assert_eq(placement->room, weft_topology_suggested_workers(topology));
}

static void assert_cpus(const weft_topology* topology, uint32_t workers, const uint32_t* expected) {
    weft__placement placement = place(topology, workers, &spread);
    for (uint32_t worker = 0; worker < workers; worker++)
        cr_assert_eq(placement.cpus[worker], expected[worker], "worker %u of %u: %u", worker,
                     workers, placement.cpus[worker]);
    assert_help_order(topology, &placement, workers);
}

static void check_all(const weft_topology* topology) {
    static const uint32_t counts[] = {1, 2, 3, 8, 64};
    const weft_placement* const policies[] = {&spread, &compact, &per_node};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
            weft__placement placement = place(topology, counts[i], policies[p]);
            assert_fair(topology, &placement, counts[i]);
            assert_help_order(topology, &placement, counts[i]);
        }
        weft__placement placement = place(topology, counts[i], NULL);
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
        weft__placement placement = place(topology, 8, &spread);
        cr_assert_eq(placement.room, 1);
        for (uint32_t worker = 0; worker < 8; worker++)
            cr_assert_eq(placement.cpus[worker], allowed[i]);
        weft_topology_destroy(topology);
    }
}

Test(placement, is_a_pure_function, .timeout = 20) {
    weft_topology* topology = machine_open("synthetic:package:2 numa:2 l3:2 core:4 pu:2", 0);
    if (topology == NULL)
        return;
    uint32_t first[WORKERS_MAX];
    for (int i = 0; i < 3; i++) {
        place(topology, 64, &spread);
        if (i == 0)
            memcpy(first, placed_cpus, sizeof first);
        cr_assert_eq(memcmp(first, placed_cpus, sizeof first), 0);
    }
    check_all(topology);
    weft_topology_destroy(topology);
}

Test(placement, spread_and_compact, .timeout = 20) {
    weft_topology* topology = machine_open("synthetic:package:2 numa:2 l3:2 core:2 pu:2", 0);
    if (topology == NULL)
        return;
    assert_cpus(topology, 2, (const uint32_t[]){0, 16});
    assert_cpus(topology, 4, (const uint32_t[]){0, 8, 16, 24});
    assert_cpus(topology, 8, (const uint32_t[]){0, 4, 8, 12, 16, 20, 24, 28});
    assert_cpus(topology, 3, (const uint32_t[]){0, 8, 16});
    weft__placement placement = place(topology, 4, &compact);
    for (uint32_t worker = 0; worker < 4; worker++)
        cr_assert_eq(placement.cpus[worker], 2 * worker);
    // One worker for each core before the first sibling.
    placement = place(topology, 17, &spread);
    for (uint32_t worker = 0; worker < 16; worker++)
        cr_assert_eq(placement.cpus[worker], 2 * worker);
    cr_assert_eq(placement.cpus[16], 1);
    weft_topology_destroy(topology);
}

static void assert_policy(const weft_topology* topology, const weft_placement* placement,
                          uint32_t workers, const uint32_t* expected) {
    weft_seat seats[WORKERS_MAX];
    weft__placement placed = place(topology, workers, placement);
    cr_assert_eq(weft_topology_place(topology, placement, workers, seats), WEFT_STATUS_OK);
    for (uint32_t worker = 0; worker < workers; worker++) {
        cr_assert_eq(placed.cpus[worker], expected[worker], "worker %u: %u", worker,
                     placed.cpus[worker]);
        cr_assert_eq(seats[worker].cpu, expected[worker]);
    }
    assert_help_order(topology, &placed, workers);
}

Test(placement, per_node_is_even_over_nodes_and_close_within, .timeout = 20) {
    weft_topology* topology = machine_open("synthetic:package:2 numa:2 l3:2 core:2 pu:2", 0);
    if (topology == NULL)
        return;
    assert_policy(topology, &per_node, 4, (const uint32_t[]){0, 8, 16, 24});
    assert_policy(topology, &per_node, 8, (const uint32_t[]){0, 2, 8, 10, 16, 18, 24, 26});
    assert_policy(topology, &per_node, 6, (const uint32_t[]){0, 2, 8, 10, 16, 24});
    assert_policy(topology, &compact, 6, (const uint32_t[]){0, 2, 4, 6, 8, 10});
    weft_topology_destroy(topology);
}

Test(placement, a_list_is_taken_as_it_is, .timeout = 20) {
    weft_topology* topology = machine_open("synthetic:package:2 core:2 pu:2", 0);
    if (topology == NULL)
        return;
    static const uint32_t cpus[] = {5, 4, 0};
    const weft_placement list = {WEFT_PLACEMENT_LIST, cpus, 3};
    assert_policy(topology, &list, 5, (const uint32_t[]){5, 4, 0, 5, 4});
    cr_assert_eq(weft__placement_suggest(topology, &list), 3);
    weft_seat seats[5];
    cr_assert_eq(weft_topology_place(topology, &list, 5, seats), WEFT_STATUS_OK);
    cr_assert_eq(seats[0].beside, WEFT_TOPOLOGY_UNKNOWN);
    cr_assert_eq(seats[1].beside, 0);
    cr_assert_eq(seats[1].reason, WEFT_SEAT_LISTED);
    cr_assert_eq(seats[3].beside, 0);
    cr_assert_eq(seats[4].beside, 1);
    cr_assert_eq(seats[4].reason, WEFT_SEAT_SHARED);
    cr_assert(!seats[2].rests && seats[3].rests);
    weft_topology_destroy(topology);
}

Test(placement, bad_lists_are_refused, .timeout = 20) {
    weft_topology* topology = NULL;
    cr_assert_eq(weft_topology_create(NULL, &topology), WEFT_STATUS_OK);
    uint32_t count = 0;
    uint32_t cpu = weft_topology_cpus(topology, &count)[0].os_index;
    const uint32_t twice[] = {cpu, cpu};
    const uint32_t far[] = {cpu, UINT32_MAX - 1};
    const struct {
        weft_placement placement;
        uint32_t refused;
    } cases[] = {
        {{WEFT_PLACEMENT_LIST, twice, 2}, cpu},
        {{WEFT_PLACEMENT_LIST, far, 2}, UINT32_MAX - 1},
        {{WEFT_PLACEMENT_LIST, NULL, 0}, WEFT_TOPOLOGY_UNKNOWN},
        {{WEFT_PLACEMENT_LIST, twice, 0}, WEFT_TOPOLOGY_UNKNOWN},
        {{WEFT_PLACEMENT_SPREAD, twice, 1}, WEFT_TOPOLOGY_UNKNOWN},
        {{(weft_placement_policy)(WEFT_PLACEMENT_LIST + 1), NULL, 0}, WEFT_TOPOLOGY_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weft_seat seats[2];
        weft__placement placement = {.cpus = placed_cpus, .help_order = placed_help};
        cr_assert_eq(weft__placement_compute(topology, 2, &cases[i].placement, &placement),
                     WEFT_STATUS_BAD_ARGUMENT, "case %zu", i);
        cr_assert_eq(placement.refused, cases[i].refused, "case %zu", i);
        cr_assert_eq(weft_topology_place(topology, &cases[i].placement, 2, seats),
                     WEFT_STATUS_BAD_ARGUMENT);
    }
    weft_topology_destroy(topology);
}

Test(placement, every_shard_has_one_owner, .timeout = 20) {
    static const uint32_t shards[] = {0, 1, 2, 7, 25, 1000, 1u << 20};
    for (size_t i = 0; i < sizeof shards / sizeof *shards; i++) {
        for (uint32_t workers = 1; workers <= 64; workers++) {
            uint32_t at = 0;
            for (uint32_t worker = 0; worker < workers; worker++) {
                uint32_t first = 1;
                uint32_t end = 0;
                weft_topology_shards(shards[i], workers, worker, &first, &end);
                cr_assert_eq(first, at);
                cr_assert(end - first <= shards[i] / workers + 1);
                at = end;
            }
            cr_assert_eq(at, shards[i]);
        }
    }
}

Test(placement, nearest_are_helped_first, .timeout = 20) {
    weft_topology* topology = machine_open("synthetic:package:2 l3:2 core:2 pu:1", 0);
    if (topology == NULL)
        return;
    weft__placement placement = place(topology, 8, &spread);
    static const uint32_t of_5[] = {4, 6, 7, 0, 1, 2, 3};
    cr_assert_eq(memcmp(placement.help_order + (size_t)5 * 7, of_5, sizeof of_5), 0);
    weft_topology_destroy(topology);
}

Test(placement, who_has_no_cpu_or_quota_rests, .timeout = 20) {
    test_folder root = folder_open();
    folder_put(&root, "proc/self/cgroup", "0::/\n");
    folder_put(&root, "sys/fs/cgroup/cpu.max", "150000 100000\n");
    weft_topology_desc desc = {.cgroup_root = root.path};
    weft_topology* topology = NULL;
    cr_assert_eq(weft_topology_create(&desc, &topology), WEFT_STATUS_OK);
    uint32_t cpus = weft_topology_info_get(topology).worker_cpu_count;
    uint32_t room = cpus < 2 ? cpus : 2;
    weft_seat seats[8];
    for (uint32_t workers = 1; workers <= 8; workers++) {
        cr_assert_eq(place(topology, workers, &spread).room, room);
        cr_assert_eq(place(topology, workers, NULL).room, room);
        cr_assert_eq(weft_topology_place(topology, &compact, workers, seats), WEFT_STATUS_OK);
        for (uint32_t i = 0; i < workers; i++) {
            cr_assert_eq(seats[i].rests, i >= room);
            cr_assert_eq(seats[i].reason == WEFT_SEAT_SHARED, i >= cpus);
        }
    }
    weft_topology_destroy(topology);
    folder_close(&root);
}

Test(placement, file_four_packages_with_siblings, .timeout = 20) {
    weft_topology* topology = machine_open_file("x1-4s2c2t.xml");
    if (topology == NULL)
        return;
    assert_cpus(topology, 8, (const uint32_t[]){0, 4, 1, 5, 2, 6, 3, 7});
    assert_cpus(topology, 4, (const uint32_t[]){0, 1, 2, 3});
    check_all(topology);
    weft_topology_destroy(topology);
}

Test(placement, file_hybrid, .timeout = 20) {
    weft_topology* topology = machine_open_file("x2-hybrid-i7-1370p.xml");
    if (topology == NULL)
        return;
    assert_cpus(topology, 6, (const uint32_t[]){0, 2, 4, 6, 8, 10});
    assert_cpus(topology, 14,
                (const uint32_t[]){0, 2, 4, 6, 8, 10, 12, 13, 14, 15, 16, 17, 18, 19});
    weft_seat seats[21];
    cr_assert_eq(weft_topology_place(topology, &spread, 21, seats), WEFT_STATUS_OK);
    for (uint32_t i = 0; i < 21; i++) {
        weft_seat_reason reason = i < 6    ? WEFT_SEAT_CORE
                                  : i < 14 ? WEFT_SEAT_SLOW_CORE
                                  : i < 20 ? WEFT_SEAT_SIBLING
                                           : WEFT_SEAT_SHARED;
        uint32_t beside = i < 14 ? WEFT_TOPOLOGY_UNKNOWN : i < 20 ? i - 14 : 0;
        cr_assert_eq(seats[i].reason, reason, "worker %u", i);
        cr_assert_eq(seats[i].beside, beside, "worker %u", i);
    }
    check_all(topology);
    weft_topology_destroy(topology);
}

Test(placement, file_many_nodes, .timeout = 20) {
    weft_topology* topology = machine_open_file("x3-2s-epyc-7742.xml");
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
    weft_topology* topology = machine_open_file("x4-power9-lassen.xml");
    if (topology == NULL)
        return;
    uint32_t expected[40];
    for (uint32_t i = 0; i < 40; i++)
        expected[i] = i < 20 ? 8 + 4 * i : 96 + 4 * (i - 20);
    assert_cpus(topology, 40, expected);
    weft__placement placement = place(topology, 300, &spread);
    assert_fair(topology, &placement, 300);
    check_all(topology);
    weft_topology_destroy(topology);
}

Test(placement, file_with_a_restricted_cpuset, .timeout = 20) {
    weft_topology* topology = machine_open_file("x5-restricted-cpuset.xml");
    if (topology == NULL)
        return;
    cr_assert_eq(weft_topology_suggested_workers(topology), 10);
    // CPUs of nodes that are not listed count as one node.
    assert_policy(topology, &per_node, 4, (const uint32_t[]){0, 2, 5, 6});
    assert_cpus(topology, 10, (const uint32_t[]){0, 1, 2, 3, 5, 6, 12, 13, 14, 15});
    check_all(topology);
    weft_topology_destroy(topology);
}
