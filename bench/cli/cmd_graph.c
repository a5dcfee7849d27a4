// weft graph: how the systems of a simulation are ordered, and why.

#define _GNU_SOURCE // open_memstream

#include <stdlib.h>
#include <string.h>

#include "graph_report.h"

typedef enum graph_format {
    FORMAT_TEXT,
    FORMAT_JSON,
    FORMAT_DOT,
    FORMAT_SVG,
    FORMAT_COUNT,
} graph_format;

static const char* const format_names[FORMAT_COUNT] = {"text", "json", "dot", "svg"};

/// A format by its name; FORMAT_COUNT if there is none.
static graph_format format_find(const char* name) {
    int i = 0;
    while (i < FORMAT_COUNT && strcmp(format_names[i], name) != 0)
        i++;
    return (graph_format)i;
}

/// The format that is asked for, or that the output's name ends in.
static weft_exit format_choose(const weft_cli_options* options, graph_format* out) {
    const char* dot =
        options->output_path != NULL ? strrchr(options->output_path, '.') : (const char*)NULL;
    *out = dot != NULL ? format_find(dot + 1) : FORMAT_COUNT;
    if (*out == FORMAT_COUNT)
        *out = FORMAT_TEXT;
    if (options->json)
        *out = FORMAT_JSON;
    if (options->format != NULL) {
        *out = format_find(options->format);
        if (*out == FORMAT_COUNT) {
            weft_cli_complain("--format: '%s' is not text, json, dot or svg", options->format);
            return WEFT_EXIT_USAGE;
        }
        if (options->json && *out != FORMAT_JSON) {
            weft_cli_complain("--json and --format %s exclude each other", options->format);
            return WEFT_EXIT_USAGE;
        }
    }
    if (options->why && *out > FORMAT_JSON) {
        weft_cli_complain("--why has no picture: use --format text or json");
        return WEFT_EXIT_USAGE;
    }
    return WEFT_EXIT_OK;
}

/// Notes what --deny names. False if one is no such thing, which is said.
static bool deny_parse(const char* list, bool denied[GRAPH_DENY_COUNT]) {
    for (const char* at = list;; at++) {
        size_t length = strcspn(at, ",");
        int i = 0;
        while (i < GRAPH_DENY_COUNT && (strlen(graph_deny_name((graph_deny)i)) != length ||
                                        memcmp(graph_deny_name((graph_deny)i), at, length) != 0))
            i++;
        if (i == GRAPH_DENY_COUNT) {
            weft_cli_complain("--deny: '%.*s' is not ambiguous, double-writer, read-before-write "
                              "or dead",
                              (int)length, at);
            return false;
        }
        denied[i] = true;
        at += length;
        if (*at == '\0')
            return true;
    }
}

/// Says what was found of what is denied.
static weft_exit deny_judge(const graph_report* report) {
    static const char* const texts[GRAPH_DENY_COUNT] = {
        [GRAPH_DENY_AMBIGUOUS] = "pairs of systems that registration alone orders",
        [GRAPH_DENY_DOUBLE_WRITER] = "components or resources with more than one writer",
        [GRAPH_DENY_READ_BEFORE_WRITE] = "reads before the first write of the tick",
        [GRAPH_DENY_DEAD] = "dead systems",
    };
    weft_exit code = WEFT_EXIT_OK;
    for (int i = 0; i < GRAPH_DENY_COUNT; i++) {
        uint32_t count = report->denied[i] ? graph_deny_count(report, (graph_deny)i) : 0;
        if (count == 0)
            continue;
        weft_cli_complain("%s: denied by --deny %s: %u %s", report->module->name,
                          graph_deny_name((graph_deny)i), count, texts[i]);
        code = WEFT_EXIT_DIFFERENT;
    }
    return code;
}

/// The ranks of the two systems that --why names.
static weft_exit why_find(graph_report* report, const char* const names[2]) {
    uint32_t ranks[2] = {0, 0};
    const char** all = calloc((size_t)report->count + 1, sizeof(*all));
    WEFT_ASSERT(all != NULL && names[0] != NULL && names[1] != NULL);
    for (uint32_t i = 0; i < report->count; i++)
        all[i] = graph_name(report, i);
    weft_exit code = WEFT_EXIT_OK;
    for (int i = 0; i < 2 && code == WEFT_EXIT_OK; i++) {
        while (ranks[i] < report->count && strcmp(all[ranks[i]], names[i]) != 0)
            ranks[i]++;
        if (ranks[i] < report->count)
            continue;
        const char* nearest = weft_cli_nearest(names[i], all, report->count);
        weft_cli_complain("%s has no system '%s'%s%s%s", report->module->name, names[i],
                          nearest != NULL ? ": did you mean '" : "", nearest != NULL ? nearest : "",
                          nearest != NULL ? "'?" : "");
        code = WEFT_EXIT_USAGE;
    }
    free(all);
    if (code == WEFT_EXIT_OK && ranks[0] == ranks[1]) {
        weft_cli_complain("--why needs two different systems");
        code = WEFT_EXIT_USAGE;
    }
    if (code != WEFT_EXIT_OK)
        return code;
    report->first = ranks[0];
    report->second = ranks[1];
    report->between_count = weft_inspect_path(report->inspect, ranks[0], ranks[1], report->between);
    if (report->between_count == 0)
        report->between_count =
            weft_inspect_path(report->inspect, ranks[1], ranks[0], report->between);
    return code;
}

/// Bytes to be written as they are.
typedef struct bytes {
    char* at;
    size_t size;
} bytes;

static void bytes_print(FILE* file, const void* context) {
    const bytes* b = context;
    (void)fwrite(b->at, 1, b->size, file);
}

/// Makes the picture first, so that no file is begun when there is none.
static weft_status svg_write(const graph_report* report, const char* path, char* line,
                             size_t capacity) {
    bytes dot = {0};
    bytes svg = {0};
    FILE* file = open_memstream(&dot.at, &dot.size);
    if (file == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    graph_dot_print(file, report);
    weft_status status = fclose(file) == 0 ? WEFT_STATUS_OK : WEFT_STATUS_OUT_OF_MEMORY;
    if (status == WEFT_STATUS_OK)
        status = graph_svg_make(dot.at, &svg.at, &svg.size, line, capacity);
    if (status == WEFT_STATUS_OK && path != NULL)
        status = weft_cli_file_write(path, "picture", bytes_print, &svg, line, capacity);
    else if (status == WEFT_STATUS_OK)
        bytes_print(stdout, &svg);
    free(dot.at);
    free(svg.at);
    return status;
}

static weft_exit report_write(const graph_report* report, graph_format format, bool why,
                              const char* path) {
    static weft_cli_print_fn* const prints[] = {graph_text_print, graph_json_print,
                                                graph_dot_print};
    char line[WEFT_CLI_LINE_SIZE] = "";
    weft_status status = WEFT_STATUS_OK;
    weft_cli_print_fn* print = format == FORMAT_SVG ? NULL : prints[format];
    if (why)
        print = format == FORMAT_JSON ? graph_why_json_print : graph_why_print;
    if (print == NULL)
        status = svg_write(report, path, line, sizeof line);
    else if (path != NULL)
        status = weft_cli_file_write(path, "graph", print, report, line, sizeof line);
    else
        print(stdout, report);
    if (status == WEFT_STATUS_OK)
        return WEFT_EXIT_OK;
    weft_cli_complain("%s", line[0] != '\0' ? line : weft_status_text(status));
    return WEFT_EXIT_FAILURE;
}

static weft_exit graph_show(graph_report* report, const weft_cli_options* options,
                            const char* const names[2], graph_format format) {
    const weft_module_options sizes = {report->entity_count, report->seed};
    weft_world* world = NULL;
    weft_schedule* schedule = NULL;
    weft_exit code = WEFT_EXIT_FAILURE;
    weft_status status =
        weft_cli_world_make(report->module, &sizes, WEFT_CLI_MEMORY_PLAIN, &world, &schedule);
    if (status == WEFT_STATUS_OK) {
        report->schedule = schedule;
        status = graph_report_init(report);
    }
    if (status != WEFT_STATUS_OK) {
        weft_cli_complain("%s: %s [%s]", report->module->name,
                          weft_cli_error(status, world, schedule), weft_status_name(status));
    } else {
        code = options->why ? why_find(report, names) : WEFT_EXIT_OK;
        if (code == WEFT_EXIT_OK)
            code = report_write(report, format, options->why, options->output_path);
        if (code == WEFT_EXIT_OK)
            code = deny_judge(report);
    }
    graph_report_deinit(report);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
    return code;
}

/// Takes the two systems of --why from the end of the arguments.
static weft_exit why_take(weft_cli_options* options, const char* names[2]) {
    if (!options->why)
        return WEFT_EXIT_OK;
    if (options->name_count < 2) {
        weft_cli_complain("--why needs the names of two systems: weft graph creatures --why "
                          "motion hunger");
        return WEFT_EXIT_USAGE;
    }
    names[0] = options->names[options->name_count - 2];
    names[1] = options->names[options->name_count - 1];
    options->name_count -= 2;
    return WEFT_EXIT_OK;
}

weft_exit weft_cli_graph(const weft_cli* cli, int argc, char** argv) {
    weft_cli_options options;
    weft_cli_module module = {0};
    graph_report report = {0};
    graph_format format = FORMAT_TEXT;
    const char* names[2] = {NULL, NULL};
    weft_cli_options_parse(WEFT_CLI_GRAPH, argc, argv, &options);
    weft_exit code = format_choose(&options, &format);
    for (size_t i = 0; i < options.deny_count && code == WEFT_EXIT_OK; i++)
        code = deny_parse(options.deny[i], report.denied) ? WEFT_EXIT_OK : WEFT_EXIT_USAGE;
    if (code == WEFT_EXIT_OK)
        code = why_take(&options, names);
    if (code == WEFT_EXIT_OK)
        code = weft_cli_prepare(cli, "graph", &options, &module);
    if (code == WEFT_EXIT_OK) {
        report.module = module.module;
        report.seed = options.seed;
        report.entity_count = options.entity_count;
        if (!options.has_entity_count && report.entity_count > WEFT_CLI_ENTITIES_MAX)
            report.entity_count = WEFT_CLI_ENTITIES_MAX;
        report.all_edges = options.all_edges;
        report.overlaps = options.overlaps;
        code = graph_show(&report, &options, names, format);
    }
    weft_cli_module_close(&module);
    weft_cli_options_deinit(&options);
    return code;
}
