// The rules.

#define _GNU_SOURCE // memmem

#include "lint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINES_PER_FUNCTION = 70,
    LINES_PER_FILE = 800,
    COLUMNS = 100
};

static bool in_list(const struct token* token, const char* const* list) {
    for (; *list != NULL; list++) {
        if (token_is(token, *list))
            return true;
    }
    return false;
}

// True for a call of a plain function: a name before a parenthesis that is no member.
static bool is_call(const struct source* file, size_t index) {
    const struct token* tokens = file->tokens;
    if (tokens[index].kind != TOKEN_NAME || index + 1 >= file->token_count ||
        !token_is(&tokens[index + 1], "("))
        return false;
    if (index > 0 && token_is(&tokens[index - 1], "."))
        return false;
    return index < 2 || !token_is(&tokens[index - 1], ">") || !token_is(&tokens[index - 2], "-");
}

static void report_calls(struct lint* lint, struct source* file, const char* rule,
                         const char* const* names, const char* why) {
    for (size_t i = 0; i < file->token_count; i++) {
        const struct token* token = &file->tokens[i];
        if (is_call(file, i) && in_list(token, names))
            lint_report(lint, file, token->line, rule, NULL, "%.*s(): %s", (int)token->size,
                        token->text, why);
    }
}

// math and ecs are pure functions of state: the machine, time and files are not theirs.
static void check_banned_include(struct lint* lint, struct source* file) {
    static const char* const banned[] = {"pthread.h", "threads.h", "stdatomic.h", "time.h",
                                         "unistd.h",  "signal.h",  "fcntl.h",     "locale.h",
                                         "dlfcn.h",   "sched.h",   "semaphore.h", "setjmp.h",
                                         "poll.h",    "dirent.h",  NULL};
    for (size_t i = 0; i < file->token_count; i++) {
        const struct token* token = &file->tokens[i];
        if (token->kind != TOKEN_INCLUDE)
            continue;
        bool system = token->size > 4 && memcmp(token->text, "sys/", 4) == 0;
        if (system || in_list(token, banned))
            lint_report(lint, file, token->line, "banned-include", NULL,
                        "<%.*s> in a layer of pure functions", (int)token->size, token->text);
    }
}

static void check_banned_call(struct lint* lint, struct source* file) {
    static const char* const calls[] = {
        "printf",        "fprintf",      "vprintf", "vfprintf", "puts",   "fputs",
        "putchar",       "perror",       "fopen",   "fdopen",   "open",   "getenv",
        "secure_getenv", "setenv",       "clock",   "time",     "rand",   "srand",
        "random",        "gettimeofday", "getpid",  "exit",     "system", NULL};
    static const char* const names[] = {"FILE", "stdin", "stdout", "stderr", "errno", NULL};
    report_calls(lint, file, "banned-call", calls, "not in a layer of pure functions");
    for (size_t i = 0; i < file->token_count; i++) {
        const struct token* token = &file->tokens[i];
        if (token->kind == TOKEN_NAME && in_list(token, names))
            lint_report(lint, file, token->line, "banned-call", NULL,
                        "%.*s in a layer of pure functions", (int)token->size, token->text);
    }
}

static void check_relative_include(struct lint* lint, struct source* file) {
    for (size_t i = 0; i < file->token_count; i++) {
        const struct token* token = &file->tokens[i];
        if (token->kind == TOKEN_INCLUDE && token->size > 3 &&
            memmem(token->text, token->size, "../", 3) != NULL)
            lint_report(lint, file, token->line, "relative-include", NULL,
                        "an include by ../ goes around the layers");
    }
}

static bool ends_with_t(const struct token* token) {
    return token->kind == TOKEN_NAME && token->size > 2 &&
           memcmp(token->text + token->size - 2, "_t", 2) == 0;
}

// The name that a typedef declares: in front of the semicolon, an array, or the parameters.
static const struct token* typedef_name(const struct source* file, const struct item* item) {
    size_t depth = 0;
    for (size_t i = item->last; i > item->first; i--) {
        const struct token* token = &file->tokens[i];
        if (token_is(token, ")") || token_is(token, "]") || token_is(token, "}"))
            depth++;
        else if (token_is(token, "(") || token_is(token, "[") || token_is(token, "{"))
            depth -= depth > 0;
        else if (depth == 0 && token->kind == TOKEN_NAME)
            return token;
    }
    return NULL;
}

static void check_type_suffix(struct lint* lint, struct source* file) {
    for (size_t i = 0; i < file->item_count; i++) {
        const struct item* item = &file->items[i];
        if (!token_is(&file->tokens[item->first], "typedef"))
            continue;
        const struct token* name = typedef_name(file, item);
        if (name != NULL && ends_with_t(name))
            lint_report(lint, file, name->line, "type-suffix", NULL,
                        "%.*s: names in _t belong to POSIX", (int)name->size, name->text);
    }
    for (size_t i = 1; i < file->token_count; i++) {
        const struct token* token = &file->tokens[i];
        const struct token* before = token - 1;
        bool tagged =
            token_is(before, "struct") || token_is(before, "enum") || token_is(before, "union");
        if (tagged && ends_with_t(token))
            lint_report(lint, file, token->line, "type-suffix", NULL,
                        "%.*s: names in _t belong to POSIX", (int)token->size, token->text);
    }
}

// The function's name, as far as tokens tell: the one before the first parenthesis, or for a test
// Criterion's two arguments.
static void function_name(const struct source* file, const struct item* item, char* name,
                          size_t size) {
    snprintf(name, size, "?");
    for (size_t i = item->first + 1; i < item->body; i++) {
        const struct token* before = &file->tokens[i - 1];
        if (!token_is(&file->tokens[i], "(") || before->kind != TOKEN_NAME ||
            token_is(before, "__attribute__"))
            continue;
        bool is_test = token_is(before, "Test") && i + 3 < item->body;
        const struct token* found = is_test ? &file->tokens[i + 3] : before;
        snprintf(name, size, "%.*s", (int)found->size, found->text);
        return;
    }
}

static void check_function_length(struct lint* lint, struct source* file) {
    for (size_t i = 0; i < file->item_count; i++) {
        const struct item* item = &file->items[i];
        int first = file->tokens[item->first].line;
        int count = file->tokens[item->last].line - first + 1;
        if (item->kind != ITEM_FUNCTION || count <= LINES_PER_FUNCTION)
            continue;
        char name[128];
        function_name(file, item, name, sizeof name);
        lint_report(lint, file, first, "function-length", name, "%s has %d lines, over %d", name,
                    count, LINES_PER_FUNCTION);
    }
}

static void check_file_length(struct lint* lint, struct source* file) {
    if (file->line_count > LINES_PER_FILE)
        lint_report(lint, file, LINES_PER_FILE + 1, "file-length", NULL, "%zu lines, over %d",
                    file->line_count, LINES_PER_FILE);
}

static void check_line_length(struct lint* lint, struct source* file) {
    for (size_t i = 0; i < file->line_count; i++) {
        int columns = 0;
        for (const char* at = file->lines[i]; *at != '\0'; at++)
            columns += ((unsigned char)*at & 0xC0) != 0x80; // Continuation bytes have no width.
        if (columns > COLUMNS)
            lint_report(lint, file, (int)i + 1, "line-length", NULL, "%d columns, over %d", columns,
                        COLUMNS);
    }
}

static void check_pragma_once(struct lint* lint, struct source* file) {
    for (size_t i = 0; i + 2 < file->token_count; i++) {
        if (file->tokens[i].directive && token_is(&file->tokens[i], "#") &&
            token_is(&file->tokens[i + 1], "pragma") && token_is(&file->tokens[i + 2], "once"))
            return;
    }
    if (file->is_header)
        lint_report(lint, file, 1, "pragma-once", NULL, "no #pragma once");
}

static bool is_word_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void check_marker(struct lint* lint, struct source* file) {
    // Cut in two, or this file would find itself.
    static const char* const markers[] = {"TO"
                                          "DO",
                                          "FIX"
                                          "ME",
                                          "XX"
                                          "X",
                                          "HA"
                                          "CK",
                                          NULL};
    for (size_t i = 0; i < file->line_count; i++) {
        for (const char* const* marker = markers; *marker != NULL; marker++) {
            const char* line = file->lines[i];
            const char* at = strstr(line, *marker);
            if (at != NULL && (at == line || !is_word_char(at[-1])) &&
                !is_word_char(at[strlen(*marker)]))
                lint_report(lint, file, (int)i + 1, "marker", NULL, "a %s was left behind",
                            *marker);
        }
    }
}

// A declaration or inline definition of a function, and not a type, a macro's call or a variable.
static bool declares_function(const struct source* file, const struct item* item) {
    const struct token* first = &file->tokens[item->first];
    if (item->kind == ITEM_FUNCTION)
        return true;
    if (item->last == item->first || token_is(first, "typedef") ||
        token_is(first, "_Static_assert") || token_is(first, "static_assert") ||
        token_is(&file->tokens[item->first + 1], "("))
        return false;
    for (size_t i = item->first; i < item->last; i++) {
        if (token_is(&file->tokens[i], "{") || token_is(&file->tokens[i], "="))
            return false;
        if (token_is(&file->tokens[i], "(") && i > 0 &&
            !token_is(&file->tokens[i - 1], "__attribute__"))
            return true;
    }
    return false;
}

// Declarations without a blank line between them share the docstring above the first.
static void check_docstring(struct lint* lint, struct source* file) {
    if (!file->is_public)
        return;
    int covered = 0; // Last line of a documented item.
    for (size_t i = 0; i < file->item_count; i++) {
        const struct item* item = &file->items[i];
        int line = file->tokens[item->first].line;
        const char* above = line >= 2 ? file->lines[line - 2] : "";
        above += strspn(above, " ");
        bool documented = strncmp(above, "///", 3) == 0 || (covered != 0 && line == covered + 1);
        if (documented)
            covered = file->tokens[item->last].line;
        if (documented || !declares_function(file, item))
            continue;
        char name[128];
        struct item whole = *item;
        whole.body = item->kind == ITEM_FUNCTION ? item->body : item->last;
        function_name(file, &whole, name, sizeof name);
        if (strncmp(name, "weft__", 6) == 0)
            continue; // Internal, and in the header only to be inlined.
        lint_report(lint, file, line, "docstring", name, "%s has no /// just above", name);
    }
}

static void check_alloc(struct lint* lint, struct source* file) {
    static const char* const names[] = {"malloc",         "calloc",       "realloc", "free",
                                        "aligned_alloc",  "reallocarray", "strdup",  "strndup",
                                        "posix_memalign", "asprintf",     "alloca",  NULL};
    report_calls(lint, file, "alloc", names, "memory comes from the arena");
}

static void check_libm(struct lint* lint, struct source* file) {
    static const char* const names[] = {
        "sin",   "cos",    "tan",   "asin",  "acos",   "atan",     "atan2",     "sinh",  "cosh",
        "tanh",  "exp",    "exp2",  "expm1", "log",    "log2",     "log10",     "log1p", "pow",
        "sqrt",  "cbrt",   "hypot", "floor", "ceil",   "round",    "trunc",     "rint",  "lround",
        "lrint", "fmod",   "fma",   "fabs",  "ldexp",  "frexp",    "modf",      "fmin",  "fmax",
        "fdim",  "scalbn", "erf",   "logb",  "tgamma", "copysign", "remainder", NULL};
    for (size_t i = 0; i < file->token_count; i++) {
        struct token token = file->tokens[i];
        if (!is_call(file, i) || token_is(&token, "sqrtf"))
            continue;
        struct token stem = token;
        char last = token.text[token.size - 1];
        if (last == 'f' || last == 'l')
            stem.size--;
        if (in_list(&token, names) || in_list(&stem, names))
            lint_report(lint, file, token.line, "libm", NULL, "%.*s(): results of libm differ",
                        (int)token.size, token.text);
    }
}

// The pinned backend computes with float, and nothing computes with double.
static bool is_pinned(const struct source* file) {
    return strncmp(file->path, "math/pinned", 11) == 0 ||
           strcmp(file->path, "math/include/weft/pinned.h") == 0;
}

static void check_float(struct lint* lint, struct source* file) {
    for (size_t i = 0; i < file->token_count; i++) {
        const struct token* token = &file->tokens[i];
        if (token_is(token, "double"))
            lint_report(lint, file, token->line, "float", NULL, "double is of no use to state");
        if (token_is(token, "float") && !is_pinned(file))
            lint_report(lint, file, token->line, "float", NULL, "float outside the pinned backend");
    }
}

static void check_qsort(struct lint* lint, struct source* file) {
    static const char* const names[] = {"qsort", "qsort_r", NULL};
    report_calls(lint, file, "qsort", names, "may allocate, and its order of equals is its own");
}

// Mutable means: no const at all, or a pointer behind the last const.
static bool is_mutable(const struct source* file, size_t first, size_t last) {
    bool has_const = false;
    bool pointer_after = false;
    for (size_t i = first; i <= last; i++) {
        const struct token* token = &file->tokens[i];
        if (token_is(token, "=") || token_is(token, ";") || token_is(token, "["))
            break;
        if (token_is(token, "const")) {
            has_const = true;
            pointer_after = false;
        }
        pointer_after = pointer_after || token_is(token, "*");
    }
    return !has_const || pointer_after;
}

static bool declares_variable(const struct source* file, const struct item* item) {
    static const char* const not_first[] = {"typedef", "extern", "_Static_assert", "static_assert",
                                            NULL};
    if (item->kind != ITEM_DECLARATION || in_list(&file->tokens[item->first], not_first))
        return false;
    bool tagged = false; // A struct, enum or union with a body declares no variable by itself.
    int depth = 0;
    for (size_t i = item->first; i < item->last; i++) {
        const struct token* token = &file->tokens[i];
        if (depth == 0 && token_is(token, "="))
            return true;
        if (depth == 0 && token_is(token, "("))
            return false;
        depth += token_is(token, "{") - token_is(token, "}");
        tagged = tagged || depth > 0;
    }
    bool forward = item->last == item->first + 2 && !token_is(&file->tokens[item->first], "static");
    const struct token* first = &file->tokens[item->first];
    forward = forward &&
              (token_is(first, "struct") || token_is(first, "enum") || token_is(first, "union"));
    bool body_only = tagged && token_is(&file->tokens[item->last - 1], "}");
    return !forward && !body_only;
}

// Static variables in functions are global state just as much.
static void report_local_statics(struct lint* lint, struct source* file, const struct item* item) {
    for (size_t i = item->body; i < item->last; i++) {
        if (!token_is(&file->tokens[i], "static") || file->tokens[i].directive)
            continue;
        if (is_mutable(file, i, item->last))
            lint_report(lint, file, file->tokens[i].line, "mutable-static", NULL,
                        "a mutable static in a function");
    }
}

static void check_mutable_static(struct lint* lint, struct source* file) {
    for (size_t i = 0; i < file->item_count; i++) {
        const struct item* item = &file->items[i];
        if (item->kind == ITEM_FUNCTION)
            report_local_statics(lint, file, item);
        else if (declares_variable(file, item) && is_mutable(file, item->first, item->last))
            lint_report(lint, file, file->tokens[item->first].line, "mutable-static", NULL,
                        "a mutable variable at file scope");
    }
}

static const char* const layers = "math ecs scheduler bench";

static const char* base_name(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

// A base name belongs to one layer, and in a layer to one .c and one .h.
static void check_unique_name(struct lint* lint) {
    for (size_t i = 0; i < lint->source_count; i++) {
        struct source* file = &lint->sources[i];
        if (!source_in_scope(file, layers))
            continue;
        const char* name = base_name(file->path);
        size_t stem = strcspn(name, ".");
        size_t layer = strcspn(file->path, "/") + 1;
        for (size_t k = 0; k < i; k++) {
            const struct source* other = &lint->sources[k];
            const char* other_name = base_name(other->path);
            if (!source_in_scope(other, layers) || strcspn(other_name, ".") != stem ||
                strncmp(name, other_name, stem) != 0)
                continue;
            bool same_layer = strncmp(file->path, other->path, layer) == 0;
            if (!same_layer || strcmp(name, other_name) == 0)
                lint_report(lint, file, 1, "unique-name", NULL, "the base name of %s", other->path);
        }
    }
}

// True if the list has a line that ends with the path.
static bool list_has(const char* list, const char* path) {
    size_t size = strlen(path);
    for (const char* at = strstr(list, path); at != NULL; at = strstr(at + 1, path)) {
        if ((at == list || at[-1] == '/' || at[-1] == '\n') &&
            (at[size] == '\0' || at[size] == '\n'))
            return true;
    }
    return false;
}

static void check_unbuilt(struct lint* lint) {
    char* list = lint->source_list == NULL ? NULL : file_read(lint->source_list);
    if (list == NULL)
        return;
    for (size_t i = 0; i < lint->source_count; i++) {
        struct source* file = &lint->sources[i];
        if (source_in_scope(file, layers) && !file->is_header && !list_has(list, file->path))
            lint_report(lint, file, 1, "unbuilt", NULL, "no target builds this file");
    }
    free(list);
}

const struct rule lint_rules[] = {
    {.name = "banned-include", .scope = "math ecs", .check_source = check_banned_include},
    {.name = "banned-call", .scope = "math ecs", .check_source = check_banned_call},
    {.name = "relative-include", .scope = "", .check_source = check_relative_include},
    {.name = "type-suffix", .scope = "", .check_source = check_type_suffix},
    {.name = "function-length", .scope = "", .check_source = check_function_length},
    {.name = "file-length", .scope = "", .check_source = check_file_length},
    {.name = "line-length", .scope = "", .check_source = check_line_length},
    {.name = "pragma-once", .scope = "", .check_source = check_pragma_once},
    {.name = "marker", .scope = "", .check_source = check_marker},
    {.name = "docstring", .scope = "", .check_source = check_docstring},
    {.name = "alloc", .scope = "math ecs scheduler", .check_source = check_alloc},
    {.name = "libm", .scope = "math ecs", .check_source = check_libm},
    {.name = "float", .scope = "math ecs", .check_source = check_float},
    {.name = "qsort", .scope = "math ecs scheduler", .check_source = check_qsort},
    {.name = "mutable-static", .scope = "math ecs scheduler", .check_source = check_mutable_static},
    {.name = "unique-name", .check_tree = check_unique_name},
    {.name = "unbuilt", .check_tree = check_unbuilt},
};
const size_t lint_rule_count = sizeof lint_rules / sizeof lint_rules[0];
