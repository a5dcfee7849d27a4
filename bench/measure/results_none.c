// A build without SQLite: results cannot be kept.

#include "results.h"

#include <stdio.h>

static weft_status refuse(const char* path, char line[WEFT_RESULTS_LINE]) {
    (void)snprintf(line, WEFT_RESULTS_LINE,
                   "%s: this weft was built without SQLite, which files of results need; build it "
                   "again where SQLite is installed (Debian: libsqlite3-dev), or use --json",
                   path);
    return WEFT_STATUS_UNSUPPORTED;
}

bool weft_results_supported(void) {
    return false;
}

weft_status weft_results_open(const char* path, weft_results** out, char line[WEFT_RESULTS_LINE]) {
    *out = NULL;
    return refuse(path, line);
}

weft_status weft_results_add(weft_results* results, weft_run_head* head, weft_status status,
                             const weft_measure_table* table, char line[WEFT_RESULTS_LINE]) {
    (void)results, (void)head, (void)status, (void)table;
    return refuse("results", line);
}

void weft_results_close(weft_results* results) {
    (void)results;
}

weft_status weft_results_load(const char* path, int64_t number, weft_run* out,
                              char line[WEFT_RESULTS_LINE]) {
    (void)number, (void)out;
    return refuse(path, line);
}

weft_status weft_results_list(const char* path,
                              void (*entry)(void* context, const weft_results_entry* run),
                              void* context, char line[WEFT_RESULTS_LINE]) {
    (void)entry, (void)context;
    return refuse(path, line);
}
