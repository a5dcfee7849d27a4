// `weft topo`: a machine and its workers in words.

#include <stdlib.h>

#include "topo_report.h"

static void machine_print(FILE* file, const topo_report* report) {
    const weft_topology_info* info = &report->info;
    char packages[WEFT_CLI_NUMBER_SIZE];
    char nodes[WEFT_CLI_NUMBER_SIZE];
    char cores[WEFT_CLI_NUMBER_SIZE];
    char cpus[WEFT_CLI_NUMBER_SIZE];
    (void)fprintf(file, "machine   %s%s%s%s\n",
                  report->source != NULL  ? report->source
                  : info->is_this_machine ? "this one"
                                          : "another one, by hwloc's environment",
                  info->model != NULL ? " (" : "", info->model != NULL ? info->model : "",
                  info->model != NULL ? ")" : "");
    uint32_t* list = calloc(info->worker_cpu_count, sizeof(*list));
    WEFT_ASSERT(list != NULL);
    for (uint32_t i = 0; i < info->worker_cpu_count; i++) {
        uint32_t at = i;
        for (; at > 0 && list[at - 1] > report->cpus[i].os_index; at--)
            list[at] = list[at - 1];
        list[at] = report->cpus[i].os_index;
    }
    char* text = weft_cli_cpus_text(list, info->worker_cpu_count);
    (void)fprintf(file, "usable    %s, %s, %s, %s: %s\n",
                  topo_count(info->package_count, "package", packages),
                  topo_count(info->node_count, "NUMA node", nodes),
                  topo_count(info->core_count, "core", cores),
                  topo_count(info->worker_cpu_count, "CPU", cpus), text);
    free(text);
    free(list);
    for (int masked = 0; masked < 2; masked++) {
        text = topo_closed_text(report, masked == 1);
        if (text[0] != '\0')
            (void)fprintf(file, "closed    %s: %s\n", text,
                          masked == 1 ? "not in the mask of this process"
                                      : "offline, or kept from this process by the system");
        free(text);
    }
    if (info->mask_unknown)
        (void)fprintf(file, "closed    the system refuses to tell this process's mask, so nothing "
                            "can be pinned\n");
}

static void kinds_print(FILE* file, const topo_report* report) {
    uint32_t count = 0;
    const weft_topology_kind* kinds = weft_topology_kinds(report->topology, &count);
    char cores[WEFT_CLI_NUMBER_SIZE];
    char cpus[WEFT_CLI_NUMBER_SIZE];
    for (uint32_t i = count; count > 1 && i > 0; i--) {
        const weft_topology_kind* kind = &kinds[i - 1];
        (void)fprintf(file, "kind %u    %s, %s", i - 1, topo_count(kind->core_count, "core", cores),
                      topo_count(kind->cpu_count, "CPU", cpus));
        if (kind->name != NULL)
            (void)fprintf(file, ", %s", kind->name);
        if (kind->mhz != 0)
            (void)fprintf(file, ", up to %.1f GHz", kind->mhz / 1000.0);
        (void)fprintf(file, "%s\n", i == count ? ": the fastest" : i == 1 ? ": the slowest" : "");
    }
}

/// Prints the caches of a level, equal ones together.
static void caches_print(FILE* file, const topo_report* report) {
    uint32_t count = 0;
    const weft_topology_cache* caches = weft_topology_caches(report->topology, &count);
    char bytes[WEFT_CLI_NUMBER_SIZE];
    char cpus[WEFT_CLI_NUMBER_SIZE];
    for (uint32_t i = 0; i < count; i++) {
        const weft_topology_cache* one = &caches[i];
        uint32_t equal = 0;
        bool first = true;
        for (uint32_t k = 0; k < count; k++) {
            bool same = caches[k].level == one->level && caches[k].bytes == one->bytes &&
                        caches[k].cpu_count == one->cpu_count;
            first = first && !(same && k < i);
            equal += same;
        }
        if (first)
            (void)fprintf(file, "cache     L%u: %u of %s, %s %s\n", one->level, equal,
                          one->bytes != 0 ? topo_bytes(one->bytes, bytes) : "unknown size",
                          equal == 1 ? "for" : "each for", topo_count(one->cpu_count, "CPU", cpus));
    }
}

static void nodes_print(FILE* file, const topo_report* report) {
    uint32_t count = 0;
    const weft_topology_node* nodes = weft_topology_nodes(report->topology, &count);
    char bytes[WEFT_CLI_NUMBER_SIZE];
    char cpus[WEFT_CLI_NUMBER_SIZE];
    for (uint32_t i = 0; i < count; i++)
        (void)fprintf(file, "memory    node %u: %s, %s\n", nodes[i].os_index,
                      nodes[i].bytes != 0 ? topo_bytes(nodes[i].bytes, bytes) : "no memory",
                      nodes[i].cpu_count != 0 ? topo_count(nodes[i].cpu_count, "CPU", cpus)
                                              : "no usable CPU");
    if (count == 0)
        (void)fprintf(file, "memory    nodes are not known\n");
    (void)fprintf(file, "binding   pages in turn on all nodes: %s%s\n", topo_binding_text(report),
                  count == 1 ? "; with one node there is nothing to choose" : "");
}

static void workers_head_print(FILE* file, const topo_report* report) {
    char number[WEFT_CLI_NUMBER_SIZE];
    char shards[WEFT_CLI_NUMBER_SIZE];
    uint32_t quota = report->info.quota_milli_cpus;
    if (quota != 0)
        (void)fprintf(file, "quota     %.6g CPUs (%s)\n", quota / 1000.0,
                      report->info.quota_source);
    else
        (void)fprintf(file, "quota     none (%s)\n", report->info.quota_source);
    (void)fprintf(file, "workers   %s%s", topo_count(report->worker_count, "worker", number),
                  report->suggested ? ", as suggested" : "");
    if (report->active_count < report->worker_count)
        (void)fprintf(file, ", %u take part", report->active_count);
    (void)fprintf(file, "; %s: %s\n", weft_cli_placement_name(report->placement.policy),
                  topo_policy_text(report->placement.policy));
    (void)fprintf(file, "shards    %s entities, ", weft_cli_number(report->entity_count, number));
    (void)fprintf(file, "%s of %u\n\n", topo_count(report->shard_count, "shard", shards),
                  WEFT_SHARD_SLOTS);
}

static void identity_add(weft_cli_table* table, uint32_t identity) {
    // What hwloc does not tell has no number, or one of its own at the end of all.
    if (identity >= UINT32_MAX / 2)
        weft_cli_table_add(table, "-");
    else
        weft_cli_table_add(table, "%u", identity);
}

static void workers_print(FILE* file, const topo_report* report) {
    static const char* const heads[] = {"worker", "CPU", "core",   "node", "package",
                                        "kind",   "pin", "shards", "why"};
    weft_cli_table table = weft_cli_table_create("rrrrrrlrl");
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        weft_cli_table_add(&table, "%s", heads[i]);
    for (uint32_t worker = 0; worker < report->worker_count; worker++) {
        const weft_topology_cpu* cpu = topo_cpu(report, report->seats[worker].cpu);
        uint32_t first = 0;
        uint32_t end = 0;
        weft_cli_table_add(&table, "%u", worker);
        weft_cli_table_add(&table, "%u", cpu->os_index);
        identity_add(&table, cpu->core);
        identity_add(&table, cpu->node);
        identity_add(&table, cpu->package);
        weft_cli_table_add(&table, "%u", cpu->kind);
        weft_cli_table_add(&table, "%s", topo_pin_text(report->pins[worker]));
        topo_shards(report, worker, &first, &end);
        if (first == end)
            weft_cli_table_add(&table, "-");
        else if (first + 1 == end)
            weft_cli_table_add(&table, "%u", first);
        else
            weft_cli_table_add(&table, "%u-%u", first, end - 1);
        char* why = topo_why(report, worker);
        weft_cli_table_add(&table, "%s", why);
        free(why);
    }
    weft_cli_table_print(&table, file);
}

void topo_text_print(FILE* file, const void* context) {
    const topo_report* report = context;
    machine_print(file, report);
    kinds_print(file, report);
    caches_print(file, report);
    nodes_print(file, report);
    workers_head_print(file, report);
    workers_print(file, report);
}
