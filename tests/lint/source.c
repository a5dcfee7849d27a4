// Reads a source: lines, tokens, and the items at the top level.

#include "lint.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char* text_copy(const char* text, size_t size) {
    char* copy = malloc(size + 1);
    if (copy == NULL)
        abort();
    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

// Grows an array by one element when its count reaches a power of two.
static void* array_grow(void* array, size_t count, size_t element_size) {
    if (count != 0 && (count & (count - 1)) != 0)
        return array;
    void* grown = realloc(array, (count == 0 ? 1 : count * 2) * element_size);
    if (grown == NULL)
        abort();
    return grown;
}

char* file_read(const char* path) {
    FILE* file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    size_t size = 0;
    char* text = NULL;
    for (;;) {
        char* grown = realloc(text, size + 65536 + 1);
        if (grown == NULL)
            abort();
        text = grown;
        size_t got = fread(text + size, 1, 65536, file);
        size += got;
        if (got == 0)
            break;
    }
    fclose(file);
    text[size] = '\0';
    return text;
}

static void split_lines(struct source* file) {
    const char* at = file->text;
    while (*at != '\0') {
        size_t size = strcspn(at, "\n");
        file->lines = array_grow(file->lines, file->line_count, sizeof(char*));
        file->lines[file->line_count] = text_copy(at, size);
        file->line_count++;
        at += size;
        if (*at == '\n')
            at++;
    }
    file->silenced = calloc(file->line_count + 1, sizeof(bool));
    if (file->silenced == NULL)
        abort();
}

struct lexer {
    const char* at;
    int line;
    bool directive;
    bool line_start; // Only blanks so far on this line.
};

static void token_push(struct source* file, const struct lexer* lexer, enum token_kind kind,
                       const char* text, size_t size) {
    file->tokens = array_grow(file->tokens, file->token_count, sizeof(struct token));
    file->tokens[file->token_count] = (struct token){.kind = kind,
                                                     .directive = lexer->directive,
                                                     .line = lexer->line,
                                                     .size = size,
                                                     .text = text};
    file->token_count++;
}

// Skips blanks, line ends and comments. False if there was nothing to skip.
static bool skip_blank(struct lexer* lexer) {
    const char* at = lexer->at;
    if (*at == '\n') {
        lexer->line++;
        lexer->directive = false;
        lexer->line_start = true;
        lexer->at++;
    } else if (at[0] == '\\' && at[1] == '\n') {
        lexer->line++;
        lexer->at += 2;
    } else if (isspace((unsigned char)*at)) {
        lexer->at++;
    } else if (at[0] == '/' && at[1] == '/') {
        lexer->at += strcspn(at, "\n");
    } else if (at[0] == '/' && at[1] == '*') {
        const char* end = strstr(at + 2, "*/");
        end = end == NULL ? at + strlen(at) : end + 2;
        for (; at < end; at++)
            lexer->line += *at == '\n';
        lexer->at = end;
    } else {
        return false;
    }
    return true;
}

static size_t quoted_size(const char* at) {
    size_t size = 1;
    while (at[size] != '\0' && at[size] != at[0] && at[size] != '\n')
        size += at[size] == '\\' && at[size + 1] != '\0' ? 2 : 1;
    return at[size] == at[0] ? size + 1 : size;
}

// The path of an include, when the lexer stands behind `#include`.
static bool lex_include(struct source* file, struct lexer* lexer) {
    size_t count = file->token_count;
    bool after_include = lexer->directive && count >= 2 && file->tokens[count - 1].directive &&
                         token_is(&file->tokens[count - 1], "include") &&
                         token_is(&file->tokens[count - 2], "#");
    if (!after_include || (*lexer->at != '<' && *lexer->at != '"'))
        return false;
    size_t size = strcspn(lexer->at + 1, ">\"\n");
    token_push(file, lexer, TOKEN_INCLUDE, lexer->at + 1, size);
    lexer->at += size + 1;
    if (*lexer->at == '>' || *lexer->at == '"')
        lexer->at++;
    return true;
}

static void lex_token(struct source* file, struct lexer* lexer) {
    const char* at = lexer->at;
    size_t size = 1;
    enum token_kind kind = TOKEN_PUNCT;
    if (*at == '#' && lexer->line_start)
        lexer->directive = true;
    lexer->line_start = false;
    if (lex_include(file, lexer))
        return;
    if (isalpha((unsigned char)*at) || *at == '_') {
        kind = TOKEN_NAME;
        while (isalnum((unsigned char)at[size]) || at[size] == '_')
            size++;
    } else if (isdigit((unsigned char)*at)) {
        kind = TOKEN_NUMBER;
        while (isalnum((unsigned char)at[size]) || at[size] == '_' || at[size] == '.')
            size++;
    } else if (*at == '"' || *at == '\'') {
        kind = TOKEN_STRING;
        size = quoted_size(at);
    }
    token_push(file, lexer, kind, at, size);
    lexer->at += size;
}

static void tokenize(struct source* file) {
    struct lexer lexer = {.at = file->text, .line = 1, .line_start = true};
    while (*lexer.at != '\0') {
        if (!skip_blank(&lexer))
            lex_token(file, &lexer);
    }
}

bool token_is(const struct token* token, const char* text) {
    return token->size == strlen(text) && memcmp(token->text, text, token->size) == 0;
}

struct item_state {
    size_t first; // First token of the item at hand.
    size_t body;  // Opening brace, once the item is known to be a function.
    size_t last;  // The token before this one that is no directive.
    int depth;    // Braces and parentheses open.
    int extern_c; // Blocks of extern "C" open.
    bool open;    // An item has begun.
    bool has_paren, has_assign, is_function;
};

static void item_push(struct source* file, const struct item_state* state, size_t last) {
    file->items = array_grow(file->items, file->item_count, sizeof(struct item));
    file->items[file->item_count] =
        (struct item){.kind = state->is_function ? ITEM_FUNCTION : ITEM_DECLARATION,
                      .first = state->first,
                      .last = last,
                      .body = state->body};
    file->item_count++;
}

// An opening brace at the top level: a block of extern "C", a function's body, or something else.
static bool open_brace(struct source* file, struct item_state* state, size_t index) {
    if (index == state->first + 2 && token_is(&file->tokens[state->first], "extern") &&
        file->tokens[state->first + 1].kind == TOKEN_STRING) {
        state->extern_c++;
        state->open = false;
        return true;
    }
    if (state->has_paren && !state->has_assign && token_is(&file->tokens[state->last], ")")) {
        state->is_function = true;
        state->body = index;
    }
    return false;
}

static void item_step(struct source* file, struct item_state* state, size_t index) {
    const struct token* token = &file->tokens[index];
    if (state->depth == 0 && !state->open) {
        if (token_is(token, "}") && state->extern_c > 0) {
            state->extern_c--;
            return;
        }
        *state = (struct item_state){.first = index, .open = true, .extern_c = state->extern_c};
    }
    if (state->depth == 0 && token_is(token, "{") && open_brace(file, state, index))
        return;
    if (state->depth == 0) {
        state->has_paren = state->has_paren || token_is(token, "(");
        state->has_assign = state->has_assign || token_is(token, "=");
    }
    if (token_is(token, "{") || token_is(token, "("))
        state->depth++;
    if (token_is(token, "}") || token_is(token, ")"))
        state->depth--;
    bool ends = token_is(token, ";") || (state->is_function && token_is(token, "}"));
    if (state->depth <= 0 && ends) {
        item_push(file, state, index);
        state->open = false;
        state->depth = 0;
    }
    state->last = index;
}

static void find_items(struct source* file) {
    struct item_state state = {0};
    for (size_t i = 0; i < file->token_count; i++) {
        if (!file->tokens[i].directive)
            item_step(file, &state, i);
    }
}

bool source_load(struct source* file, const char* root, const char* path) {
    char full[4096];
    *file = (struct source){.path = text_copy(path, strlen(path))};
    snprintf(full, sizeof full, "%s/%s", root, path);
    file->text = file_read(full);
    if (file->text == NULL)
        return false;
    size_t size = strlen(path);
    file->is_header = size > 2 && strcmp(path + size - 2, ".h") == 0;
    const char* folder = strchr(path, '/');
    file->is_public = file->is_header && folder != NULL && strncmp(folder, "/include/", 9) == 0;
    split_lines(file);
    tokenize(file);
    find_items(file);
    return true;
}

void source_free(struct source* file) {
    for (size_t i = 0; i < file->line_count; i++)
        free(file->lines[i]);
    free(file->lines);
    free(file->silenced);
    free(file->tokens);
    free(file->items);
    free(file->text);
    free(file->path);
}

bool source_in_scope(const struct source* file, const char* scope) {
    if (*scope == '\0')
        return true;
    size_t size = strcspn(file->path, "/");
    for (const char* at = scope; *at != '\0';) {
        size_t word = strcspn(at, " ");
        if (word == size && strncmp(at, file->path, size) == 0)
            return true;
        at += word + (at[word] == ' ');
    }
    return false;
}
