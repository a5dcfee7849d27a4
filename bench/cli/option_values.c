#include "option_values.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void option_count(struct argp_state* state, const char* name, const char* text, bool* has,
                  uint64_t* out) {
    if (!weft_cli_count_parse(text, out))
        argp_error(state, "--%s: '%s' is not a whole number; write 250000, 10k, 1M or 1e6", name,
                   text);
    *has = true;
}

void option_u64(struct argp_state* state, const char* name, const char* text, bool* has,
                uint64_t* out) {
    if (!weft_cli_u64_parse(text, out))
        argp_error(state, "--%s: '%s' is not a number of 64 bits; write 42 or 0x2a", name, text);
    *has = true;
}

uint32_t option_number(struct argp_state* state, const char* name, const char* text,
                       const char* what) {
    uint64_t value = 0;
    if (!weft_cli_count_parse(text, &value) || value > UINT32_MAX)
        argp_error(state, "--%s: '%s' is not a %s", name, text, what);
    return (uint32_t)value;
}

uint32_t option_small(struct argp_state* state, const char* name, const char* text, uint32_t max) {
    uint64_t value = 0;
    if (!weft_cli_u64_parse(text, &value) || value == 0 || value > max)
        argp_error(state, "--%s: '%s' is not a number from 1 to %u", name, text, max);
    return (uint32_t)value;
}

void option_executor(struct argp_state* state, const char* text) {
    weft_cli_executor executor;
    if (!weft_cli_executor_parse(text, strlen(text), &executor))
        argp_error(state,
                   "--executor: '%s' is not serial, virtual:N, threads:N or processes:N with 1 to "
                   "%u workers",
                   text, WEFT_CLI_WORKERS_MAX);
}

double option_percent(struct argp_state* state, const char* name, const char* text) {
    char* end;
    double percent = strtod(text, &end);
    if (*end == '%')
        end++;
    if (!isdigit((unsigned char)text[0]) || *end != '\0' || !(percent >= 0 && percent <= 1000))
        argp_error(state, "--%s: '%s' is not a percentage from 0 to 1000; write 2%% or 0.5%%", name,
                   text);
    return percent / 100;
}

void option_sweep(struct argp_state* state, const char* text, weft_cli_options* options) {
    if (!weft_cli_sweep_parse(text, &options->sweep))
        argp_error(state, "--sweep: '%s' is not auto, chunk or system", text);
    options->has_sweep = true;
}

void option_guard(struct argp_state* state, const char* text, weft_cli_options* options) {
    options->guard = WEFT_GUARD_NONE;
    while (options->guard <= WEFT_GUARD_TRAP && strcmp(weft_guard_name(options->guard), text) != 0)
        options->guard++;
    if (options->guard > WEFT_GUARD_TRAP)
        argp_error(state, "--guard: '%s' is not none, alias, hash, twin or trap", text);
    options->has_guard = true;
}

void option_depth(struct argp_state* state, const char* text, weft_cli_options* options) {
    if (!weft_cli_depth_parse(text, &options->depth))
        argp_error(state, "--check: '%s' is not root, sync or heavy", text);
}

void option_time(struct argp_state* state, const char* text, weft_cli_options* options) {
    if (!weft_cli_time_parse(text, &options->time_s))
        argp_error(state, "--time: '%s' is not a time; write 60s, 5m or 2h", text);
}

void option_stuck(struct argp_state* state, const char* text, weft_cli_options* options) {
    uint64_t ms = 0;
    double seconds = 0;
    char number[16] = "";
    size_t length = strlen(text);
    bool read = false;
    if (length > 2 && length < sizeof number && strcmp(text + length - 2, "ms") == 0) {
        memcpy(number, text, length - 2);
        read = weft_cli_u64_parse(number, &ms) && ms > 0 && ms < UINT32_MAX;
        seconds = (double)ms / 1000;
    } else {
        read = strcmp(text, "0") == 0 || weft_cli_time_parse(text, &seconds);
    }
    if (!read || seconds > 1e6)
        argp_error(state, "--stuck: '%s' is not a time; write 500ms, 30s or 0", text);
    options->stuck_ns = (uint64_t)(seconds * 1e9);
    options->has_stuck = true;
}

uint32_t option_fsync(struct argp_state* state, const char* text) {
    uint64_t ticks = 0;
    if (strcmp(text, "none") == 0)
        return 0;
    if (strcmp(text, "tick") == 0)
        return 1;
    if (!weft_cli_count_parse(text, &ticks) || ticks == 0 || ticks > UINT32_MAX)
        argp_error(state, "--fsync: '%s' is not tick, none or a number of ticks", text);
    return (uint32_t)ticks;
}

void option_cpus(struct argp_state* state, const char* text, weft_cli_options* options) {
    free(options->cpus);
    options->cpus = NULL;
    uint32_t count = 0;
    if (!weft_cli_cpus_parse(text, &options->cpus, &count))
        argp_error(state, "--cpus: '%s' is not a list of at most %u CPUs; write 0,2,4-7", text,
                   WEFT_CLI_WORKERS_MAX);
    options->placement = (weft_placement){WEFT_PLACEMENT_LIST, options->cpus, count};
}

double option_factor(struct argp_state* state, const char* name, const char* text, double least,
                     double most) {
    char* end;
    double value = strtod(text, &end);
    if (!isdigit((unsigned char)text[0]) || *end != '\0' || !(value >= least && value <= most))
        argp_error(state, "--%s: '%s' is not a number from %g to %g", name, text, least, most);
    return value;
}

// "FROM:TO", where each may be missing.
void option_trace_ticks(struct argp_state* state, const char* text, weft_cli_options* options) {
    const char* colon = strchr(text, ':');
    char from[32] = "0";
    if (colon != NULL && colon > text)
        (void)snprintf(from, sizeof from, "%.*s", (int)(colon - text), text);
    options->trace_to = UINT64_MAX;
    if (colon == NULL || text[1] == '\0' || !weft_cli_count_parse(from, &options->trace_from) ||
        (colon[1] != '\0' && !weft_cli_count_parse(colon + 1, &options->trace_to)) ||
        options->trace_from > options->trace_to)
        argp_error(state, "--trace-ticks: '%s' is not a range of ticks; write 100:120, 100: or :20",
                   text);
    options->has_trace_ticks = true;
}
