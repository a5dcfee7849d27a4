// weft selftest: plants each kind of fault in a simulation and sees who names its place.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "instrument.h"

#define BIT(name) (1u << (unsigned)WEFT_INSTRUMENT_##name)
#define VERIFIES (BIT(ROOT) | BIT(SYNC) | BIT(HEAVY) | BIT(PERTURB))
#define ALL ((1u << (unsigned)WEFT_INSTRUMENT_COUNT) - 1u)

/// A fault, who must find it, and what they must say. The places are written out, so that they do
/// not come from the code that is tested.
typedef struct fault_row {
    const char* name;
    const char* what;
    weft_fault fault;
    unsigned instruments; // Bits.
    bool hidden;          // Its runs differ from each other.
    int32_t bit;          // In which the values must differ; -1: any.
    const char* access;   // What guards must say of it; null: nothing.
    const char* place;
    const char* line;       // What others than verify and guards say, if they are among them.
    const char* lint_place; // The same of lint.
} fault_row;

static const fault_row fault_rows[] = {
    {
        .name = "bit",
        .what = "one bit of a field is flipped where chunks run in another order",
        .fault = WEFT_FAULT_BIT,
        .instruments = VERIFIES,
        .bit = WEFT_FAULTY_BIT,
        .place = "tick 4, mark: FaultyTrace.sum of entity 4138:1 (archetype 1, shard 1)",
    },
    {
        .name = "merge",
        .what = "two commands on an entity change places there",
        .fault = WEFT_FAULT_MERGE,
        .instruments = VERIFIES,
        .bit = -1,
        .place = "tick 4, vote: FaultyChoice.by of entity 4138:1 (archetype 1, shard 1)",
    },
    {
        .name = "command",
        .what = "a command is lost there",
        .fault = WEFT_FAULT_LOST_COMMAND,
        .instruments = VERIFIES,
        .bit = -1,
        .place = "tick 4, vote: FaultyChoice.by of entity 4138:1 (archetype 1, shard 1)",
    },
    {
        .name = "message",
        .what = "a message that nobody reads is lost there",
        .fault = WEFT_FAULT_LOST_MESSAGE,
        .instruments = BIT(HEAVY),
        .bit = -1,
        .place = "tick 4, vote: no value (archetype 1, shard 1)",
    },
    {
        .name = "tie",
        .what = "a tie goes to the worker that comes first",
        .fault = WEFT_FAULT_TIE,
        .instruments = VERIFIES,
        .bit = -1,
        .place = "tick 4, mark: FaultyTrace.note of entity 4138:1 (archetype 1, shard 1)",
    },
    {
        .name = "padding",
        .what = "bytes that nobody set are copied into a component",
        .fault = WEFT_FAULT_PADDING,
        .instruments = VERIFIES | BIT(TWIN),
        .hidden = true,
        .bit = -1,
        .place = "tick 4, mark: FaultyTrace.packet[1] of entity 4138:1 (archetype 1, shard 1)",
    },
    {
        .name = "clock",
        .what = "the time is stored",
        .fault = WEFT_FAULT_CLOCK,
        .instruments = VERIFIES | BIT(TWIN) | BIT(LINT),
        .hidden = true,
        .bit = -1,
        .place = "tick 4, mark: FaultyTrace.note of entity 4138:1 (archetype 1, shard 1)",
        .lint_place = "rule time, line 6",
    },
    {
        .name = "address",
        .what = "a loop goes by address",
        .fault = WEFT_FAULT_ADDRESS,
        .instruments = VERIFIES | BIT(TWIN) | BIT(LINT),
        .hidden = true,
        .bit = -1,
        .place = "tick 4, mark: FaultyTrace.note of entity 4138:1 (archetype 1, shard 1)",
        .lint_place = "rule address, line 4",
    },
    {
        .name = "host",
        .what = "the host's commands come in another order",
        .fault = WEFT_FAULT_HOST,
        .instruments = VERIFIES,
        .hidden = true,
        .bit = -1,
        .place = "tick 4, no system: FaultyGuest.by of entity 4138:1",
    },
    {
        .name = "write",
        .what = "what is declared to be read is written",
        .fault = WEFT_FAULT_WRITE_READ,
        .instruments = BIT(DIGEST) | BIT(ALIAS) | BIT(HASH) | BIT(TWIN) | BIT(TRAP),
        .bit = -1,
        .access = "written, declared as read",
        .place = "tick 4, mark: FaultySpeed.by of entity 4138:1 (archetype 1, shard 1)",
        .line = "tick 4: archetype 1, shard 1, column FaultySpeed",
    },
    {
        .name = "stray",
        .what = "what is not declared is written",
        .fault = WEFT_FAULT_WRITE_HIDDEN,
        .instruments = BIT(HASH) | BIT(TWIN) | BIT(TRAP),
        .bit = -1,
        .access = "written, not declared",
        .place = "tick 4, mark: FaultySecret.b of entity 4138:1 (archetype 1, shard 1)",
    },
    {
        .name = "peek",
        .what = "what is not declared is read",
        .fault = WEFT_FAULT_READ_HIDDEN,
        .instruments = BIT(TWIN) | BIT(TRAP),
        .bit = -1,
        .access = "read, not declared",
        .place = "tick 4, mark: FaultySecret.b of entity 4138:1 (archetype 1, shard 1)",
    },
    {
        .name = "rounding",
        .what = "a system leaves the rounding changed",
        .fault = WEFT_FAULT_FLOAT_MODE,
        .instruments = BIT(TICK),
        .bit = -1,
        .line = "tick 4, warm: rounding is changed (archetype 1, shard 1)",
    },
    {
        .name = "nan",
        .what = "a float becomes NaN",
        .fault = WEFT_FAULT_NAN,
        .instruments = BIT(TICK),
        .bit = -1,
        .line = "tick 4, warm: FaultyHeat.degrees is NaN of entity 4138:1 (archetype 1, shard 1)",
    },
    {
        .name = "none",
        .what = "no fault: nobody may find one",
        .fault = WEFT_FAULT_NONE,
        .instruments = ALL,
        .bit = -1,
    },
};

#define FAULT_COUNT (sizeof fault_rows / sizeof fault_rows[0])

/// A fault before an instrument, and what became of it.
typedef struct selftest_case {
    const fault_row* row;
    weft_instrument instrument;
    bool passed;
    const char* wanted; // Null: nothing.
    char source[64];    // Wanted, where a line is named.
    weft_instrument_finding finding;
} selftest_case;

typedef struct selftest_job {
    const weft_cli_options* options;
    unsigned blind; // Instruments that are shown no fault, as bits.
    selftest_case cases[FAULT_COUNT * WEFT_INSTRUMENT_COUNT];
    size_t case_count;
    size_t passed_count;
    size_t absent_count;
    double time_s;
} selftest_job;

static const char* place_wanted(const fault_row* row, weft_instrument instrument) {
    if (instrument == WEFT_INSTRUMENT_LINT)
        return row->lint_place;
    if (instrument == WEFT_INSTRUMENT_DIGEST || instrument == WEFT_INSTRUMENT_TICK)
        return row->line;
    return row->place;
}

/// What a guard said of the access; empty if none did. Where the machine does not tell a read from
/// a write, a touch is either.
static const char* access_text(const selftest_case* each) {
    const weft_instrument_finding* finding = &each->finding;
    if (!finding->guarded)
        return "";
    if (finding->act == WEFT_GUARD_TOUCH && each->row->access != NULL)
        return each->row->access;
    if (finding->act == WEFT_GUARD_READ)
        return "read, not declared";
    return finding->declared ? "written, declared as read" : "written, not declared";
}

static bool case_passes(const selftest_case* each) {
    const weft_instrument_finding* finding = &each->finding;
    const fault_row* row = each->row;
    if (finding->absent)
        return true;
    if (each->wanted == NULL || !finding->found)
        return each->wanted == NULL && !finding->found;
    return strcmp(finding->place, each->wanted) == 0 &&
           (each->instrument == WEFT_INSTRUMENT_LINT || finding->hidden == row->hidden) &&
           (row->bit < 0 || finding->bit == row->bit) &&
           (!finding->guarded ||
            (row->access != NULL && strcmp(access_text(each), row->access) == 0)) &&
           (finding->source[0] == '\0' || strcmp(finding->source, each->source) == 0);
}

static void case_run(selftest_job* job, const fault_row* row, weft_instrument instrument) {
    selftest_case* each = &job->cases[job->case_count++];
    bool blind = (job->blind & 1u << (unsigned)instrument) != 0;
    weft_faulty faulty = {.fault = blind ? WEFT_FAULT_NONE : row->fault,
                          .tick = WEFT_FAULTY_TICK,
                          .slot = WEFT_FAULTY_SLOT};
    *each = (selftest_case){.row = row,
                            .instrument = instrument,
                            .wanted = place_wanted(row, instrument),
                            .finding = weft_instrument_run(instrument, &faulty)};
    (void)snprintf(each->source, sizeof each->source, "faulty.c:%" PRIu32, faulty.outside.line);
    each->passed = case_passes(each);
    job->passed_count += each->passed && !each->finding.absent;
    job->absent_count += each->finding.absent;
    job->time_s += each->finding.time_s;
}

/// Runs what was asked for. False if it was interrupted.
static bool job_run(selftest_job* job, const fault_row* only) {
    weft_cli_progress progress = weft_cli_progress_start(job->options->quiet);
    size_t total = 0;
    for (size_t i = 0; i < FAULT_COUNT; i++)
        total += only == NULL || only == &fault_rows[i]
                     ? (size_t)__builtin_popcount(fault_rows[i].instruments)
                     : 0;
    for (size_t i = 0; i < FAULT_COUNT && !weft_cli_interrupted(); i++) {
        const fault_row* row = &fault_rows[i];
        for (weft_instrument k = 0; k < WEFT_INSTRUMENT_COUNT && !weft_cli_interrupted(); k++) {
            if ((only != NULL && only != row) || (row->instruments & 1u << (unsigned)k) == 0)
                continue;
            weft_cli_progress_draw(&progress, row->name, job->case_count, total);
            case_run(job, row, k);
        }
    }
    weft_cli_progress_end(&progress);
    return !weft_cli_interrupted();
}

// Printing ---------------------------------------------------------------------------------------

/// What the instrument said, with what is not in the place.
static void case_text(const selftest_case* each, char* text, size_t capacity) {
    const weft_instrument_finding* finding = &each->finding;
    char bit[32] = "";
    if (finding->absent)
        (void)snprintf(text, capacity, "not tried: %s", finding->place);
    else if (!finding->found)
        (void)snprintf(text, capacity, "nothing");
    else {
        if (each->row->bit >= 0 && finding->bit >= 0)
            (void)snprintf(bit, sizeof bit, ", bit %" PRId32, finding->bit);
        (void)snprintf(text, capacity, "%s%s%s%s%s%s%s", finding->place, bit,
                       finding->hidden ? ", hidden input" : "", finding->guarded ? ", " : "",
                       access_text(each), finding->source[0] != '\0' ? ", " : "", finding->source);
    }
}

/// What should have been said, with the same additions.
static void wrong_print(const selftest_case* each) {
    const fault_row* row = each->row;
    char text[WEFT_FINDING_SIZE + 192];
    char bit[32] = "";
    case_text(each, text, sizeof text);
    if (row->bit >= 0)
        (void)snprintf(bit, sizeof bit, ", bit %" PRId32, row->bit);
    bool guard = each->finding.guarded && row->access != NULL;
    printf("\nWRONG: %s, %s (%s)\n  named      %s\n  wanted     %s%s%s%s%s%s%s\n", row->name,
           weft_instrument_name(each->instrument), row->what, text,
           each->wanted != NULL ? each->wanted : "nothing", bit,
           row->hidden && each->instrument != WEFT_INSTRUMENT_LINT ? ", hidden input" : "",
           guard ? ", " : "", guard ? row->access : "", each->finding.source[0] != '\0' ? ", " : "",
           each->finding.source[0] != '\0' ? each->source : "");
}

static void job_print(const selftest_job* job) {
    char text[WEFT_FINDING_SIZE + 192];
    char number[WEFT_CLI_NUMBER_SIZE];
    weft_cli_table table = weft_cli_table_create("lllr");
    weft_cli_table_add(&table, "fault");
    weft_cli_table_add(&table, "found by");
    weft_cli_table_add(&table, "place named");
    weft_cli_table_add(&table, "time");
    for (size_t i = 0; i < job->case_count; i++) {
        const selftest_case* each = &job->cases[i];
        bool first = i == 0 || job->cases[i - 1].row != each->row;
        case_text(each, text, sizeof text);
        weft_cli_table_add(&table, "%s", first ? each->row->name : "");
        weft_cli_table_add(&table, "%s", weft_instrument_name(each->instrument));
        weft_cli_table_add(&table, "%s%s", each->passed ? "" : "WRONG: ", text);
        weft_cli_table_add(&table, "%s", weft_cli_seconds(each->finding.time_s, number));
    }
    weft_cli_table_print(&table, stdout);
    for (size_t i = 0; i < job->case_count; i++) {
        if (!job->cases[i].passed)
            wrong_print(&job->cases[i]);
    }
    size_t tried = job->case_count - job->absent_count;
    printf("\n%s: %zu of %zu right", job->passed_count == tried ? "passed" : "FAILED",
           job->passed_count, tried);
    if (job->absent_count > 0)
        printf(", %zu not tried", job->absent_count);
    printf(", %s\n", weft_cli_seconds(job->time_s, number));
}

static bool job_print_json(const selftest_job* job) {
    char text[WEFT_FINDING_SIZE + 192];
    json_t* cases = json_array();
    for (size_t i = 0; i < job->case_count; i++) {
        const selftest_case* each = &job->cases[i];
        case_text(each, text, sizeof text);
        (void)json_array_append_new(
            cases,
            json_pack("{s:s, s:s, s:b, s:b, s:b, s:s, s:s?, s:b, s:f}", "fault", each->row->name,
                      "instrument", weft_instrument_name(each->instrument), "right",
                      (int)each->passed, "tried", (int)!each->finding.absent, "found",
                      (int)each->finding.found, "named", text, "wanted", each->wanted,
                      "hidden_input", (int)each->finding.hidden, "seconds", each->finding.time_s));
    }
    return weft_cli_json_print(
        json_pack("{s:s, s:b, s:I, s:I, s:f, s:o}", "weft", weft_version(), "passed",
                  (int)(job->passed_count + job->absent_count == job->case_count), "right",
                  (json_int_t)job->passed_count, "not_tried", (json_int_t)job->absent_count,
                  "seconds", job->time_s, "cases", cases));
}

static void faults_print(void) {
    weft_cli_table table = weft_cli_table_create("lll");
    weft_cli_table_add(&table, "fault");
    weft_cli_table_add(&table, "what it is");
    weft_cli_table_add(&table, "who must find it");
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        const fault_row* row = &fault_rows[i];
        char names[256] = "";
        for (weft_instrument k = 0; k < WEFT_INSTRUMENT_COUNT && row->fault != 0; k++) {
            size_t length = strlen(names);
            if ((row->instruments & 1u << (unsigned)k) != 0)
                (void)snprintf(names + length, sizeof names - length, "%s%s",
                               length > 0 ? ", " : "", weft_instrument_name(k));
        }
        weft_cli_table_add(&table, "%s", row->name);
        weft_cli_table_add(&table, "%s", row->what);
        weft_cli_table_add(&table, "%s", names);
    }
    weft_cli_table_print(&table, stdout);
}

// The command ------------------------------------------------------------------------------------

/// The fault that the command line names, if it does. False for an unknown one, which is said.
static bool fault_parse(const weft_cli_options* options, const fault_row** out) {
    const char* names[FAULT_COUNT];
    *out = NULL;
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        names[i] = fault_rows[i].name;
        if (options->name_count > 0 && strcmp(options->names[0], names[i]) == 0)
            *out = &fault_rows[i];
    }
    if (options->name_count > 1)
        weft_cli_complain("selftest takes one fault: '%s' is one too many", options->names[1]);
    if (options->name_count == 0 || (options->name_count == 1 && *out != NULL))
        return true;
    const char* nearest = weft_cli_nearest(options->names[0], names, FAULT_COUNT);
    if (options->name_count == 1)
        weft_cli_complain("no fault is named '%s'%s%s%s; `weft selftest --list` shows all",
                          options->names[0], nearest != NULL ? ": did you mean '" : "",
                          nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
    return false;
}

/// The instruments that are to be blind. False for an unknown one, which is said.
static bool blind_parse(const weft_cli_options* options, unsigned* blind) {
    for (size_t i = 0; i < options->without_count; i++) {
        weft_instrument instrument = weft_instrument_find(options->without[i]);
        if (instrument == WEFT_INSTRUMENT_COUNT) {
            weft_cli_complain("--without: '%s' is no instrument; `weft selftest --list` shows all",
                              options->without[i]);
            return false;
        }
        *blind |= 1u << (unsigned)instrument;
    }
    return true;
}

const char* weft_cli_selftest_fault(size_t index) {
    return index < sizeof fault_rows / sizeof fault_rows[0] ? fault_rows[index].name : NULL;
}

weft_exit weft_cli_selftest(const weft_cli* cli, int argc, char** argv) {
    weft_cli_options options;
    const fault_row* only;
    weft_exit code = WEFT_EXIT_USAGE;
    (void)cli;
    weft_cli_options_parse(WEFT_CLI_SELFTEST, argc, argv, &options);
    selftest_job* job = calloc(1, sizeof *job);
    WEFT_ASSERT(job != NULL);
    job->options = &options;
    if (options.list) {
        faults_print();
        code = WEFT_EXIT_OK;
    } else if (fault_parse(&options, &only) && blind_parse(&options, &job->blind)) {
        struct sigaction before = weft_cli_interrupt_catch();
        bool whole = job_run(job, only);
        weft_cli_interrupt_release(&before);
        code = job->passed_count + job->absent_count == job->case_count ? WEFT_EXIT_OK
                                                                        : WEFT_EXIT_DIFFERENT;
        if (!options.json)
            job_print(job);
        else if (!job_print_json(job))
            code = WEFT_EXIT_FAILURE;
        if (!whole) {
            weft_cli_complain("interrupted: what is not shown was not tried");
            code = WEFT_EXIT_FAILURE;
        }
    }
    free(job);
    weft_cli_options_deinit(&options);
    return code;
}
