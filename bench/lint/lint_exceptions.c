// Exceptions: comments that take a finding back, with a reason.
//
//   quotient = n / d; // weft-lint: allow(division): d is checked by the caller
//
// The comment is on the line of the finding, or alone on the line above. Comments are found as the
// compiler finds them: not in strings, and over line ends that a backslash hides. One may name
// several rules: allow(division, shift).

#include "lint_model.h"

#include <ctype.h>
#include <string.h>

#define MARK "weft-lint:"

static void malformed(weft_lint* lint, weft_lint_place place, const char* what) {
    weft_lint_finding_add(
        lint, (weft_lint_finding){.rule = WEFT_LINT_EXCEPTION, .place = place, .what = what});
}

static const char* blanks_skip(const char* at, const char* end) {
    while (at < end && isspace((unsigned char)*at))
        at++;
    return at;
}

static bool word_take(const char** at, const char* end, const char* word) {
    size_t length = strlen(word);
    if ((size_t)(end - *at) < length || memcmp(*at, word, length) != 0)
        return false;
    *at = blanks_skip(*at + length, end);
    return true;
}

static void exception_add(weft_lint* lint, weft_lint_place place, uint32_t line,
                          weft_lint_rule rule, const char* reason) {
    for (size_t i = lint->exception_count; i-- > 0;) {
        const weft_lint_exception* other = &lint->exceptions[i];
        if (other->place.path != place.path || other->line + 1 < line)
            break;
        if (other->rule == rule && other->line == line) {
            malformed(lint, place,
                      weft_lint_format(lint, "a second exception from %s for one line",
                                       weft_lint_rule_get(rule)->name));
            return;
        }
    }
    lint->exceptions = weft_lint_grow(lint->exceptions, lint->exception_count,
                                      &lint->exception_capacity, sizeof(*lint->exceptions));
    lint->exceptions[lint->exception_count++] =
        (weft_lint_exception){.rule = rule, .place = place, .line = line, .reason = reason};
}

/// Reads what follows the mark, up to `end`. It is about `line`.
static void exception_parse(weft_lint* lint, weft_lint_place place, uint32_t line, const char* at,
                            const char* end) {
    weft_lint_rule rules[WEFT_LINT_RULE_COUNT];
    size_t count = 0;
    at = blanks_skip(at, end);
    if (!word_take(&at, end, "allow") || !word_take(&at, end, "(")) {
        malformed(lint, place, "a comment for the lint that is no exception");
        return;
    }
    do {
        const char* name = at;
        while (at < end && (isalnum((unsigned char)*at) || *at == '-'))
            at++;
        weft_lint_rule rule = weft_lint_rule_find(name, (size_t)(at - name));
        if (rule >= WEFT_LINT_EXCEPTION || count == WEFT_LINT_RULE_COUNT) {
            malformed(lint, place,
                      weft_lint_format(lint, "an exception from '%.*s', which is no rule",
                                       (int)(at - name), name));
            return;
        }
        rules[count++] = rule;
        at = blanks_skip(at, end);
    } while (word_take(&at, end, ","));
    while (end > at && isspace((unsigned char)end[-1]))
        end--;
    if (!word_take(&at, end, ")") || !word_take(&at, end, ":") || at == end) {
        malformed(lint, place, "an exception without a reason");
        return;
    }
    const char* reason = weft_lint_format(lint, "%.*s", (int)(end - at), at);
    for (size_t i = 0; i < count; i++)
        exception_add(lint, place, line, rules[i], reason);
}

/// Where a text is being read.
typedef struct scan {
    const char* at;
    const char* end;
    const char* line_start;
    uint32_t line;
} scan;

/// Moves on by one character.
static void step(scan* text) {
    if (*text->at == '\n') {
        text->line++;
        text->line_start = text->at + 1;
    }
    text->at++;
}

static bool is_next(const scan* text, const char* word) {
    size_t length = strlen(word);
    return (size_t)(text->end - text->at) >= length && memcmp(text->at, word, length) == 0;
}

/// Passes over a string or character literal; one that is not closed ends with its line.
static void quoted_skip(scan* text) {
    char quote = *text->at;
    step(text);
    while (text->at < text->end && *text->at != quote && *text->at != '\n') {
        if (*text->at == '\\' && text->at + 1 < text->end)
            step(text);
        step(text);
    }
    if (text->at < text->end && *text->at == quote)
        step(text);
}

static bool comment_ends(const scan* text, bool is_block) {
    if (is_block)
        return is_next(text, "*/");
    return *text->at == '\n' && text->at[-1] != '\\';
}

/// Reads a comment. An exception is about the line that its mark is on, or about the next one if
/// nothing but the comment is there.
static void comment_read(weft_lint* lint, const char* path, scan* text) {
    bool is_block = text->at[1] == '*';
    bool is_alone = blanks_skip(text->line_start, text->at) == text->at;
    const char* mark = NULL;
    weft_lint_place place = {.path = path};
    step(text);
    step(text);
    while (text->at < text->end && !comment_ends(text, is_block)) {
        if (mark == NULL && is_next(text, MARK)) {
            mark = text->at + sizeof MARK - 1;
            place.line = text->line;
            place.column = (uint32_t)(text->at - text->line_start) + 1;
        }
        step(text);
    }
    if (mark != NULL)
        exception_parse(lint, place, is_alone ? text->line + 1 : place.line, mark, text->at);
}

void weft_lint_comments_add(weft_lint* lint, size_t file_index, const char* text, size_t size) {
    if (lint->files[file_index].is_read)
        return;
    const char* path = lint->files[file_index].path;
    size_t first = lint->exception_count;
    scan at = {text, text + size, text, 1};
    while (at.at < at.end) {
        if (is_next(&at, "//") || is_next(&at, "/*"))
            comment_read(lint, path, &at);
        else if (*at.at == '"' || *at.at == '\'')
            quoted_skip(&at);
        else
            step(&at);
    }
    lint->files[file_index].first = first;
    lint->files[file_index].end = lint->exception_count;
    lint->files[file_index].is_read = true;
}

weft_lint_exception* weft_lint_exception_find(weft_lint* lint, weft_lint_rule rule,
                                              weft_lint_place place) {
    for (size_t i = 0; i < lint->exception_count; i++) {
        weft_lint_exception* each = &lint->exceptions[i];
        if (each->rule == rule && each->place.path == place.path && each->line == place.line)
            return each;
    }
    return NULL;
}

void weft_lint_exceptions_finish(weft_lint* lint) {
    for (size_t i = 0; i < lint->exception_count; i++) {
        const weft_lint_exception* each = &lint->exceptions[i];
        if (!each->matched && each->is_active && !lint->options.without[each->rule])
            malformed(lint, each->place,
                      weft_lint_format(lint, "an exception from %s that covers nothing",
                                       weft_lint_rule_get(each->rule)->name));
    }
}
