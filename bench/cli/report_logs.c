// Series of logs as charts.

#include "report_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "series.h"

enum {
    BINS = 160,      // Of a line: the least and the largest of each are drawn.
    CHARTS_MAX = 24, // Of a log.
    LINES_MAX = 5,   // Of a chart.
};

#define SCALE_MAX 12.0 // Series whose sizes are further apart get charts of their own.

// Logs -------------------------------------------------------------------------------------------

static double size_of(const series* one) {
    double size = 0;
    for (size_t i = 0; i < one->count; i++)
        if (isfinite(one->values[i]))
            size = fmax(size, fabs(one->values[i]));
    return size;
}

static void bin_add(report_chart* chart, report_line* line, const series* one, size_t first,
                    size_t end) {
    size_t least = first;
    size_t most = first;
    for (size_t i = first; i < end; i++) {
        least = one->values[i] < one->values[least] ? i : least;
        most = one->values[i] > one->values[most] ? i : most;
    }
    size_t order[2] = {least < most ? least : most, least < most ? most : least};
    for (int i = 0; i < (least == most ? 1 : 2); i++)
        report_chart_add(chart, line,
                         (report_point){one->ticks[order[i]], one->values[order[i]], 1, 0});
}

static void line_add(report_chart* chart, const series* one) {
    report_line* line =
        report_chart_line(chart, "%s%s%s", one->table, one->column != NULL ? "." : "",
                          one->column != NULL ? one->column : ", rows");
    size_t bins = one->count < 2 * (size_t)BINS ? one->count : (size_t)BINS;
    for (size_t i = 0; i < bins; i++)
        bin_add(chart, line, one, i * one->count / bins, (i + 1) * one->count / bins);
}

/// Lines go together while they are of one table, or both numbers of rows, and of one size.
static bool goes_with(const series* first, const series* one) {
    bool same = first->column == NULL
                    ? one->column == NULL
                    : one->column != NULL && strcmp(first->table, one->table) == 0;
    double a = size_of(first);
    double b = size_of(one);
    return same && a <= b * SCALE_MAX && b <= a * SCALE_MAX;
}

static void charts_print(report_page* page, FILE* file, const series_set* set, const char* name) {
    bool* drawn = calloc(set->count + 1, sizeof *drawn);
    uint32_t charts = 0;
    uint32_t left_out = 0;
    page->failed = page->failed || drawn == NULL;
    for (size_t i = 0; drawn != NULL && i < set->count; i++) {
        report_chart chart = {.x_name = "tick", .y_name = "value"};
        const series* first = &set->at[i];
        if (drawn[i] || first->count == 0)
            continue;
        left_out += charts == CHARTS_MAX;
        for (size_t j = i; j < set->count && chart.count < LINES_MAX && charts < CHARTS_MAX; j++) {
            if (drawn[j] || set->at[j].count == 0 || !goes_with(first, &set->at[j]))
                continue;
            line_add(&chart, &set->at[j]);
            drawn[j] = true;
        }
        if (charts == CHARTS_MAX)
            continue;
        charts++;
        if (first->column == NULL)
            chart.y_name = "rows";
        (void)snprintf(chart.title, sizeof chart.title, "%.60s, %.120s", name,
                       first->column == NULL ? "rows in a tick"
                       : chart.count == 1    ? chart.lines[0].name
                                             : first->table);
        report_chart_print(page, file, &chart);
    }
    free(drawn);
    (void)fputs("</div>\n", file);
    if (left_out > 0)
        (void)fprintf(file, "<p>%u more series are left out; `weft export` has them.</p>\n",
                      left_out);
}

void report_logs(report_page* page, FILE* file) {
    size_t at = 0;
    const report_input* input = report_input_next(page, REPORT_LOG, &at);
    if (input == NULL)
        return;
    report_section(page, file, "log", "Logged series");
    for (; input != NULL; input = report_input_next(page, REPORT_LOG, &at)) {
        series_set set;
        char line[WEFT_SIMLOG_LINE];
        (void)fputs("<div class=\"charts\">\n", file);
        if (series_read(input->path, &set, line, sizeof line) == WEFT_STATUS_OK) {
            charts_print(page, file, &set, input->name);
        } else {
            report_find(page, REPORT_FAILED, "log", "%s", line);
            (void)fputs("<p>", file);
            report_text(file, line);
            (void)fputs("</p></div>\n", file);
        }
        series_forget(&set);
    }
    report_section_end(file);
}
