// Measurements: their tables and targets, and the speed-up by workers.

#include "report_page.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

#define THRESHOLD 0.02 // Smaller differences are none, as for `weft bench compare`.

// Tables -----------------------------------------------------------------------------------------

static void verdict_cell(report_table* table, const weft_measure_row* row) {
    char text[64];
    char number[REPORT_NUMBER];
    if (row->verdict == WEFT_MEASURE_NO_TARGET) {
        report_cell_number(table, -1, "%s", "");
        return;
    }
    (void)snprintf(text, sizeof text, "%s: %s %s",
                   row->verdict == WEFT_MEASURE_PASS ? "met" : "missed",
                   row->sense == WEFT_MEASURE_AT_MOST ? "at most" : "at least",
                   report_number(row->target, number));
    report_cell_level(table, row->verdict == WEFT_MEASURE_PASS ? REPORT_GOOD : REPORT_MISSED, text);
}

static void rows_print(FILE* file, const weft_measure_table* of) {
    static const char* const heads[] = {"row",     "median",   "unit",   "min",
                                        "95% low", "95% high", "target", "note"};
    static const int columns[] = {WEFT_MEASURE_MIN, WEFT_MEASURE_LOW, WEFT_MEASURE_HIGH};
    char text[REPORT_NUMBER];
    report_table table = report_table_begin(file, of->title[0] != '\0' ? of->title : of->name,
                                            "tntnnntl", heads, true);
    for (uint32_t i = 0; i < of->row_count; i++) {
        const weft_measure_row* row = &of->row[i];
        double median = row->value[WEFT_MEASURE_MEDIAN];
        report_cell(&table, "%s", row->name);
        report_cell_number(&table, median, "%s", report_number(median, text));
        report_cell(&table, "%s", row->unit);
        for (size_t j = 0; j < 3; j++)
            report_cell_number(&table, row->value[columns[j]], "%s",
                               report_number(row->value[columns[j]], text));
        verdict_cell(&table, row);
        report_cell(&table, "%s", row->note);
    }
    report_table_end(&table);
}

static void table_print(report_page* page, FILE* file, const report_input* input,
                        const weft_run_table* of, uint32_t counts[3]) {
    char text[WEFT_CONDITIONS_TEXT];
    (void)fputs("<h3>", file);
    report_text(file, of->name);
    (void)fputs("</h3>\n", file);
    for (uint32_t i = 0; i < of->table.row_count; i++) {
        const weft_measure_row* row = &of->table.row[i];
        counts[row->verdict]++;
        if (row->verdict == WEFT_MEASURE_FAIL)
            report_find(page, REPORT_MISSED, "bench", "%s, %s: %s missed its target", input->name,
                        of->name, row->name);
    }
    if (strcmp(of->status, weft_status_name(WEFT_STATUS_OK)) != 0) {
        bool parted = strcmp(of->status, weft_status_name(WEFT_STATUS_DIVERGED)) == 0;
        report_find(page, parted ? REPORT_DIFFERENT : REPORT_FAILED, "bench", "%s, %s: %s",
                    input->name, of->name,
                    of->table.error[0] != '\0' ? of->table.error : of->status);
        (void)fputs("<p>", file);
        report_format(file, "Without a result: %s", of->table.error);
        (void)fputs("</p>\n", file);
        return;
    }
    if (of->table.note[0] != '\0') {
        (void)fputs("<p>", file);
        report_text(file, of->table.note);
        (void)fputs("</p>\n", file);
    }
    rows_print(file, &of->table);
    weft_conditions_text(&of->table.conditions, text);
    (void)fputs("<p class=\"note\">", file);
    report_text(file, text);
    (void)fputs("</p>\n", file);
}

static void change_row(report_table* table, const weft_compare_row* row) {
    char text[REPORT_NUMBER];
    double a = row->a->value[WEFT_MEASURE_MEDIAN];
    double b = row->b->value[WEFT_MEASURE_MEDIAN];
    report_cell(table, "%s: %s", row->measurement, row->a->name);
    report_cell(table, "%s", row->a->unit);
    report_cell_number(table, a, "%s", report_number(a, text));
    report_cell_number(table, b, "%s", report_number(b, text));
    report_cell_number(table, row->ratio.estimate, "%.3f", row->ratio.estimate);
    report_cell_number(table, row->ratio.low, "%.3f", row->ratio.low);
    report_cell_number(table, row->ratio.high, "%.3f", row->ratio.high);
    report_cell_level(table, row->change == WEFT_CHANGE_SLOWER ? REPORT_MISSED : REPORT_GOOD,
                      weft_change_names[row->change]);
}

/// Which rows of a run are faster or slower than those of the first.
static void changes_print(report_page* page, FILE* file, const report_input* first,
                          const report_input* input) {
    const char* heads[] = {"row",   "unit",    first->name, input->name,
                           "ratio", "99% low", "99% high",  "change"};
    char caption[256];
    weft_comparison is = weft_compare(&first->run, &input->run, THRESHOLD);
    uint32_t changed = is.count[WEFT_CHANGE_FASTER] + is.count[WEFT_CHANGE_SLOWER];
    report_find(page, is.count[WEFT_CHANGE_SLOWER] > 0 ? REPORT_MISSED : REPORT_GOOD, "bench",
                "%s against %s: %u rows are slower, %u faster, %u without a difference that shows",
                input->name, first->name, is.count[WEFT_CHANGE_SLOWER],
                is.count[WEFT_CHANGE_FASTER], is.count[WEFT_CHANGE_NONE]);
    for (uint32_t i = 0; i < is.warnings.count; i++) {
        (void)fputs("<p class=\"note\">", file);
        report_text(file, is.warnings.line[i]);
        (void)fputs("</p>\n", file);
    }
    if (changed > 0) {
        (void)snprintf(caption, sizeof caption, "Rows of %.100s that differ from %.100s",
                       input->name, first->name);
        report_table table = report_table_begin(file, caption, "ttnnnnnt", heads, true);
        for (uint32_t i = 0; i < is.row_count; i++)
            if (is.row[i].change != WEFT_CHANGE_NONE)
                change_row(&table, &is.row[i]);
        report_table_end(&table);
    }
    weft_comparison_deinit(&is);
}

void report_results(report_page* page, FILE* file) {
    size_t at = 0;
    const report_input* input = report_input_next(page, REPORT_RESULTS, &at);
    const report_input* first = input;
    if (input == NULL)
        return;
    report_section(page, file, "bench", "Measurements");
    for (; input != NULL; input = report_input_next(page, REPORT_RESULTS, &at)) {
        uint32_t counts[3] = {0};
        (void)fputs("<p>", file);
        report_format(file, "%s, of %s.", input->name, input->run.head.time);
        (void)fputs("</p>\n", file);
        if (input != first)
            changes_print(page, file, first, input);
        for (uint32_t i = 0; i < input->run.table_count; i++)
            table_print(page, file, input, input->run.table[i], counts);
        if (counts[WEFT_MEASURE_PASS] > 0 || counts[WEFT_MEASURE_FAIL] == 0)
            report_find(page, REPORT_GOOD, "bench", "%s: %u targets met, %u rows without a target",
                        input->name, counts[WEFT_MEASURE_PASS], counts[WEFT_MEASURE_NO_TARGET]);
    }
    report_section_end(file);
}

// Speed-up ---------------------------------------------------------------------------------------

/// Finds "8 workers" in a row's name. Sets `name` to the name with a sign in place of the number,
/// so that rows of one curve have the same. 0: there is none.
static uint32_t workers_of(const char* row, char name[WEFT_MEASURE_TEXT]) {
    for (const char* at = row; *at != '\0'; at++) {
        if (!isdigit((unsigned char)*at) ||
            (at > row && (isalnum((unsigned char)at[-1]) || strchr(".,-", at[-1]) != NULL)))
            continue;
        char* end;
        unsigned long count = strtoul(at, &end, 10);
        if (count == 0 || count > WEFT_CLI_WORKERS_MAX || strncmp(end, " worker", 7) != 0)
            continue;
        end += 7 + (end[7] == 's');
        (void)snprintf(name, WEFT_MEASURE_TEXT, "%.*sN workers%.80s", (int)(at - row), row, end);
        return (uint32_t)count;
    }
    return 0;
}

/// True if the unit says how long something takes, false if how much there is in a time.
static bool unit_is_time(const char* unit, bool* is_rate) {
    *is_rate = strlen(unit) > 2 && strcmp(unit + strlen(unit) - 2, "/s") == 0;
    return strncmp(unit, "ns", 2) == 0 || strncmp(unit, "us", 2) == 0 ||
           strncmp(unit, "ms", 2) == 0 || strcmp(unit, "s") == 0;
}

static report_point speed_point(const weft_measure_row* row, const weft_measure_row* base,
                                uint32_t workers, bool is_rate) {
    double one = base->value[WEFT_MEASURE_MEDIAN];
    const double* value = row->value;
    if (is_rate)
        return (report_point){workers, value[WEFT_MEASURE_MEDIAN] / one,
                              value[WEFT_MEASURE_LOW] / one, value[WEFT_MEASURE_HIGH] / one};
    return (report_point){workers, one / value[WEFT_MEASURE_MEDIAN], one / value[WEFT_MEASURE_HIGH],
                          one / value[WEFT_MEASURE_LOW]};
}

static int compare_points(const void* a, const void* b) {
    double x = ((const report_point*)a)->x;
    double y = ((const report_point*)b)->x;
    return (x > y) - (x < y);
}

/// True if a line before this last one has the same points.
static bool is_drawn(const report_chart* chart, const report_line* line) {
    for (const report_line* one = chart->lines; one < line; one++) {
        bool same = one->count == line->count;
        for (size_t i = 0; same && i < one->count; i++)
            same = one->points[i].x == line->points[i].x &&
                   fabs(one->points[i].y - line->points[i].y) < 1e-9 * fabs(line->points[i].y);
        if (same)
            return true;
    }
    return false;
}

/// Adds the curve that this row with one worker begins, where there are others of it.
static void curve_add(report_chart* chart, const weft_measure_table* table, uint32_t first) {
    char name[WEFT_MEASURE_TEXT];
    char other[WEFT_MEASURE_TEXT];
    const weft_measure_row* base = &table->row[first];
    bool is_rate;
    bool is_time = unit_is_time(base->unit, &is_rate);
    if (workers_of(base->name, name) != 1 || !(is_time || is_rate))
        return;
    report_line* line = NULL;
    for (uint32_t i = 0; i < table->row_count; i++) {
        const weft_measure_row* row = &table->row[i];
        uint32_t workers = workers_of(row->name, other);
        if (workers < 2 || strcmp(name, other) != 0 || strcmp(row->unit, base->unit) != 0)
            continue;
        if (line == NULL && (line = report_chart_line(chart, "%s, %s", name, base->unit)) != NULL)
            report_chart_add(chart, line, (report_point){1, 1, 1, 0});
        report_chart_add(chart, line, speed_point(row, base, workers, is_rate));
    }
    if (line == NULL)
        return;
    if (line->count > 0)
        qsort(line->points, line->count, sizeof *line->points, compare_points);
    if (is_drawn(chart, line)) { // The same samples in another unit.
        free(line->points);
        chart->count--;
    }
}

void report_speed(report_page* page, FILE* file) {
    const report_input* input;
    bool begun = false;
    for (size_t at = 0; (input = report_input_next(page, REPORT_RESULTS, &at)) != NULL;) {
        for (uint32_t i = 0; i < input->run.table_count; i++) {
            const weft_measure_table* table = &input->run.table[i]->table;
            report_chart chart = {.x_name = "workers", .y_name = "speed-up", .has_dots = true};
            for (uint32_t j = 0; j < table->row_count; j++)
                if (chart.count + 1 < REPORT_SERIES_MAX)
                    curve_add(&chart, table, j);
            if (chart.count == 0)
                continue;
            if (!begun)
                report_section(page, file, "speed", "Speed-up");
            if (!begun)
                (void)fputs("<p>Against one worker of the same row; bars are the 95% interval of "
                            "the median, and end where the picture does.</p>\n<div "
                            "class=\"charts\">\n",
                            file);
            begun = true;
            (void)snprintf(chart.title, sizeof chart.title, "%.60s, %.120s", input->name,
                           table->title[0] != '\0' ? table->title : table->name);
            report_chart_ideal(&chart);
            report_chart_print(page, file, &chart);
        }
    }
    if (begun)
        (void)fputs("</div>\n", file);
    if (begun)
        report_section_end(file);
}
