// What bisect puts into bundles, and takes from them.

#define _GNU_SOURCE // open_memstream

#include "bisect_job.h"

#include <stdlib.h>
#include <string.h>

#include "graph_report.h"
#include "machine.h"

// Writing ----------------------------------------------------------------------------------------

void bisect_module_hash(const char* module_name, char text[WEFT_DIGEST_TEXT]) {
    char* bytes;
    size_t size;
    bool file = module_name != NULL && weft_cli_module_is_path(module_name);
    text[0] = '\0';
    if (!weft_cli_file_read(file ? module_name : "/proc/self/exe", &bytes, &size))
        return;
    weft_digest_format(weft_digest_of(bytes, size, 0), text);
    free(bytes);
}

static json_t* environment_json(void) {
    weft_machine machine = weft_machine_read();
    json_t* object = json_object();
    for (uint32_t i = 0; i < machine.count; i++)
        (void)json_object_set_new(
            object, machine.fact[i].name,
            json_stringn_nocheck(machine.fact[i].text, strlen(machine.fact[i].text)));
    return object;
}

static json_t* identity_json(const bisect_job* job) {
    char hash[WEFT_DIGEST_TEXT];
    const weft_bisect_report* report = job->report;
    bisect_module_hash(job->module_name, hash);
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:o, s:o, s:s, s:o, s:o, s:o}", "weft", weft_version(), "module",
        job->module->name, "path", job->module_name != NULL ? job->module_name : "", "module_hash",
        hash, "entities", weft_cli_json_hex(job->sizes.entity_count), "seed",
        weft_cli_json_hex(job->sizes.seed), "math",
        weft_math_name(weft_cli_world_desc(job->module, &job->sizes).math), "schema",
        weft_cli_json_hex(report->schema_hash), "schedule",
        weft_cli_json_hex(report->schedule_hash), "tick", weft_cli_json_hex(job->tick));
}

static json_t* executor_json(const bisect_job* job) {
    const weft_executor_desc* desc = &job->config;
    // CPUs that were listed are those of this machine.
    weft_placement_policy placement = desc->placement.policy == WEFT_PLACEMENT_LIST
                                          ? WEFT_PLACEMENT_SPREAD
                                          : desc->placement.policy;
    uint64_t draw = job->one != NULL && job->one->drawn ? job->verify->draws.last_seed : 0;
    return json_pack(
        "{s:s, s:s, s:i, s:i, s:o, s:b, s:i, s:b, s:i, s:i, s:b, s:o, s:i, s:i, s:o, s:i, "
        "s:o}",
        "suspect", job->suspect, "from", job->reference, "kind", (int)desc->kind, "workers",
        (int)desc->worker_count, "schedule_seed", weft_cli_json_hex(desc->schedule_seed), "pin",
        (int)desc->pin, "placement", (int)placement, "no_fusion", (int)desc->no_fusion, "sweep",
        (int)desc->sweep, "grain", (int)desc->grain, "everybody", (int)desc->everybody,
        "perturb_seed", weft_cli_json_hex(desc->perturb_seed), "spin_ns", (int)desc->spin_ns,
        "yield_ns", (int)desc->yield_ns, "tick_period_ns", weft_cli_json_hex(desc->tick_period_ns),
        "checkpoint_ticks", (int)desc->checkpoint_ticks, "draw", weft_cli_json_hex(draw));
}

/// Systems by stage and rank, with what they declare. Null if there is no memory.
static char* plan_text(const bisect_job* job) {
    char* text = NULL;
    size_t size = 0;
    weft_world* world = NULL;
    weft_schedule* schedule = NULL;
    FILE* file = open_memstream(&text, &size);
    if (file == NULL)
        return NULL;
    if (weft_cli_world_make(job->module, &job->sizes, WEFT_CLI_MEMORY_PLAIN, &world, &schedule) ==
        WEFT_STATUS_OK) {
        for (uint32_t rank = 0; rank < weft_schedule_system_count(schedule); rank++) {
            (void)fprintf(
                file, "stage %u rank %u %s%s:", weft_schedule_system_stage(schedule, rank), rank,
                weft_schedule_system_name(schedule, rank),
                weft_schedule_system_scope(schedule, rank) == WEFT_SCOPE_WORLD ? " (once per tick)"
                                                                               : "");
            for (uint32_t i = 0; i < weft_schedule_access_count(schedule, rank); i++) {
                weft_access access = weft_schedule_access(schedule, rank, i);
                (void)fprintf(file, "%s %s%s%s", i > 0 ? "," : "",
                              weft_access_mode_name(access.mode), access.type != NULL ? " " : "",
                              access.type != NULL ? access.type->name : "");
            }
            (void)fputc('\n', file);
        }
    }
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
    return fclose(file) == 0 ? text : NULL;
}

/// Puts a value into a section as text, and releases it. False if there is no memory.
static bool section_json(weft_cli_bundle* bundle, weft_cli_section kind, json_t* value) {
    char* text = value != NULL ? json_dumps(value, JSON_INDENT(2)) : NULL;
    json_decref(value);
    bundle->bytes[kind] = text;
    bundle->sizes[kind] = text != NULL ? strlen(text) : 0;
    return text != NULL;
}

static void section_free(weft_cli_bundle* bundle, weft_cli_section kind) {
    free((void*)(uintptr_t)bundle->bytes[kind]);
}

weft_exit bisect_bundle_write(const bisect_job* job, const char* path) {
    char line[WEFT_CLI_LINE_SIZE] = "no memory is left for the bundle";
    const weft_bisect_report* report = job->report;
    weft_cli_bundle bundle = {0};
    char* plan = plan_text(job);
    bundle.bytes[WEFT_CLI_SECTION_STATE] = report->state;
    bundle.sizes[WEFT_CLI_SECTION_STATE] = report->state_size;
    bundle.bytes[WEFT_CLI_SECTION_INPUTS] = report->inputs;
    bundle.sizes[WEFT_CLI_SECTION_INPUTS] = report->inputs_size;
    bundle.bytes[WEFT_CLI_SECTION_PLAN] = plan;
    bundle.sizes[WEFT_CLI_SECTION_PLAN] = plan != NULL ? strlen(plan) : 0;
    weft_status status = WEFT_STATUS_OUT_OF_MEMORY;
    if (section_json(&bundle, WEFT_CLI_SECTION_IDENTITY, identity_json(job)) &&
        section_json(&bundle, WEFT_CLI_SECTION_EXECUTOR, executor_json(job)) &&
        section_json(&bundle, WEFT_CLI_SECTION_ENVIRONMENT, environment_json()) &&
        section_json(&bundle, WEFT_CLI_SECTION_FINDING, bisect_finding_json(job)) && plan != NULL)
        status = weft_cli_bundle_write(path, &bundle, line, sizeof line);
    section_free(&bundle, WEFT_CLI_SECTION_IDENTITY);
    section_free(&bundle, WEFT_CLI_SECTION_EXECUTOR);
    section_free(&bundle, WEFT_CLI_SECTION_ENVIRONMENT);
    section_free(&bundle, WEFT_CLI_SECTION_FINDING);
    free(plan);
    if (status == WEFT_STATUS_OK)
        return WEFT_EXIT_OK;
    weft_cli_complain("%s", line);
    return WEFT_EXIT_FAILURE;
}

// Reading ----------------------------------------------------------------------------------------

/// A section as JSON, or null.
static json_t* section_parse(const weft_cli_bundle* bundle, weft_cli_section kind) {
    if (bundle->bytes[kind] == NULL)
        return NULL;
    return json_loadb(bundle->bytes[kind], bundle->sizes[kind], JSON_REJECT_DUPLICATES, NULL);
}

static bool read_hex(const json_t* object, const char* name, uint64_t* out) {
    const char* text = json_string_value(json_object_get(object, name));
    return text != NULL && weft_cli_u64_parse(text, out);
}

static bool read_int(const json_t* object, const char* name, uint32_t most, uint32_t* out) {
    const json_t* value = json_object_get(object, name);
    json_int_t number = json_is_integer(value) ? json_integer_value(value) : -1;
    if (number < 0 || number > (json_int_t)most)
        return false;
    *out = (uint32_t)number;
    return true;
}

static bool read_bool(const json_t* object, const char* name, bool* out) {
    const json_t* value = json_object_get(object, name);
    *out = json_is_true(value);
    return json_is_boolean(value);
}

static bool read_text(const json_t* object, const char* name, char* out, size_t capacity) {
    const char* text = json_string_value(json_object_get(object, name));
    if (text == NULL || strlen(text) >= capacity)
        return false;
    memcpy(out, text, strlen(text) + 1);
    return true;
}

static bool read_digests(const json_t* object, const char* name, weft_verify_digests* out) {
    const json_t* pair = json_object_get(object, name);
    const char* view = json_string_value(json_object_get(pair, "view"));
    const char* full = json_string_value(json_object_get(pair, "full"));
    return view != NULL && full != NULL && weft_digest_parse(view, &out->view) == WEFT_STATUS_OK &&
           weft_digest_parse(full, &out->full) == WEFT_STATUS_OK;
}

static bool identity_read(const json_t* object, bisect_bundle* out) {
    if (!read_text(object, "path", out->module, sizeof out->module))
        return false;
    if (out->module[0] == '\0' && !read_text(object, "module", out->module, sizeof out->module))
        return false;
    return read_text(object, "module_hash", out->module_hash, sizeof out->module_hash) &&
           read_hex(object, "entities", &out->sizes.entity_count) &&
           out->sizes.entity_count <= WEFT_SLOT_LIMIT_MAX &&
           read_hex(object, "seed", &out->sizes.seed) &&
           read_hex(object, "schema", &out->schema_hash) &&
           read_hex(object, "schedule", &out->schedule_hash) &&
           read_hex(object, "tick", &out->tick);
}

static bool executor_read(const json_t* object, bisect_bundle* out) {
    weft_executor_desc* desc = &out->config;
    uint32_t kind = 0;
    uint32_t sweep = 0;
    uint32_t placement = 0;
    *desc = weft_executor_desc_default();
    bool read = read_text(object, "suspect", out->suspect, sizeof out->suspect) &&
                read_text(object, "from", out->reference, sizeof out->reference) &&
                read_int(object, "kind", WEFT_EXECUTOR_PROCESSES, &kind) &&
                read_int(object, "workers", WEFT_CLI_WORKERS_MAX, &desc->worker_count) &&
                read_hex(object, "schedule_seed", &desc->schedule_seed) &&
                read_bool(object, "pin", &desc->pin) &&
                read_int(object, "placement", WEFT_PLACEMENT_PER_NODE, &placement) &&
                read_bool(object, "no_fusion", &desc->no_fusion) &&
                read_int(object, "sweep", WEFT_SWEEP_SYSTEM_MAJOR, &sweep) &&
                read_int(object, "grain", INT32_MAX, &desc->grain) &&
                read_bool(object, "everybody", &desc->everybody) &&
                read_hex(object, "perturb_seed", &desc->perturb_seed) &&
                read_int(object, "spin_ns", INT32_MAX, &desc->spin_ns) &&
                read_int(object, "yield_ns", INT32_MAX, &desc->yield_ns) &&
                read_hex(object, "tick_period_ns", &desc->tick_period_ns) &&
                read_int(object, "checkpoint_ticks", INT32_MAX, &desc->checkpoint_ticks);
    desc->kind = (weft_executor_kind)kind;
    desc->sweep = (weft_sweep)sweep;
    desc->placement.policy = (weft_placement_policy)placement;
    return read;
}

static bool finding_read(const json_t* object, bisect_bundle* out) {
    weft_write* write = &out->write;
    const json_t* from = json_object_get(object, "write");
    const json_t* tick = json_object_get(from, "tick");
    uint32_t kind = 0;
    bool read = read_digests(object, "serial", &out->digests[0]) &&
                read_digests(object, "here", &out->digests[1]) &&
                read_int(from, "kind", WEFT_WRITE_COMMIT, &kind) && json_is_integer(tick) &&
                read_int(from, "rank", INT32_MAX, &write->rank) &&
                read_int(from, "archetype", INT32_MAX, &write->archetype) &&
                read_int(from, "shard", INT32_MAX, &write->shard) &&
                read_bool(from, "world_scope", &write->world_scope) &&
                read_text(from, "system", write->system, sizeof write->system) &&
                read_text(from, "value", write->text, sizeof write->text);
    write->kind = (weft_write_kind)kind;
    write->tick = read ? (uint64_t)json_integer_value(tick) : 0;
    return read;
}

weft_status bisect_bundle_read(const char* path, bisect_bundle* out, char* line, size_t capacity) {
    *out = (bisect_bundle){0};
    WEFT_TRY(weft_cli_bundle_read(path, &out->file, line, capacity));
    json_t* identity = section_parse(&out->file, WEFT_CLI_SECTION_IDENTITY);
    json_t* executor = section_parse(&out->file, WEFT_CLI_SECTION_EXECUTOR);
    json_t* finding = section_parse(&out->file, WEFT_CLI_SECTION_FINDING);
    const char* fault = NULL;
    if (identity == NULL || !identity_read(identity, out))
        fault = "identity";
    else if (executor == NULL || !executor_read(executor, out))
        fault = "executor";
    else if (finding == NULL || !finding_read(finding, out))
        fault = "finding";
    else if (out->tick > 0 && (out->file.bytes[WEFT_CLI_SECTION_STATE] == NULL ||
                               out->file.bytes[WEFT_CLI_SECTION_INPUTS] == NULL))
        fault = "state or inputs";
    json_decref(identity);
    json_decref(executor);
    json_decref(finding);
    if (fault == NULL)
        return WEFT_STATUS_OK;
    (void)snprintf(line, capacity, "%s: its section '%s' is missing, or not as weft %s writes it",
                   path, fault, weft_version());
    bisect_bundle_deinit(out);
    return WEFT_STATUS_BAD_FORMAT;
}

void bisect_bundle_deinit(bisect_bundle* bundle) {
    weft_cli_bundle_deinit(&bundle->file);
}
