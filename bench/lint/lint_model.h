/// The determinism lint of `weft lint`: what its parts share.
///
/// Sources are read by libclang (lint_visit.c) into a graph: a node for each function and each
/// object with static storage, a reference wherever one names another, and candidates: places that
/// would be findings if their node can be reached. When all sources are read, everything that a
/// system can reach becomes findings (lint_graph.c), less what a comment excepts
/// (lint_exceptions.c). Object files are read without libclang (lint_object.c).
///
/// Nothing here has global mutable state. Memory belongs to the weft_lint; want of it is an
/// assertion, as a lint that has dropped a finding must not go on.
#pragma once

#include <stdio.h>

#include <jansson.h>

#include <weft/base.h>

typedef enum weft_lint_rule {
    WEFT_LINT_FLOAT,
    WEFT_LINT_LIBM,
    WEFT_LINT_VARARG_FLOAT,
    WEFT_LINT_DIVISION,
    WEFT_LINT_SHIFT,
    WEFT_LINT_ADDRESS,
    WEFT_LINT_STATIC,
    WEFT_LINT_TIME,
    WEFT_LINT_RANDOM,
    WEFT_LINT_ENVIRONMENT,
    WEFT_LINT_THREAD,
    WEFT_LINT_ATOMIC,
    WEFT_LINT_ALLOC,
    WEFT_LINT_QSORT,
    WEFT_LINT_HASH_ORDER,
    WEFT_LINT_ASM,
    WEFT_LINT_EXTERNAL,
    WEFT_LINT_EXCEPTION,
    WEFT_LINT_RULE_COUNT, // Also "no rule".
} weft_lint_rule;

/// What a rule says. A finding reads: what was found; why; instead.
typedef struct weft_lint_rule_text {
    const char* name;
    const char* finds;
    const char* why;
    const char* instead;
} weft_lint_rule_text;

/// How to lint. Lists are of patterns as for fnmatch(3).
typedef struct weft_lint_options {
    bool all;                       // Every function, not only what systems reach.
    bool floats;                    // float32 is allowed in every file...
    const char* const* float_files; // ...or in files whose paths match.
    size_t float_file_count;
    const char* const* pure; // External functions that are known to be pure.
    size_t pure_count;
    const char* const* flags; // For the compiler.
    size_t flag_count;
    bool without[WEFT_LINT_RULE_COUNT]; // Rules that are left out, with their exceptions.
} weft_lint_options;

/// Line 0: the file has no lines.
typedef struct weft_lint_place {
    const char* path;
    uint32_t line;
    uint32_t column;
} weft_lint_place;

#define WEFT_LINT_NO_NODE UINT32_MAX

/// A function, or an object with static storage. Objects are nodes because tables hold functions.
typedef struct weft_lint_node {
    const char* key; // Unique: the name if it has external linkage, else with its place.
    const char* name;
    weft_lint_place place;
    const char* entry; // "system" or "input" if the executor calls it; else null.
    bool is_function;
    bool reached;
    uint32_t via; // Who reached it first; WEFT_LINT_NO_NODE for the first of a route.
} weft_lint_node;

/// A place where a node names something with static storage or a function.
typedef struct weft_lint_ref {
    uint32_t from;
    const char* key;
    const char* name;
    weft_lint_place place;
    weft_lint_place other; // For a sort: where its comparator is.
    bool is_mutable;       // An object that may be written.
    bool is_function;
} weft_lint_ref;

/// A finding if its node is reached.
typedef struct weft_lint_candidate {
    uint32_t node;
    weft_lint_rule rule;
    weft_lint_place place;
    weft_lint_place other; // An exception here counts as well. No path: there is none.
    const char* what;
} weft_lint_candidate;

typedef struct weft_lint_finding {
    weft_lint_rule rule;
    weft_lint_place place;
    const char* what;
    const char* symbol; // In an object file; else null.
    const char* route;  // "system 'move': move > helper"; null without a system.
} weft_lint_finding;

/// A comment `// weft-lint: allow(rule): reason`, for one rule.
typedef struct weft_lint_exception {
    weft_lint_rule rule;
    weft_lint_place place; // Of the comment.
    uint32_t line;         // That it is about.
    const char* reason;
    uint32_t used;  // Findings that it covers.
    bool matched;   // It covers some candidate, reached or not.
    bool is_active; // Some translation unit compiles its line.
} weft_lint_exception;

/// A file that was seen. When its comments were read, first to end - 1 are its exceptions.
typedef struct weft_lint_file {
    const char* path;
    size_t first, end;
    bool is_read;
    bool is_given; // Named on the command line.
} weft_lint_file;

typedef struct weft_lint_names weft_lint_names;

typedef struct weft_lint {
    weft_lint_options options;
    const char* here; // The working directory: paths below it are shown without it.
    void* memory;     // All strings, as a list.
    weft_lint_names* names;
    weft_lint_node* nodes;
    size_t node_count, node_capacity;
    weft_lint_ref* refs;
    size_t ref_count, ref_capacity;
    weft_lint_candidate* candidates;
    size_t candidate_count, candidate_capacity;
    weft_lint_finding* findings;
    size_t finding_count, finding_capacity;
    weft_lint_exception* exceptions;
    size_t exception_count, exception_capacity;
    weft_lint_file* files;
    size_t file_count, file_capacity;
    uint32_t source_count, object_count;
    uint32_t entry_count, reached_count; // Functions; after weft_lint_finish().
} weft_lint;

// lint_rules.c -----------------------------------------------------------------------------------

/// The text of a rule. Never null.
const weft_lint_rule_text* weft_lint_rule_get(weft_lint_rule rule);

/// The rule with this name, or WEFT_LINT_RULE_COUNT.
weft_lint_rule weft_lint_rule_find(const char* name, size_t length);

/// The rule that using an external function or object breaks; WEFT_LINT_EXTERNAL if nothing is
/// known of it, WEFT_LINT_RULE_COUNT if it is allowed.
weft_lint_rule weft_lint_name_rule(const weft_lint_options* options, const char* name);

/// The rule that expanding a macro breaks, or WEFT_LINT_RULE_COUNT.
weft_lint_rule weft_lint_macro_rule(const char* name);

// lint_memory.c ----------------------------------------------------------------------------------

/// An empty lint. The options' lists must outlive it.
weft_lint* weft_lint_create(const weft_lint_options* options);
void weft_lint_destroy(weft_lint* lint);

/// Zeroed memory that lives as long as the lint. Never null.
void* weft_lint_allocate(weft_lint* lint, size_t size);

/// A formatted string that lives as long as the lint.
const char* weft_lint_format(weft_lint* lint, const char* format, ...) WEFT_PRINTF(2, 3);

/// The path as it is shown: equal for all names of one file. The second gives the file's place in
/// lint->files.
const char* weft_lint_path(weft_lint* lint, const char* path);
size_t weft_lint_file_index(weft_lint* lint, const char* path);

/// Makes room for one more element of a growing array.
void* weft_lint_grow(void* array, size_t count, size_t* capacity, size_t element_size);

/// A file's bytes, with a zero behind them that `size_out` does not count; null if it cannot be
/// read. Lives as long as the lint.
char* weft_lint_read(weft_lint* lint, const char* path, size_t* size_out);

/// The index filed under a key, or WEFT_LINT_NO_NODE; and filing one.
uint32_t weft_lint_name_get(const weft_lint* lint, const char* key);
void weft_lint_name_put(weft_lint* lint, const char* key, uint32_t index);

// lint_graph.c -----------------------------------------------------------------------------------

/// The key of something with external linkage: its name. Where several programs are read at once
/// and a name is defined in more than one, those after the first have their place in the key; a
/// reference means the definition that its own source has, else the first. No path: it has none.
const char* weft_lint_node_key(weft_lint* lint, const char* name, weft_lint_place place);

/// Adds a node, or returns WEFT_LINT_NO_NODE if it is known already: a header's function is read
/// once.
uint32_t weft_lint_node_add(weft_lint* lint, const char* key, const char* name,
                            weft_lint_place place, bool is_function);

void weft_lint_ref_add(weft_lint* lint, weft_lint_ref ref);

/// `other` may have no path.
void weft_lint_candidate_add(weft_lint* lint, uint32_t node, weft_lint_rule rule,
                             weft_lint_place place, weft_lint_place other, const char* what);

/// Notes that an executor calls the function with this key, whether it is read yet or not.
void weft_lint_entry_add(weft_lint* lint, const char* key, const char* kind);

void weft_lint_finding_add(weft_lint* lint, weft_lint_finding finding);

/// After all files: follows the graph, applies exceptions, sorts findings by place.
void weft_lint_finish(weft_lint* lint);

// lint_exceptions.c ------------------------------------------------------------------------------

/// Reads the comments of a file once: exceptions are added, malformed ones are findings.
void weft_lint_comments_add(weft_lint* lint, size_t file_index, const char* text, size_t size);

/// The exception for a rule at a place, or null.
weft_lint_exception* weft_lint_exception_find(weft_lint* lint, weft_lint_rule rule,
                                              weft_lint_place place);

/// Exceptions that cover nothing become findings.
void weft_lint_exceptions_finish(weft_lint* lint);

// lint_clang.c, or lint_none.c without libclang ---------------------------------------------------

/// The parser.
typedef struct weft_lint_parser weft_lint_parser;

/// Loads libclang. Null when it is not there: the line says which package is missing.
weft_lint_parser* weft_lint_parser_create(char* line, size_t capacity);
void weft_lint_parser_destroy(weft_lint_parser* parser);

/// Reads one source. False if it cannot be compiled: the compiler's messages are on `errors`.
bool weft_lint_source_add(weft_lint* lint, weft_lint_parser* parser, const char* path,
                          FILE* errors);

// lint_object.c ----------------------------------------------------------------------------------

/// Reads the symbols of an ELF object or shared object of any class and byte order. False if it is
/// none or is damaged: the line says so.
bool weft_lint_object_add(weft_lint* lint, const char* path, char* line, size_t capacity);

// lint_output.c ----------------------------------------------------------------------------------

/// Findings, exceptions and a summary, for people.
void weft_lint_print(const weft_lint* lint, FILE* file);

/// The same as JSON; and findings as SARIF 2.1.0. Null without memory.
json_t* weft_lint_json(const weft_lint* lint);
json_t* weft_lint_sarif(const weft_lint* lint);
