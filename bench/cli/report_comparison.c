// What was run, and whether runs that must be equal are: hash files, runs and verifications.

#include "report_page.h"

#include <inttypes.h>
#include <string.h>

#define ROWS_OPEN 12u // Longer tables without a difference are folded.

// What was run -----------------------------------------------------------------------------------

static void identity_row(report_table* table, const report_input* input, const char* module,
                         double entities, double ticks, const char* seed, const char* version) {
    char text[REPORT_NUMBER];
    report_cell(table, "%s", input->name);
    report_cell(table, "%s", report_kind_source(input->kind));
    report_cell(table, "%s", module);
    report_cell_number(table, entities, "%s", entities > 0 ? report_number(entities, text) : "");
    report_cell_number(table, ticks, "%s", ticks >= 0 ? report_number(ticks, text) : "");
    report_cell(table, "%s", seed);
    report_cell(table, "%s", version);
}

static void identity_hashes(report_table* table, const report_input* input) {
    const weft_cli_identity* is = &input->hashes.identity;
    char seed[24];
    (void)snprintf(seed, sizeof seed, "0x%016" PRIx64, is->seed);
    identity_row(table, input, is->module, (double)is->entity_count,
                 (double)input->hashes.digest_count - 1, seed, is->version);
}

static void identity_json(report_table* table, const report_input* input) {
    const json_t* root = input->json;
    if (input->kind == REPORT_TRACE)
        root = json_object_get(root, "metadata");
    bool has_ticks = json_is_integer(json_object_get(root, "ticks"));
    identity_row(table, input,
                 report_json_string(root, input->kind == REPORT_FORECAST ? "simulation" : "module"),
                 report_json_number(root, "entities"),
                 has_ticks ? report_json_number(root, "ticks") : -1,
                 report_json_string(root, "seed"), report_json_string(root, "weft"));
}

void report_identity(report_page* page, FILE* file) {
    static const char* const heads[] = {"file",  "made by", "simulation", "entities",
                                        "ticks", "seed",    "weft"};
    if (page->input_count == 0)
        return;
    report_section(page, file, "run", "What was run");
    report_table table = report_table_begin(file, "Files of this report", "tttnndt", heads, true);
    for (size_t i = 0; i < page->input_count; i++) {
        const report_input* input = &page->inputs[i];
        const weft_machine* machine = &input->run.head.machine;
        if (input->kind == REPORT_HASHES)
            identity_hashes(&table, input);
        else if (input->json != NULL && input->kind != REPORT_RESULTS)
            identity_json(&table, input);
        else
            identity_row(&table, input, "", 0, -1, "", weft_machine_fact(machine, "weft"));
    }
    report_table_end(&table);
    report_section_end(file);
}

// Hash files -------------------------------------------------------------------------------------

/// The first tick at which they differ; UINT64_MAX where they do not. Only ticks that both have.
static uint64_t first_difference(const weft_cli_hashes* a, const weft_cli_hashes* b) {
    uint64_t count = a->digest_count < b->digest_count ? a->digest_count : b->digest_count;
    for (uint64_t i = 0; i < count; i++)
        if (memcmp(&a->digests[i], &b->digests[i], sizeof a->digests[i]) != 0)
            return i;
    return UINT64_MAX;
}

/// Ticks as a strip: equal ones in one colour, the others hatched.
static void strip_print(FILE* file, uint64_t first, uint64_t count) {
    double equal = first == UINT64_MAX ? 1 : (double)first / (double)count;
    (void)fprintf(file,
                  "<div class=\"strip\" role=\"img\" aria-label=\"%.1f%% of the ticks are before "
                  "the first difference\"><span style=\"width:%.3f%%\"></span></div>\n",
                  equal * 100, equal * 100);
    (void)fprintf(file, "<p class=\"ends\"><span>tick 0</span><span>tick %" PRIu64 "</span></p>\n",
                  count - 1);
}

static void digests_print(FILE* file, const report_input* a, const report_input* b,
                          uint64_t first) {
    const char* heads[] = {"tick", "digest", a->name, b->name};
    uint64_t last = a->hashes.digest_count < b->hashes.digest_count ? a->hashes.digest_count
                                                                    : b->hashes.digest_count;
    report_table table =
        report_table_begin(file, "Digests around the first difference", "ntdd", heads, false);
    for (uint64_t i = first > 1 ? first - 2 : 0; i < last && i < first + 2; i++) {
        const weft_verify_digests* of[2] = {&a->hashes.digests[i], &b->hashes.digests[i]};
        for (int full = 0; full < 2; full++) {
            char text[2][WEFT_DIGEST_TEXT];
            for (int k = 0; k < 2; k++)
                weft_digest_format(full ? of[k]->full : of[k]->view, text[k]);
            report_cell(&table, "%" PRIu64, i);
            report_cell(&table, "%s%s", full ? "full" : "view",
                        strcmp(text[0], text[1]) == 0 ? "" : ", different");
            report_cell(&table, "%s", text[0]);
            report_cell(&table, "%s", text[1]);
        }
    }
    report_table_end(&table);
}

static void pair_print(report_page* page, FILE* file, const report_input* a,
                       const report_input* b) {
    char line[WEFT_CLI_LINE_SIZE];
    char number[WEFT_CLI_NUMBER_SIZE];
    (void)fputs("<h3>", file);
    report_format(file, "%s and %s", a->name, b->name);
    (void)fputs("</h3>\n", file);
    if (weft_cli_hashes_match(b->name, &b->hashes, &a->hashes.identity, line, sizeof line) !=
        WEFT_STATUS_OK) {
        report_find(page, REPORT_MISSED, "hashes", "%s and %s are of different runs", a->name,
                    b->name);
        (void)fputs("<p>", file);
        report_format(file, "They cannot be compared: %s", line);
        (void)fputs("</p>\n", file);
        return;
    }
    uint64_t first = first_difference(&a->hashes, &b->hashes);
    uint64_t count = a->hashes.digest_count < b->hashes.digest_count ? a->hashes.digest_count
                                                                     : b->hashes.digest_count;
    (void)fputs("<p>", file);
    if (first == UINT64_MAX) {
        report_find(page, REPORT_GOOD, "hashes",
                    "%s and %s are equal in all %s digests that both have", a->name, b->name,
                    weft_cli_number(count, number));
        report_format(file, "Equal: all digests of ticks 0 to %" PRIu64 ".", count - 1);
    } else {
        report_find(page, REPORT_DIFFERENT, "hashes", "%s and %s differ from tick %" PRIu64 " on",
                    a->name, b->name, first);
        report_format(file,
                      "Different from tick %" PRIu64 " on. The system and the field are found by ",
                      first);
        (void)fputs("<code>", file);
        report_format(file, "weft bisect %s %s SIMULATION", a->name, b->name);
        (void)fputs("</code>.", file);
    }
    (void)fputs("</p>\n", file);
    strip_print(file, first, count);
    if (first != UINT64_MAX)
        digests_print(file, a, b, first);
}

static void hashes_print(report_page* page, FILE* file) {
    size_t at = 0;
    const report_input* first = report_input_next(page, REPORT_HASHES, &at);
    const report_input* other;
    uint32_t pairs = 0;
    if (first == NULL)
        return;
    for (; (other = report_input_next(page, REPORT_HASHES, &at)) != NULL; pairs++)
        pair_print(page, file, first, other);
    if (pairs > 0)
        return;
    char text[WEFT_DIGEST_TEXT];
    weft_digest_format(first->hashes.digests[first->hashes.digest_count - 1].full, text);
    (void)fputs("<p>", file);
    report_format(file,
                  "%s has the digests of %" PRIu64
                  " ticks, the last one is %s. Give a second hash file to compare them.",
                  first->name, first->hashes.digest_count - 1, text);
    (void)fputs("</p>\n", file);
}

// Verification -----------------------------------------------------------------------------------

static report_level outcome_level(const char* outcome) {
    return strcmp(outcome, "equal") == 0       ? REPORT_GOOD
           : strcmp(outcome, "different") == 0 ? REPORT_DIFFERENT
           : strcmp(outcome, "failed") == 0    ? REPORT_FAILED
                                               : REPORT_MISSED;
}

static void outcome_row(report_table* table, const json_t* run, const char* executor) {
    const char* outcome = report_json_string(run, "result");
    char text[REPORT_NUMBER];
    double workers = report_json_number(run, "workers");
    double tick = report_json_number(run, "tick");
    bool ran = strcmp(outcome, "not_run") != 0;
    report_cell(table, "%s", executor);
    report_cell_number(table, workers, "%s", ran ? report_number(workers, text) : "");
    report_cell(table, "%s", report_json_string(run, "schedule_seed"));
    report_cell_level(table, outcome_level(outcome), ran ? outcome : "not run");
    report_cell_number(table, tick, "%s", ran ? report_number(tick, text) : "");
    report_cell(table, "%s", ran ? report_json_string(run, "full") : "");
}

static void place_print(FILE* file, const json_t* run) {
    const json_t* place = json_object_get(run, "place");
    const json_t* task = json_object_get(place, "task");
    const json_t* value = json_object_get(place, "value");
    char text[64];
    (void)fputs("<dl class=\"facts\">\n", file);
    (void)snprintf(text, sizeof text, "%.0f", report_json_number(run, "tick"));
    report_term(file, "tick", text);
    report_term(file, "system", report_json_string(task, "system"));
    report_term(file, "type", report_json_string(value, "type"));
    report_term(file, "field", report_json_string(value, "field"));
    (void)snprintf(text, sizeof text, "slot %.0f, generation %.0f",
                   report_json_number(value, "slot"), report_json_number(value, "generation"));
    report_term(file, "entity", report_json_number(value, "generation") > 0 ? text : "");
    report_term(file, "in the serial run", report_json_string(value, "serial"));
    report_term(file, "here", report_json_string(value, "here"));
    report_term(file, "error", report_json_string(run, "error"));
    report_term(file, "repeat", report_json_string(run, "repeat"));
    report_term(file, "bisect", report_json_string(run, "bisect"));
    (void)fputs("</dl>\n", file);
}

/// What a verification came to. Returns the run that differs or failed, if there is one.
static const json_t* verify_judge(report_page* page, const report_input* input) {
    const json_t* root = input->json;
    const json_t* worst = json_object_get(root, "reference");
    const json_t* last = json_object_get(json_object_get(root, "drawn"), "last");
    size_t equal = 0;
    size_t i;
    json_t* run;
    report_level level = outcome_level(report_json_string(worst, "result"));
    json_array_foreach(json_object_get(root, "runs"), i, run) {
        report_level is = outcome_level(report_json_string(run, "result"));
        equal += is == REPORT_GOOD;
        if (is > level) {
            worst = run;
            level = is;
        }
    }
    if (last != NULL && outcome_level(report_json_string(last, "result")) > level) {
        worst = last;
        level = outcome_level(report_json_string(last, "result"));
    }
    double drawn = report_json_number(json_object_get(root, "drawn"), "schedules");
    const char* module = report_json_string(root, "module");
    const char* error = report_json_string(worst, "error");
    if (level == REPORT_GOOD)
        report_find(page, level, "hashes",
                    "%s: %zu runs%s are equal to the serial run in every tick", module, equal,
                    drawn > 0 ? " and all drawn schedules" : "");
    else if (level == REPORT_MISSED)
        report_find(page, level, "hashes", "%s: not every run was made", module);
    else
        report_find(page, level, "hashes", "%s: %s with %s in tick %.0f%s%s", module,
                    level == REPORT_FAILED ? "failed" : "differs from the serial run",
                    worst == json_object_get(root, "reference")
                        ? "the serial reference"
                        : report_json_string(worst, "executor"),
                    report_json_number(worst, "tick"), error[0] != '\0' ? ": " : "", error);
    return level > REPORT_MISSED ? worst : NULL;
}

static void verify_print(report_page* page, FILE* file, const report_input* input) {
    static const char* const heads[] = {"executor", "workers", "schedule",
                                        "result",   "tick",    "full digest"};
    const json_t* shown = verify_judge(page, input);
    char caption[256];
    size_t i;
    json_t* run;
    (void)fputs("<h3>", file);
    report_format(file, "%s: %s against its serial run", input->name,
                  report_json_string(input->json, "module"));
    (void)fputs("</h3>\n", file);
    if (shown != NULL)
        place_print(file, shown);
    size_t count = json_array_size(json_object_get(input->json, "runs"));
    (void)fprintf(file, "<details%s><summary>All %zu runs</summary>\n",
                  shown != NULL || count <= ROWS_OPEN ? " open" : "", count + 1);
    (void)snprintf(caption, sizeof caption, "Runs of %.200s", input->name);
    report_table table = report_table_begin(file, caption, "tndtnd", heads, true);
    outcome_row(&table, json_object_get(input->json, "reference"), "serial, the reference");
    json_array_foreach(json_object_get(input->json, "runs"), i, run)
        outcome_row(&table, run, report_json_string(run, "executor"));
    const json_t* last = json_object_get(json_object_get(input->json, "drawn"), "last");
    if (json_is_object(last))
        outcome_row(&table, last, report_json_string(last, "executor"));
    report_table_end(&table);
    (void)fputs("</details>\n", file);
}

// Runs -------------------------------------------------------------------------------------------

/// True if two runs must have the same digests.
static bool is_same_run(const json_t* a, const json_t* b) {
    static const char* const keys[] = {"module", "entities", "ticks", "seed", "math"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!json_equal(json_object_get(a, keys[i]), json_object_get(b, keys[i])))
            return false;
    return json_is_string(json_object_get(a, "full")) && json_is_string(json_object_get(b, "full"));
}

static void run_judge(report_page* page, const report_input* input, const report_input* first) {
    const json_t* root = input->json;
    const char* error = report_json_string(root, "error");
    bool whole = json_is_string(json_object_get(root, "full"));
    if (error[0] != '\0' || !whole)
        report_find(page, REPORT_FAILED, "hashes", "%s: the run failed%s%s", input->name,
                    error[0] != '\0' ? ": " : "", error);
    else if (json_is_true(json_object_get(root, "interrupted")))
        report_find(page, REPORT_MISSED, "hashes", "%s: the run was interrupted", input->name);
    else if (first == input || !is_same_run(first->json, root))
        report_find(page, REPORT_GOOD, "hashes", "%s: the run is done", input->name);
    else if (strcmp(report_json_string(first->json, "full"), report_json_string(root, "full")) != 0)
        report_find(page, REPORT_DIFFERENT, "hashes",
                    "%s and %s are the same run with different digests", first->name, input->name);
    else
        report_find(page, REPORT_GOOD, "hashes", "%s and %s have the same digests", first->name,
                    input->name);
}

static void runs_print(report_page* page, FILE* file) {
    static const char* const heads[] = {"file",  "executor", "workers",    "ticks/s",
                                        "alive", "state",    "full digest"};
    size_t at = 0;
    const report_input* input = report_input_next(page, REPORT_RUN, &at);
    const report_input* first = input;
    if (input == NULL)
        return;
    report_table table = report_table_begin(file, "Runs", "ttnnnld", heads, true);
    for (; input != NULL; input = report_input_next(page, REPORT_RUN, &at)) {
        const json_t* executor = json_object_get(input->json, "executor");
        char text[REPORT_NUMBER];
        double rate = report_json_number(input->json, "ticks_per_second");
        double alive = report_json_number(input->json, "alive");
        run_judge(page, input, first);
        report_cell(&table, "%s", input->name);
        report_cell(&table, "%s", report_json_string(executor, "kind"));
        report_cell_number(&table, report_json_number(executor, "workers"), "%.0f",
                           report_json_number(executor, "workers"));
        report_cell_number(&table, rate, "%s", report_number(rate, text));
        report_cell_number(&table, alive, "%s", report_number(alive, text));
        report_cell(&table, "%s", report_json_string(input->json, "state"));
        report_cell(&table, "%s", report_json_string(input->json, "full"));
    }
    report_table_end(&table);
}

void report_comparison(report_page* page, FILE* file) {
    bool any = false;
    const report_input* input;
    for (size_t i = 0; i < page->input_count; i++)
        any = any || page->inputs[i].kind == REPORT_HASHES ||
              page->inputs[i].kind == REPORT_VERIFY || page->inputs[i].kind == REPORT_RUN;
    if (!any)
        return;
    report_section(page, file, "hashes", "Comparison of hashes");
    hashes_print(page, file);
    for (size_t at = 0; (input = report_input_next(page, REPORT_VERIFY, &at)) != NULL;)
        verify_print(page, file, input);
    runs_print(page, file);
    report_section_end(file);
}
