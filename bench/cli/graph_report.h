/// What `weft graph` knows of a schedule, and the forms that it takes.
#pragma once

#include <weft/inspect.h>

#include "cli.h"

/// What --deny can name.
typedef enum graph_deny {
    GRAPH_DENY_AMBIGUOUS,
    GRAPH_DENY_DOUBLE_WRITER,
    GRAPH_DENY_READ_BEFORE_WRITE,
    GRAPH_DENY_DEAD,
    GRAPH_DENY_COUNT,
} graph_deny;

typedef struct graph_report {
    const weft_module* module;
    uint64_t entity_count;
    uint64_t seed;
    bool all_edges;
    bool overlaps;
    bool denied[GRAPH_DENY_COUNT]; // Asked for.
    const weft_schedule* schedule;
    weft_inspect* inspect;
    uint32_t count; // Systems.
    uint32_t edge_count;
    uint32_t implied_count;
    uint32_t ambiguous_count;
    uint32_t ambiguous_implied_count; // Of these: settled with the others.
    uint64_t free_count;              // Pairs that nothing orders.
    uint32_t* path;                   // [count] the longest chain.
    uint32_t path_count;
    uint32_t* place; // [count] of each system in it, from 1; 0: none.
    uint32_t* width; // [count] a largest set without order.
    uint32_t width_count;
    bool width_exact;
    uint32_t first;    // Of --why.
    uint32_t second;   //
    uint32_t* between; // [count] the path that orders them, empty where nothing does.
    uint32_t between_count;
} graph_report;

/// Fills everything but `first` and what follows. Status: OUT_OF_MEMORY.
weft_status graph_report_init(graph_report* report);
void graph_report_deinit(graph_report* report);

/// How a kind of denial is written, and how many there are of it.
const char* graph_deny_name(graph_deny deny);
uint32_t graph_deny_count(const graph_report* report, graph_deny deny);

const char* graph_name(const graph_report* report, uint32_t rank);

/// "writes Position, Heading; reads Velocity; commands" with `between` for "; ". Free it.
char* graph_accesses(const graph_report* report, uint32_t rank, const char* between);

/// What two systems have in common: "Position: read-write on the same row; Food: both only read
/// it". With `conflicts` only that. Free it.
char* graph_bonds(const graph_report* report, uint32_t first, uint32_t second, bool conflicts);

/// The writers of a type, from the first finding about it on. Free it.
char* graph_writers(const graph_report* report, uint32_t finding, const char* between);

/// What an edge makes its second system wait for: "all chunks", "same chunk".
const char* graph_wait_text(const weft_edge* edge);

/// "declared", "by messages", "by registration".
const char* graph_order_text(weft_inspect_order order);

bool graph_is_dead(weft_finding_kind kind);

/// What a dead or idle system is said to be; null for findings about types.
const char* graph_life_text(weft_finding_kind kind);

/// True if a finding is of the same kind and type as the one before.
bool graph_finding_continues(const graph_report* report, uint32_t index);

/// "1 stage", "2 stages".
void graph_count_print(FILE* file, uint32_t count, const char* what);

json_t* graph_edge_json(const graph_report* report, const weft_inspect_edge* at);
json_t* graph_bonds_json(const graph_report* report, uint32_t first, uint32_t second);

/// Prints a value with a line end and releases it.
void graph_json_write(FILE* file, json_t* value);

// Each prints a graph_report.
void graph_text_print(FILE* file, const void* report);
void graph_json_print(FILE* file, const void* report);
void graph_dot_print(FILE* file, const void* report);
void graph_why_print(FILE* file, const void* report);
void graph_why_json_print(FILE* file, const void* report);

/// Makes a picture of a graph in the language of graphviz, by its program; free it. Status:
/// UNSUPPORTED without graphviz, OS, OUT_OF_MEMORY; the line says why.
weft_status graph_svg_make(const char* dot, char** svg_out, size_t* size_out, char* line,
                           size_t capacity);
