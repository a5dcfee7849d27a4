// The graph of a simulation, or of what `weft graph --json` printed.

#define _GNU_SOURCE // open_memstream

#include <stdlib.h>
#include <string.h>

#include "graph_report.h"
#include "report_graph.h"

/// What one of the forms of a graph prints, as a text; null if there is no memory.
static char* print_to_text(const graph_report* graph, weft_cli_print_fn* print) {
    char* text = NULL;
    size_t size = 0;
    FILE* file = open_memstream(&text, &size);
    if (file == NULL)
        return NULL;
    print(file, graph);
    if (fclose(file) == 0)
        return text;
    free(text);
    return NULL;
}

/// Fills the page from a graph.
static bool graph_take(report_page* page, const graph_report* graph) {
    json_error_t error;
    size_t size;
    char* json = print_to_text(graph, graph_json_print);
    char* dot = print_to_text(graph, graph_dot_print);
    page->graph = json != NULL ? json_loads(json, 0, &error) : NULL;
    if (dot != NULL)
        (void)graph_svg_make(dot, &page->picture, &size, page->no_picture, sizeof page->no_picture);
    bool taken = page->graph != NULL && dot != NULL;
    free(json);
    free(dot);
    return taken;
}

weft_exit report_graph_make(const weft_cli* cli, const weft_cli_options* options,
                            report_page* page) {
    weft_cli_module module = {0};
    weft_world* world = NULL;
    weft_schedule* schedule = NULL;
    weft_exit code;
    char line[WEFT_CLI_LINE_SIZE];
    if (weft_cli_module_open(cli, options->module, &module, &code, line, sizeof line) !=
        WEFT_STATUS_OK) {
        weft_cli_complain("--module: %s", line);
        return code;
    }
    uint64_t size = module.module->entity_count_default;
    size = size < WEFT_CLI_ENTITIES_MAX ? size : WEFT_CLI_ENTITIES_MAX;
    graph_report graph = {.module = module.module,
                          .entity_count = options->has_entity_count ? options->entity_count : size,
                          .seed = options->seed};
    const weft_module_options sizes = {graph.entity_count, graph.seed};
    weft_status status =
        weft_cli_world_make(module.module, &sizes, WEFT_CLI_MEMORY_PLAIN, &world, &schedule);
    graph.schedule = schedule;
    if (status == WEFT_STATUS_OK)
        status = graph_report_init(&graph);
    if (status == WEFT_STATUS_OK && !graph_take(page, &graph))
        status = WEFT_STATUS_OUT_OF_MEMORY;
    if (status != WEFT_STATUS_OK)
        weft_cli_complain("%s: %s [%s]", module.module->name,
                          weft_cli_error(status, world, schedule), weft_status_name(status));
    graph_report_deinit(&graph);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
    weft_cli_module_close(&module);
    return status == WEFT_STATUS_OK ? WEFT_EXIT_OK : WEFT_EXIT_FAILURE;
}

static void edges_print(FILE* file, const json_t* graph, const char* caption) {
    static const char* const heads[] = {"from", "to", "because of", "order", "reason"};
    size_t i;
    json_t* edge;
    report_table table = report_table_begin(file, caption, "ttttl", heads, true);
    json_array_foreach(json_object_get(graph, "edges"), i, edge) {
        report_cell(&table, "%s", report_json_string(edge, "from"));
        report_cell(&table, "%s", report_json_string(edge, "to"));
        report_cell(&table, "%s", report_json_string(edge, "type"));
        report_cell(&table, "%s", report_json_string(edge, "order"));
        report_cell(&table, "%s", report_json_string(edge, "reason"));
    }
    report_table_end(&table);
}

static void systems_print(FILE* file, const json_t* graph, const char* caption) {
    static const char* const heads[] = {"system", "stage", "scope", "access"};
    size_t i;
    size_t j;
    json_t* system;
    json_t* access;
    report_table table = report_table_begin(file, caption, "tntl", heads, true);
    json_array_foreach(json_object_get(graph, "systems"), i, system) {
        char text[1024] = "";
        size_t length = 0;
        json_array_foreach(json_object_get(system, "access"), j, access) {
            if (length < sizeof text)
                length += (size_t)snprintf(text + length, sizeof text - length, "%s%s %s",
                                           j > 0 ? ", " : "", report_json_string(access, "mode"),
                                           report_json_string(access, "type"));
        }
        report_cell(&table, "%s", report_json_string(system, "name"));
        report_cell_number(&table, report_json_number(system, "stage"), "%.0f",
                           report_json_number(system, "stage"));
        report_cell(&table, "%s", report_json_string(system, "scope"));
        report_cell(&table, "%s", text);
    }
    report_table_end(&table);
}

/// The picture without what stands before it in a file of its own.
static void picture_print(FILE* file, const report_page* page, const char* name) {
    const char* svg = page->picture != NULL ? strstr(page->picture, "<svg") : NULL;
    if (svg == NULL) {
        (void)fputs("<p>", file);
        report_format(file, "There is no picture: %s", page->no_picture);
        (void)fputs("</p>\n", file);
        return;
    }
    (void)fputs(
        "<div class=\"scroll graph\" tabindex=\"0\" role=\"region\" aria-label=\"Picture of "
        "the graph\"><svg role=\"img\" aria-label=\"",
        file);
    report_format(file, "Graph of %s; the tables below have its edges and systems", name);
    (void)fprintf(file, "\"%s</div>\n", svg + strlen("<svg"));
}

static void one_print(FILE* file, const json_t* graph, const char* name) {
    char caption[256];
    (void)snprintf(caption, sizeof caption, "Edges of %.200s", name);
    edges_print(file, graph, caption);
    (void)snprintf(caption, sizeof caption, "Systems of %.200s", name);
    systems_print(file, graph, caption);
}

void report_graph(report_page* page, FILE* file) {
    size_t at = 0;
    const report_input* input = report_input_next(page, REPORT_GRAPH, &at);
    if (input == NULL && page->graph == NULL)
        return;
    report_section(page, file, "graph", "Graph of systems");
    if (page->graph != NULL) {
        const char* name = report_json_string(page->graph, "module");
        (void)fputs("<p>Each edge makes a system wait for another. A thick line is the longest "
                    "chain, a dashed one is ordered by registration alone.</p>\n",
                    file);
        picture_print(file, page, name);
        one_print(file, page->graph, name);
    }
    for (; input != NULL; input = report_input_next(page, REPORT_GRAPH, &at))
        one_print(file, input->json, input->name);
    report_section_end(file);
}
