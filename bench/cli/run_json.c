#include "run_json.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"

static const char* const verdict_names[] = {
    [WEFT_MEASURE_NO_TARGET] = "none",
    [WEFT_MEASURE_PASS] = "met",
    [WEFT_MEASURE_FAIL] = "missed",
};

static const char* sense_name(weft_measure_sense sense) {
    return sense == WEFT_MEASURE_AT_MOST ? "at_most" : "at_least";
}

// Writing ----------------------------------------------------------------------------------------

json_t* weft_run_json_facts(const weft_machine* facts) {
    json_t* object = json_object();
    for (uint32_t i = 0; i < facts->count; i++)
        (void)json_object_set_new(object, facts->fact[i].name, json_string(facts->fact[i].text));
    return object;
}

static json_t* conditions_json(const weft_conditions* is) {
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:b, s:I, s:I, s:I}", "seconds",
                     is->seconds, "line_before_ns", is->line_ns[0], "line_after_ns", is->line_ns[1],
                     "line_min_ns", is->line_min, "line_max_ns", is->line_max, "ghz_before",
                     is->ghz[0], "ghz_after", is->ghz[1], "others", is->others, "stolen",
                     is->stolen, "shares_known", (int)is->shares_known, "samples",
                     (json_int_t)is->samples, "disturbed", (json_int_t)is->disturbed, "repeated",
                     (json_int_t)is->repeated);
}

static json_t* row_json(const weft_measure_row* row) {
    json_t* values = json_array();
    for (uint32_t i = 0; i < row->sample_count; i++)
        (void)json_array_append_new(values, json_real(row->sample[i]));
    json_t* object = json_pack(
        "{s:s, s:s, s:f, s:f, s:f, s:f, s:s, s:I, s:I, s:I, s:s}", "name", row->name, "unit",
        row->unit, "median", row->value[WEFT_MEASURE_MEDIAN], "min", row->value[WEFT_MEASURE_MIN],
        "low", row->value[WEFT_MEASURE_LOW], "high", row->value[WEFT_MEASURE_HIGH], "sense",
        sense_name(row->sense), "samples", (json_int_t)row->sample_count, "disturbed",
        (json_int_t)row->disturbed, "repeated", (json_int_t)row->repeated, "note", row->note);
    (void)json_object_set_new(object, "values", values);
    if (row->verdict != WEFT_MEASURE_NO_TARGET)
        (void)json_object_set_new(object, "target",
                                  json_pack("{s:s, s:f, s:s}", "sense", sense_name(row->sense),
                                            "value", row->target, "verdict",
                                            verdict_names[row->verdict]));
    return object;
}

json_t* weft_run_json_table(const weft_measure_table* table, weft_status status) {
    json_t* rows = json_array();
    for (uint32_t i = 0; i < table->row_count && status == WEFT_STATUS_OK; i++)
        (void)json_array_append_new(rows, row_json(&table->row[i]));
    json_t* object = json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:o, s:o}", "name", table->name,
                               "status", weft_status_name(status), "title", table->title, "note",
                               table->note, "summary", table->summary, "passed", (int)table->passed,
                               "conditions", conditions_json(&table->conditions), "rows", rows);
    if (status != WEFT_STATUS_OK)
        (void)json_object_set_new(object, "error", json_string(table->error));
    return object;
}

json_t* weft_run_json(const weft_run_head* head, json_t* measurements) {
    return json_pack("{s:s, s:s, s:o, s:o, s:o}", "weft", weft_version(), "time", head->time,
                     "machine", weft_run_json_facts(&head->machine), "options",
                     weft_run_json_facts(&head->options), "measurements", measurements);
}

// Reading ----------------------------------------------------------------------------------------

bool weft_run_json_is(const char* path) {
    FILE* file = fopen(path, "re");
    if (file == NULL)
        return false;
    int c;
    while ((c = fgetc(file)) != EOF && isspace(c))
        ;
    (void)fclose(file);
    return c == '{';
}

static const char* text_of(const json_t* object, const char* key) {
    const char* text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

static double number_of(const json_t* object, const char* key) {
    return json_number_value(json_object_get(object, key));
}

static uint32_t count_of(const json_t* object, const char* key) {
    json_int_t count = json_integer_value(json_object_get(object, key));
    return count > 0 && count <= UINT32_MAX ? (uint32_t)count : 0;
}

static void facts_read(json_t* object, weft_machine* facts) {
    const char* name;
    json_t* text;
    json_object_foreach(object, name, text) {
        if (json_is_string(text))
            weft_machine_add(facts, name, json_string_value(text));
    }
}

static void conditions_read(const json_t* object, weft_conditions* is) {
    is->seconds = number_of(object, "seconds");
    is->line_ns[0] = number_of(object, "line_before_ns");
    is->line_ns[1] = number_of(object, "line_after_ns");
    is->line_min = number_of(object, "line_min_ns");
    is->line_max = number_of(object, "line_max_ns");
    is->ghz[0] = number_of(object, "ghz_before");
    is->ghz[1] = number_of(object, "ghz_after");
    is->others = number_of(object, "others");
    is->stolen = number_of(object, "stolen");
    is->shares_known = json_is_true(json_object_get(object, "shares_known"));
    is->samples = count_of(object, "samples");
    is->disturbed = count_of(object, "disturbed");
    is->repeated = count_of(object, "repeated");
}

static void row_read(const json_t* object, weft_measure_table* table) {
    weft_series series = {.disturbed = count_of(object, "disturbed"),
                          .repeated = count_of(object, "repeated")};
    size_t i;
    json_t* value;
    json_array_foreach(json_object_get(object, "values"), i, value)
        weft_series_add(&series, json_number_value(value));
    weft_measure_row* row =
        weft_measure_add(table, text_of(object, "unit"), &series, 1, "%s", text_of(object, "name"));
    row->sense = strcmp(text_of(object, "sense"), "at_least") == 0 ? WEFT_MEASURE_AT_LEAST
                                                                   : WEFT_MEASURE_AT_MOST;
    const json_t* target = json_object_get(object, "target");
    row->target = number_of(target, "value");
    for (int is = WEFT_MEASURE_PASS; is <= WEFT_MEASURE_FAIL; is++)
        if (strcmp(text_of(target, "verdict"), verdict_names[is]) == 0)
            row->verdict = (weft_measure_verdict)is;
}

static bool table_read(const json_t* object, weft_run* run) {
    weft_run_table* added = weft_run_add(run, text_of(object, "name"));
    if (added == NULL)
        return false;
    weft_measure_table* table = &added->table;
    (void)snprintf(added->status, sizeof added->status, "%s", text_of(object, "status"));
    (void)snprintf(table->title, sizeof table->title, "%s", text_of(object, "title"));
    (void)snprintf(table->note, sizeof table->note, "%s", text_of(object, "note"));
    (void)snprintf(table->error, sizeof table->error, "%s", text_of(object, "error"));
    conditions_read(json_object_get(object, "conditions"), &table->conditions);
    size_t i;
    json_t* row;
    json_array_foreach(json_object_get(object, "rows"), i, row) row_read(row, table);
    return true;
}

weft_status weft_run_json_load(const char* path, weft_run* out, char line[WEFT_RESULTS_LINE]) {
    json_error_t error;
    *out = (weft_run){.table_count = 0};
    json_t* root = json_load_file(path, 0, &error);
    if (root == NULL) {
        (void)snprintf(line, WEFT_RESULTS_LINE, "%.200s:%d: %.160s", path, error.line, error.text);
        return WEFT_STATUS_BAD_FORMAT;
    }
    weft_status status = WEFT_STATUS_OK;
    json_t* measurements = json_object_get(root, "measurements");
    if (!json_is_array(measurements) || !json_is_object(json_object_get(root, "machine"))) {
        (void)snprintf(line, WEFT_RESULTS_LINE,
                       "%.200s: is JSON, but not what `weft bench --json` prints", path);
        status = WEFT_STATUS_BAD_FORMAT;
    }
    (void)snprintf(out->head.time, sizeof out->head.time, "%s", text_of(root, "time"));
    facts_read(json_object_get(root, "machine"), &out->head.machine);
    facts_read(json_object_get(root, "options"), &out->head.options);
    size_t i;
    json_t* table;
    json_array_foreach(measurements, i, table) {
        if (status == WEFT_STATUS_OK && !table_read(table, out))
            status = WEFT_STATUS_OUT_OF_MEMORY;
    }
    if (status == WEFT_STATUS_OUT_OF_MEMORY)
        (void)snprintf(line, WEFT_RESULTS_LINE, "%.200s: no memory is left", path);
    json_decref(root);
    return status;
}
