// A trace: what each system cost, and who did what when, as a picture that can be zoomed.
//
// Whole ticks are drawn until the picture is full, so that what is seen is complete; the table
// counts everything.

#define _GNU_SOURCE // reallocarray

#include "report_page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHOWN_MAX = 4000, // Slices of the picture.
    DEPTH_MAX = 8,
    LANES_MAX = 64,
    COLOURS = 7, // One more is for all other systems.
};

/// Something that took time, in microseconds.
typedef struct slice {
    const char* name;
    const char* kind; // What it counts as where it is no system: "tick" for "tick 12".
    bool is_system;
    uint32_t lane;
    uint32_t depth;
    double begin;
    double length;
    double tick; // -1: not said.
} slice;

typedef struct lane {
    double process;
    double thread;
    const char* name; // Null: not said.
    uint32_t depth;   // Rows.
    double busy;      // In systems.
} lane;

/// A system, or what else has slices.
typedef struct cost {
    const char* name;
    bool is_system;
    uint64_t calls;
    double total;
    double most;
    double most_tick;
} cost;

typedef struct trace {
    slice* slices;
    size_t count;
    size_t capacity;
    lane lanes[LANES_MAX];
    uint32_t lane_count;
    cost* costs; // By name.
    size_t cost_count;
    double begin;
    double end;
    size_t shown; // Of the slices: the first ones.
    double shown_end;
    uint64_t left_out; // Slices of too many workers.
} trace;

// Reading ----------------------------------------------------------------------------------------

static lane* lane_of(trace* t, const json_t* event) {
    double process = report_json_number(event, "pid");
    double thread = report_json_number(event, "tid");
    for (uint32_t i = 0; i < t->lane_count; i++)
        if (t->lanes[i].process == process && t->lanes[i].thread == thread)
            return &t->lanes[i];
    if (t->lane_count == LANES_MAX)
        return NULL;
    t->lanes[t->lane_count] = (lane){.process = process, .thread = thread, .depth = 1};
    return &t->lanes[t->lane_count++];
}

/// Ticks and help are told apart by numbers in their names; stages stay apart.
static const char* kind_of(const json_t* event, const char* category) {
    static const char* const summed[] = {"tick", "help"};
    for (size_t i = 0; i < sizeof summed / sizeof summed[0]; i++)
        if (strcmp(category, summed[i]) == 0)
            return summed[i];
    return report_json_string(event, "name");
}

static bool add_slice(trace* t, const json_t* event) {
    lane* at = lane_of(t, event);
    const json_t* args = json_object_get(event, "args");
    const json_t* tick = json_object_get(args, "tick");
    const char* category = report_json_string(event, "cat");
    t->left_out += at == NULL;
    if (at == NULL)
        return true;
    if (t->count == t->capacity) {
        size_t wanted = t->capacity * 2 + 4096;
        slice* grown = reallocarray(t->slices, wanted, sizeof *grown);
        if (grown == NULL)
            return false;
        t->slices = grown;
        t->capacity = wanted;
    }
    t->slices[t->count++] = (slice){
        .name = report_json_string(event, "name"),
        .kind = kind_of(event, category),
        .is_system = strcmp(category, "system") == 0,
        .lane = (uint32_t)(at - t->lanes),
        .begin = report_json_number(event, "ts"),
        .length = report_json_number(event, "dur"),
        .tick = json_is_number(tick) ? json_number_value(tick) : -1,
    };
    return true;
}

/// By time; what holds another comes first.
static int compare_slices(const void* a, const void* b) {
    const slice* x = a;
    const slice* y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->length != y->length)
        return x->length > y->length ? -1 : 1;
    return (x->lane > y->lane) - (x->lane < y->lane);
}

/// How deep each slice lies in others of its lane.
static void nest(trace* t) {
    double ends[LANES_MAX][DEPTH_MAX];
    uint32_t depths[LANES_MAX] = {0};
    for (size_t i = 0; i < t->count; i++) {
        slice* s = &t->slices[i];
        uint32_t* depth = &depths[s->lane];
        // Times are rounded to nanoseconds.
        while (*depth > 0 && ends[s->lane][*depth - 1] < s->begin + s->length - 0.0015)
            --*depth;
        s->depth = *depth < DEPTH_MAX - 1 ? *depth : DEPTH_MAX - 1;
        ends[s->lane][s->depth] = s->begin + s->length;
        *depth = s->depth + 1;
        if (t->lanes[s->lane].depth < *depth)
            t->lanes[s->lane].depth = *depth;
        if (s->is_system)
            t->lanes[s->lane].busy += s->length;
    }
}

static int compare_names(const void* a, const void* b) {
    const slice* x = *(const slice* const*)a;
    const slice* y = *(const slice* const*)b;
    int order = strcmp(x->kind, y->kind);
    return order != 0 ? order : (x->is_system > y->is_system) - (x->is_system < y->is_system);
}

static int compare_costs(const void* a, const void* b) {
    const cost* x = a;
    const cost* y = b;
    if (x->is_system != y->is_system)
        return x->is_system ? -1 : 1;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return strcmp(x->name, y->name);
}

static bool sum_costs(trace* t) {
    const slice** by_name = calloc(t->count + 1, sizeof *by_name);
    t->costs = calloc(t->count + 1, sizeof *t->costs);
    if (by_name == NULL || t->costs == NULL) {
        free(by_name);
        return false;
    }
    for (size_t i = 0; i < t->count; i++)
        by_name[i] = &t->slices[i];
    if (t->count > 0)
        qsort(by_name, t->count, sizeof(slice*), compare_names);
    for (size_t i = 0; i < t->count; i++) {
        const slice* s = by_name[i];
        if (i == 0 || compare_names(&by_name[i - 1], &by_name[i]) != 0)
            t->costs[t->cost_count++] = (cost){.name = s->kind, .is_system = s->is_system};
        cost* c = &t->costs[t->cost_count - 1];
        c->calls++;
        c->total += s->length;
        if (s->length > c->most)
            c->most_tick = s->tick;
        c->most = fmax(c->most, s->length);
    }
    if (t->cost_count > 0)
        qsort(t->costs, t->cost_count, sizeof *t->costs, compare_costs);
    free(by_name);
    return true;
}

/// How many slices are drawn: whole ticks, as long as there is room, and the first one in any case.
static void choose_shown(trace* t) {
    double last = -2;
    for (size_t i = 0; i < t->count && i < SHOWN_MAX; i++) {
        bool boundary = t->slices[i].tick != last && t->slices[i].depth == 0;
        if (boundary && last != -2)
            t->shown = i;
        if (t->slices[i].tick >= 0 && t->slices[i].depth == 0)
            last = t->slices[i].tick;
    }
    if (t->count <= SHOWN_MAX)
        t->shown = t->count;
    if (t->shown == 0)
        t->shown = SHOWN_MAX;
    t->shown_end = t->begin;
    // Whoever waits for the next tick is cut off.
    for (size_t i = 0; i < t->shown; i++)
        if (strcmp(t->slices[i].kind, "wait") != 0 && strcmp(t->slices[i].kind, "host") != 0)
            t->shown_end = fmax(t->shown_end, t->slices[i].begin + t->slices[i].length);
    if (t->shown_end <= t->begin)
        t->shown_end = t->end;
}

static void name_lane(trace* t, const json_t* event) {
    lane* at = lane_of(t, event);
    if (at != NULL && strcmp(report_json_string(event, "name"), "thread_name") == 0)
        at->name = report_json_string(json_object_get(event, "args"), "name");
}

/// Begins with the first that is more than the host's own time, or waiting for it: what was done
/// before the first tick is no part of the picture. What reaches into it is cut.
static void begin_find(trace* t) {
    size_t first = 0;
    size_t kept = 0;
    while (first < t->count && (strcmp(t->slices[first].kind, "host") == 0 ||
                                strcmp(t->slices[first].kind, "wait") == 0))
        first++;
    if (t->count == 0)
        return;
    t->begin = t->slices[first < t->count ? first : 0].begin;
    for (size_t i = 0; i < t->count; i++) {
        slice s = t->slices[i];
        double end = s.begin + s.length;
        s.begin = fmax(s.begin, t->begin);
        s.length = end - s.begin;
        if (s.length > 0 || end >= t->begin)
            t->slices[kept++] = s;
    }
    t->count = kept;
    if (t->count > 0)
        qsort(t->slices, t->count, sizeof *t->slices, compare_slices);
}

static bool trace_read(trace* t, const json_t* root) {
    size_t i;
    const json_t* event;
    const json_t* events = json_is_array(root) ? root : json_object_get(root, "traceEvents");
    json_array_foreach(events, i, event) {
        const char* phase = report_json_string(event, "ph");
        if (strcmp(phase, "M") == 0)
            name_lane(t, event);
        if (strcmp(phase, "X") == 0 && report_json_number(event, "dur") >= 0 &&
            !add_slice(t, event))
            return false;
    }
    if (t->count > 0)
        qsort(t->slices, t->count, sizeof *t->slices, compare_slices);
    begin_find(t);
    if (t->count == 0)
        return true;
    for (size_t k = 0; k < t->count; k++)
        t->end = fmax(t->end, t->slices[k].begin + t->slices[k].length);
    nest(t);
    choose_shown(t);
    return sum_costs(t);
}

// Costs ------------------------------------------------------------------------------------------

/// The number of a slice's colour: systems by their cost; COLOURS for other systems, and one more
/// for what is no system.
static uint32_t colour_of(const trace* t, const slice* s) {
    if (!s->is_system)
        return COLOURS + 1;
    for (uint32_t i = 0; i < COLOURS && i < t->cost_count; i++)
        if (t->costs[i].is_system && strcmp(t->costs[i].name, s->name) == 0)
            return i;
    return COLOURS;
}

static void cost_row(report_table* table, const cost* c, double whole) {
    char text[WEFT_CLI_NUMBER_SIZE];
    report_cell(table, "%s", c->name);
    report_cell_number(table, (double)c->calls, "%s", weft_cli_number(c->calls, text));
    report_cell_number(table, c->total, "%s", report_time(c->total, text));
    report_cell_bar(table, c->total, whole > 0 ? c->total / whole : 0, "%.1f%%",
                    whole > 0 ? 100 * c->total / whole : 0);
    report_cell_number(table, c->total / (double)c->calls, "%s",
                       report_time(c->total / (double)c->calls, text));
    report_cell_number(table, c->most, "%s", report_time(c->most, text));
    if (c->most_tick >= 0)
        report_cell_number(table, c->most_tick, "%.0f", c->most_tick);
    else
        report_cell_number(table, -1, "%s", "");
}

/// Systems, or what else has slices.
static void costs_print(FILE* file, const trace* t, bool systems, const char* caption) {
    static const char* const heads[] = {"system", "calls",   "total",  "share",
                                        "mean",   "longest", "in tick"};
    const char* others[] = {"what", "calls", "total", "of the time", "mean", "longest", "in tick"};
    double whole = systems ? 0 : t->end - t->begin;
    for (size_t i = 0; i < t->cost_count; i++)
        whole += systems && t->costs[i].is_system ? t->costs[i].total : 0;
    report_table table =
        report_table_begin(file, caption, "tnnnnnn", systems ? heads : others, true);
    for (size_t i = 0; i < t->cost_count; i++)
        if (t->costs[i].is_system == systems)
            cost_row(&table, &t->costs[i], whole);
    report_table_end(&table);
}

static void lanes_print(FILE* file, const trace* t, const char* name) {
    static const char* const heads[] = {"worker", "in systems", "of the time"};
    char caption[256];
    char text[WEFT_CLI_NUMBER_SIZE];
    (void)snprintf(caption, sizeof caption, "How busy workers are in %.200s", name);
    report_table table = report_table_begin(file, caption, "tnn", heads, true);
    for (uint32_t i = 0; i < t->lane_count; i++) {
        double share = t->end > t->begin ? t->lanes[i].busy / (t->end - t->begin) : 0;
        report_cell(&table, "%s", t->lanes[i].name != NULL ? t->lanes[i].name : "");
        report_cell_number(&table, t->lanes[i].busy, "%s", report_time(t->lanes[i].busy, text));
        report_cell_bar(&table, share, share, "%.1f%%", 100 * share);
    }
    report_table_end(&table);
}

static void tables_print(FILE* file, const trace* t, const char* name) {
    char caption[256];
    if (t->cost_count > 0 && t->costs[0].is_system) {
        (void)snprintf(caption, sizeof caption, "Cost of each system in %.200s", name);
        costs_print(file, t, true, caption);
    }
    lanes_print(file, t, name);
    (void)snprintf(caption, sizeof caption, "What else takes time in %.200s", name);
    (void)fputs("<details><summary>", file);
    report_text(file, caption);
    (void)fputs("</summary>\n", file);
    costs_print(file, t, false, caption);
    (void)fputs("</details>\n", file);
}

// The picture ------------------------------------------------------------------------------------

/// Slices as boxes: x in microseconds from the begin, y in rows, so that zooming is another
/// viewBox. Names of lanes and times are text outside, which is not stretched.
static void boxes_print(FILE* file, const trace* t, uint32_t rows, const char* name) {
    char time[WEFT_CLI_NUMBER_SIZE];
    uint32_t before[LANES_MAX + 1] = {0};
    for (uint32_t i = 0; i < t->lane_count; i++)
        before[i + 1] = before[i] + t->lanes[i].depth;
    (void)fprintf(file,
                  "<svg class=\"slices\" viewBox=\"0 0 %.3f %u\" preserveAspectRatio=\"none\" "
                  "role=\"img\" aria-label=\"",
                  t->shown_end - t->begin, rows);
    report_format(file, "Timeline of %s: %u workers, %s; the tables above have its numbers", name,
                  t->lane_count, report_time(t->shown_end - t->begin, time));
    (void)fputs("\">\n", file);
    for (uint32_t i = 1; i < t->lane_count; i++)
        (void)fprintf(file, "<path class=\"between\" d=\"M0 %uH%.3f\"/>", before[i],
                      t->shown_end - t->begin);
    for (size_t i = 0; i < t->shown; i++) {
        const slice* s = &t->slices[i];
        if (s->begin > t->shown_end)
            continue;
        (void)fprintf(file,
                      "<rect class=\"c%u\" x=\"%.3f\" y=\"%.2f\" width=\"%.3f\" height=\".92\">"
                      "<title>",
                      colour_of(t, s), s->begin - t->begin, before[s->lane] + s->depth + 0.04,
                      fmin(s->length, t->shown_end - s->begin));
        report_format(file, "%s, %s", s->name, report_time(s->length, time));
        if (s->tick >= 0)
            (void)fprintf(file, ", tick %.0f", s->tick);
        (void)fputs("</title></rect>\n", file);
    }
    (void)fputs("</svg>\n", file);
}

static void legend_print(FILE* file, const trace* t) {
    uint32_t systems = 0;
    while (systems < t->cost_count && t->costs[systems].is_system)
        systems++;
    (void)fputs("<ul class=\"key\">", file);
    for (uint32_t i = 0; i <= COLOURS + 1; i++) {
        const char* name = i < COLOURS    ? i < systems ? t->costs[i].name : NULL
                           : i == COLOURS ? systems > COLOURS ? "other systems" : NULL
                                          : "ticks, stages, commits and what else is no system";
        if (name == NULL)
            continue;
        (void)fprintf(file,
                      "<li><svg viewBox=\"0 0 14 14\" aria-hidden=\"true\" focusable=\"false\">"
                      "<rect class=\"c%u\" width=\"14\" height=\"14\"/></svg> ",
                      i);
        report_text(file, name);
        (void)fputs("</li>", file);
    }
    (void)fputs("</ul>\n", file);
}

static void timeline_print(FILE* file, const trace* t, const char* name) {
    char number[WEFT_CLI_NUMBER_SIZE];
    char all[WEFT_CLI_NUMBER_SIZE];
    uint32_t rows = 0;
    for (uint32_t i = 0; i < t->lane_count; i++)
        rows += t->lanes[i].depth;
    (void)fputs("<p>", file);
    report_format(file, "The first %s of %s slices", weft_cli_number(t->shown, number),
                  weft_cli_number(t->count, all));
    if (t->shown == t->count)
        (void)fputs(", which are all", file);
    (void)fputs(". A slice lies below the one that holds it. ui.perfetto.dev shows the whole file."
                "</p>\n<div class=\"timeline\" role=\"group\" aria-label=\"Timeline\">\n"
                "<div class=\"tools\" hidden></div>\n<div class=\"lanes\">\n<div class=\"names\" "
                "aria-hidden=\"true\">",
                file);
    for (uint32_t i = 0; i < t->lane_count; i++) {
        (void)fprintf(file, "<span style=\"flex:%u\">", t->lanes[i].depth);
        report_text(file, t->lanes[i].name != NULL ? t->lanes[i].name : "worker");
        (void)fputs("</span>", file);
    }
    (void)fprintf(file, "</div>\n<div class=\"view\" style=\"height:%.2frem\">", rows * 1.15);
    boxes_print(file, t, rows, name);
    (void)fputs("</div></div>\n<div class=\"times\" aria-hidden=\"true\">", file);
    for (int i = 0; i <= 4; i++)
        (void)fprintf(file, "<span>%s</span>",
                      report_time((t->shown_end - t->begin) * i / 4, number));
    (void)fputs("</div>\n<p class=\"range\" role=\"status\"></p></div>\n", file);
    legend_print(file, t);
}

static void trace_print(report_page* page, FILE* file, const report_input* input) {
    trace t = {.count = 0};
    (void)fputs("<h3>", file);
    report_text(file, input->name);
    (void)fputs("</h3>\n", file);
    if (!trace_read(&t, input->json))
        page->failed = true;
    else if (t.count == 0)
        (void)fputs("<p>The trace has no slices.</p>\n", file);
    if (!page->failed && t.count > 0) {
        if (t.left_out > 0)
            (void)fprintf(file,
                          "<p>Only the first %d workers are counted; %" PRIu64
                          " slices of others are not.</p>\n",
                          LANES_MAX, t.left_out);
        tables_print(file, &t, input->name);
        timeline_print(file, &t, input->name);
    }
    free(t.slices);
    free(t.costs);
}

void report_traces(report_page* page, FILE* file) {
    size_t at = 0;
    const report_input* input = report_input_next(page, REPORT_TRACE, &at);
    if (input == NULL)
        return;
    report_section(page, file, "trace", "Cost of systems, and timeline");
    for (; input != NULL; input = report_input_next(page, REPORT_TRACE, &at))
        trace_print(page, file, input);
    report_section_end(file);
}
