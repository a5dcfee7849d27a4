// Files of `weft report`, told apart by what is in them.

#include "report_page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run_json.h"

#define JSON_MAX (UINT64_C(256) << 20) // Bytes: in memory it is several times as large.

static const char* const sources[REPORT_KINDS] = {
    [REPORT_RESULTS] = "weft bench --save",     [REPORT_HASHES] = "weft run --hashes",
    [REPORT_VERIFY] = "weft verify --json",     [REPORT_RUN] = "weft run --json",
    [REPORT_TRACE] = "weft run --trace",        [REPORT_LOG] = "weft run --log",
    [REPORT_GRAPH] = "weft graph --json",       [REPORT_TUNE] = "weft tune --json",
    [REPORT_FORECAST] = "weft forecast --json", [REPORT_TOPO] = "weft topo --json",
};

const char* report_kind_source(report_kind kind) {
    return sources[kind];
}

const report_input* report_input_next(const report_page* page, report_kind kind, size_t* at) {
    while (*at < page->input_count && page->inputs[*at].kind != kind)
        ++*at;
    return *at < page->input_count ? &page->inputs[(*at)++] : NULL;
}

static bool fail(char* line, size_t capacity, const char* name, const char* why) {
    (void)snprintf(line, capacity, "%.300s: %.300s", name, why);
    return false;
}

/// The kind of an object, by keys that no other kind has.
static report_kind kind_of_json(const json_t* root) {
    static const struct {
        const char* keys[2];
        report_kind kind;
    } rows[] = {
        {{"traceEvents", "traceEvents"}, REPORT_TRACE},
        {{"measurements", "machine"}, REPORT_RESULTS},
        {{"reference", "runs"}, REPORT_VERIFY},
        {{"systems", "edges"}, REPORT_GRAPH},
        {{"search", "result"}, REPORT_TUNE},
        {{"cpus", "taking_part"}, REPORT_TOPO},
        {{"forecast", "forecast"}, REPORT_FORECAST},
        {{"forecasts", "forecasts"}, REPORT_FORECAST},
        {{"curve", "curve"}, REPORT_FORECAST},
        {{"module", "full"}, REPORT_RUN},
        {{"module", "guard"}, REPORT_RUN},
        {{"module", "crash"}, REPORT_RUN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (json_object_get(root, rows[i].keys[0]) != NULL &&
            json_object_get(root, rows[i].keys[1]) != NULL)
            return rows[i].kind;
    return REPORT_KINDS;
}

/// The machine of a file that is of one, or has one.
static bool read_topology(const char* path, report_input* out, char* line, size_t capacity) {
    char reason[WEFT_CLI_LINE_SIZE];
    const json_t* root =
        out->kind == REPORT_TOPO ? out->json : json_object_get(out->json, "topology");
    out->has_topology = out->kind == REPORT_TOPO || json_is_object(root);
    if (!out->has_topology || topo_json_read(root, &out->topo, reason, sizeof reason))
        return true;
    (void)snprintf(line, capacity,
                   "%.300s: its topology is not as `weft topo --json` prints it: "
                   "%.200s",
                   path, reason);
    return false;
}

static bool read_json(const char* path, report_input* out, char* line, size_t capacity) {
    json_error_t error;
    FILE* file = fopen(path, "re");
    if (file == NULL)
        return fail(line, capacity, path, strerror(errno));
    bool fits = fseek(file, 0, SEEK_END) == 0 && (uint64_t)ftell(file) <= JSON_MAX;
    rewind(file);
    out->json = fits ? json_loadf(file, 0, &error) : NULL;
    (void)fclose(file);
    if (!fits)
        return fail(line, capacity, path,
                    "more than 256 MiB of JSON; record fewer ticks (`weft run --help`)");
    if (out->json == NULL) {
        (void)snprintf(line, capacity, "%.300s:%d: this is no whole JSON: %.160s", path, error.line,
                       error.text);
        return false;
    }
    out->kind = json_is_array(out->json) ? REPORT_TRACE : kind_of_json(out->json);
    if (out->kind == REPORT_KINDS)
        return fail(line, capacity, path,
                    "is JSON, but of none of run, verify, bench, graph, tune, forecast and topo, "
                    "and no trace");
    if (out->kind != REPORT_RESULTS)
        return read_topology(path, out, line, capacity);
    char reason[WEFT_RESULTS_LINE];
    if (weft_run_json_load(path, &out->run, reason) == WEFT_STATUS_OK)
        return true;
    (void)snprintf(line, capacity, "%s", reason);
    return false;
}

/// "FILE:NUMBER" is a run of a file of results, where there is no file of the whole name.
static char* path_parse(const char* name, int64_t* number) {
    char* path = strdup(name);
    uint64_t value = 0;
    char* colon = path != NULL ? strrchr(path, ':') : NULL;
    *number = 0;
    if (colon != NULL && access(path, F_OK) != 0 && weft_cli_u64_parse(colon + 1, &value) &&
        value > 0 && value <= INT64_MAX) {
        *number = (int64_t)value;
        *colon = '\0';
    }
    return path;
}

/// The first bytes of a regular file; false with errno set.
static bool begin_read(const char* path, char* bytes, size_t size) {
    FILE* file = fopen(path, "re");
    if (file == NULL)
        return false;
    size_t got = fread(bytes, 1, size - 1, file);
    bool read = ferror(file) == 0;
    int error = errno;
    (void)fclose(file);
    errno = error;
    memset(bytes + got, 0, size - got);
    return read;
}

static bool read_results(const char* path, int64_t number, report_input* out, char* line,
                         size_t capacity) {
    char reason[WEFT_RESULTS_LINE];
    out->kind = REPORT_RESULTS;
    if (weft_results_load(path, number, &out->run, reason) == WEFT_STATUS_OK)
        return true;
    (void)snprintf(line, capacity, "%s", reason);
    return false;
}

bool report_input_read(const char* name, report_input* out, char* line, size_t capacity) {
    char bytes[64];
    char reason[WEFT_SIMLOG_LINE];
    int64_t number;
    *out = (report_input){.name = name, .kind = REPORT_KINDS, .path = path_parse(name, &number)};
    if (out->path == NULL)
        return fail(line, capacity, name, weft_status_text(WEFT_STATUS_OUT_OF_MEMORY));
    if (!begin_read(out->path, bytes, sizeof bytes)) {
        (void)snprintf(line, capacity, "%.300s: cannot be read: %s", name, strerror(errno));
        return false;
    }
    const char* first = bytes + strspn(bytes, " \t\r\n");
    if (strncmp(bytes, "SQLite format 3", 15) == 0)
        return read_results(out->path, number, out, line, capacity);
    if (*first == '{' || *first == '[')
        return read_json(out->path, out, line, capacity);
    if (strncmp(bytes, "weft-hashes", 11) == 0) {
        out->kind = REPORT_HASHES;
        return weft_cli_hashes_read(out->path, &out->hashes, line, capacity) == WEFT_STATUS_OK;
    }
    weft_simlog_reader* reader;
    if (weft_simlog_reader_open(out->path, &reader, reason) != WEFT_STATUS_OK) {
        (void)snprintf(line, capacity,
                       "%.300s: is nothing that a report is made of: a file of `weft bench "
                       "--save`, `weft run --hashes`, --log or --trace, or what --json printed; as "
                       "a log: %.300s",
                       name, reason);
        return false;
    }
    weft_simlog_reader_close(reader);
    out->kind = REPORT_LOG;
    return true;
}

void report_input_deinit(report_input* input) {
    weft_run_deinit(&input->run);
    weft_cli_hashes_deinit(&input->hashes);
    topo_report_deinit(&input->topo);
    json_decref(input->json);
    free(input->path);
    *input = (report_input){.kind = REPORT_KINDS};
}
