// weft report: one page of what other commands wrote.

#define _GNU_SOURCE // open_memstream

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report_graph.h"

#define PATH_DEFAULT "report.html"

/// Prints every section into memory; null if there is no memory.
static char* body_make(report_page* page) {
    static void (*const sections[])(report_page * page, FILE * file) = {
        report_identity, report_comparison, report_speed, report_forecast, report_tune,
        report_traces,   report_graph,      report_logs,  report_results,  report_machine};
    char* body = NULL;
    size_t size = 0;
    FILE* file = open_memstream(&body, &size);
    if (file == NULL)
        return NULL;
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        sections[i](page, file);
    if (fclose(file) == 0 && !page->failed)
        return body;
    free(body);
    return NULL;
}

/// What is written.
typedef struct page_body {
    const report_page* page;
    const char* body;
} page_body;

static void page_print(FILE* file, const void* context) {
    const page_body* what = context;
    report_page_print(file, what->page, what->body);
}

static weft_exit page_write(report_page* page, const char* path) {
    char line[WEFT_CLI_LINE_SIZE];
    char* body = body_make(page);
    const page_body what = {page, body};
    if (body == NULL)
        (void)snprintf(line, sizeof line, "%s", weft_status_text(WEFT_STATUS_OUT_OF_MEMORY));
    bool written = body != NULL && weft_cli_file_write(path, "report", page_print, &what, line,
                                                       sizeof line) == WEFT_STATUS_OK;
    free(body);
    if (!written) {
        weft_cli_complain("%s", line);
        return WEFT_EXIT_FAILURE;
    }
    printf("report    %s: %zu files, %zu sections, %s\n", path, page->input_count,
           page->section_count, report_page_verdict(page));
    return WEFT_EXIT_OK;
}

/// Reads all files. The page is never one of them.
static weft_exit inputs_read(const weft_cli_options* options, const char* path, report_page* page) {
    char line[WEFT_CLI_LINE_SIZE];
    struct stat output;
    struct stat input;
    bool exists = stat(path, &output) == 0;
    page->inputs = calloc(options->name_count + 1, sizeof *page->inputs);
    if (page->inputs == NULL) {
        weft_cli_complain("%s", weft_status_text(WEFT_STATUS_OUT_OF_MEMORY));
        return WEFT_EXIT_FAILURE;
    }
    for (size_t i = 0; i < options->name_count; i++) {
        const char* name = options->names[i];
        if (exists && stat(name, &input) == 0 && input.st_dev == output.st_dev &&
            input.st_ino == output.st_ino) {
            weft_cli_complain("%s: the page would take the place of this file: write it elsewhere "
                              "with -o FILE",
                              name);
            return WEFT_EXIT_USAGE;
        }
        page->input_count++;
        if (!report_input_read(name, &page->inputs[i], line, sizeof line)) {
            weft_cli_complain("%s", line);
            return WEFT_EXIT_FAILURE;
        }
    }
    return WEFT_EXIT_OK;
}

weft_exit weft_cli_report(const weft_cli* cli, int argc, char** argv) {
    weft_cli_options options;
    weft_cli_options_parse(WEFT_CLI_REPORT, argc, argv, &options);
    const char* path = options.output_path != NULL ? options.output_path : PATH_DEFAULT;
    report_page page = {.title = options.title};
    weft_exit code = WEFT_EXIT_USAGE;
    if (options.name_count == 0 && options.module == NULL)
        weft_cli_complain("report needs files that other commands wrote, or --module; `weft report "
                          "--help` says which");
    else if (options.module == NULL && options.has_entity_count)
        weft_cli_complain("--entities is of the graph: add --module");
    else if (options.entity_count > WEFT_SLOT_LIMIT_MAX)
        weft_cli_complain("--entities: a world holds at most %u", WEFT_SLOT_LIMIT_MAX);
    else
        code = inputs_read(&options, path, &page);
    if (code == WEFT_EXIT_OK && options.module != NULL)
        code = report_graph_make(cli, &options, &page);
    if (code == WEFT_EXIT_OK)
        code = page_write(&page, path);
    for (size_t i = 0; i < page.input_count; i++)
        report_input_deinit(&page.inputs[i]);
    for (size_t i = 0; i < page.finding_count; i++)
        free(page.findings[i].text);
    free(page.inputs);
    free(page.findings);
    free(page.picture);
    json_decref(page.graph);
    weft_cli_options_deinit(&options);
    return code;
}
