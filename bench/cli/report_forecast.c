// Forecasts: the curve, what it is made of, and what it assumes.

#include "report_page.h"

/// The curve's points, by whatever name: objects with a number of workers.
static const json_t* curve_of(const json_t* root) {
    static const char* const keys[] = {"forecast", "forecasts", "curve", "points"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const json_t* value = json_object_get(root, keys[i]);
        if (json_is_array(value))
            return value;
        if (json_is_object(value))
            return curve_of(value);
    }
    return NULL;
}

static report_point forecast_point(const json_t* one, double first_ns) {
    double workers = report_json_number(one, "workers");
    double took = report_json_number(one, "tick_ns");
    double low = report_json_number(one, "low_ns");
    double high = report_json_number(one, "high_ns");
    if (took > 0 && first_ns > 0)
        return (report_point){workers, first_ns / took, low > 0 ? first_ns / high : 1,
                              low > 0 ? first_ns / low : 0};
    return (report_point){workers, report_json_number(one, "speedup"), 1, 0};
}

/// What one worker takes, by the first point and its speed-up.
static double one_ns(const json_t* curve) {
    const json_t* first = json_array_get(curve, 0);
    double speedup = report_json_number(first, "speedup");
    return report_json_number(first, "tick_ns") * (speedup > 0 ? speedup : 1);
}

bool report_forecast_curve(report_page* page, FILE* file, const report_input* input) {
    report_chart chart = {.x_name = "workers", .y_name = "speed-up", .has_dots = true};
    const json_t* curve = curve_of(input->json);
    const json_t* one;
    size_t i;
    if (curve == NULL)
        return false;
    const char* name = report_json_string(input->json, "simulation");
    report_line* line = report_chart_line(
        &chart, "forecast, %s", name[0] != '\0' ? name : report_json_string(input->json, "module"));
    report_line* bound = report_chart_line(&chart, "what no executor could beat");
    double first_ns = one_ns(curve);
    json_array_foreach(curve, i, one) {
        report_point point = forecast_point(one, first_ns);
        double bound_ns = report_json_number(one, "bound_ns");
        report_chart_add(&chart, line, point);
        if (bound_ns > 0 && first_ns > 0)
            report_chart_add(&chart, bound, (report_point){point.x, first_ns / bound_ns, 1, 0});
    }
    report_chart_ideal(&chart);
    (void)snprintf(chart.title, sizeof chart.title, "%.100s, forecast", input->name);
    (void)fputs("<div class=\"charts\">\n", file);
    report_chart_print(page, file, &chart);
    (void)fputs("</div>\n", file);
    return true;
}

static void points_print(FILE* file, const report_input* input) {
    static const char* const heads[] = {"workers", "cores",  "nodes", "a tick", "speed-up", "bound",
                                        "busy",    "memory", "lines", "alone",  "waiting"};
    static const char* const shares[] = {"busy", "memory", "lines", "alone", "waiting"};
    const json_t* curve = curve_of(input->json);
    const json_t* one;
    char caption[256];
    char text[REPORT_NUMBER];
    size_t i;
    (void)snprintf(caption, sizeof caption, "Where the time of the workers goes, %.200s",
                   input->name);
    report_table table = report_table_begin(file, caption, "nnnnnnnnnnn", heads, true);
    json_array_foreach(curve, i, one) {
        double tick = report_json_number(one, "tick_ns");
        double bound = report_json_number(one, "bound_ns");
        double most = bound > 0 ? one_ns(curve) / bound : 0;
        for (size_t j = 0; j < 3; j++) {
            double count = report_json_number(one, heads[j]);
            report_cell_number(&table, count, "%s", report_number(count, text));
        }
        report_cell_number(&table, tick, "%s", report_time(tick / 1000, text));
        report_cell_number(&table, report_json_number(one, "speedup"), "%.2f",
                           report_json_number(one, "speedup"));
        (void)snprintf(text, sizeof text, "%.2f", most);
        report_cell_number(&table, most, "%s", most > 0 ? text : "");
        for (size_t j = 0; j < sizeof shares / sizeof shares[0]; j++) {
            double share = report_json_number(one, shares[j]);
            report_cell_bar(&table, share, share, "%.0f%%", 100 * share);
        }
    }
    report_table_end(&table);
}

static void assumed_print(FILE* file, const json_t* assumed) {
    static const struct {
        const char* key;
        const char* name;
        const char* unit;
    } rows[] = {
        {"speed", "a core, the fastest kind", " times as fast as one of the machine that measured"},
        {"smt", "a core with two busy CPUs", " times what it does with one"},
        {"crowding", "computing with all CPUs busy", " times as long"},
        {"core_gb_s", "memory for a core", " GB/s"},
        {"node_gb_s", "memory for a NUMA node", " GB/s"},
        {"move_gb_s", "from another core's cache", " GB/s"},
        {"line_ns", "a cache line, to and fro", " ns"},
        {"join_ns", "two workers join", " ns"},
        {"claim_ns", "a claim", " ns"},
    };
    if (!json_is_object(assumed))
        return;
    (void)fputs("<details><summary>What is assumed</summary>\n<dl class=\"facts\">\n", file);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char number[REPORT_NUMBER];
        char text[128];
        double value = report_json_number(assumed, rows[i].key);
        (void)snprintf(text, sizeof text, "%s%s", report_number(value, number), rows[i].unit);
        if (value > 0)
            report_term(file, rows[i].name, text);
    }
    const json_t* lines = json_object_get(assumed, "lines");
    if (json_is_boolean(lines))
        report_term(file, "what others wrote",
                    json_is_true(lines) ? "as far as between two workers who took turns"
                                        : "as near as one's own: not measured");
    (void)fputs("</dl></details>\n", file);
}

/// "2 workers are enough: 1.85 times as fast as one".
static void enough_print(report_page* page, FILE* file, const report_input* input) {
    double enough = report_json_number(input->json, "enough");
    double best = report_json_number(input->json, "best");
    double ticks = report_json_number(input->json, "ticks");
    double disturbed = report_json_number(input->json, "disturbed");
    double speedup[2] = {0, 0};
    const json_t* one;
    size_t i;
    json_array_foreach(curve_of(input->json), i, one) {
        double workers = report_json_number(one, "workers");
        speedup[0] = workers == enough ? report_json_number(one, "speedup") : speedup[0];
        speedup[1] = workers == best ? report_json_number(one, "speedup") : speedup[1];
    }
    if (enough < 1 || speedup[0] <= 0)
        return;
    (void)fputs("<p>", file);
    report_format(file, "%.0f %s enough: %.2f times as fast as one", enough,
                  enough > 1 ? "workers are" : "worker is", speedup[0]);
    if (best != enough)
        report_format(file, "; the best are %.0f with %.2f", best, speedup[1]);
    report_format(file, ". Played from %.0f ticks of one worker", ticks);
    if (disturbed > 0)
        report_format(file, ", of which %.0f were disturbed", disturbed);
    (void)fputs(".</p>\n", file);
    report_find(page, REPORT_GOOD, "forecast", "%s: forecast: %.0f %s enough, %.2f times as fast",
                report_json_string(input->json, "simulation"), enough,
                enough > 1 ? "workers are" : "worker is", speedup[0]);
}

/// What `weft tune` for another machine chose from the forecast.
static void chosen_print(report_page* page, FILE* file, const report_input* input) {
    static const char* const heads[] = {"placement", "best workers", "a tick", "speed-up"};
    const json_t* root = input->json;
    const json_t* policy;
    char caption[256];
    char text[REPORT_NUMBER];
    size_t i;
    if (!json_is_object(json_object_get(root, "chosen")))
        return;
    (void)fputs("<p>", file);
    report_format(file,
                  "Chosen: %s, written to %s. It is a forecast, nobody has measured it: weft tune "
                  "on that machine does.",
                  report_json_string(root, "layout"), report_json_string(root, "file"));
    (void)fputs("</p>\n", file);
    report_find(page, REPORT_GOOD, "forecast", "%s: layout by forecast: %s",
                report_json_string(root, "simulation"), report_json_string(root, "layout"));
    (void)snprintf(caption, sizeof caption, "Placements, %.200s", input->name);
    report_table table = report_table_begin(file, caption, "tnnn", heads, true);
    json_array_foreach(json_object_get(root, "policies"), i, policy) {
        const char* same = report_json_string(policy, "same_as");
        double tick = report_json_number(policy, "tick_ns") / 1000;
        report_cell(&table, "%s%s%s", report_json_string(policy, "placement"),
                    same[0] != '\0' ? ", as " : "", same);
        report_cell_number(&table, report_json_number(policy, "best_workers"), "%.0f",
                           report_json_number(policy, "best_workers"));
        report_cell_number(&table, tick, "%s", report_time(tick, text));
        report_cell_number(&table, report_json_number(policy, "speedup"), "%.2f",
                           report_json_number(policy, "speedup"));
    }
    report_table_end(&table);
}

void report_forecast(report_page* page, FILE* file) {
    size_t at = 0;
    const report_input* input = report_input_next(page, REPORT_FORECAST, &at);
    if (input == NULL)
        return;
    report_section(page, file, "forecast", "Forecast");
    for (; input != NULL; input = report_input_next(page, REPORT_FORECAST, &at)) {
        (void)fputs("<h3>", file);
        report_format(file, "%s: %s", input->name, report_json_string(input->json, "simulation"));
        (void)fputs("</h3>\n", file);
        enough_print(page, file, input);
        if (!report_forecast_curve(page, file, input))
            (void)fputs("<p>It has no curve.</p>\n", file);
        else
            points_print(file, input);
        chosen_print(page, file, input);
        assumed_print(file, json_object_get(input->json, "assumed"));
    }
    report_section_end(file);
}
