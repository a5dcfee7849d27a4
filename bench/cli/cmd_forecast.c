// weft forecast: what a tick would take with other workers, on this machine or another.

#include "forecast_report.h"

static weft_exit forecast_show(forecast_report* report) {
    weft_exit code = forecast_report_open(report);
    if (code != WEFT_EXIT_OK)
        return code;
    weft_status status = forecast_report_play(report);
    if (status != WEFT_STATUS_OK)
        return forecast_report_fail(report, status);
    weft_cli_progress_end(&report->progress);
    if (!report->options->json)
        forecast_print(stdout, report);
    else if (!weft_cli_json_print(forecast_json(report)))
        return WEFT_EXIT_FAILURE;
    return WEFT_EXIT_OK;
}

weft_exit weft_cli_forecast(const weft_cli* cli, int argc, char** argv) {
    weft_cli_options options;
    weft_cli_module module = {0};
    forecast_report report = {0};
    weft_cli_options_parse(WEFT_CLI_FORECAST, argc, argv, &options);
    weft_exit code = weft_cli_prepare(cli, "forecast", &options, &module);
    if (code == WEFT_EXIT_OK) {
        report.module = module.module;
        report.options = &options;
        report.entity_count = options.entity_count;
        code = forecast_show(&report);
    }
    forecast_report_deinit(&report);
    weft_cli_module_close(&module);
    weft_cli_options_deinit(&options);
    return code;
}
