#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <weft/topology.h>

#include "folder.h"
#include "machines.h"
#include "os.h"

#include <sched.h>

static void assert_info(const weft_topology* topology, uint32_t cpus, uint32_t cores,
                        uint32_t nodes, uint32_t packages, uint32_t kinds) {
    weft_topology_info info = weft_topology_info_get(topology);
    cr_assert_eq(info.worker_cpu_count, cpus);
    cr_assert_eq(info.core_count, cores);
    cr_assert_eq(info.node_count, nodes);
    cr_assert_eq(info.package_count, packages);
    cr_assert_eq(info.kind_count, kinds);
    cr_assert_eq(weft_topology_suggested_workers(topology), cpus);
    cr_assert_not(info.is_this_machine);
    cr_assert_eq(info.quota_milli_cpus, 0);
    uint32_t count = 0;
    const weft_topology_cpu* list = weft_topology_cpus(topology, &count);
    cr_assert_eq(count, cpus);
    // Nothing can be pinned on another machine, though hwloc would report success.
    cr_assert_eq(weft_topology_pin_self(topology, list[0].os_index), WEFT_STATUS_UNSUPPORTED);
}

Test(topology, this_machine, .timeout = 20) {
    weft_topology* topology = NULL;
    cr_assert_eq(weft_topology_create(NULL, &topology), WEFT_STATUS_OK);
    weft_topology_info info = weft_topology_info_get(topology);
    cr_assert(info.is_this_machine);
    cr_assert_eq(info.worker_cpu_count, weft__os_affinity_count());
    cr_assert_leq(info.core_count, info.worker_cpu_count);
    cr_assert_gt(info.core_count, 0);
    cr_assert_gt(info.node_count, 0);
    cr_assert_gt(info.package_count, 0);
    cr_assert_gt(strlen(info.quota_source), 0);
    uint32_t workers = weft_topology_suggested_workers(topology);
    cr_assert(workers >= 1 && workers <= info.worker_cpu_count);
    weft_topology_destroy(topology);
    weft_topology_destroy(NULL);
}

// Restricts this thread to one CPU, as taskset does, and checks that a topology made then knows and
// pins to that CPU alone.
static void check_restricted(uint32_t cpu, uint32_t other) {
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(cpu, &only);
    cr_assert_eq(sched_setaffinity(0, sizeof only, &only), 0);
    weft_topology* topology = NULL;
    cr_assert_eq(weft_topology_create(NULL, &topology), WEFT_STATUS_OK);
    cr_assert_eq(weft_topology_suggested_workers(topology), 1);
    uint32_t count = 0;
    const weft_topology_cpu* cpus = weft_topology_cpus(topology, &count);
    cr_assert_eq(count, 1);
    cr_assert_eq(cpus[0].os_index, cpu);
    cr_assert_eq(weft_topology_pin_self(topology, cpu), WEFT_STATUS_OK);
    cr_assert_eq(weft_topology_pin_self(topology, other), WEFT_STATUS_BAD_ARGUMENT);
    cpu_set_t read_back;
    cr_assert_eq(sched_getaffinity(0, sizeof read_back, &read_back), 0);
    cr_assert(CPU_EQUAL(&only, &read_back));
    weft_topology_destroy(topology);
}

Test(topology, affinity_mask_is_honoured, .timeout = 20) {
    uint32_t cpus[CPU_SETSIZE];
    uint32_t count = weft__os_affinity_list(cpus, CPU_SETSIZE);
    cr_assert(count > 0 && count <= CPU_SETSIZE);
    if (count < 2)
        printf("note: only one CPU is allowed here\n");
    for (uint32_t i = 0; i < count && i < 2; i++)
        check_restricted(cpus[i], count > 1 ? cpus[1 - i] : UINT32_MAX - 1);
}

typedef struct pinned_thread {
    const weft_topology* topology;
    uint32_t cpu;
    weft_status status;
    uint32_t read_back;
    uint32_t read_back_count;
} pinned_thread;

static void pin_thread(void* context) {
    pinned_thread* mine = context;
    mine->status = weft_topology_pin_self(mine->topology, mine->cpu);
    mine->read_back_count = weft__os_affinity_list(&mine->read_back, 1);
}

Test(topology, threads_pin_themselves_and_nobody_else, .timeout = 20) {
    weft_topology* topology = NULL;
    cr_assert_eq(weft_topology_create(NULL, &topology), WEFT_STATUS_OK);
    uint32_t count = 0;
    const weft_topology_cpu* cpus = weft_topology_cpus(topology, &count);
    for (uint32_t i = 0; i < count; i++) {
        pinned_thread context = {.topology = topology, .cpu = cpus[i].os_index};
        weft__os_thread thread;
        cr_assert_eq(weft__os_thread_start(&thread, pin_thread, &context, "pin"), WEFT_STATUS_OK);
        weft__os_thread_join(&thread);
        cr_assert_eq(context.status, WEFT_STATUS_OK);
        cr_assert_eq(context.read_back_count, 1);
        cr_assert_eq(context.read_back, cpus[i].os_index);
    }
    cr_assert_eq(weft__os_affinity_count(), count);
    cr_assert_eq(weft_topology_pin_self(topology, UINT32_MAX), WEFT_STATUS_BAD_ARGUMENT);
    weft_topology_destroy(topology);
}

static void check_quota(const char* source, uint32_t cpus) {
    const struct {
        const char* text;
        uint32_t workers;
    } cases[] = {{"50000 100000", 1},
                 {"150000 100000", 2},
                 {"300000 100000", 3},
                 {"max 100000", UINT32_MAX},
                 {"100 100000", 1}};
    test_folder root = folder_open();
    folder_put(&root, "proc/self/cgroup", "0::/\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        folder_put(&root, "sys/fs/cgroup/cpu.max", cases[i].text);
        weft_topology_desc desc = {.source = source, .cgroup_root = root.path};
        weft_topology* topology = NULL;
        cr_assert_eq(weft_topology_create(&desc, &topology), WEFT_STATUS_OK);
        uint32_t expected = cases[i].workers < cpus ? cases[i].workers : cpus;
        cr_assert_eq(weft_topology_suggested_workers(topology), expected, "%s", cases[i].text);
        char line[1024];
        weft_topology_summary(topology, line, sizeof line);
        cr_assert_not_null(strstr(line, cases[i].workers != UINT32_MAX ? "cpu.max" : "no quota"));
        weft_topology_destroy(topology);
    }
    folder_close(&root);
}

Test(topology, quota_limits_the_suggestion, .timeout = 20) {
    check_quota(NULL, weft__os_affinity_count());
    weft_topology* topology = machine_open("synthetic:core:8 pu:2", 0);
    if (topology != NULL)
        check_quota("synthetic:core:8 pu:2", 16);
    weft_topology_destroy(topology);
}

Test(topology, summary_is_one_line_and_cut, .timeout = 20) {
    weft_topology* topology = NULL;
    cr_assert_eq(weft_topology_create(NULL, &topology), WEFT_STATUS_OK);
    char line[1024];
    size_t length = weft_topology_summary(topology, line, sizeof line);
    cr_assert_eq(length, strlen(line));
    cr_assert_null(strchr(line, '\n'));
    char tiny[10];
    cr_assert_eq(weft_topology_summary(topology, tiny, sizeof tiny), length);
    cr_assert_eq(strlen(tiny), sizeof tiny - 1);
    cr_assert_eq(memcmp(tiny, line, sizeof tiny - 1), 0);
    cr_assert_eq(weft_topology_summary(topology, NULL, 0), length);
    weft_topology_destroy(topology);
}

Test(topology, bad_sources_are_refused, .timeout = 20) {
    weft_topology* topology = machine_open("synthetic:core:1 pu:1", 0);
    if (topology == NULL)
        return;
    weft_topology_destroy(topology);
    const struct {
        const char* source;
        weft_status status;
    } cases[] = {
        {"synthetic:bogus", WEFT_STATUS_BAD_ARGUMENT},    {"synthetic:", WEFT_STATUS_BAD_ARGUMENT},
        {"/nowhere/machine.xml", WEFT_STATUS_FILE_ERROR}, {"", WEFT_STATUS_FILE_ERROR},
        {"/proc/self/cmdline", WEFT_STATUS_BAD_FORMAT},   {"/tmp", WEFT_STATUS_BAD_FORMAT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weft_topology_desc desc = {.source = cases[i].source};
        cr_assert_eq(weft_topology_create(&desc, &topology), cases[i].status, "%s",
                     cases[i].source);
        cr_assert_null(topology);
    }
}

Test(topology, synthetic_distances, .timeout = 20) {
    weft_topology* topology = machine_open("synthetic:package:2 numa:2 l3:2 l2:2 core:2 pu:2", 0);
    if (topology == NULL)
        return;
    assert_info(topology, 64, 32, 4, 2, 1);
    const struct {
        uint32_t cpu;
        uint32_t distance;
    } cases[] = {{0, 0},  {1, 1},  {2, 2},  {3, 2},  {4, 3},  {7, 3},  {8, 4},
                 {15, 4}, {16, 5}, {31, 5}, {32, 6}, {63, 6}, {64, 6}, {UINT32_MAX, 6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_eq(weft_topology_distance(topology, 0, cases[i].cpu), cases[i].distance, "%u",
                     cases[i].cpu);
        cr_assert_eq(weft_topology_distance(topology, cases[i].cpu, 0), cases[i].distance);
    }
    weft_topology_destroy(topology);
}

// Figures of what is not a CPU: the caches of a level are equal here.
static void assert_caches(const weft_topology* topology, uint32_t level, uint32_t caches,
                          uint32_t cpus_each) {
    uint32_t count = 0;
    uint32_t found = 0;
    const weft_topology_cache* list = weft_topology_caches(topology, &count);
    for (uint32_t i = 0; i < count; i++) {
        cr_assert(i == 0 || list[i - 1].level <= list[i].level);
        if (list[i].level != level)
            continue;
        cr_assert_eq(list[i].cpu_count, cpus_each);
        cr_assert_gt(list[i].bytes, 0);
        found++;
    }
    cr_assert_eq(found, caches);
}

Test(topology, nodes_caches_and_kinds_are_listed, .timeout = 20) {
    weft_topology* topology = machine_open(
        "synthetic:package:2 [numa(memory=1073741824)] l3:2(size=8MB) l2:2 core:2 pu:2", 0);
    if (topology == NULL)
        return;
    assert_caches(topology, 3, 4, 8);
    assert_caches(topology, 2, 8, 4);
    assert_caches(topology, 1, 0, 0);
    uint32_t count = 0;
    const weft_topology_node* nodes = weft_topology_nodes(topology, &count);
    cr_assert_eq(count, 2);
    cr_assert_eq(nodes[1].os_index, 1);
    cr_assert_eq(nodes[1].cpu_count, 16);
    cr_assert_eq(nodes[1].bytes, UINT64_C(1) << 30);
    const weft_topology_kind* kinds = weft_topology_kinds(topology, &count);
    cr_assert_eq(count, 1);
    cr_assert_eq(kinds[0].core_count, 16);
    cr_assert_eq(kinds[0].cpu_count, 32);
    cr_assert_null(kinds[0].name);
    (void)weft_topology_closed_cpus(topology, &count);
    cr_assert_eq(count, 0);
    weft_topology_destroy(topology);
}

Test(topology, machine_of_sixty_four_and_of_one, .timeout = 20) {
    weft_topology* topology = machine_open("synthetic:core:64 pu:1", 0);
    if (topology == NULL)
        return;
    assert_info(topology, 64, 64, 1, 1, 1);
    weft_topology_destroy(topology);
    topology = machine_open("synthetic:core:1 pu:1", 0);
    assert_info(topology, 1, 1, 1, 1, 1);
    weft_topology_destroy(topology);
}

// Four cores, two to each of two kinds of core with these facts.
static uint32_t kinds_of(const char* slow_fact, const char* fast_fact) {
    static const char* const format =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
        "<topology version=\"2.0\">\n"
        "<object type=\"Machine\" os_index=\"0\" cpuset=\"0xf\" complete_cpuset=\"0xf\" "
        "allowed_cpuset=\"0xf\" nodeset=\"0x1\" complete_nodeset=\"0x1\" allowed_nodeset=\"0x1\" "
        "gp_index=\"1\">\n"
        "<object type=\"NUMANode\" os_index=\"0\" cpuset=\"0xf\" complete_cpuset=\"0xf\" "
        "nodeset=\"0x1\" complete_nodeset=\"0x1\" gp_index=\"2\" local_memory=\"1024\"/>\n"
        "%s%s%s%s"
        "</object>\n"
        "<cpukind cpuset=\"0x3\" forced_efficiency=\"0\">%s</cpukind>\n"
        "<cpukind cpuset=\"0xc\" forced_efficiency=\"1\">%s</cpukind>\n"
        "</topology>\n";
    char cores[4][512];
    for (unsigned i = 0; i < 4; i++)
        snprintf(cores[i], sizeof cores[i],
                 "<object type=\"Core\" os_index=\"%u\" cpuset=\"0x%x\" complete_cpuset=\"0x%x\" "
                 "nodeset=\"0x1\" complete_nodeset=\"0x1\" gp_index=\"%u\"><object type=\"PU\" "
                 "os_index=\"%u\" cpuset=\"0x%x\" complete_cpuset=\"0x%x\" nodeset=\"0x1\" "
                 "complete_nodeset=\"0x1\" gp_index=\"%u\"/></object>\n",
                 i, 1u << i, 1u << i, 10 + i, i, 1u << i, 1u << i, 20 + i);
    char path[] = "/tmp/weft-kinds-XXXXXX";
    int descriptor = mkstemp(path);
    cr_assert_geq(descriptor, 0);
    FILE* file = fdopen(descriptor, "w");
    fprintf(file, format, cores[0], cores[1], cores[2], cores[3], slow_fact, fast_fact);
    fclose(file);
    weft_topology* topology = machine_open(path, 0);
    unlink(path);
    cr_assert_not_null(topology);
    uint32_t count = 0;
    const weft_topology_cpu* cpus = weft_topology_cpus(topology, &count);
    cr_assert_eq(count, 4);
    uint32_t kinds = weft_topology_info_get(topology).kind_count;
    cr_assert_eq(cpus[0].kind, 0);
    cr_assert_eq(cpus[3].kind, kinds - 1);
    const weft_topology_kind* list = weft_topology_kinds(topology, &count);
    cr_assert_eq(count, kinds);
    cr_assert_eq(list[0].name != NULL, strstr(slow_fact, "CoreType") != NULL);
    cr_assert(list[0].name == NULL || strcmp(list[0].name, "IntelAtom") == 0);
    cr_assert_eq(list[kinds - 1].mhz != 0, strstr(fast_fact, "MHz") != NULL);
    // Faster cores first, and slower ones for a reason.
    weft_seat seats[4];
    const weft_placement placement = {.policy = WEFT_PLACEMENT_COMPACT};
    cr_assert_eq(weft_topology_place(topology, &placement, 4, seats), WEFT_STATUS_OK);
    for (uint32_t i = 0; i < 4; i++) {
        cr_assert_eq(seats[i].cpu, kinds == 2 ? (i + 2) % 4 : i);
        cr_assert_eq(seats[i].reason, kinds == 2 && i > 1 ? WEFT_SEAT_SLOW_CORE : WEFT_SEAT_CORE);
    }
    weft_topology_destroy(topology);
    return kinds;
}

#define FACT(name, value) "<info name=\"" name "\" value=\"" value "\"/>"

Test(topology, kinds_are_cores_of_different_make, .timeout = 20) {
    weft_topology* topology = machine_open("synthetic:core:1 pu:1", 0);
    if (topology == NULL)
        return;
    weft_topology_destroy(topology);
    cr_assert_eq(kinds_of(FACT("FrequencyMaxMHz", "3900"), FACT("FrequencyMaxMHz", "5000")), 2);
    cr_assert_eq(kinds_of(FACT("FrequencyMaxMHz", "4200"), FACT("FrequencyMaxMHz", "4350")), 1);
    cr_assert_eq(kinds_of(FACT("LinuxCapacity", "446"), FACT("LinuxCapacity", "1024")), 2);
    cr_assert_eq(kinds_of(FACT("LinuxCapacity", "1009"), FACT("LinuxCapacity", "1024")), 1);
    cr_assert_eq(kinds_of(FACT("CoreType", "IntelAtom"), FACT("CoreType", "IntelCore")), 2);
    cr_assert_eq(kinds_of("", ""), 2);
}

// Five cores, of which the process may use two; a node without CPUs, one without memory.
static const char sparse_machine[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
    "<topology version=\"2.0\">\n"
    "<object type=\"Machine\" os_index=\"0\" cpuset=\"0x14\" complete_cpuset=\"0x1f\" "
    "allowed_cpuset=\"0x14\" nodeset=\"0x2a\" complete_nodeset=\"0x2a\" "
    "allowed_nodeset=\"0x2a\" gp_index=\"1\">\n"
    "<object type=\"Package\" os_index=\"9\" cpuset=\"0x0\" complete_cpuset=\"0x3\" "
    "nodeset=\"0x20\" complete_nodeset=\"0x20\" gp_index=\"8\">\n"
    "<object type=\"NUMANode\" os_index=\"5\" cpuset=\"0x0\" complete_cpuset=\"0x0\" "
    "nodeset=\"0x20\" complete_nodeset=\"0x20\" gp_index=\"9\" local_memory=\"4096\"/>\n"
    "</object>\n"
    "%s%s</object></topology>\n";

static const char sparse_group[] =
    "<object type=\"Package\" os_index=\"%u\" cpuset=\"0x%x\" complete_cpuset=\"0x%x\" "
    "nodeset=\"0x%x\" complete_nodeset=\"0x%x\" gp_index=\"%u\">\n"
    "<object type=\"NUMANode\" os_index=\"%u\" cpuset=\"0x%x\" complete_cpuset=\"0x%x\" "
    "nodeset=\"0x%x\" complete_nodeset=\"0x%x\" gp_index=\"%u\" local_memory=\"%u\"/>\n"
    "<object type=\"Core\" os_index=\"7\" cpuset=\"0x%x\" complete_cpuset=\"0x%x\" "
    "nodeset=\"0x%x\" complete_nodeset=\"0x%x\" gp_index=\"%u\">"
    "<object type=\"PU\" os_index=\"%u\" cpuset=\"0x%x\" complete_cpuset=\"0x%x\" "
    "nodeset=\"0x%x\" complete_nodeset=\"0x%x\" gp_index=\"%u\"/></object></object>\n";

static void sparse_print(char text[2048], uint32_t cpu, uint32_t node, uint32_t memory) {
    uint32_t set = 1u << cpu;
    uint32_t nodes = 1u << node;
    uint32_t id = 10 * cpu;
    snprintf(text, 2048, sparse_group, cpu, set, set, nodes, nodes, id + 1, node, set, set, nodes,
             nodes, id + 2, memory, set, set, nodes, nodes, id + 3, cpu, set, set, nodes, nodes,
             id + 4);
}

Test(topology, sparse_cpus_and_nodes_that_lack_something, .timeout = 20) {
    char groups[2][2048];
    sparse_print(groups[0], 2, 1, 8192);
    sparse_print(groups[1], 4, 3, 0);
    char path[] = "/tmp/weft-sparse-XXXXXX";
    int descriptor = mkstemp(path);
    cr_assert_geq(descriptor, 0);
    FILE* file = fdopen(descriptor, "w");
    fprintf(file, sparse_machine, groups[0], groups[1]);
    fclose(file);
    weft_topology* topology = machine_open(path, 0);
    unlink(path);
    if (topology == NULL)
        return;
    assert_info(topology, 2, 2, 2, 2, 1);
    uint32_t count = 0;
    const weft_topology_node* nodes = weft_topology_nodes(topology, &count);
    cr_assert_eq(count, 3);
    uint32_t cpus = 0;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        cpus += nodes[i].cpu_count;
        bytes += nodes[i].bytes;
        cr_assert_eq(nodes[i].cpu_count, nodes[i].os_index != 5);
        cr_assert_eq(nodes[i].bytes == 0, nodes[i].os_index == 3);
    }
    cr_assert(cpus == 2 && bytes == 4096 + 8192);
    const weft_topology_closed_cpu* closed = weft_topology_closed_cpus(topology, &count);
    cr_assert_eq(count, 3);
    cr_assert(closed[0].os_index == 0 && closed[1].os_index == 1 && closed[2].os_index == 3);
    for (uint32_t policy = 0; policy < WEFT_PLACEMENT_LIST; policy++) {
        weft_placement placement = {.policy = (weft_placement_policy)policy};
        weft_seat seats[4];
        cr_assert_eq(weft_topology_place(topology, &placement, 4, seats), WEFT_STATUS_OK);
        for (uint32_t i = 0; i < 4; i++) {
            cr_assert_eq(seats[i].cpu, i % 2 == 0 ? 2 : 4);
            cr_assert_eq(seats[i].rests, i > 1);
        }
    }
    weft_topology_destroy(topology);
}

Test(topology, a_given_quota_is_reckoned_with, .timeout = 20) {
    weft_topology_desc desc = {.quota_milli_cpus = 500};
    weft_topology* topology = NULL;
    cr_assert_eq(weft_topology_create(&desc, &topology), WEFT_STATUS_OK);
    cr_assert_eq(weft_topology_suggested_workers(topology), 1);
    cr_assert_str_eq(weft_topology_info_get(topology).quota_source, "given");
    weft_topology_destroy(topology);
}

Test(topology, file_four_packages_with_siblings, .timeout = 20) {
    weft_topology* topology = machine_open_file("x1-4s2c2t.xml");
    if (topology == NULL)
        return;
    assert_info(topology, 16, 8, 1, 4, 1);
    cr_assert_eq(weft_topology_distance(topology, 0, 8), WEFT_TOPOLOGY_SAME_CORE);
    weft_topology_destroy(topology);
}

Test(topology, file_hybrid, .timeout = 20) {
    weft_topology* topology = machine_open_file("x2-hybrid-i7-1370p.xml");
    if (topology == NULL)
        return;
    assert_info(topology, 20, 14, 1, 1, 2);
    uint32_t count = 0;
    const weft_topology_cpu* cpus = weft_topology_cpus(topology, &count);
    for (uint32_t i = 0; i < count; i++) {
        bool fast = cpus[i].os_index < 12;
        cr_assert_eq(cpus[i].kind, fast);
        cr_assert_eq(cpus[i].sibling, fast ? cpus[i].os_index % 2 : 0);
    }
    const weft_topology_kind* kinds = weft_topology_kinds(topology, &count);
    cr_assert_eq(count, 2);
    cr_assert(kinds[0].core_count == 8 && kinds[0].cpu_count == 8);
    cr_assert(kinds[1].core_count == 6 && kinds[1].cpu_count == 12);
    cr_assert(kinds[0].mhz == 3900 && kinds[1].mhz == 5000);
    weft_topology_destroy(topology);
}

Test(topology, file_many_nodes, .timeout = 20) {
    weft_topology* topology = machine_open_file("x3-2s-epyc-7742.xml");
    if (topology == NULL)
        return;
    assert_info(topology, 256, 128, 8, 2, 1);
    cr_assert_eq(weft_topology_distance(topology, 0, 128), WEFT_TOPOLOGY_SAME_CORE);
    cr_assert_eq(weft_topology_distance(topology, 0, 1), WEFT_TOPOLOGY_SAME_L3);
    cr_assert_eq(weft_topology_distance(topology, 0, 4), WEFT_TOPOLOGY_SAME_NODE);
    cr_assert_eq(weft_topology_distance(topology, 0, 16), WEFT_TOPOLOGY_SAME_PACKAGE);
    cr_assert_eq(weft_topology_distance(topology, 0, 64), WEFT_TOPOLOGY_OTHER);
    weft_topology_destroy(topology);
}

Test(topology, file_with_reserved_cores, .timeout = 20) {
    weft_topology* topology = machine_open_file("x4-power9-lassen.xml");
    if (topology == NULL)
        return;
    assert_info(topology, 160, 40, 2, 2, 1);
    uint32_t count = 0;
    const weft_topology_cpu* cpus = weft_topology_cpus(topology, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t cpu = cpus[i].os_index;
        cr_assert((cpu >= 8 && cpu <= 87) || (cpu >= 96 && cpu <= 175));
        cr_assert_eq(cpus[i].node, cpu < 88 ? 0 : 8);
    }
    const weft_topology_closed_cpu* closed = weft_topology_closed_cpus(topology, &count);
    cr_assert_eq(count, 16);
    for (uint32_t i = 0; i < count; i++) {
        cr_assert_eq(closed[i].os_index, i < 8 ? i : 80 + i);
        cr_assert_not(closed[i].masked);
    }
    weft_topology_destroy(topology);
}

Test(topology, file_with_a_restricted_cpuset, .timeout = 20) {
    weft_topology* topology = machine_open_file("x5-restricted-cpuset.xml");
    if (topology == NULL)
        return;
    assert_info(topology, 10, 10, 3, 6, 1);
    // Nodes that are not listed are not one node.
    cr_assert_eq(weft_topology_distance(topology, 0, 12), WEFT_TOPOLOGY_OTHER);
    cr_assert_eq(weft_topology_distance(topology, 0, 1), WEFT_TOPOLOGY_SAME_PACKAGE);
    cr_assert_eq(weft_topology_distance(topology, 2, 3), WEFT_TOPOLOGY_SAME_NODE);
    weft_topology_destroy(topology);
}
