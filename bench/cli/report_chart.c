// Line charts as SVG, which scales, prints, and needs no script.
//
// Lines differ by colour, by dashes and by the shape of their dots. The numbers stand below in a
// table.

#define _GNU_SOURCE // reallocarray

#include "report_page.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

enum {
    WIDTH = 420,
    HEIGHT = 250,
    LEFT = 58,
    RIGHT = 12,
    TOP = 10,
    BOTTOM = 40,
    TABLE_ROWS_MAX = 60,
    IDEAL_STEPS = 24,
    TICKS_MAX = 24, // Of an axis: where numbers are too large to have a next one.
};

#define POWERS_FROM 16.0 // With more workers each step of the axis is twice as many.

/// Where values go.
typedef struct frame {
    double x_min;
    double x_max;
    double y_min;
    double y_max;
    bool is_log; // x.
} frame;

report_line* report_chart_line(report_chart* chart, const char* format, ...) {
    va_list args;
    if (chart->count == REPORT_SERIES_MAX)
        return NULL;
    report_line* line = &chart->lines[chart->count++];
    *line = (report_line){.count = 0};
    va_start(args, format);
    (void)vsnprintf(line->name, sizeof line->name, format, args);
    va_end(args);
    return line;
}

void report_chart_add(report_chart* chart, report_line* line, report_point point) {
    if (line == NULL || !isfinite(point.x) || !isfinite(point.y))
        return;
    if (line->count == line->capacity) {
        size_t wanted = line->capacity * 2 + 32;
        report_point* grown = reallocarray(line->points, wanted, sizeof *grown);
        chart->failed = chart->failed || grown == NULL;
        if (grown == NULL)
            return;
        line->points = grown;
        line->capacity = wanted;
    }
    line->points[line->count++] = point;
}

void report_chart_ideal(report_chart* chart) {
    double most = 1;
    double high = 1;
    for (uint32_t i = 0; i < chart->count; i++)
        for (size_t j = 0; j < chart->lines[i].count; j++) {
            most = fmax(most, chart->lines[i].points[j].x);
            high = fmax(high, chart->lines[i].points[j].y);
        }
    report_line* ideal = report_chart_line(chart, "ideal: as many times as fast as workers");
    if (ideal == NULL)
        return;
    most = fmin(most, fmax(2, high * 1.6));
    ideal->is_ideal = true;
    // Many points: the axis may be one of powers.
    for (int i = 0; i <= IDEAL_STEPS; i++) {
        double at = 1 + (most - 1) * i / IDEAL_STEPS;
        report_chart_add(chart, ideal, (report_point){at, at, 1, 0});
    }
}

static bool has_interval(const report_point* point) {
    return point->low <= point->high && isfinite(point->low) && isfinite(point->high);
}

/// The frame of all lines; intervals may stick out of it, as one of them can be a hundred times as
/// high as what is to be seen.
static frame frame_of(const report_chart* chart) {
    const double most = (double)INFINITY;
    frame f = {most, -most, 0, -most, false};
    for (uint32_t i = 0; i < chart->count; i++) {
        for (size_t j = 0; j < chart->lines[i].count; j++) {
            const report_point* point = &chart->lines[i].points[j];
            f.x_min = fmin(f.x_min, point->x);
            f.x_max = fmax(f.x_max, point->x);
            f.y_min = fmin(f.y_min, point->y);
            f.y_max = fmax(f.y_max, point->y);
        }
    }
    if (!isfinite(f.x_min))
        return (frame){0, 1, 0, 1, false};
    if (f.x_max <= f.x_min)
        f = (frame){f.x_min - 1, f.x_max + 1, f.y_min, f.y_max, false};
    if (f.y_max <= f.y_min)
        f.y_max = f.y_min + 1;
    f.is_log = chart->has_dots && f.x_min > 0 && f.x_max / f.x_min > POWERS_FROM;
    double margin = chart->has_dots ? (f.x_max - f.x_min) * 0.05 : 0;
    f.x_max = f.is_log ? f.x_max * 1.2 : f.x_max + margin;
    f.x_min = f.is_log ? f.x_min / 1.2 : f.x_min - margin;
    f.y_max += (f.y_max - f.y_min) * 0.06;
    return f;
}

static double x_of(const frame* f, double x) {
    double part = f->is_log ? log(x / f->x_min) / log(f->x_max / f->x_min)
                            : (x - f->x_min) / (f->x_max - f->x_min);
    return LEFT + part * (WIDTH - LEFT - RIGHT);
}

static double y_of(const frame* f, double y) {
    double at = HEIGHT - BOTTOM - (y - f->y_min) / (f->y_max - f->y_min) * (HEIGHT - TOP - BOTTOM);
    return fmin(fmax(at, TOP), HEIGHT - BOTTOM);
}

/// 1, 2 or 5 times a power of ten, so that `count` steps are enough.
static double step_of(double span, int count) {
    double rough = span / count;
    double power = pow(10, floor(log10(rough)));
    double times = rough / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

/// A tick's label, short: "20k".
static void label_print(FILE* file, double value) {
    double size = fabs(value);
    if (size >= 1e9)
        (void)fprintf(file, "%.4gG", value / 1e9);
    else if (size >= 1e6)
        (void)fprintf(file, "%.4gM", value / 1e6);
    else if (size >= 1e4)
        (void)fprintf(file, "%.4gk", value / 1e3);
    else
        (void)fprintf(file, "%.4g", value);
}

static void axes_print(FILE* file, const report_chart* chart, const frame* f) {
    double x_step = step_of(f->x_max - f->x_min, 6);
    double y_step = step_of(f->y_max - f->y_min, 5);
    if (chart->has_dots && x_step < 1)
        x_step = 1; // Workers are whole.
    double y = ceil(f->y_min / y_step) * y_step;
    for (int i = 0; i < TICKS_MAX && y <= f->y_max; i++, y += y_step) {
        y = fabs(y) < y_step / 1e6 ? 0 : y;
        (void)fprintf(file,
                      "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text class=\"y\" x=\"%d\" "
                      "y=\"%.1f\">",
                      LEFT, y_of(f, y), WIDTH - RIGHT, LEFT - 6, y_of(f, y) + 4);
        label_print(file, y);
        (void)fputs("</text>\n", file);
    }
    double x = f->is_log ? 1 : ceil(f->x_min / x_step) * x_step;
    for (int i = 0; i < TICKS_MAX && x <= f->x_max; i++, x = f->is_log ? x * 2 : x + x_step) {
        x = fabs(x) < x_step / 1e6 ? 0 : x;
        if (x < f->x_min)
            continue;
        (void)fprintf(file,
                      "<path class=\"tick\" d=\"M%.1f %dv5\"/><text class=\"x\" x=\"%.1f\" "
                      "y=\"%d\">",
                      x_of(f, x), HEIGHT - BOTTOM, x_of(f, x), HEIGHT - BOTTOM + 17);
        label_print(file, x);
        (void)fputs("</text>\n", file);
    }
    (void)fprintf(
        file, "<path class=\"axis\" d=\"M%d %dV%dH%d\"/><text class=\"x\" x=\"%d\" y=\"%d\">", LEFT,
        TOP, HEIGHT - BOTTOM, WIDTH - RIGHT, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 5);
    report_text(file, chart->x_name);
    (void)fprintf(file, "</text><text class=\"x\" transform=\"translate(12 %d) rotate(-90)\">",
                  (TOP + HEIGHT - BOTTOM) / 2);
    report_text(file, chart->y_name);
    (void)fputs("</text>\n", file);
}

static void dot_print(FILE* file, uint32_t number, double x, double y) {
    static const char* const shapes[] = {"M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z", "M-3.5-3.5h7v7h-7Z",
                                         "M0-4.5 4.5 3.5h-9Z", "M0-5 5 0 0 5-5 0Z"};
    (void)fprintf(file, "<path class=\"dot c%u\" transform=\"translate(%.1f %.1f)\" d=\"%s\"/>",
                  number, x, y, shapes[number % 4]);
}

static void line_print(FILE* file, const report_chart* chart, uint32_t number, const frame* f) {
    const report_line* line = &chart->lines[number];
    (void)fprintf(file, "<path class=\"line %s%u\" d=\"", line->is_ideal ? "ideal c" : "c", number);
    for (size_t i = 0; i < line->count; i++)
        (void)fprintf(file, "%c%.1f %.1f", i == 0 ? 'M' : 'L', x_of(f, line->points[i].x),
                      y_of(f, line->points[i].y));
    (void)fputs("\"/>\n", file);
    for (size_t i = 0; i < line->count && chart->has_dots && !line->is_ideal; i++) {
        const report_point* point = &line->points[i];
        double x = x_of(f, point->x);
        if (has_interval(point))
            (void)fprintf(
                file, "<path class=\"bar c%u\" d=\"M%.1f %.1fV%.1fm-4 0h8M%.1f %.1fh8\"/>", number,
                x, y_of(f, point->low), y_of(f, point->high), x - 4, y_of(f, point->low));
        dot_print(file, number, x, y_of(f, point->y));
    }
    (void)fputc('\n', file);
}

static void key_print(FILE* file, const report_chart* chart) {
    (void)fputs("<ul class=\"key\">", file);
    for (uint32_t i = 0; i < chart->count; i++) {
        const report_line* line = &chart->lines[i];
        (void)fprintf(file,
                      "<li><svg viewBox=\"-14 -7 28 14\" aria-hidden=\"true\" focusable=\"false\">"
                      "<path class=\"line %s%u\" d=\"M-13 0h26\"/>",
                      line->is_ideal ? "ideal c" : "c", i);
        if (chart->has_dots && !line->is_ideal)
            dot_print(file, i, 0, 0);
        (void)fputs("</svg> ", file);
        report_text(file, line->name);
        (void)fputs("</li>", file);
    }
    (void)fputs("</ul>\n", file);
}

/// The numbers; of long lines every so many points.
static void numbers_print(FILE* file, const report_chart* chart) {
    const char* heads[] = {"line", chart->x_name, chart->y_name, "95% low", "95% high"};
    bool intervals = false;
    for (uint32_t i = 0; i < chart->count; i++)
        for (size_t j = 0; j < chart->lines[i].count; j++)
            intervals = intervals || has_interval(&chart->lines[i].points[j]);
    (void)fputs("<details><summary>The numbers</summary>\n", file);
    char caption[240];
    (void)snprintf(caption, sizeof caption, "%s, numbers", chart->title);
    report_table table =
        report_table_begin(file, caption, intervals ? "tnnnn" : "tnn", heads, true);
    for (uint32_t i = 0; i < chart->count; i++) {
        const report_line* line = &chart->lines[i];
        size_t step = line->count / TABLE_ROWS_MAX + 1;
        for (size_t j = 0; j < line->count && !line->is_ideal; j += step) {
            const report_point* point = &line->points[j];
            char text[REPORT_NUMBER];
            report_cell(&table, "%s", line->name);
            report_cell_number(&table, point->x, "%s", report_number(point->x, text));
            report_cell_number(&table, point->y, "%s", report_number(point->y, text));
            if (!intervals)
                continue;
            bool has = has_interval(point);
            report_cell_number(&table, point->low, "%s",
                               has ? report_number(point->low, text) : "");
            report_cell_number(&table, point->high, "%s",
                               has ? report_number(point->high, text) : "");
        }
    }
    report_table_end(&table);
    (void)fputs("</details>\n", file);
}

void report_chart_print(report_page* page, FILE* file, report_chart* chart) {
    frame f = frame_of(chart);
    (void)fprintf(file, "<figure class=\"chart\">\n<figcaption>");
    report_text(file, chart->title);
    (void)fprintf(file, "</figcaption>\n<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"",
                  WIDTH, HEIGHT);
    report_format(file, "%s: %s by %s, %u line%s; the numbers follow", chart->title, chart->y_name,
                  chart->x_name, chart->count, chart->count == 1 ? "" : "s");
    (void)fputs("\">\n", file);
    axes_print(file, chart, &f);
    for (uint32_t i = 0; i < chart->count; i++)
        line_print(file, chart, i, &f);
    (void)fputs("</svg>\n", file);
    if (chart->count > 1 || chart->lines[0].is_ideal)
        key_print(file, chart);
    numbers_print(file, chart);
    (void)fputs("</figure>\n", file);
    page->failed = page->failed || chart->failed;
    for (uint32_t i = 0; i < chart->count; i++)
        free(chart->lines[i].points);
    chart->count = 0;
}
