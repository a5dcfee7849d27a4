/// The page of `weft report`: what it is made of, and the pieces that its sections share.
///
/// Sections are printed into memory first, each of them says what it found, and the page begins
/// with that. Text from files goes through report_text() alone, which escapes it, so that a name
/// can be neither a tag nor the end of one.
#pragma once

#include "cli.h"
#include "results.h"
#include "topo_report.h"

/// What a file turned out to be.
typedef enum report_kind {
    REPORT_RESULTS,  // weft bench --save, or --json.
    REPORT_HASHES,   // weft run --hashes
    REPORT_VERIFY,   // weft verify --json
    REPORT_RUN,      // weft run --json
    REPORT_TRACE,    // weft run --trace
    REPORT_LOG,      // weft run --log
    REPORT_GRAPH,    // weft graph --json
    REPORT_TUNE,     // weft tune --json
    REPORT_FORECAST, // weft forecast --json
    REPORT_TOPO,     // weft topo --json
    REPORT_KINDS,
} report_kind;

typedef struct report_input {
    const char* name; // As it was given.
    report_kind kind;
    weft_run run;           // RESULTS
    weft_cli_hashes hashes; // HASHES
    json_t* json;           // What else is JSON.
    char* path;             // LOG
    topo_report topo;       // The machine, where the file tells it; it points into the JSON.
    bool has_topology;
} report_input;

/// How bad a finding is; the worst one is the verdict.
typedef enum report_level {
    REPORT_GOOD,
    REPORT_MISSED,    // A target, or something to look at.
    REPORT_DIFFERENT, // What must be equal is not.
    REPORT_FAILED,    // Something did not run to its end.
} report_level;

typedef struct report_finding {
    report_level level;
    const char* section; // Its anchor.
    char* text;
} report_finding;

typedef struct report_page {
    const char* title;
    report_input* inputs;
    size_t input_count;
    report_finding* findings;
    size_t finding_count;
    const char* sections[16][2]; // Anchor and title of those that are there.
    size_t section_count;
    json_t* graph;                       // Of --module; null: none.
    char* picture;                       // The same by graphviz; null: none, and
    char no_picture[WEFT_CLI_LINE_SIZE]; // why.
    bool failed;                         // No memory: the page is not to be written.
} report_page;

// report_html.c ----------------------------------------------------------------------------------

/// Prints text between tags or in a quoted attribute. What is no UTF-8, or a control character,
/// becomes U+FFFD.
void report_text(FILE* file, const char* text);
void report_format(FILE* file, const char* format, ...) WEFT_PRINTF(2, 3);

/// A term and what it is, in a list of class "facts"; nothing where there is no text. Without a
/// name it is more of the term before.
void report_term(FILE* file, const char* name, const char* text);

/// Begins and ends a section with a heading, and notes it for the list of contents.
void report_section(report_page* page, FILE* file, const char* anchor, const char* title);
void report_section_end(FILE* file);

/// Adds what a section found.
void report_find(report_page* page, report_level level, const char* section, const char* format,
                 ...) WEFT_PRINTF(4, 5);

/// A table: cells fill rows from left to right. `kinds` has a letter for each column: 't' text, 'l'
/// long text, 'n' numbers, 'd' digests, 'i' intervals. The first column names its row.
typedef struct report_table {
    FILE* file;
    const char* kinds;
    size_t column;
} report_table;

/// `heads` are as many as `kinds` has letters. Sorted by buttons if `sortable`.
report_table report_table_begin(FILE* file, const char* caption, const char* kinds,
                                const char* const* heads, bool sortable);
void report_cell(report_table* table, const char* format, ...) WEFT_PRINTF(2, 3);

/// A cell that is sorted by a number, whatever its text is.
void report_cell_number(report_table* table, double number, const char* format, ...)
    WEFT_PRINTF(3, 4);

/// A number, with a bar of `share` of the cell.
void report_cell_bar(report_table* table, double number, double share, const char* format, ...)
    WEFT_PRINTF(4, 5);

/// An interval from low to high (low > high: none) with its middle and a line at 1, from scale[0]
/// to scale[1]; nothing if `at` is not above 0.
void report_cell_interval(report_table* table, double at, double low, double high,
                          const double scale[2]);

/// A word with the mark of its level.
void report_cell_level(report_table* table, report_level level, const char* text);
void report_table_end(report_table* table);

/// The mark of a level, as SVG.
void report_mark(FILE* file, report_level level);

/// Four digits for people.
#define REPORT_NUMBER 32u
const char* report_number(double number, char text[REPORT_NUMBER]);

/// Microseconds for people: "12.3 us", "4.56 ms".
const char* report_time(double us, char text[REPORT_NUMBER]);

/// Values of an object of JSON that may be missing or of another type.
const char* report_json_string(const json_t* object, const char* key);
double report_json_number(const json_t* object, const char* key);

// report_chart.c ---------------------------------------------------------------------------------

#define REPORT_SERIES_MAX 8u

typedef struct report_point {
    double x;
    double y;
    double low; // Of an interval; low > high: there is none.
    double high;
} report_point;

typedef struct report_line {
    char name[160];
    report_point* points; // By x. Freed with the chart.
    size_t count;
    size_t capacity;
    bool is_ideal; // Dashed and grey, without points of its own in the table.
} report_line;

typedef struct report_chart {
    char title[200];
    const char* x_name;
    const char* y_name;
    bool has_dots; // Few points, of numbers of workers, which are shown.
    report_line lines[REPORT_SERIES_MAX];
    uint32_t count;
    bool failed; // No memory.
} report_chart;

/// A new line; null when there are too many.
report_line* report_chart_line(report_chart* chart, const char* format, ...) WEFT_PRINTF(2, 3);
void report_chart_add(report_chart* chart, report_line* line, report_point point);

/// Adds the line of as many times as fast as workers, as far as it is near the others.
void report_chart_ideal(report_chart* chart);

/// Prints it as a figure with its numbers, and frees its points.
void report_chart_print(report_page* page, FILE* file, report_chart* chart);

// Sections: each prints nothing where there is nothing for it ------------------------------------

void report_identity(report_page* page, FILE* file);
void report_comparison(report_page* page, FILE* file);
void report_speed(report_page* page, FILE* file);
void report_forecast(report_page* page, FILE* file);
void report_tune(report_page* page, FILE* file);
void report_traces(report_page* page, FILE* file);
void report_graph(report_page* page, FILE* file);
void report_logs(report_page* page, FILE* file);
void report_results(report_page* page, FILE* file);
void report_machine(report_page* page, FILE* file);

// report_forecast.c ------------------------------------------------------------------------------

/// Draws the curve of a forecast, where a file has one.
bool report_forecast_curve(report_page* page, FILE* file, const report_input* input);

// report_input.c ---------------------------------------------------------------------------------

/// Reads a file, whatever it is. False with a line for people.
bool report_input_read(const char* name, report_input* out, char* line, size_t capacity);
void report_input_deinit(report_input* input);

/// What made a file of this kind, for people: "weft run --hashes".
const char* report_kind_source(report_kind kind);

/// The next input of a kind from `*at` on, which is moved behind it; null after the last.
const report_input* report_input_next(const report_page* page, report_kind kind, size_t* at);

// report_write.c ---------------------------------------------------------------------------------

/// What the findings come to, in a few words.
const char* report_page_verdict(const report_page* page);

/// Prints the page: the head and the findings, then what the sections printed.
void report_page_print(FILE* file, const report_page* page, const char* body);
