// Records: one run after its last tick, for a bisection by another program.

#include "bisect_job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <weft/state.h>

#include "machine.h"

// Writing ----------------------------------------------------------------------------------------

/// Bytes that a sink fills.
typedef struct record_bytes {
    uint8_t* bytes;
    size_t size;
    size_t capacity;
} record_bytes;

static weft_status take(void* context, const void* bytes, size_t size) {
    record_bytes* all = context;
    WEFT_ASSERT(size <= all->capacity - all->size);
    memcpy(all->bytes + all->size, bytes, size);
    all->size += size;
    return WEFT_STATUS_OK;
}

/// What made the record, in words.
static void program_text(char* text, size_t capacity) {
    weft_machine machine = weft_machine_read();
    const char* commit = weft_machine_fact(&machine, "commit");
    (void)snprintf(text, capacity, "weft %s%s%s, %.60s", weft_version(),
                   commit[0] != '\0' ? " " : "", commit, weft_machine_fact(&machine, "compiler"));
}

static char* identity_text(const bisect_record* record) {
    char program[WEFT_CLI_DRAW_SIZE];
    program_text(program, sizeof program);
    json_t* object =
        json_pack("{s:s, s:s, s:o, s:o, s:o}", "module", record->module->name, "program", program,
                  "schema", weft_cli_json_hex(weft_world_schema_hash(record->world)), "schedule",
                  weft_cli_json_hex(weft_schedule_hash(record->schedule)), "tick",
                  weft_cli_json_hex(weft_world_tick(record->world)));
    char* text = object != NULL ? json_dumps(object, 0) : NULL;
    json_decref(object);
    return text;
}

/// Tasks as a list of rank, archetype, shard and digest.
static char* outputs_text(const bisect_record* record) {
    json_t* list = json_array();
    for (size_t i = 0; i < record->output_count; i++) {
        const weft_task_output* output = &record->outputs[i];
        (void)json_array_append_new(
            list, json_pack("[I, I, I, o]", (json_int_t)output->rank, (json_int_t)output->archetype,
                            (json_int_t)output->shard, weft_cli_json_digest(output->digest)));
    }
    bool whole = list != NULL && json_array_size(list) == record->output_count;
    char* text = whole ? json_dumps(list, JSON_COMPACT) : NULL;
    json_decref(list);
    return text;
}

weft_status bisect_record_write(const char* path, const bisect_record* record, char* line,
                                size_t capacity) {
    weft_cli_bundle bundle = {0};
    record_bytes state = {.capacity = (size_t)weft_world_encoded_size(record->world)};
    state.bytes = malloc(state.capacity + 1);
    char* identity = identity_text(record);
    char* outputs = outputs_text(record);
    weft_status status = WEFT_STATUS_OUT_OF_MEMORY;
    (void)snprintf(line, capacity, "%s: no memory is left for the record", path);
    if (state.bytes != NULL && identity != NULL && outputs != NULL) {
        status = weft_world_encode(record->world, take, &state);
        if (status != WEFT_STATUS_OK)
            (void)snprintf(line, capacity, "%s", weft_world_error(record->world));
    }
    if (status == WEFT_STATUS_OK) {
        bundle.bytes[WEFT_CLI_SECTION_IDENTITY] = identity;
        bundle.sizes[WEFT_CLI_SECTION_IDENTITY] = strlen(identity);
        bundle.bytes[WEFT_CLI_SECTION_STATE] = state.bytes;
        bundle.sizes[WEFT_CLI_SECTION_STATE] = state.size;
        bundle.bytes[WEFT_CLI_SECTION_OUTPUTS] = outputs;
        bundle.sizes[WEFT_CLI_SECTION_OUTPUTS] = strlen(outputs);
        status = weft_cli_bundle_write(path, &bundle, line, capacity);
    }
    free(state.bytes);
    free(identity);
    free(outputs);
    return status;
}

// Reading ----------------------------------------------------------------------------------------

static json_t* section_parse(const weft_cli_bundle* bundle, weft_cli_section kind) {
    if (bundle->bytes[kind] == NULL)
        return NULL;
    return json_loadb(bundle->bytes[kind], bundle->sizes[kind], JSON_REJECT_DUPLICATES, NULL);
}

static bool read_hex(const json_t* object, const char* name, uint64_t* out) {
    const char* text = json_string_value(json_object_get(object, name));
    return text != NULL && weft_cli_u64_parse(text, out);
}

static bool identity_read(const json_t* object, bisect_recorded* out) {
    const char* program = json_string_value(json_object_get(object, "program"));
    if (program != NULL)
        (void)snprintf(out->program, sizeof out->program, "%s", program);
    return program != NULL && read_hex(object, "schema", &out->schema_hash) &&
           read_hex(object, "schedule", &out->schedule_hash) &&
           read_hex(object, "tick", &out->tick);
}

static bool number_read(const json_t* task, size_t index, uint32_t* out) {
    const json_t* value = json_array_get(task, index);
    json_int_t number = json_is_integer(value) ? json_integer_value(value) : -1;
    *out = (uint32_t)number;
    return number >= 0 && number <= (json_int_t)UINT32_MAX;
}

static bool outputs_read(const json_t* list, bisect_recorded* out) {
    size_t count = json_array_size(list);
    if (!json_is_array(list))
        return false;
    out->outputs = calloc(count + 1, sizeof *out->outputs);
    for (size_t i = 0; i < count && out->outputs != NULL; i++) {
        const json_t* task = json_array_get(list, i);
        weft_task_output* output = &out->outputs[i];
        const char* digest = json_string_value(json_array_get(task, 3));
        if (!number_read(task, 0, &output->rank) || !number_read(task, 1, &output->archetype) ||
            !number_read(task, 2, &output->shard) || digest == NULL ||
            weft_digest_parse(digest, &output->digest) != WEFT_STATUS_OK)
            return false;
    }
    out->output_count = count;
    return out->outputs != NULL;
}

weft_status bisect_record_read(const char* path, bisect_recorded* out, char* line,
                               size_t capacity) {
    *out = (bisect_recorded){0};
    WEFT_TRY(weft_cli_bundle_read(path, &out->file, line, capacity));
    json_t* identity = section_parse(&out->file, WEFT_CLI_SECTION_IDENTITY);
    json_t* outputs = section_parse(&out->file, WEFT_CLI_SECTION_OUTPUTS);
    bool read = out->file.bytes[WEFT_CLI_SECTION_STATE] != NULL && identity != NULL &&
                outputs != NULL && identity_read(identity, out) && outputs_read(outputs, out);
    json_decref(identity);
    json_decref(outputs);
    if (read)
        return WEFT_STATUS_OK;
    (void)snprintf(line, capacity, "%s: this is no record of `weft run`", path);
    bisect_record_deinit(out);
    return WEFT_STATUS_BAD_FORMAT;
}

void bisect_record_deinit(bisect_recorded* record) {
    free(record->outputs);
    weft_cli_bundle_deinit(&record->file);
    *record = (bisect_recorded){0};
}

// Comparing --------------------------------------------------------------------------------------

weft_exit bisect_record_compare(bisect_job* job, const bisect_recorded* record) {
    weft_world* world = NULL;
    weft_schedule* schedule = NULL;
    weft_status status =
        weft_cli_world_make(job->module, &job->sizes, WEFT_CLI_MEMORY_PLAIN, &world, &schedule);
    bool same_schema = false;
    if (status != WEFT_STATUS_OK) {
        weft_cli_complain("%s: %s [%s]", job->module->name, weft_cli_error(status, world, schedule),
                          weft_status_name(status));
    } else {
        same_schema = weft_world_schema_hash(world) == record->schema_hash;
        job->other_systems = weft_schedule_hash(schedule) != record->schedule_hash;
        if (!same_schema)
            weft_cli_complain("the builds have other components: schema 0x%016" PRIx64
                              " and 0x%016" PRIx64 ", so their states cannot be compared",
                              weft_world_schema_hash(world), record->schema_hash);
    }
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
    if (!same_schema)
        return WEFT_EXIT_FAILURE;
    weft_bisect_desc desc = bisect_job_desc(job);
    desc.after = record->file.bytes[WEFT_CLI_SECTION_STATE];
    desc.after_size = record->file.sizes[WEFT_CLI_SECTION_STATE];
    desc.outputs = job->other_systems ? NULL : record->outputs;
    desc.output_count = record->output_count;
    return bisect_job_run(job, &desc);
}
