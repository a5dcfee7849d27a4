// A search for a layout: what came of it, what was tried, and where the time of a tick goes.

#define _GNU_SOURCE // reallocarray

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report_page.h"

#define ROWS_MAX 500u // Of each table.

// The outcome ------------------------------------------------------------------------------------

/// "0.912 (0.905 to 0.921)", as `weft tune` says it.
static const char* ratio_text(const json_t* ratio, char text[64]) {
    double estimate = report_json_number(ratio, "estimate");
    text[0] = '\0';
    if (estimate > 0 && !json_is_true(json_object_get(ratio, "certain")))
        (void)snprintf(text, 64, "%.3f", estimate);
    else if (estimate > 0)
        (void)snprintf(text, 64, "%.3f (%.3f to %.3f)", estimate, report_json_number(ratio, "low"),
                       report_json_number(ratio, "high"));
    return text;
}

/// What the search came to, in a line; the verdict has it too.
static void gain_text(const json_t* root, char* text, size_t capacity) {
    const json_t* result = json_object_get(root, "result");
    char ratio[64];
    char times[2][REPORT_NUMBER];
    if (strcmp(report_json_string(result, "best"), report_json_string(result, "default")) == 0) {
        (void)snprintf(text, capacity,
                       "none: no candidate is certainly faster than the default, which stays");
        return;
    }
    bool certain = json_is_true(json_object_get(result, "certain"));
    (void)snprintf(text, capacity,
                   "%s of the default's time, 99%%, %.0f pairs; a tick takes %s, by default %s%s",
                   ratio_text(json_object_get(result, "time_to_default"), ratio),
                   report_json_number(result, "pairs"),
                   report_time(report_json_number(result, "best_tick_ns") / 1000, times[0]),
                   report_time(report_json_number(result, "default_tick_ns") / 1000, times[1]),
                   certain ? "" : "; not certainly faster, so the default is written");
}

static void outcome_print(report_page* page, FILE* file, const json_t* root) {
    const json_t* result = json_object_get(root, "result");
    char text[512];
    char number[WEFT_CLI_NUMBER_SIZE];
    char time[WEFT_CLI_NUMBER_SIZE];
    double skipped = report_json_number(root, "skipped");
    size_t length = 0;
    (void)fputs("<dl class=\"facts\">\n", file);
    gain_text(root, text, sizeof text);
    report_term(file, "gain", text);
    report_find(page, REPORT_GOOD, "layout", "%s: gain of a layout: %s",
                report_json_string(root, "module"), text);
    (void)snprintf(text, sizeof text, "%s, in %s", report_json_string(root, "layout"),
                   report_json_string(root, "file"));
    report_term(file, "layout", text);
    report_term(file, "best", report_json_string(result, "best"));
    report_term(file, "default", report_json_string(result, "default"));
    length += (size_t)snprintf(
        text, sizeof text, "%zu candidates in %s", json_array_size(json_object_get(root, "search")),
        weft_cli_seconds(fmin(report_json_number(root, "seconds"), 1e9), time));
    if (skipped > 0)
        length += (size_t)snprintf(text + length, sizeof text - length, ", no time for %.0f more",
                                   skipped);
    if (json_is_true(json_object_get(root, "digests_compared")))
        (void)snprintf(text + length, sizeof text - length, "; the same digests in %s rounds",
                       report_number(report_json_number(root, "rounds"), number));
    else
        (void)snprintf(text + length, sizeof text - length, "; digests are not compared");
    report_term(file, "search", text);
    report_term(file, "machine", report_json_string(result, "machine"));
    (void)fputs("</dl>\n", file);
}

/// The least and the largest of what is drawn of the intervals; 1 lies inside.
static void scale_of(const json_t* search, double scale[2]) {
    const json_t* trial;
    size_t i;
    scale[0] = 0.95;
    scale[1] = 1.05;
    json_array_foreach(search, i, trial) {
        double estimate = report_json_number(json_object_get(trial, "ratio"), "estimate");
        if (estimate > 0) {
            scale[0] = fmin(scale[0], estimate * 0.97);
            scale[1] = fmax(scale[1], estimate * 1.03);
        }
    }
    scale[1] = fmin(scale[1], 3);
}

/// A ratio, or an empty cell.
static void cell_ratio(report_table* table, double ratio, bool there) {
    if (there)
        report_cell_number(table, ratio, "%.3f", ratio);
    else
        report_cell_number(table, ratio, "%s", "");
}

static void trials_print(FILE* file, const report_input* input) {
    static const char* const heads[] = {
        "factor", "candidate", "verdict", "rounds", "time, best so far = 1",
        "low",    "high",      "interval"};
    const json_t* search = json_object_get(input->json, "search");
    const json_t* trial;
    double scale[2];
    char caption[256];
    char text[REPORT_NUMBER];
    size_t i;
    scale_of(search, scale);
    (void)snprintf(caption, sizeof caption, "Layouts tried, %.200s", input->name);
    report_table table = report_table_begin(file, caption, "tttnnnni", heads, true);
    json_array_foreach(search, i, trial) {
        const json_t* ratio = json_object_get(trial, "ratio");
        double rounds = report_json_number(trial, "rounds");
        double estimate = report_json_number(ratio, "estimate");
        bool certain = json_is_true(json_object_get(ratio, "certain"));
        if (i == ROWS_MAX)
            break;
        report_cell(&table, "%s", report_json_string(trial, "factor"));
        report_cell(&table, "%s", report_json_string(trial, "candidate"));
        report_cell(&table, "%s", report_json_string(trial, "verdict"));
        report_cell_number(&table, rounds, "%s", report_number(rounds, text));
        cell_ratio(&table, estimate, estimate > 0);
        for (int j = 0; j < 2; j++) {
            double end = report_json_number(ratio, j == 0 ? "low" : "high");
            cell_ratio(&table, end, certain);
        }
        report_cell_interval(&table, estimate, certain ? report_json_number(ratio, "low") : 1,
                             certain ? report_json_number(ratio, "high") : 0, scale);
    }
    report_table_end(&table);
}

// Where the time goes ----------------------------------------------------------------------------

static double sum_of(const json_t* list, const char* key) {
    double sum = 0;
    const json_t* one;
    size_t i;
    json_array_foreach(list, i, one) sum += report_json_number(one, key);
    return sum;
}

static double share(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

static int compare_systems(const void* a, const void* b) {
    double x = report_json_number(*(const json_t* const*)a, "us");
    double y = report_json_number(*(const json_t* const*)b, "us");
    return x == y ? 0 : x > y ? -1 : 1;
}

static void system_row(report_table* table, const json_t* one, double sum) {
    static const struct {
        const char* key;
        int places;
        bool of_rows; // Nothing is said where there are none.
    } columns[] = {{"calls", 1, false},
                   {"rows", 0, false},
                   {"ns_per_row", 2, true},
                   {"bytes_per_row", 0, true},
                   {"gbs", 2, true}};
    char text[REPORT_NUMBER];
    double us = report_json_number(one, "us");
    report_cell(table, "%s", report_json_string(one, "name"));
    report_cell_number(table, report_json_number(one, "stage"), "%.0f",
                       report_json_number(one, "stage"));
    report_cell_number(table, us, "%s", report_time(us, text));
    report_cell_bar(table, us, share(us, sum), "%.1f%%", 100 * share(us, sum));
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        double value = report_json_number(one, columns[i].key);
        if (columns[i].places > 0)
            (void)snprintf(text, sizeof text, "%.*f", columns[i].places, value);
        else
            (void)report_number(round(value), text);
        if (columns[i].of_rows && report_json_number(one, "rows") <= 0)
            text[0] = '\0';
        report_cell_number(table, value, "%s", text);
    }
}

static void systems_print(report_page* page, FILE* file, const json_t* list, const char* name) {
    static const char* const heads[] = {"system", "stage",    "a tick",      "share", "calls",
                                        "rows",   "ns a row", "bytes a row", "GB/s"};
    size_t count = json_array_size(list);
    const json_t** order = reallocarray(NULL, count + 1, sizeof *order);
    char caption[256];
    page->failed = page->failed || order == NULL;
    if (order == NULL || count == 0) {
        free(order);
        return;
    }
    for (size_t i = 0; i < count; i++)
        order[i] = json_array_get(list, i);
    qsort(order, count, sizeof *order, compare_systems);
    (void)snprintf(caption, sizeof caption, "Systems, %.200s", name);
    report_table table = report_table_begin(file, caption, "tnnnnnnnn", heads, true);
    for (size_t i = 0; i < count && i < ROWS_MAX; i++)
        system_row(&table, order[i], sum_of(list, "us"));
    report_table_end(&table);
    free(order);
}

static void stages_print(FILE* file, const json_t* explained, const char* name) {
    static const char* const heads[] = {"stage", "begins with", "a tick", "share",
                                        "idle",  "items",       "longest"};
    const json_t* list = json_object_get(explained, "stages");
    const json_t* one;
    double tick = report_json_number(explained, "tick_us");
    char caption[256];
    char text[REPORT_NUMBER];
    size_t i;
    if (json_array_size(list) == 0)
        return;
    (void)snprintf(caption, sizeof caption, "Stages, %.200s", name);
    report_table table = report_table_begin(file, caption, "ntnnnnn", heads, true);
    json_array_foreach(list, i, one) {
        double us = report_json_number(one, "us");
        double idle = report_json_number(one, "idle");
        double items = report_json_number(one, "items");
        double longest = report_json_number(one, "longest_us");
        if (i == ROWS_MAX)
            break;
        report_cell(&table, "%zu", i);
        report_cell(&table, "%s", report_json_string(one, "begins_with"));
        report_cell_number(&table, us, "%s", report_time(us, text));
        report_cell_bar(&table, us, share(us, tick), "%.1f%%", 100 * share(us, tick));
        report_cell_bar(&table, idle, idle, "%.0f%%", 100 * idle);
        report_cell_number(&table, items, "%.1f", items);
        report_cell_number(&table, longest, "%s", report_time(longest, text));
    }
    report_table_end(&table);
}

/// A term whose text is made here.
static void term(FILE* file, const char* name, const char* format, ...) WEFT_PRINTF(3, 4);
static void term(FILE* file, const char* name, const char* format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    report_term(file, name, text);
}

/// What one worker does alone, and what that lets many come to.
static void alone_print(FILE* file, const json_t* explained) {
    char text[3][REPORT_NUMBER];
    double tick = report_json_number(explained, "tick_us");
    double alone = report_json_number(explained, "alone_us");
    double shared = report_json_number(explained, "shared_us");
    term(file, "alone", "%s, %.1f%% of a tick, are done by one worker: commit %s",
         report_time(alone, text[0]), 100 * share(alone, tick),
         report_time(report_json_number(explained, "commit_us"), text[1]));
    if (alone > 0)
        term(file, "limit",
             "however many workers there are, a tick is at most %s times as fast as with one: "
             "%s of work that can be shared, and %s that cannot (Amdahl's law)",
             report_number((alone + shared) / alone, text[0]), report_time(shared, text[1]),
             report_time(alone, text[2]));
}

/// Of worker processes, whom another one asks.
static void host_print(FILE* file, const json_t* root, const json_t* explained) {
    char text[REPORT_NUMBER];
    double more =
        report_json_number(explained, "host_us") - report_json_number(explained, "tick_us");
    if (more > 0 && strncmp(report_json_string(root, "layout"), "processes", 9) == 0)
        term(file, "host",
             "waits %s more for a tick than the leading worker takes for it: asking and answering, "
             "inputs, images of the world",
             report_time(more, text));
}

static void width_print(FILE* file, const json_t* explained) {
    double width = report_json_number(explained, "width");
    if (width == 1)
        report_term(file, "width", "1: any two systems are ordered");
    else
        term(file, "width", "%s%.0f systems of which no two are ordered",
             json_is_true(json_object_get(explained, "width_exact")) ? "" : "at least ", width);
}

/// What makes the record less than it should be.
static void beware_print(report_page* page, FILE* file, const json_t* root,
                         const json_t* explained) {
    const char* module = report_json_string(root, "module");
    double lost = report_json_number(explained, "ticks_with_lost_records");
    double ticks = report_json_number(explained, "ticks");
    if (json_is_true(json_object_get(explained, "disturbed"))) {
        report_term(file, "beware",
                    "a tick took longer than in the comparison: something else used the CPUs while "
                    "this was recorded");
        report_find(page, REPORT_MISSED, "layout",
                    "%s: something else used the CPUs while ticks were recorded", module);
    }
    if (lost > 0) {
        term(file, "records", "are missing of %.0f ticks of %.0f", lost, ticks);
        report_find(page, REPORT_MISSED, "layout",
                    "%s: records are missing of %.0f ticks of %.0f, so sums are too small", module,
                    lost, ticks);
    }
}

static void tick_print(report_page* page, FILE* file, const json_t* root, const json_t* explained) {
    char text[3][REPORT_NUMBER];
    double workers = report_json_number(explained, "workers");
    double ticks = report_json_number(explained, "ticks");
    double read = report_json_number(explained, "read_gbs");
    const char* many = workers == 1 ? "worker" : "workers";
    term(file, "tick",
         "%s by %.0f %s, the mean of %s ticks that were recorded, who share %s of work",
         report_time(report_json_number(explained, "tick_us"), text[0]), workers, many,
         report_number(ticks, text[2]),
         report_time(report_json_number(explained, "shared_us"), text[1]));
    alone_print(file, explained);
    host_print(file, root, explained);
    width_print(file, explained);
    if (read > 0)
        term(file, "memory", "gives %.0f %s %.1f GB/s to read and %.1f to read and write", workers,
             many, read, report_json_number(explained, "update_gbs"));
    if (workers > 1 && report_json_number(explained, "visits") > 0)
        term(file, "sharing",
             "%.1f%% of the visits of chunks were by another worker than in the tick before",
             100 * report_json_number(explained, "moves"));
    beware_print(page, file, root, explained);
}

/// The chain of systems, first to last, with what each takes.
static void chain_print(FILE* file, const json_t* explained) {
    const json_t* systems = json_object_get(explained, "systems");
    const json_t* name;
    char text[2][REPORT_NUMBER];
    size_t i;
    if (json_array_size(json_object_get(explained, "chain")) == 0)
        return;
    (void)fputs("<h4>Critical path</h4>\n<p>", file);
    report_format(file, "%s of %s of work are one chain of edges:",
                  report_time(report_json_number(explained, "chain_us"), text[0]),
                  report_time(sum_of(systems, "us"), text[1]));
    (void)fputs("</p>\n<ol class=\"chain\">\n", file);
    json_array_foreach(json_object_get(explained, "chain"), i, name) {
        const json_t* one = NULL;
        size_t j = 0;
        while ((one = json_array_get(systems, j)) != NULL &&
               !json_equal(json_object_get(one, "name"), name))
            j++;
        if (i == ROWS_MAX)
            break;
        (void)fputs("<li>", file);
        report_format(file, "%s ", json_string_value(name) != NULL ? json_string_value(name) : "");
        (void)fputs("<span class=\"note\">", file);
        report_text(file, report_time(report_json_number(one, "us"), text[0]));
        (void)fputs("</span></li>\n", file);
    }
    (void)fputs("</ol>\n", file);
}

static void advice_print(FILE* file, const json_t* advice) {
    const json_t* one;
    size_t i;
    (void)fputs("<h4>Advice</h4>\n", file);
    if (json_array_size(advice) == 0)
        (void)fputs("<p>Nothing stands out.</p>\n", file);
    else
        (void)fputs("<dl class=\"facts\">\n", file);
    json_array_foreach(advice, i, one)
        report_term(file, report_json_string(one, "kind"), report_json_string(one, "text"));
    if (json_array_size(advice) > 0)
        (void)fputs("</dl>\n", file);
}

static void explained_print(report_page* page, FILE* file, const report_input* input) {
    const json_t* explained = json_object_get(input->json, "explained");
    if (!json_is_object(explained))
        return;
    advice_print(file, json_object_get(explained, "advice"));
    (void)fputs("<h4>Where a tick goes</h4>\n<dl class=\"facts\">\n", file);
    tick_print(page, file, input->json, explained);
    (void)fputs("</dl>\n", file);
    systems_print(page, file, json_object_get(explained, "systems"), input->name);
    stages_print(file, explained, input->name);
    chain_print(file, explained);
}

void report_tune(report_page* page, FILE* file) {
    size_t at = 0;
    const report_input* input = report_input_next(page, REPORT_TUNE, &at);
    if (input == NULL)
        return;
    report_section(page, file, "layout", "Search for a layout");
    for (; input != NULL; input = report_input_next(page, REPORT_TUNE, &at)) {
        (void)fputs("<h3>", file);
        report_format(file, "%s: %s", input->name, report_json_string(input->json, "module"));
        (void)fputs("</h3>\n", file);
        outcome_print(page, file, input->json);
        (void)report_forecast_curve(page, file, input);
        explained_print(page, file, input);
        (void)fputs("<h4>What was tried</h4>\n", file);
        trials_print(file, input);
    }
    report_section_end(file);
}
