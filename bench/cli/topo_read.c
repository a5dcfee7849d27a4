// Reads what `weft topo --json` printed. Pictures and words are made of it as of a machine that is
// asked, so nothing is taken for granted that they rely on.

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "topo_report.h"

#define CPUS_MAX 8192u
#define INDEX_MAX (UINT32_C(1) << 20) // Of CPUs and nodes, by the system.
#define IDENTITY_MAX (UINT32_MAX / 2) // Those from here on are of what is not told.
#define BYTES_MAX (INT64_C(1) << 62)

/// The first thing that is wrong is told.
typedef struct reader {
    char place[64]; // Of the object that is read: "cpus[3]."; empty for all.
    char* line;
    size_t capacity;
    bool failed;
} reader;

static void refuse(reader* r, const char* key, const char* format, ...) WEFT_PRINTF(3, 4);
static void refuse(reader* r, const char* key, const char* format, ...) {
    char what[256];
    va_list args;
    if (r->failed)
        return;
    r->failed = true;
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    (void)snprintf(r->line, r->capacity, "%s%s: %s", r->place, key, what);
}

static void enter(reader* r, const char* list, size_t at) {
    (void)snprintf(r->place, sizeof r->place, "%s[%zu].", list, at);
}

// Values: 0, false or null when something is wrong ------------------------------------------------

static int64_t number_read(reader* r, const json_t* object, const char* key, int64_t least,
                           int64_t most) {
    const json_t* value = json_object_get(object, key);
    json_int_t number = json_integer_value(value);
    if (json_is_integer(value) && number >= least && number <= most)
        return number;
    refuse(r, key, "no whole number from %" PRId64 " to %" PRId64, least, most);
    return 0;
}

static uint32_t u32_read(reader* r, const json_t* object, const char* key, uint32_t least,
                         uint32_t most) {
    return (uint32_t)number_read(r, object, key, least, most);
}

/// A number, or null for what is not told.
static uint32_t identity_read(reader* r, const json_t* object, const char* key, uint32_t unknown) {
    if (json_is_null(json_object_get(object, key)))
        return unknown;
    return u32_read(r, object, key, 0, IDENTITY_MAX - 1);
}

static bool flag_read(reader* r, const json_t* object, const char* key) {
    const json_t* value = json_object_get(object, key);
    if (!json_is_boolean(value))
        refuse(r, key, "neither true nor false");
    return json_is_true(value);
}

static const char* text_read(reader* r, const json_t* object, const char* key, bool or_null) {
    const json_t* value = json_object_get(object, key);
    if (!json_is_string(value) && !(or_null && json_is_null(value)))
        refuse(r, key, "no text");
    return json_string_value(value);
}

/// The index of a word.
static uint32_t word_read(reader* r, const json_t* object, const char* key,
                          const char* (*name)(uint32_t), uint32_t count) {
    const char* text = text_read(r, object, key, false);
    for (uint32_t i = 0; text != NULL && i < count; i++)
        if (strcmp(text, name(i)) == 0)
            return i;
    refuse(r, key, "'%.40s' is none of its words", text != NULL ? text : "");
    return 0;
}

/// A list with room for its entries, of `size` bytes each.
static const json_t* list_read(reader* r, const json_t* root, const char* key, uint32_t least,
                               uint32_t most, size_t size, void** out, uint32_t* count) {
    const json_t* list = json_object_get(root, key);
    size_t length = json_array_size(list);
    r->place[0] = '\0';
    if (!json_is_array(list) || length < least || length > most)
        refuse(r, key, "no list of %u to %u entries", least, most);
    if (r->failed)
        return NULL;
    *out = calloc(length + 1, size);
    *count = (uint32_t)length;
    if (*out == NULL)
        refuse(r, key, "%s", weft_status_text(WEFT_STATUS_OUT_OF_MEMORY));
    return list;
}

// Parts ------------------------------------------------------------------------------------------

static void kinds_read(reader* r, const json_t* root, topo_report* out) {
    void* room = NULL;
    size_t i;
    json_t* one;
    const json_t* list = list_read(r, root, "kinds", 1, CPUS_MAX, sizeof *out->own.kinds, &room,
                                   &out->info.kind_count);
    out->own.kinds = room;
    out->kinds = room;
    for (i = 0; !r->failed && (one = json_array_get(list, i)) != NULL; i++) {
        enter(r, "kinds", i);
        out->own.kinds[i] =
            (weft_topology_kind){.name = text_read(r, one, "name", true),
                                 .mhz = u32_read(r, one, "mhz", 0, INT32_MAX),
                                 .core_count = u32_read(r, one, "cores", 0, CPUS_MAX),
                                 .cpu_count = u32_read(r, one, "cpus", 0, CPUS_MAX)};
    }
}

static void cpus_read(reader* r, const json_t* root, topo_report* out) {
    void* room = NULL;
    uint32_t* count = &out->info.worker_cpu_count;
    const json_t* list =
        list_read(r, root, "cpus", 1, CPUS_MAX, sizeof *out->own.cpus, &room, count);
    bool* seen = calloc(INDEX_MAX, sizeof *seen);
    out->own.cpus = room;
    out->cpus = room;
    if (seen == NULL)
        refuse(r, "cpus", "%s", weft_status_text(WEFT_STATUS_OUT_OF_MEMORY));
    for (uint32_t i = 0; !r->failed && i < *count; i++) {
        const json_t* one = json_array_get(list, i);
        enter(r, "cpus", i);
        // A core that is not told is one of its own.
        out->own.cpus[i] =
            (weft_topology_cpu){.os_index = u32_read(r, one, "cpu", 0, INDEX_MAX - 1),
                                .core = identity_read(r, one, "core", UINT32_MAX - 1 - i),
                                .sibling = u32_read(r, one, "sibling", 0, CPUS_MAX),
                                .l2 = identity_read(r, one, "l2", WEFT_TOPOLOGY_UNKNOWN),
                                .l3 = identity_read(r, one, "l3", WEFT_TOPOLOGY_UNKNOWN),
                                .node = identity_read(r, one, "node", WEFT_TOPOLOGY_UNKNOWN),
                                .package = identity_read(r, one, "package", WEFT_TOPOLOGY_UNKNOWN),
                                .kind = u32_read(r, one, "kind", 0, out->info.kind_count - 1)};
        if (!r->failed && seen[out->cpus[i].os_index])
            refuse(r, "cpu", "%u a second time", out->cpus[i].os_index);
        seen[out->cpus[i].os_index] = true;
    }
    free(seen);
}

static void closed_read(reader* r, const json_t* root, topo_report* out) {
    void* room = NULL;
    const json_t* list = list_read(r, root, "closed", 0, CPUS_MAX, sizeof *out->own.closed, &room,
                                   &out->closed_count);
    out->own.closed = room;
    out->closed = room;
    for (uint32_t i = 0; !r->failed && i < out->closed_count; i++) {
        const json_t* one = json_array_get(list, i);
        enter(r, "closed", i);
        out->own.closed[i] =
            (weft_topology_closed_cpu){.os_index = u32_read(r, one, "cpu", 0, INDEX_MAX - 1),
                                       .masked = flag_read(r, one, "masked")};
    }
}

static void caches_read(reader* r, const json_t* root, topo_report* out) {
    void* room = NULL;
    const json_t* list = list_read(r, root, "caches", 0, 3 * CPUS_MAX, sizeof *out->own.caches,
                                   &room, &out->cache_count);
    out->own.caches = room;
    out->caches = room;
    for (uint32_t i = 0; !r->failed && i < out->cache_count; i++) {
        const json_t* one = json_array_get(list, i);
        enter(r, "caches", i);
        out->own.caches[i] =
            (weft_topology_cache){.level = u32_read(r, one, "level", 1, 9),
                                  .identity = u32_read(r, one, "cache", 0, INT32_MAX),
                                  .cpu_count = u32_read(r, one, "cpus", 0, CPUS_MAX),
                                  .bytes = (uint64_t)number_read(r, one, "bytes", 0, BYTES_MAX)};
    }
}

static void nodes_read(reader* r, const json_t* root, topo_report* out) {
    void* room = NULL;
    const json_t* list =
        list_read(r, root, "memory", 0, CPUS_MAX, sizeof *out->own.nodes, &room, &out->node_count);
    out->own.nodes = room;
    out->nodes = room;
    for (uint32_t i = 0; !r->failed && i < out->node_count; i++) {
        const json_t* one = json_array_get(list, i);
        enter(r, "memory", i);
        out->own.nodes[i] =
            (weft_topology_node){.os_index = u32_read(r, one, "node", 0, INDEX_MAX - 1),
                                 .cpu_count = u32_read(r, one, "cpus", 0, CPUS_MAX),
                                 .bytes = (uint64_t)number_read(r, one, "bytes", 0, BYTES_MAX)};
    }
}

static const char* placement_name(uint32_t policy) {
    return weft_cli_placement_name((weft_placement_policy)policy);
}

static const char* interleaves_name(uint32_t which) {
    static const char* const names[] = {"not tried", "read back", "refused", "not in this build"};
    return names[which];
}

static void machine_read(reader* r, const json_t* root, topo_report* out) {
    static const weft_status statuses[] = {WEFT_STATUS_UNSUPPORTED, WEFT_STATUS_OK, WEFT_STATUS_OS,
                                           WEFT_STATUS_UNSUPPORTED};
    const json_t* machine = json_object_get(root, "machine");
    const json_t* quota = json_object_get(root, "quota");
    weft_topology_info* info = &out->info;
    (void)snprintf(r->place, sizeof r->place, "machine.");
    out->source = text_read(r, machine, "source", true);
    info->model = text_read(r, machine, "model", true);
    info->is_this_machine = flag_read(r, machine, "here");
    info->mask_unknown = !flag_read(r, machine, "mask_known");
    info->package_count = u32_read(r, machine, "packages", 0, CPUS_MAX);
    info->node_count = u32_read(r, machine, "nodes", 0, CPUS_MAX);
    info->core_count = u32_read(r, machine, "cores", 1, CPUS_MAX);
    (void)u32_read(r, machine, "cpus", info->worker_cpu_count, info->worker_cpu_count);
    (void)snprintf(r->place, sizeof r->place, "quota.");
    info->quota_milli_cpus = u32_read(r, quota, "milli_cpus", 0, INT32_MAX);
    info->quota_source = text_read(r, quota, "source", false);
    r->place[0] = '\0';
    out->interleaves = statuses[word_read(r, root, "interleaving", interleaves_name, 4)];
    out->placement.policy = (weft_placement_policy)word_read(r, root, "placement", placement_name,
                                                             WEFT_PLACEMENT_LIST + 1);
    out->suggested_count = u32_read(r, root, "suggested", 1, CPUS_MAX);
    out->entity_count = (uint64_t)number_read(r, root, "entities", 0, WEFT_SLOT_LIMIT_MAX);
    out->shard_count = (uint32_t)((out->entity_count + WEFT_SHARD_SLOTS - 1) / WEFT_SHARD_SLOTS);
    (void)u32_read(r, root, "shards", out->shard_count, out->shard_count);
}

// Workers ----------------------------------------------------------------------------------------

static const char* reason_name(uint32_t reason) {
    return topo_reason_name((weft_seat_reason)reason);
}

static const char* pin_name(uint32_t pin) {
    return topo_pin_text((topo_pin)pin);
}

static void seat_read(reader* r, const json_t* one, topo_report* out, uint32_t worker) {
    weft_seat* seat = &out->seats[worker];
    seat->cpu = u32_read(r, one, "cpu", 0, INDEX_MAX - 1);
    seat->reason = (weft_seat_reason)word_read(r, one, "reason", reason_name, TOPO_REASONS);
    seat->beside = identity_read(r, one, "beside", WEFT_TOPOLOGY_UNKNOWN);
    seat->rests = flag_read(r, one, "rests");
    out->pins[worker] = (topo_pin)word_read(r, one, "pin", pin_name, TOPO_PINS);
    uint32_t i = 0;
    while (i < out->info.worker_cpu_count && out->cpus[i].os_index != seat->cpu)
        i++;
    bool shares = seat->reason == WEFT_SEAT_SIBLING || seat->reason == WEFT_SEAT_SHARED;
    if (i == out->info.worker_cpu_count)
        refuse(r, "cpu", "%u is none of the CPUs", seat->cpu);
    else if ((shares || seat->beside != WEFT_TOPOLOGY_UNKNOWN) && seat->beside >= worker)
        refuse(r, "beside", "no worker before this one");
    else if (!seat->rests && worker > 0 && out->seats[worker - 1].rests)
        refuse(r, "rests", "false behind a worker that rests");
    out->active_count += !seat->rests;
}

/// The shards of a worker must be those that this program would give it.
static void shards_check(reader* r, const json_t* one, const topo_report* out, uint32_t worker) {
    uint32_t first = 0;
    uint32_t end = 0;
    topo_shards(out, worker, &first, &end);
    (void)u32_read(r, one, "first_shard", first, first);
    (void)u32_read(r, one, "shards", end - first, end - first);
}

static void workers_read(reader* r, const json_t* root, topo_report* out) {
    void* room = NULL;
    const json_t* list = list_read(r, root, "workers", 1, WEFT_CLI_WORKERS_MAX, sizeof *out->seats,
                                   &room, &out->worker_count);
    out->seats = room;
    out->pins = calloc((size_t)out->worker_count + 1, sizeof *out->pins);
    if (out->pins == NULL)
        refuse(r, "workers", "%s", weft_status_text(WEFT_STATUS_OUT_OF_MEMORY));
    WEFT_ASSERT(r->failed || out->seats != NULL);
    for (uint32_t i = 0; !r->failed && i < out->worker_count; i++) {
        const json_t* one = json_array_get(list, i);
        enter(r, "workers", i);
        (void)u32_read(r, one, "worker", i, i);
        seat_read(r, one, out, i);
    }
    for (uint32_t i = 0; !r->failed && i < out->worker_count; i++) {
        enter(r, "workers", i);
        shards_check(r, json_array_get(list, i), out, i);
    }
    r->place[0] = '\0';
    (void)u32_read(r, root, "taking_part", out->active_count, out->active_count);
}

bool topo_json_read(const json_t* root, topo_report* out, char* line, size_t capacity) {
    reader r = {.line = line, .capacity = capacity};
    *out = (topo_report){0};
    kinds_read(&r, root, out);
    cpus_read(&r, root, out);
    closed_read(&r, root, out);
    caches_read(&r, root, out);
    nodes_read(&r, root, out);
    machine_read(&r, root, out);
    workers_read(&r, root, out);
    return !r.failed;
}
