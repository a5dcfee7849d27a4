// weft forecast: what a tick would take with other workers, on this machine or another.

#include <stdlib.h>

#include "forecast_report.h"

#define TICKS_DEFAULT 24u
#define TICKS_MAX 10000u

static weft_exit forecast_show(forecast_report* report) {
    const weft_cli_options* options = report->options;
    uint32_t* counts = NULL;
    weft_exit code = weft_cli_topology_open(options, &report->there);
    if (code != WEFT_EXIT_OK)
        return code;
    if (weft_topology_create(NULL, &report->here) != WEFT_STATUS_OK) {
        weft_cli_complain("this machine cannot be looked at");
        return WEFT_EXIT_FAILURE;
    }
    if (options->worker_counts == NULL) {
        counts = forecast_counts_default(report->there, &report->count);
    } else if (!forecast_counts_parse(options->worker_counts, &counts, &report->count)) {
        weft_cli_complain("--workers: '%s' is no list of numbers from 1 to %u; write 1..128 or "
                          "1,2,4..8",
                          options->worker_counts, WEFT_FORECAST_WORKERS_MAX);
        return WEFT_EXIT_USAGE;
    }
    report->counts = counts;
    weft_seat* seats = calloc(WEFT_FORECAST_WORKERS_MAX, sizeof(*seats));
    WEFT_ASSERT(seats != NULL);
    weft_status status = weft_topology_place(report->there, &options->placement, 1, seats);
    free(seats);
    if (status == WEFT_STATUS_BAD_ARGUMENT) {
        weft_cli_complain("--cpus: a CPU is listed twice, or may not be used; without --cpus "
                          "`weft topo` shows those that may");
        code = WEFT_EXIT_USAGE;
    } else if (forecast_report_init(report) != WEFT_STATUS_OK) {
        weft_cli_complain("%s", report->line);
        code = WEFT_EXIT_FAILURE;
    } else if (options->json) {
        forecast_json_print(stdout, report);
    } else {
        forecast_text_print(stdout, report);
    }
    free(counts);
    return code;
}

weft_exit weft_cli_forecast(const weft_cli* cli, int argc, char** argv) {
    weft_cli_options options;
    weft_cli_module module = {0};
    forecast_report report = {0};
    weft_cli_options_parse(WEFT_CLI_FORECAST, argc, argv, &options);
    weft_exit code = weft_cli_prepare(cli, "forecast", &options, &module);
    if (code == WEFT_EXIT_OK) {
        uint64_t ticks = options.has_tick_count ? options.tick_count : TICKS_DEFAULT;
        report.module = module.module;
        report.options = &options;
        report.entity_count = options.entity_count;
        report.tick_count = (uint32_t)(ticks < TICKS_MAX ? ticks : TICKS_MAX);
        if (ticks == 0 || ticks > TICKS_MAX) {
            weft_cli_complain("--ticks: a forecast measures 1 to %u ticks", TICKS_MAX);
            code = WEFT_EXIT_USAGE;
        } else {
            code = forecast_show(&report);
        }
    }
    forecast_report_deinit(&report);
    weft_cli_module_close(&module);
    weft_cli_options_deinit(&options);
    return code;
}
