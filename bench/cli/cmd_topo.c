// weft topo: the machine as the scheduler sees it, and where workers and shards go.

#include "topo_report.h"

/// Writes a file, or to standard output without a name.
static weft_exit report_write(const topo_report* report, const char* path, const char* what,
                              weft_cli_print_fn* print) {
    char line[WEFT_CLI_LINE_SIZE];
    if (path == NULL) {
        print(stdout, report);
        return WEFT_EXIT_OK;
    }
    if (weft_cli_file_write(path, what, print, report, line, sizeof line) == WEFT_STATUS_OK)
        return WEFT_EXIT_OK;
    weft_cli_complain("%s", line);
    return WEFT_EXIT_FAILURE;
}

static weft_exit topo_show(const weft_cli_options* options, topo_report* report) {
    weft_exit code = WEFT_EXIT_OK;
    weft_status status = topo_report_init(report);
    if (status == WEFT_STATUS_BAD_ARGUMENT) {
        weft_cli_complain("--cpus: a CPU is listed twice, or may not be used; without --cpus "
                          "`weft topo` shows those that may");
        return WEFT_EXIT_USAGE;
    }
    if (status != WEFT_STATUS_OK) {
        weft_cli_complain("%s", weft_status_text(status));
        return WEFT_EXIT_FAILURE;
    }
    if (options->svg_path != NULL)
        code = report_write(report, options->svg_path, "picture", topo_svg_print);
    if (code == WEFT_EXIT_OK && (options->svg_path == NULL || options->json))
        code = report_write(report, NULL, "topology",
                            options->json ? topo_json_print : topo_text_print);
    return code;
}

weft_exit weft_cli_topo(const weft_cli* cli, int argc, char** argv) {
    (void)cli;
    weft_cli_options options;
    weft_topology* topology = NULL;
    topo_report report = {0};
    weft_exit code = WEFT_EXIT_USAGE;
    weft_cli_options_parse(WEFT_CLI_TOPO, argc, argv, &options);
    report.source = options.machine;
    report.placement = options.placement;
    report.worker_count = options.worker_count;
    report.entity_count = options.has_entity_count ? options.entity_count : TOPO_ENTITIES_DEFAULT;
    if (options.name_count > 0)
        weft_cli_complain("topo takes no argument: '%s' is one too many; another machine is named "
                          "by --machine",
                          options.names[0]);
    else if (report.entity_count > WEFT_SLOT_LIMIT_MAX)
        weft_cli_complain("--entities: a world has at most %u", WEFT_SLOT_LIMIT_MAX);
    else
        code = weft_cli_topology_open(&options, &topology);
    report.topology = topology;
    if (code == WEFT_EXIT_OK)
        code = topo_show(&options, &report);
    topo_report_deinit(&report);
    weft_topology_destroy(topology);
    weft_cli_options_deinit(&options);
    return code;
}
