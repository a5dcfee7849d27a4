// Reads a source: its functions and static objects, and those of the headers that it includes,
// become nodes.
//
// Headers of the system are not read: what they define is judged by its name. Nor are those of Weft
// itself, unless everything is looked at.

#define _GNU_SOURCE

#include "lint_clang.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/// A macro that breaks a rule, where it is expanded.
struct weft_lint_macro_use {
    const char* name;
    weft_lint_rule rule;
    weft_lint_place place;
};

// Files ------------------------------------------------------------------------------------------

/// True for a header of Weft's own, in a build tree or an install tree.
static bool is_library_header(const char* path) {
    const char* slash = strrchr(path, '/');
    static const char folder[] = "include/weft";
    size_t length = slash != NULL ? (size_t)(slash - path) : 0;
    return length >= sizeof folder - 1 &&
           memcmp(slash - (sizeof folder - 1), folder, sizeof folder - 1) == 0;
}

/// True if what is at a place is looked at. The file is null at places that the compiler made up.
static bool in_scope(weft_lint_walk* walk, CXSourceLocation location) {
    const weft_lint_clang* clang = walk->clang;
    CXFile file = NULL;
    if (clang->Location_isInSystemHeader(location))
        return false;
    clang->getFileLocation(location, &file, NULL, NULL, NULL);
    if (file == NULL)
        return false;
    CXString name = clang->getFileName(file);
    size_t index = weft_lint_file_index(walk->lint, clang->getCString(name));
    clang->disposeString(name);
    const weft_lint_file* known = &walk->lint->files[index];
    return walk->lint->options.all || known->is_given || !is_library_header(known->path);
}

static bool is_float_file(const weft_lint* lint, const char* path) {
    if (lint->options.floats)
        return true;
    for (size_t i = 0; i < lint->options.float_file_count; i++) {
        if (fnmatch(lint->options.float_files[i], path, 0) == 0)
            return true;
    }
    return false;
}

/// Reads a file's comments, and notes which of its exceptions are compiled here.
static void file_take(CXFile file, CXSourceLocation* stack, unsigned depth, CXClientData data) {
    weft_lint_walk* walk = data;
    const weft_lint_clang* clang = walk->clang;
    weft_lint* lint = walk->lint;
    size_t size = 0;
    const char* text = clang->getFileContents(walk->unit, file, &size);
    (void)stack;
    (void)depth;
    if (text == NULL || !in_scope(walk, clang->getLocationForOffset(walk->unit, file, 0)))
        return;
    CXString name = clang->getFileName(file);
    size_t index = weft_lint_file_index(lint, clang->getCString(name));
    clang->disposeString(name);
    weft_lint_comments_add(lint, index, text, size);
    CXSourceRangeList* skipped = clang->getSkippedRanges(walk->unit, file);
    for (size_t i = lint->files[index].first; i < lint->files[index].end; i++) {
        weft_lint_exception* exception = &lint->exceptions[i];
        bool is_skipped = false;
        for (unsigned k = 0; skipped != NULL && k < skipped->count; k++) {
            unsigned first;
            unsigned last;
            clang->getFileLocation(clang->getRangeStart(skipped->ranges[k]), NULL, &first, NULL,
                                   NULL);
            clang->getFileLocation(clang->getRangeEnd(skipped->ranges[k]), NULL, &last, NULL, NULL);
            is_skipped |= exception->line >= first && exception->line <= last;
        }
        exception->is_active |= !is_skipped;
    }
    clang->disposeSourceRangeList(skipped);
}

// Macros -----------------------------------------------------------------------------------------

static const char* macro_key(weft_lint_walk* walk, const char* name) {
    return weft_lint_format(walk->lint, "macro %s", name);
}

/// The rule that a macro breaks, itself or by a macro that its body names.
static weft_lint_rule macro_rule(weft_lint_walk* walk, const char* name) {
    uint32_t known = weft_lint_name_get(walk->lint, macro_key(walk, name));
    return known != WEFT_LINT_NO_NODE ? (weft_lint_rule)known : weft_lint_macro_rule(name);
}

static void macro_define(weft_lint_walk* walk, CXCursor cursor) {
    const weft_lint_clang* clang = walk->clang;
    CXToken* tokens = NULL;
    unsigned count = 0;
    clang->tokenize(walk->unit, clang->getCursorExtent(cursor), &tokens, &count);
    for (unsigned i = 1; i < count; i++) {
        CXString text = clang->getTokenSpelling(walk->unit, tokens[i]);
        weft_lint_rule rule = macro_rule(walk, clang->getCString(text));
        clang->disposeString(text);
        if (rule == WEFT_LINT_RULE_COUNT)
            continue;
        const char* name = weft_lint_keep(walk, clang->getCursorSpelling(cursor));
        weft_lint_name_put(walk->lint, macro_key(walk, name), (uint32_t)rule);
        break;
    }
    clang->disposeTokens(walk->unit, tokens, count);
}

static void macro_expand(weft_lint_walk* walk, CXCursor cursor) {
    const char* name = weft_lint_keep(walk, walk->clang->getCursorSpelling(cursor));
    weft_lint_rule rule = macro_rule(walk, name);
    if (rule == WEFT_LINT_RULE_COUNT)
        return;
    walk->macros = weft_lint_grow(walk->macros, walk->macro_count, &walk->macro_capacity,
                                  sizeof(*walk->macros));
    walk->macros[walk->macro_count++] =
        (struct weft_lint_macro_use){name, rule, weft_lint_place_of(walk, cursor)};
}

static bool is_before(unsigned line, unsigned column, unsigned other_line, unsigned other_column) {
    return line != other_line ? line < other_line : column < other_column;
}

/// Macros that are expanded inside a declaration are its own.
static void macros_take(weft_lint_walk* walk, CXCursor cursor) {
    const weft_lint_clang* clang = walk->clang;
    CXSourceRange extent = clang->getCursorExtent(cursor);
    unsigned line;
    unsigned column;
    unsigned end_line;
    unsigned end_column;
    clang->getFileLocation(clang->getRangeStart(extent), NULL, &line, &column, NULL);
    clang->getFileLocation(clang->getRangeEnd(extent), NULL, &end_line, &end_column, NULL);
    const char* path = weft_lint_place_of(walk, cursor).path;
    for (size_t i = 0; i < walk->macro_count; i++) {
        const struct weft_lint_macro_use* use = &walk->macros[i];
        if (use->place.path == path &&
            !is_before(use->place.line, use->place.column, line, column) &&
            !is_before(end_line, end_column, use->place.line, use->place.column))
            weft_lint_candidate_add(walk->lint, walk->node, use->rule, use->place,
                                    (weft_lint_place){.path = NULL}, use->name);
    }
}

// Declarations -----------------------------------------------------------------------------------

/// A function's body, or an object's initialiser.
static void node_take(weft_lint_walk* walk, CXCursor cursor, bool is_function) {
    const weft_lint_clang* clang = walk->clang;
    const char* key = weft_lint_key_of(walk, cursor);
    const char* name = weft_lint_keep(walk, clang->getCursorSpelling(cursor));
    weft_lint_place place = weft_lint_place_of(walk, cursor);
    walk->node = weft_lint_node_add(walk->lint, key, name, place, is_function);
    if (walk->node == WEFT_LINT_NO_NODE)
        return;
    walk->floats = is_float_file(walk->lint, place.path);
    macros_take(walk, cursor);
    if (!is_function) {
        (void)weft_lint_visit(cursor, cursor, walk);
        return;
    }
    walk->function = cursor;
    // One with external linkage may be registered by another file.
    if (clang->getCursorLinkage(cursor) == CXLinkage_External &&
        weft_lint_is_system(clang, clang->getCursorType(cursor)))
        weft_lint_entry_add(walk->lint, key, "system");
    weft_lint_visit_result(walk, cursor);
    (void)clang->visitChildren(cursor, weft_lint_visit, walk);
}

/// Types and other declarations at file scope belong to no node.
static void loose_take(weft_lint_walk* walk, CXCursor cursor) {
    walk->node = WEFT_LINT_NO_NODE;
    walk->floats = is_float_file(walk->lint, weft_lint_place_of(walk, cursor).path);
    (void)weft_lint_visit(cursor, cursor, walk);
}

static enum CXChildVisitResult declaration_visit(CXCursor cursor, CXCursor parent,
                                                 CXClientData data) {
    (void)parent;
    weft_lint_walk* walk = data;
    const weft_lint_clang* clang = walk->clang;
    enum CXCursorKind kind = clang->getCursorKind(cursor);
    if (kind == CXCursor_MacroExpansion || kind == CXCursor_MacroDefinition) {
        if (clang->Location_isInSystemHeader(clang->getCursorLocation(cursor)))
            return CXChildVisit_Continue;
        if (kind == CXCursor_MacroDefinition)
            macro_define(walk, cursor);
        else
            macro_expand(walk, cursor);
        return CXChildVisit_Continue;
    }
    if (!in_scope(walk, clang->getCursorLocation(cursor)))
        return CXChildVisit_Continue;
    walk->function = clang->getNullCursor();
    CXCursor defined = clang->getCursorDefinition(cursor);
    bool is_definition =
        !clang->Cursor_isNull(defined) && clang->equalCursors(defined, cursor) != 0;
    if (kind == CXCursor_FunctionDecl && is_definition)
        node_take(walk, cursor, true);
    else if (kind == CXCursor_VarDecl && (is_definition || clang->Cursor_isNull(defined)) &&
             clang->Cursor_getStorageClass(cursor) != CX_SC_Extern)
        node_take(walk, cursor, false);
    else if (kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl ||
             kind == CXCursor_TypedefDecl)
        loose_take(walk, cursor);
    return CXChildVisit_Continue;
}

// Sources ----------------------------------------------------------------------------------------

/// Prints the compiler's messages on what does not compile. True if there is any.
static bool errors_print(const weft_lint_clang* clang, CXTranslationUnit unit, FILE* errors) {
    bool failed = false;
    unsigned count = clang->getNumDiagnostics(unit);
    for (unsigned i = 0; i < count; i++) {
        CXDiagnostic message = clang->getDiagnostic(unit, i);
        if (clang->getDiagnosticSeverity(message) >= CXDiagnostic_Error) {
            CXString text =
                clang->formatDiagnostic(message, clang->defaultDiagnosticDisplayOptions());
            (void)fprintf(errors, "%s\n", clang->getCString(text));
            clang->disposeString(text);
            failed = true;
        }
        clang->disposeDiagnostic(message);
    }
    return failed;
}

bool weft_lint_source_add(weft_lint* lint, weft_lint_parser* parser, const char* path,
                          FILE* errors) {
    const weft_lint_clang* clang = &parser->clang;
    const weft_lint_options* options = &lint->options;
    weft_lint_walk walk = {.lint = lint, .clang = clang};
    const char** flags = calloc(options->flag_count + 4, sizeof(*flags));
    WEFT_ASSERT(flags != NULL);
    int count = 0;
    flags[count++] = "-xc";
    flags[count++] = "-std=gnu17";
    flags[count++] = "-w";
    for (size_t i = 0; i < options->flag_count; i++)
        flags[count++] = options->flags[i];
    enum CXErrorCode code = clang->parseTranslationUnit2(
        parser->index, path, flags, count, NULL, 0,
        CXTranslationUnit_DetailedPreprocessingRecord | CXTranslationUnit_KeepGoing, &walk.unit);
    free(flags);
    if (code != CXError_Success || walk.unit == NULL) {
        (void)fprintf(errors, "%s: cannot be parsed: the file or the compiler's flags are wrong\n",
                      path);
        return false;
    }
    bool failed = errors_print(clang, walk.unit, errors);
    if (!failed) {
        clang->getInclusions(walk.unit, file_take, &walk);
        (void)clang->visitChildren(clang->getTranslationUnitCursor(walk.unit), declaration_visit,
                                   &walk);
        lint->source_count++;
    }
    clang->disposeTranslationUnit(walk.unit);
    free(walk.macros);
    return !failed;
}
