// The log of a run, as `weft run --log` keeps it.

#include "cli.h"

#include <string.h>

bool weft_cli_log_policy_parse(const char* text, weft_simlog_policy* out) {
    static const char* const names[] = {
        [WEFT_SIMLOG_BLOCK] = "block", [WEFT_SIMLOG_DROP] = "drop", [WEFT_SIMLOG_COUNT] = "count"};
    for (weft_simlog_policy policy = WEFT_SIMLOG_BLOCK; policy <= WEFT_SIMLOG_COUNT; policy++) {
        if (strcmp(text, names[policy]) != 0)
            continue;
        *out = policy;
        return true;
    }
    return false;
}

weft_status weft_cli_log_open(const weft_cli_options* options, weft_world* world,
                              weft_simlog** log_out, char* line, size_t capacity) {
    *log_out = NULL;
    if (options->log_path == NULL)
        return WEFT_STATUS_OK;
    if (weft_world_table_count(world) == 0) {
        (void)snprintf(line, capacity,
                       "%s: the module has no tables; it registers them by "
                       "weft_world_register_table() or as channels of WEFT_DELIVERY_LOG",
                       options->plot != NULL ? "--plot" : "--log");
        return WEFT_STATUS_BAD_ARGUMENT;
    }
    weft_simlog_desc desc = weft_simlog_desc_default();
    desc.policy = options->log_policy;
    desc.compress = options->compress;
    char text[WEFT_SIMLOG_LINE];
    weft_status status = weft_simlog_open(&desc, options->log_path, world, log_out, text);
    if (status != WEFT_STATUS_OK)
        (void)snprintf(line, capacity, "%s", text);
    return status;
}

weft_status weft_cli_log_close(weft_simlog** log, weft_simlog_stats* stats, char* line,
                               size_t capacity) {
    if (*log == NULL)
        return WEFT_STATUS_OK;
    char text[WEFT_SIMLOG_LINE];
    *stats = weft_simlog_stats_read(*log);
    weft_status status = weft_simlog_close(*log, text);
    *log = NULL;
    if (status != WEFT_STATUS_OK && line[0] == '\0')
        (void)snprintf(line, capacity, "%s", text);
    return status;
}

void weft_cli_log_print(const char* path, const weft_simlog_stats* stats) {
    char number[WEFT_CLI_NUMBER_SIZE];
    if (path == NULL)
        return;
    printf("log       %s rows", weft_cli_number(stats->rows, number));
    printf(" of %s ticks in %s", weft_cli_number(stats->ticks, number), path);
    if (stats->ticks_passed > 0)
        printf(", which had %s already", weft_cli_number(stats->ticks_passed, number));
    if (stats->ticks_dropped > 0)
        printf("; %s ticks were left out", weft_cli_number(stats->ticks_dropped, number));
    if (stats->waits > 0)
        printf("; %s ticks waited for the disk", weft_cli_number(stats->waits, number));
    printf("\n");
}

json_t* weft_cli_log_json(const char* path, const weft_simlog_stats* stats) {
    if (path == NULL)
        return json_null();
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:f}",              //
                     "file", path,                                       //
                     "ticks", (json_int_t)stats->ticks,                  //
                     "rows", (json_int_t)stats->rows,                    //
                     "ticks_passed", (json_int_t)stats->ticks_passed,    //
                     "ticks_left_out", (json_int_t)stats->ticks_dropped, //
                     "waits", (json_int_t)stats->waits,                  //
                     "seconds_waited", (double)stats->wait_ns * 1e-9);
}
