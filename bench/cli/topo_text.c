// `weft topo`: a machine and its workers in words.

#define _GNU_SOURCE // vasprintf

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#include "topo_report.h"

/// Where facts go.
typedef struct facts {
    topo_fact_fn* tell;
    void* context;
} facts;

static void fact(const facts* to, const char* name, const char* format, ...) WEFT_PRINTF(3, 4);
static void fact(const facts* to, const char* name, const char* format, ...) {
    va_list args;
    char* text = NULL;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    WEFT_ASSERT(length >= 0);
    to->tell(to->context, name, text);
    free(text);
}

static void machine_tell(const facts* to, const topo_report* report) {
    const weft_topology_info* info = &report->info;
    char size[TOPO_SIZE_TEXT];
    fact(to, "machine", "%s%s%s%s",
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
    fact(to, "usable", "%s: %s", topo_size_text(report, size), text);
    free(text);
    free(list);
    for (int masked = 0; masked < 2; masked++) {
        text = topo_closed_text(report, masked == 1);
        if (text[0] != '\0')
            fact(to, "closed", "%s: %s", text,
                 masked == 1 ? "not in the mask of this process"
                             : "offline, or kept from this process by the system");
        free(text);
    }
    if (info->mask_unknown)
        fact(to, "closed",
             "the system refuses to tell this process's mask, so nothing can be pinned");
}

static void kinds_tell(const facts* to, const topo_report* report) {
    uint32_t count = report->info.kind_count;
    char cores[WEFT_CLI_NUMBER_SIZE];
    char cpus[WEFT_CLI_NUMBER_SIZE];
    for (uint32_t i = count; count > 1 && i > 0; i--) {
        const weft_topology_kind* kind = &report->kinds[i - 1];
        char name[32];
        char speed[64] = "";
        (void)snprintf(name, sizeof name, "kind %" PRIu32, i - 1);
        if (kind->mhz != 0)
            (void)snprintf(speed, sizeof speed, ", up to %.1f GHz", kind->mhz / 1000.0);
        fact(to, name, "%s, %s%s%s%s%s", topo_count(kind->core_count, "core", cores),
             topo_count(kind->cpu_count, "CPU", cpus), kind->name != NULL ? ", " : "",
             kind->name != NULL ? kind->name : "", speed,
             i == count ? ": the fastest"
             : i == 1   ? ": the slowest"
                        : "");
    }
}

/// Tells of the caches, equal ones together.
static void caches_tell(const facts* to, const topo_report* report) {
    const weft_topology_cache* caches = report->caches;
    char bytes[WEFT_CLI_NUMBER_SIZE];
    char cpus[WEFT_CLI_NUMBER_SIZE];
    for (uint32_t i = 0; i < report->cache_count; i++) {
        const weft_topology_cache* one = &caches[i];
        uint32_t equal = 0;
        bool first = true;
        for (uint32_t k = 0; k < report->cache_count; k++) {
            bool same = caches[k].level == one->level && caches[k].bytes == one->bytes &&
                        caches[k].cpu_count == one->cpu_count;
            first = first && !(same && k < i);
            equal += same;
        }
        if (first)
            fact(to, "cache", "L%u: %u of %s, %s %s", one->level, equal,
                 one->bytes != 0 ? topo_bytes(one->bytes, bytes) : "unknown size",
                 equal == 1 ? "for" : "each for", topo_count(one->cpu_count, "CPU", cpus));
    }
}

static void nodes_tell(const facts* to, const topo_report* report) {
    const weft_topology_node* nodes = report->nodes;
    uint32_t count = report->node_count;
    char bytes[WEFT_CLI_NUMBER_SIZE];
    char cpus[WEFT_CLI_NUMBER_SIZE];
    for (uint32_t i = 0; i < count; i++)
        fact(to, "memory", "node %u: %s, %s", nodes[i].os_index,
             nodes[i].bytes != 0 ? topo_bytes(nodes[i].bytes, bytes) : "no memory",
             nodes[i].cpu_count != 0 ? topo_count(nodes[i].cpu_count, "CPU", cpus)
                                     : "no usable CPU");
    if (count == 0)
        fact(to, "memory", "nodes are not known");
    fact(to, "binding", "pages in turn on all nodes: %s%s", topo_binding_text(report),
         count == 1 ? "; with one node there is nothing to choose" : "");
}

static void workers_tell(const facts* to, const topo_report* report) {
    char number[WEFT_CLI_NUMBER_SIZE];
    char shards[WEFT_CLI_NUMBER_SIZE];
    char part[64] = "";
    uint32_t quota = report->info.quota_milli_cpus;
    if (quota != 0)
        fact(to, "quota", "%.6g CPUs (%s)", quota / 1000.0, report->info.quota_source);
    else
        fact(to, "quota", "none (%s)", report->info.quota_source);
    if (report->active_count < report->worker_count)
        (void)snprintf(part, sizeof part, ", %u take part", report->active_count);
    fact(to, "workers", "%s%s%s; %s: %s", topo_count(report->worker_count, "worker", number),
         report->suggested ? ", as suggested" : "", part,
         weft_cli_placement_name(report->placement.policy),
         topo_policy_text(report->placement.policy));
    fact(to, "shards", "%s entities, %s of %u", weft_cli_number(report->entity_count, number),
         topo_count(report->shard_count, "shard", shards), WEFT_SHARD_SLOTS);
}

void topo_facts(const topo_report* report, topo_fact_fn* tell, void* context) {
    const facts to = {tell, context};
    machine_tell(&to, report);
    kinds_tell(&to, report);
    caches_tell(&to, report);
    nodes_tell(&to, report);
    workers_tell(&to, report);
}

static void identity_add(weft_cli_table* table, uint32_t identity) {
    char text[WEFT_CLI_NUMBER_SIZE];
    weft_cli_table_add(table, "%s", topo_identity_text(identity, text));
}

static void workers_print(FILE* file, const topo_report* report) {
    static const char* const heads[] = {"worker", "CPU", "core",   "node", "package",
                                        "kind",   "pin", "shards", "why"};
    weft_cli_table table = weft_cli_table_create("rrrrrrlrl");
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        weft_cli_table_add(&table, "%s", heads[i]);
    for (uint32_t worker = 0; worker < report->worker_count; worker++) {
        const weft_topology_cpu* cpu = topo_cpu(report, report->seats[worker].cpu);
        char shards[WEFT_CLI_NUMBER_SIZE];
        weft_cli_table_add(&table, "%u", worker);
        weft_cli_table_add(&table, "%u", cpu->os_index);
        identity_add(&table, cpu->core);
        identity_add(&table, cpu->node);
        identity_add(&table, cpu->package);
        weft_cli_table_add(&table, "%u", cpu->kind);
        weft_cli_table_add(&table, "%s", topo_pin_text(report->pins[worker]));
        weft_cli_table_add(&table, "%s", topo_shards_text(report, worker, shards));
        char* why = topo_why(report, worker);
        weft_cli_table_add(&table, "%s", why);
        free(why);
    }
    weft_cli_table_print(&table, file);
}

static void line_print(void* context, const char* name, const char* text) {
    (void)fprintf(context, "%-9s %s\n", name, text);
}

void topo_text_print(FILE* file, const void* context) {
    const topo_report* report = context;
    topo_facts(report, line_print, file);
    (void)fputc('\n', file);
    workers_print(file, report);
}
