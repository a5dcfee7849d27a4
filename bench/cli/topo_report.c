// What `weft topo` shows: asked of the scheduler, and for the pins of the system.

#define _GNU_SOURCE // vasprintf

#include "topo_report.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>

// Making it --------------------------------------------------------------------------------------

static uint32_t suggest(const topo_report* report) {
    uint32_t workers = report->suggested_count;
    bool fewer =
        report->placement.policy == WEFT_PLACEMENT_LIST && report->placement.cpu_count < workers;
    return fewer ? report->placement.cpu_count : workers;
}

/// Fills what is known of the machine.
static void machine_take(topo_report* report) {
    const weft_topology* topology = report->topology;
    uint32_t count = 0;
    report->info = weft_topology_info_get(topology);
    report->cpus = weft_topology_cpus(topology, &count);
    WEFT_ASSERT(count == report->info.worker_cpu_count);
    report->kinds = weft_topology_kinds(topology, &count);
    WEFT_ASSERT(count == report->info.kind_count);
    report->closed = weft_topology_closed_cpus(topology, &report->closed_count);
    report->nodes = weft_topology_nodes(topology, &report->node_count);
    report->caches = weft_topology_caches(topology, &report->cache_count);
    report->suggested_count = weft_topology_suggested_workers(topology);
}

/// Goes from CPU to CPU as the workers would sit down, in a thread that ends with that.
static void* pins_try(void* context) {
    topo_report* report = context;
    for (uint32_t i = 0; i < report->worker_count; i++) {
        weft_status status = weft_topology_pin_self(report->topology, report->seats[i].cpu);
        report->pins[i] = status == WEFT_STATUS_OK ? TOPO_PIN_OK : TOPO_PIN_REFUSED;
    }
    return NULL;
}

weft_status topo_report_init(topo_report* report) {
    pthread_t thread;
    WEFT_ASSERT(report->topology != NULL);
    machine_take(report);
    report->suggested = report->worker_count == 0;
    if (report->suggested)
        report->worker_count = suggest(report);
    if (report->worker_count == 0)
        return WEFT_STATUS_BAD_ARGUMENT; // Of an empty list.
    report->seats = calloc(report->worker_count, sizeof(*report->seats));
    report->pins = calloc(report->worker_count, sizeof(*report->pins));
    if (report->seats == NULL || report->pins == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    WEFT_TRY(weft_topology_place(report->topology, &report->placement, report->worker_count,
                                 report->seats));
    for (uint32_t i = 0; i < report->worker_count; i++)
        report->active_count += !report->seats[i].rests;
    report->shard_count =
        (uint32_t)((report->entity_count + WEFT_SHARD_SLOTS - 1) / WEFT_SHARD_SLOTS);
    weft_memory memory;
    report->interleaves = weft_memory_interleaved(report->topology, &memory);
    if (report->info.is_this_machine && pthread_create(&thread, NULL, pins_try, report) == 0)
        (void)pthread_join(thread, NULL);
    return WEFT_STATUS_OK;
}

void topo_report_deinit(topo_report* report) {
    free(report->seats);
    free(report->pins);
    free(report->own.cpus);
    free(report->own.closed);
    free(report->own.nodes);
    free(report->own.caches);
    free(report->own.kinds);
    *report = (topo_report){0};
}

// Asking it --------------------------------------------------------------------------------------

const weft_topology_cpu* topo_cpu(const topo_report* report, uint32_t os_index) {
    uint32_t i = 0;
    while (report->cpus[i].os_index != os_index)
        i++;
    WEFT_ASSERT(i < report->info.worker_cpu_count);
    return &report->cpus[i];
}

void topo_shards(const topo_report* report, uint32_t worker, uint32_t* first, uint32_t* end) {
    *first = 0;
    *end = 0;
    // Those who rest have the last numbers.
    if (!report->seats[worker].rests)
        weft_topology_shards(report->shard_count, report->active_count, worker, first, end);
}

static char* text_make(const char* format, ...) WEFT_PRINTF(1, 2);
static char* text_make(const char* format, ...) {
    va_list args;
    char* text = NULL;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    WEFT_ASSERT(length >= 0);
    return text;
}

char* topo_why(const topo_report* report, uint32_t worker) {
    const weft_seat* seat = &report->seats[worker];
    const char* rests = seat->rests ? "; rests: the quota pays for no more" : "";
    switch (seat->reason) {
    case WEFT_SEAT_CORE:
        return text_make("a core of its own%s", rests);
    case WEFT_SEAT_SLOW_CORE:
        return text_make("a slower core of its own: each faster one has a worker%s", rests);
    case WEFT_SEAT_SIBLING:
        return text_make("SMT sibling of worker %" PRIu32 ": each core has a worker%s",
                         seat->beside, rests);
    case WEFT_SEAT_LISTED:
        if (seat->beside != WEFT_TOPOLOGY_UNKNOWN)
            return text_make("listed; SMT sibling of worker %" PRIu32 "%s", seat->beside, rests);
        return text_make("listed%s", rests);
    case WEFT_SEAT_SHARED:
        break;
    }
    return text_make("rests: each %sCPU has a worker, this one worker %" PRIu32,
                     report->placement.policy == WEFT_PLACEMENT_LIST ? "listed " : "",
                     seat->beside);
}

const char* topo_reason_name(weft_seat_reason reason) {
    static const char* const names[TOPO_REASONS] = {
        [WEFT_SEAT_CORE] = "core",       [WEFT_SEAT_SLOW_CORE] = "slow-core",
        [WEFT_SEAT_SIBLING] = "sibling", [WEFT_SEAT_LISTED] = "listed",
        [WEFT_SEAT_SHARED] = "shared",
    };
    return names[reason];
}

const char* topo_pin_text(topo_pin pin) {
    static const char* const texts[TOPO_PINS] = {
        [TOPO_PIN_UNTRIED] = "not tried",
        [TOPO_PIN_OK] = "read back",
        [TOPO_PIN_REFUSED] = "refused",
    };
    return texts[pin];
}

const char* topo_binding_text(const topo_report* report) {
    if (!report->info.is_this_machine)
        return topo_pin_text(TOPO_PIN_UNTRIED);
    if (report->interleaves == WEFT_STATUS_UNSUPPORTED)
        return "not in this build";
    return topo_pin_text(report->interleaves == WEFT_STATUS_OK ? TOPO_PIN_OK : TOPO_PIN_REFUSED);
}

const char* topo_policy_text(weft_placement_policy policy) {
    static const char* const texts[] = {
        [WEFT_PLACEMENT_SPREAD] = "the fewest on each package, node and last cache",
        [WEFT_PLACEMENT_COMPACT] = "neighbours first",
        [WEFT_PLACEMENT_PER_NODE] = "as many on each node, neighbours in it",
        [WEFT_PLACEMENT_LIST] = "the CPUs that are listed",
    };
    return texts[policy];
}

const char* topo_bytes(uint64_t bytes, char text[WEFT_CLI_NUMBER_SIZE]) {
    static const char* const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
    uint32_t unit = 0;
    double value = (double)bytes;
    for (; value >= 1024 && unit + 1 < sizeof units / sizeof units[0]; unit++)
        value /= 1024;
    bool whole = value == (double)(uint64_t)value || value >= 1000;
    (void)snprintf(text, WEFT_CLI_NUMBER_SIZE, "%.*f %s", whole ? 0 : 1, value, units[unit]);
    return text;
}

char* topo_closed_text(const topo_report* report, bool masked) {
    uint32_t some = 0;
    uint32_t* list = calloc((size_t)report->closed_count + 1, sizeof(*list));
    WEFT_ASSERT(list != NULL);
    for (uint32_t i = 0; i < report->closed_count; i++) {
        if (report->closed[i].masked == masked)
            list[some++] = report->closed[i].os_index;
    }
    char* text = weft_cli_cpus_text(list, some);
    free(list);
    return text;
}

const char* topo_size_text(const topo_report* report, char text[TOPO_SIZE_TEXT]) {
    char one[4][WEFT_CLI_NUMBER_SIZE];
    const weft_topology_info* info = &report->info;
    (void)snprintf(text, TOPO_SIZE_TEXT, "%s, %s, %s, %s",
                   topo_count(info->package_count, "package", one[0]),
                   topo_count(info->node_count, "NUMA node", one[1]),
                   topo_count(info->core_count, "core", one[2]),
                   topo_count(info->worker_cpu_count, "CPU", one[3]));
    return text;
}

const char* topo_shards_text(const topo_report* report, uint32_t worker,
                             char text[WEFT_CLI_NUMBER_SIZE]) {
    uint32_t first = 0;
    uint32_t end = 0;
    topo_shards(report, worker, &first, &end);
    if (first == end)
        (void)snprintf(text, WEFT_CLI_NUMBER_SIZE, "-");
    else if (first + 1 == end)
        (void)snprintf(text, WEFT_CLI_NUMBER_SIZE, "%" PRIu32, first);
    else
        (void)snprintf(text, WEFT_CLI_NUMBER_SIZE, "%" PRIu32 "-%" PRIu32, first, end - 1);
    return text;
}

const char* topo_identity_text(uint32_t identity, char text[WEFT_CLI_NUMBER_SIZE]) {
    // What hwloc does not tell has no number, or one of its own at the end of all.
    if (identity >= UINT32_MAX / 2)
        (void)snprintf(text, WEFT_CLI_NUMBER_SIZE, "-");
    else
        (void)snprintf(text, WEFT_CLI_NUMBER_SIZE, "%" PRIu32, identity);
    return text;
}

const char* topo_count(uint32_t count, const char* what, char text[WEFT_CLI_NUMBER_SIZE]) {
    (void)snprintf(text, WEFT_CLI_NUMBER_SIZE, "%" PRIu32 " %s%s", count, what,
                   count == 1 ? "" : "s");
    return text;
}
