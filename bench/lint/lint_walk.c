// Help for walking what libclang parsed: children, places, types, constants.

#include "lint_clang.h"

typedef struct child_list {
    CXCursor* out;
    size_t max, count;
} child_list;

static enum CXChildVisitResult child_add(CXCursor cursor, CXCursor parent, CXClientData data) {
    (void)parent;
    child_list* list = data;
    if (list->count < list->max)
        list->out[list->count] = cursor;
    list->count++;
    return CXChildVisit_Continue;
}

size_t weft_lint_children(const weft_lint_clang* clang, CXCursor cursor, CXCursor* out,
                          size_t max) {
    child_list list = {out, max, 0};
    (void)clang->visitChildren(cursor, child_add, &list);
    return list.count;
}

CXCursor weft_lint_bare(const weft_lint_clang* clang, CXCursor cursor, bool casts) {
    while (true) {
        enum CXCursorKind kind = clang->getCursorKind(cursor);
        CXCursor child[4];
        size_t count = 0;
        if (kind == CXCursor_ParenExpr || kind == CXCursor_UnexposedExpr)
            count = weft_lint_children(clang, cursor, child, 1) == 1;
        else if (casts && kind == CXCursor_CStyleCastExpr) {
            // Names of types come before the operand.
            count = weft_lint_children(clang, cursor, child, 4);
            if (count > 4)
                return cursor;
        }
        if (count == 0 || !clang->isExpression(clang->getCursorKind(child[count - 1])))
            return cursor;
        cursor = child[count - 1];
    }
}

const char* weft_lint_keep(weft_lint_walk* walk, CXString text) {
    const char* chars = walk->clang->getCString(text);
    const char* kept = weft_lint_format(walk->lint, "%s", chars != NULL ? chars : "");
    walk->clang->disposeString(text);
    return kept;
}

weft_lint_place weft_lint_place_of(weft_lint_walk* walk, CXCursor cursor) {
    CXFile file = NULL;
    weft_lint_place place = {.path = ""};
    walk->clang->getFileLocation(walk->clang->getCursorLocation(cursor), &file, &place.line,
                                 &place.column, NULL);
    if (file != NULL) {
        CXString name = walk->clang->getFileName(file);
        place.path = weft_lint_path(walk->lint, walk->clang->getCString(name));
        walk->clang->disposeString(name);
    }
    return place;
}

weft_lint_constant weft_lint_constant_of(const weft_lint_clang* clang, CXCursor cursor) {
    weft_lint_constant constant = {.is_known = false};
    CXEvalResult result = clang->Cursor_Evaluate(cursor);
    if (result == NULL)
        return constant;
    if (clang->EvalResult_getKind(result) == CXEval_Int) {
        constant.is_known = true;
        constant.is_unsigned = clang->EvalResult_isUnsignedInt(result) != 0;
        constant.value = constant.is_unsigned ? (int64_t)clang->EvalResult_getAsUnsigned(result)
                                              : clang->EvalResult_getAsLongLong(result);
    }
    clang->EvalResult_dispose(result);
    return constant;
}

CXType weft_lint_type(const weft_lint_clang* clang, CXCursor cursor) {
    return clang->getCanonicalType(clang->getCursorType(cursor));
}

bool weft_lint_is_pointer(CXType type) {
    return type.kind == CXType_Pointer;
}

bool weft_lint_is_integer(CXType type) {
    return (type.kind >= CXType_Char_U && type.kind <= CXType_Int128) || type.kind == CXType_Enum;
}

void weft_lint_say(weft_lint_walk* walk, weft_lint_rule rule, CXCursor where, const char* what) {
    weft_lint_candidate_add(walk->lint, walk->node, rule, weft_lint_place_of(walk, where),
                            (weft_lint_place){.path = NULL}, what);
}
