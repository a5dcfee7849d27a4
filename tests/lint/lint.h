// The lint: rules that the compiler does not know, checked over the tree as a test.
//
// A source is read once, cut into lines and tokens, and its top-level items are found; rules look
// at these. A finding can be silenced in two ways, both counted: `lint-ok(rule): reason` in a
// comment on the line or the line above, or a line in exemptions.txt. One that silences nothing is
// a finding itself, so both can only shrink.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum token_kind {
    TOKEN_NAME,
    TOKEN_NUMBER,
    TOKEN_STRING,
    TOKEN_INCLUDE,
    TOKEN_PUNCT
};

struct token {
    enum token_kind kind;
    bool directive; // Part of a preprocessor line.
    int line;       // From 1.
    size_t size;
    const char* text; // Into the source's text, not terminated. Without quotes for an include.
};

enum item_kind {
    ITEM_FUNCTION,
    ITEM_DECLARATION
};

// A function with its body, or a declaration with its semicolon, outside all braces but extern "C".
struct item {
    enum item_kind kind;
    size_t first, last; // Token indices, inclusive.
    size_t body;        // The opening brace of a function.
};

struct source {
    char* path; // Relative to the root.
    char* text;
    char** lines;
    bool* silenced; // By line: a lint-ok there was of use.
    size_t line_count;
    struct token* tokens;
    size_t token_count;
    struct item* items;
    size_t item_count;
    bool is_header;
    bool is_public; // In a layer's include folder.
};

struct exemption {
    char* rule;
    char* where; // A path, or path:function.
    int line;
    bool used;
};

struct lint {
    const char* root;
    const char* source_list; // Files known to the build, one a line; null for no such check.
    bool quiet;
    struct source* sources;
    size_t source_count;
    struct exemption* exemptions;
    size_t exemption_count;
    int finding_count;
    int silenced_count;
    const char* only_rule; // Set when every finding was of one rule.
    bool mixed_rules;
};

struct rule {
    const char* name;
    const char* scope;                                            // Layers, or "" for all files.
    void (*check_source)(struct lint* lint, struct source* file); // One of the two is set.
    void (*check_tree)(struct lint* lint);
};

extern const struct rule lint_rules[];
extern const size_t lint_rule_count;

// source.c
bool source_load(struct source* file, const char* root, const char* path);
void source_free(struct source* file);
bool token_is(const struct token* token, const char* text);
bool source_in_scope(const struct source* file, const char* scope);
char* text_copy(const char* text, size_t size);
char* file_read(const char* path);

// lint.c: says what is wrong where, unless it is silenced. A null function means the whole file.
__attribute__((format(printf, 6, 7))) void lint_report(struct lint* lint, struct source* file,
                                                       int line, const char* rule,
                                                       const char* function, const char* format,
                                                       ...);
