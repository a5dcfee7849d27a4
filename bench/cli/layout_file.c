// Layout files, JSON:
//
//   {"format": "weft-layout 1", "module": "creatures", "schedule": "0x0123456789abcdef",
//    "executor": "threads", "workers": 2, "pin": true, "placement": "spread", "cpus": "0,2",
//    "grain": 0, "sweep": "auto", "sweeps": {"motion": "chunk"}, "spin_ns": 100000,
//    "yield_ns": 20000, "memory": "huge-pages", "entities": 100000, "evidence": "measured",
//    "tuned": {...}}
//
// The first three must be there; what else is left out is as without a layout. "cpus" stands in
// place of "placement". Of "tuned" nothing is read: it says how the layout was found.

#include "layout_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT "weft-layout 1"

// Writing ----------------------------------------------------------------------------------------

static json_t* layout_json(const weft_cli_layout* file) {
    const weft_layout* layout = &file->layout;
    json_t* sweeps = json_object();
    for (uint32_t i = 0; i < layout->sweep_count; i++)
        (void)json_object_set_new(sweeps, layout->sweeps[i].system,
                                  json_string(weft_cli_sweep_name(layout->sweeps[i].sweep)));
    json_t* root = json_pack("{s:s, s:s, s:o, s:s, s:I, s:b}", "format", FORMAT, //
                             "module", file->module,                             //
                             "schedule", weft_cli_json_hex(file->schedule_hash), //
                             "executor", weft_cli_executor_name(layout->kind),   //
                             "workers", (json_int_t)layout->worker_count,        //
                             "pin", (int)layout->pin);
    if (layout->policy == WEFT_PLACEMENT_LIST) {
        char* cpus = weft_cli_cpus_text(layout->cpus, layout->cpu_count);
        (void)json_object_set_new(root, "cpus", json_string(cpus));
        free(cpus);
    } else {
        (void)json_object_set_new(root, "placement",
                                  json_string(weft_cli_placement_name(layout->policy)));
    }
    json_t* rest = json_pack("{s:I, s:s, s:o, s:I, s:I, s:s}",            //
                             "grain", (json_int_t)layout->grain,          //
                             "sweep", weft_cli_sweep_name(layout->sweep), //
                             "sweeps", sweeps,                            //
                             "spin_ns", (json_int_t)layout->spin_ns,      //
                             "yield_ns", (json_int_t)layout->yield_ns,    //
                             "evidence", file->is_forecast ? "forecast" : "measured");
    (void)json_object_update(root, rest);
    json_decref(rest);
    if (layout->kind != WEFT_EXECUTOR_PROCESSES)
        (void)json_object_set_new(root, "memory",
                                  json_string(weft_layout_memory_names[layout->memory]));
    if (file->entity_count > 0)
        (void)json_object_set_new(root, "entities", json_integer((json_int_t)file->entity_count));
    return root;
}

static void json_print(FILE* file, const void* context) {
    (void)json_dumpf(context, file, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    (void)fputc('\n', file);
}

weft_status weft_cli_layout_write(const char* path, const weft_cli_layout* layout, json_t* tuned,
                                  char* line, size_t capacity) {
    json_t* root = layout_json(layout);
    if (root != NULL && tuned != NULL)
        (void)json_object_set(root, "tuned", tuned);
    json_decref(tuned);
    if (root == NULL) {
        (void)snprintf(line, capacity, "%s: %s", path, weft_status_text(WEFT_STATUS_OUT_OF_MEMORY));
        return WEFT_STATUS_OUT_OF_MEMORY;
    }
    weft_status status = weft_cli_file_write(path, "layout", json_print, root, line, capacity);
    json_decref(root);
    return status;
}

// Reading ----------------------------------------------------------------------------------------

/// A file under the reader.
typedef struct layout_reader {
    const char* path;
    weft_cli_layout* out;
    char* line;
    size_t capacity;
} layout_reader;

/// What a key may be.
typedef struct layout_key {
    const char* name;
    json_type type; // Of booleans JSON_TRUE.
    const char* wanted;
    bool (*take)(weft_cli_layout* out, json_t* value);
} layout_key;

static bool number_take(json_t* value, uint64_t limit, uint32_t* out) {
    json_int_t number = json_integer_value(value);
    if (number < 0 || (uint64_t)number > limit)
        return false;
    *out = (uint32_t)number;
    return true;
}

static bool format_take(weft_cli_layout* out, json_t* value) {
    (void)out;
    return strcmp(json_string_value(value), FORMAT) == 0;
}

static bool module_take(weft_cli_layout* out, json_t* value) {
    const char* text = json_string_value(value);
    (void)snprintf(out->module, sizeof out->module, "%s", text);
    return text[0] != '\0' && strlen(text) < sizeof out->module;
}

static bool schedule_take(weft_cli_layout* out, json_t* value) {
    return weft_cli_u64_parse(json_string_value(value), &out->schedule_hash);
}

static bool executor_take(weft_cli_layout* out, json_t* value) {
    static const weft_executor_kind kinds[] = {WEFT_EXECUTOR_SERIAL, WEFT_EXECUTOR_THREADS,
                                               WEFT_EXECUTOR_PROCESSES};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(json_string_value(value), weft_cli_executor_name(kinds[i])) != 0)
            continue;
        out->layout.kind = kinds[i];
        return true;
    }
    return false;
}

static bool workers_take(weft_cli_layout* out, json_t* value) {
    return number_take(value, WEFT_CLI_WORKERS_MAX, &out->layout.worker_count);
}

static bool pin_take(weft_cli_layout* out, json_t* value) {
    out->layout.pin = json_is_true(value);
    return true;
}

static bool placement_take(weft_cli_layout* out, json_t* value) {
    return weft_cli_placement_parse(json_string_value(value), &out->layout.policy);
}

static bool cpus_take(weft_cli_layout* out, json_t* value) {
    uint32_t* cpus = NULL;
    uint32_t count = 0;
    if (!weft_cli_cpus_parse(json_string_value(value), &cpus, &count))
        return false;
    WEFT_ASSERT(count <= WEFT_LAYOUT_CPUS_MAX);
    memcpy(out->layout.cpus, cpus, count * sizeof(*cpus));
    out->layout.cpu_count = count;
    out->layout.policy = WEFT_PLACEMENT_LIST;
    free(cpus);
    return true;
}

static bool grain_take(weft_cli_layout* out, json_t* value) {
    return number_take(value, UINT32_MAX, &out->layout.grain);
}

static bool sweep_take(weft_cli_layout* out, json_t* value) {
    return weft_cli_sweep_parse(json_string_value(value), &out->layout.sweep);
}

static bool sweeps_take(weft_cli_layout* out, json_t* value) {
    const char* system;
    json_t* order;
    json_object_foreach(value, system, order) {
        weft_sweep sweep;
        if (!json_is_string(order) || !weft_cli_sweep_parse(json_string_value(order), &sweep) ||
            !weft_layout_order(&out->layout, system, sweep))
            return false;
    }
    return true;
}

static bool spin_take(weft_cli_layout* out, json_t* value) {
    return number_take(value, UINT32_MAX, &out->layout.spin_ns);
}

static bool yield_take(weft_cli_layout* out, json_t* value) {
    return number_take(value, UINT32_MAX, &out->layout.yield_ns);
}

static bool memory_take(weft_cli_layout* out, json_t* value) {
    for (uint32_t i = 0; i < WEFT_LAYOUT_MEMORIES; i++) {
        if (strcmp(weft_layout_memory_names[i], json_string_value(value)) != 0)
            continue;
        out->layout.memory = (weft_layout_memory)i;
        return true;
    }
    return false;
}

static bool entities_take(weft_cli_layout* out, json_t* value) {
    json_int_t count = json_integer_value(value);
    out->entity_count = count > 0 ? (uint64_t)count : 0;
    return count > 0;
}

static bool evidence_take(weft_cli_layout* out, json_t* value) {
    const char* text = json_string_value(value);
    out->is_forecast = strcmp(text, "forecast") == 0;
    return out->is_forecast || strcmp(text, "measured") == 0;
}

static bool tuned_take(weft_cli_layout* out, json_t* value) {
    (void)out;
    (void)value;
    return true;
}

#define KEYS_NEEDED 3u

static const layout_key keys[] = {
    {"format", JSON_STRING, "\"" FORMAT "\"", format_take},
    {"module", JSON_STRING, "the name of a simulation", module_take},
    {"schedule", JSON_STRING, "a hash such as \"0x0123456789abcdef\"", schedule_take},
    {"executor", JSON_STRING, "\"serial\", \"threads\" or \"processes\"", executor_take},
    {"workers", JSON_INTEGER, "a number from 0 to 1024", workers_take},
    {"pin", JSON_TRUE, "true or false", pin_take},
    {"placement", JSON_STRING, "\"spread\", \"compact\" or \"per-node\"", placement_take},
    {"cpus", JSON_STRING, "a list of CPUs such as \"0,2,4-7\"", cpus_take},
    {"grain", JSON_INTEGER, "a number of chunks; 0: by cost", grain_take},
    {"sweep", JSON_STRING, "\"auto\", \"chunk\" or \"system\"", sweep_take},
    {"sweeps", JSON_OBJECT, "an object of systems with \"auto\", \"chunk\" or \"system\" each",
     sweeps_take},
    {"spin_ns", JSON_INTEGER, "nanoseconds, below 2^32", spin_take},
    {"yield_ns", JSON_INTEGER, "nanoseconds, below 2^32", yield_take},
    {"memory", JSON_STRING, "\"huge-pages\", \"small-pages\" or \"interleaved\"", memory_take},
    {"entities", JSON_INTEGER, "a number of entities", entities_take},
    {"evidence", JSON_STRING, "\"measured\" or \"forecast\"", evidence_take},
    {"tuned", JSON_OBJECT, "an object", tuned_take},
};

#define KEY_COUNT (sizeof keys / sizeof keys[0])

static bool key_unknown(const layout_reader* reader, const char* name) {
    const char* names[KEY_COUNT];
    for (size_t i = 0; i < KEY_COUNT; i++)
        names[i] = keys[i].name;
    const char* nearest = weft_cli_nearest(name, names, KEY_COUNT);
    (void)snprintf(reader->line, reader->capacity, "%s: '%.60s' is no key of a layout%s%s%s",
                   reader->path, name, nearest != NULL ? ": did you mean '" : "",
                   nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
    return false;
}

static bool key_read(const layout_reader* reader, const char* name, json_t* value) {
    size_t at = 0;
    while (at < KEY_COUNT && strcmp(keys[at].name, name) != 0)
        at++;
    if (at == KEY_COUNT)
        return key_unknown(reader, name);
    bool typed =
        keys[at].type == JSON_TRUE ? json_is_boolean(value) : json_typeof(value) == keys[at].type;
    if (typed && keys[at].take(reader->out, value))
        return true;
    char* found = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII);
    (void)snprintf(reader->line, reader->capacity, "%s: '%s' is %.60s, not %s", reader->path, name,
                   found != NULL ? found : "?", keys[at].wanted);
    free(found);
    return false;
}

static bool root_read(const layout_reader* reader, json_t* root) {
    const char* name;
    json_t* value;
    if (!json_is_object(root)) {
        (void)snprintf(reader->line, reader->capacity, "%s: a layout is an object", reader->path);
        return false;
    }
    // Those that say whether this is a layout at all come first.
    for (size_t i = 0; i < KEYS_NEEDED; i++) {
        value = json_object_get(root, keys[i].name);
        if (value != NULL && key_read(reader, keys[i].name, value))
            continue;
        if (value == NULL)
            (void)snprintf(reader->line, reader->capacity,
                           "%s: '%s' is missing: it must be %s; `weft tune` writes layouts",
                           reader->path, keys[i].name, keys[i].wanted);
        return false;
    }
    if (json_object_get(root, "cpus") != NULL && json_object_get(root, "placement") != NULL) {
        (void)snprintf(reader->line, reader->capacity,
                       "%s: 'cpus' and 'placement' exclude each other", reader->path);
        return false;
    }
    json_object_foreach(root, name, value) {
        if (!key_read(reader, name, value))
            return false;
    }
    if (reader->out->layout.kind != WEFT_EXECUTOR_PROCESSES ||
        json_object_get(root, "memory") == NULL)
        return true;
    (void)snprintf(
        reader->line, reader->capacity,
        "%s: 'memory' is for serial and threads: worker processes share memory of a kind "
        "of its own",
        reader->path);
    return false;
}

weft_status weft_cli_layout_read(const char* path, weft_cli_layout* out, char* line,
                                 size_t capacity) {
    char* bytes = NULL;
    size_t size = 0;
    json_error_t error;
    *out = (weft_cli_layout){.layout = weft_layout_default(0)};
    if (!weft_cli_file_read(path, &bytes, &size)) {
        (void)snprintf(line, capacity, "%s: the layout cannot be read: %s", path, strerror(errno));
        return WEFT_STATUS_FILE_ERROR;
    }
    json_t* root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &error);
    free(bytes);
    layout_reader reader = {path, out, line, capacity};
    bool read = root != NULL && root_read(&reader, root);
    if (root == NULL)
        (void)snprintf(line, capacity, "%s:%d: this is no layout: %s", path, error.line,
                       error.text);
    json_decref(root);
    return read ? WEFT_STATUS_OK : WEFT_STATUS_BAD_FORMAT;
}

// Of a command line ------------------------------------------------------------------------------

weft_exit weft_cli_layout_open(weft_cli_options* options) {
    char line[WEFT_CLI_LINE_SIZE];
    if (options->layout_path == NULL)
        return WEFT_EXIT_OK;
    options->layout = calloc(1, sizeof(*options->layout));
    WEFT_ASSERT(options->layout != NULL);
    if (weft_cli_layout_read(options->layout_path, options->layout, line, sizeof line) ==
        WEFT_STATUS_OK)
        return WEFT_EXIT_OK;
    weft_cli_complain("%s", line);
    return WEFT_EXIT_FAILURE;
}

weft_status weft_cli_layout_match(const weft_cli_options* options, const char* module,
                                  const weft_schedule* schedule, char* line, size_t capacity) {
    const weft_cli_layout* file = options->layout;
    if (file == NULL)
        return WEFT_STATUS_OK;
    uint64_t hash = weft_schedule_hash(schedule);
    if (strcmp(file->module, module) != 0)
        (void)snprintf(line, capacity, "%s: a layout of '%s', this run is of '%s'",
                       options->layout_path, file->module, module);
    else if (file->schedule_hash != hash)
        (void)snprintf(line, capacity,
                       "%s: a layout for schedule 0x%016" PRIx64 ", this run has 0x%016" PRIx64
                       ": the systems, their access or their order have changed; tune again",
                       options->layout_path, file->schedule_hash, hash);
    else
        return WEFT_STATUS_OK;
    return WEFT_STATUS_IDENTITY_MISMATCH;
}

static bool cpus_are_here(const weft_topology* topology, const weft_layout* layout) {
    weft_placement placement = {layout->policy, layout->cpus, layout->cpu_count};
    weft_seat seat;
    return layout->policy != WEFT_PLACEMENT_LIST ||
           weft_topology_place(topology, &placement, 1, &seat) != WEFT_STATUS_BAD_ARGUMENT;
}

weft_exit weft_cli_layout_check(const weft_cli_options* options) {
    const weft_cli_layout* file = options->layout;
    weft_topology* topology = NULL;
    if (file == NULL || !file->is_forecast ||
        weft_topology_create(NULL, &topology) != WEFT_STATUS_OK)
        return WEFT_EXIT_OK; // If it is the topology, the run will say what is wrong.
    uint32_t here = weft_topology_suggested_workers(topology);
    bool fits = options->executor != NULL || options->worker_count != 0 ||
                file->layout.worker_count <= here;
    bool placed =
        options->has_placement || options->no_pin || cpus_are_here(topology, &file->layout);
    weft_topology_destroy(topology);
    if (!fits)
        weft_cli_complain(
            "%s: a forecast of %u workers for another machine, and this one has CPUs "
            "for %u: add --workers %u to run here with fewer, or find a layout for it "
            "by `weft tune`",
            options->layout_path, file->layout.worker_count, here, here);
    else if (!placed)
        weft_cli_complain(
            "%s: a forecast for CPUs of another machine, not all of which may be used "
            "here: add --placement spread, or find a layout for this one by `weft "
            "tune`",
            options->layout_path);
    return fits && placed ? WEFT_EXIT_OK : WEFT_EXIT_FAILURE;
}

void weft_cli_layout_apply(const weft_cli_options* options, weft_executor_desc* desc) {
    if (options->layout == NULL || desc->kind == WEFT_EXECUTOR_VIRTUAL)
        return;
    weft_executor_desc wanted = weft_layout_desc(&options->layout->layout, options->layout->sweeps);
    desc->pin = wanted.pin && !options->no_pin;
    desc->placement = wanted.placement;
    desc->grain = wanted.grain;
    desc->sweep = wanted.sweep;
    desc->sweeps = wanted.sweeps;
    desc->sweep_count = wanted.sweep_count;
    desc->spin_ns = wanted.spin_ns;
    desc->yield_ns = wanted.yield_ns;
}
