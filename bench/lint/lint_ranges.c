// Bounds of integer expressions, as far as the expression itself tells: constants, masks,
// remainders, narrow types, loops with constant bounds, and variables that are given one value.
//
// Whatever else there is, is unknown: the answer errs on the side of a finding.

#include "lint_clang.h"

#include <string.h>

#define DEPTH_MAX 24u

static weft_lint_range range_of(weft_lint_walk* walk, CXCursor cursor, unsigned depth);

static weft_lint_range unknown(void) {
    return (weft_lint_range){.is_known = false};
}

static weft_lint_range between(int64_t low, int64_t high) {
    return (weft_lint_range){true, low, high};
}

static bool is_signed(CXType type) {
    return type.kind >= CXType_Char_S;
}

/// What a type can hold; unknown if that is more than bounds can say or helps nobody.
static weft_lint_range range_of_type(const weft_lint_clang* clang, CXType type) {
    if (type.kind == CXType_Bool)
        return between(0, 1);
    if (!weft_lint_is_integer(type))
        return unknown();
    long long bits = clang->Type_getSizeOf(type) * 8;
    if (bits < 1 || bits > 62)
        return unknown();
    return is_signed(type) ? between(-((int64_t)1 << (bits - 1)), ((int64_t)1 << (bits - 1)) - 1)
                           : between(0, ((int64_t)1 << bits) - 1);
}

/// A range that a type keeps as it is, else all that the type can hold.
static weft_lint_range fitted(const weft_lint_clang* clang, weft_lint_range range, CXType type) {
    weft_lint_range whole = range_of_type(clang, type);
    if (!range.is_known)
        return whole;
    if (whole.is_known)
        return range.low >= whole.low && range.high <= whole.high ? range : whole;
    return weft_lint_is_integer(type) && (range.low >= 0 || is_signed(type)) ? range : unknown();
}

// Variables --------------------------------------------------------------------------------------

/// What a function does with one variable.
typedef struct use_search {
    weft_lint_walk* walk;
    CXCursor variable; // Canonical.
    uint32_t changes;
    CXCursor loop; // The for that declares it.
} use_search;

static bool is_variable(const use_search* search, CXCursor cursor) {
    const weft_lint_clang* clang = search->walk->clang;
    CXCursor bare = weft_lint_bare(clang, cursor, false);
    return clang->getCursorKind(bare) == CXCursor_DeclRefExpr &&
           clang->equalCursors(clang->getCanonicalCursor(clang->getCursorReferenced(bare)),
                               search->variable);
}

/// True for -x, ~x, !x and +x. The interface does not name unary operators; text does, outside
/// macros.
static bool is_plain_unary(const weft_lint_walk* walk, CXCursor cursor) {
    const weft_lint_clang* clang = walk->clang;
    CXToken* tokens = NULL;
    unsigned count = 0;
    bool plain = false;
    clang->tokenize(walk->unit, clang->getCursorExtent(cursor), &tokens, &count);
    if (count > 0) {
        CXString text = clang->getTokenSpelling(walk->unit, tokens[0]);
        const char* chars = clang->getCString(text);
        plain = strlen(chars) == 1 && strchr("-~!+", chars[0]) != NULL;
        clang->disposeString(text);
    }
    clang->disposeTokens(walk->unit, tokens, count);
    return plain;
}

static enum CXChildVisitResult use_visit(CXCursor cursor, CXCursor parent, CXClientData data) {
    use_search* search = data;
    const weft_lint_clang* clang = search->walk->clang;
    enum CXCursorKind kind = clang->getCursorKind(cursor);
    CXCursor side[2];
    if (kind == CXCursor_DeclStmt && clang->getCursorKind(parent) == CXCursor_ForStmt) {
        CXCursor declared;
        if (weft_lint_children(clang, cursor, &declared, 1) == 1 &&
            clang->equalCursors(clang->getCanonicalCursor(declared), search->variable))
            search->loop = parent;
    }
    bool assigns = kind == CXCursor_CompoundAssignOperator ||
                   (kind == CXCursor_BinaryOperator &&
                    weft_lint_operator_of(clang, cursor) == WEFT_LINT_OP_ASSIGN);
    if (assigns && weft_lint_children(clang, cursor, side, 2) == 2)
        search->changes += is_variable(search, side[0]);
    if (kind == CXCursor_UnaryOperator && weft_lint_children(clang, cursor, side, 1) == 1 &&
        is_variable(search, side[0]))
        search->changes += !is_plain_unary(search->walk, cursor);
    return CXChildVisit_Recurse;
}

/// The value that a variable begins with. False if it has none.
static bool initializer_find(const weft_lint_clang* clang, CXCursor variable, CXCursor* out) {
    CXCursor part[4];
    size_t count = weft_lint_children(clang, variable, part, 4);
    if (count == 0 || count > 4 || !clang->isExpression(clang->getCursorKind(part[count - 1])))
        return false;
    *out = part[count - 1];
    return true;
}

/// The comparison of the variable in a condition, of which all parts must hold. False if there is
/// none with the variable to the left.
static bool comparison_find(const use_search* search, CXCursor condition, CXCursor side[2],
                            weft_lint_operator* op) {
    const weft_lint_clang* clang = search->walk->clang;
    CXCursor bare = weft_lint_bare(clang, condition, false);
    if (clang->getCursorKind(bare) != CXCursor_BinaryOperator ||
        weft_lint_children(clang, bare, side, 2) != 2)
        return false;
    *op = weft_lint_operator_of(clang, bare);
    if (*op != WEFT_LINT_OP_BOTH)
        return is_variable(search, side[0]);
    CXCursor right = side[1];
    return comparison_find(search, side[0], side, op) || comparison_find(search, right, side, op);
}

/// The values inside a loop of a variable that only its step changes: from where it begins to where
/// the condition ends it.
static weft_lint_range range_of_loop(const use_search* search) {
    const weft_lint_clang* clang = search->walk->clang;
    CXCursor part[4];
    CXCursor side[2];
    CXCursor start;
    // for (declaration; condition; step) body
    weft_lint_operator op;
    if (weft_lint_children(clang, search->loop, part, 4) != 4 ||
        !comparison_find(search, part[1], side, &op) ||
        !initializer_find(clang, search->variable, &start))
        return unknown();
    use_search step = *search;
    step.changes = 0;
    (void)use_visit(part[2], search->loop, &step);
    weft_lint_constant first = weft_lint_constant_of(clang, start);
    weft_lint_constant limit = weft_lint_constant_of(clang, side[1]);
    if (step.changes != 1 || !first.is_known || !limit.is_known || first.value < 0 ||
        limit.value < 0)
        return unknown();
    switch ((int)op) {
    case WEFT_LINT_OP_LESS:
        return between(is_signed(weft_lint_type(clang, search->variable)) ? first.value : 0,
                       limit.value - 1);
    case WEFT_LINT_OP_AT_MOST:
        return between(is_signed(weft_lint_type(clang, search->variable)) ? first.value : 0,
                       limit.value);
    case WEFT_LINT_OP_GREATER:
        return between(limit.value + 1, first.value);
    case WEFT_LINT_OP_AT_LEAST:
        return between(limit.value, first.value);
    default:
        return unknown();
    }
}

static weft_lint_range range_of_variable(weft_lint_walk* walk, CXCursor cursor, unsigned depth) {
    const weft_lint_clang* clang = walk->clang;
    CXCursor declared = clang->getCursorReferenced(cursor);
    if (clang->getCursorKind(declared) != CXCursor_VarDecl ||
        clang->Cursor_hasVarDeclGlobalStorage(declared) || clang->Cursor_isNull(walk->function) ||
        walk->budget == 0)
        return unknown();
    walk->budget--;
    use_search search = {.walk = walk,
                         .variable = clang->getCanonicalCursor(declared),
                         .loop = clang->getNullCursor()};
    (void)clang->visitChildren(walk->function, use_visit, &search);
    if (search.changes == 1 && !clang->Cursor_isNull(search.loop))
        return range_of_loop(&search);
    CXCursor start;
    if (search.changes == 0 && initializer_find(clang, declared, &start))
        return range_of(walk, start, depth + 1);
    return unknown();
}

// Operators --------------------------------------------------------------------------------------

static weft_lint_range sum(weft_lint_range a, weft_lint_range b) {
    weft_lint_range made = {.is_known = a.is_known && b.is_known};
    made.is_known &= !__builtin_add_overflow(a.low, b.low, &made.low);
    made.is_known &= !__builtin_add_overflow(a.high, b.high, &made.high);
    return made;
}

static weft_lint_range difference(weft_lint_range a, weft_lint_range b) {
    weft_lint_range made = {.is_known = a.is_known && b.is_known};
    made.is_known &= !__builtin_sub_overflow(a.low, b.high, &made.low);
    made.is_known &= !__builtin_sub_overflow(a.high, b.low, &made.high);
    return made;
}

static weft_lint_range product(weft_lint_range a, weft_lint_range b) {
    weft_lint_range made = {.is_known = a.is_known && b.is_known && a.low >= 0 && b.low >= 0};
    made.is_known &= !__builtin_mul_overflow(a.low, b.low, &made.low);
    made.is_known &= !__builtin_mul_overflow(a.high, b.high, &made.high);
    return made;
}

static weft_lint_range masked(weft_lint_range a, weft_lint_range b) {
    bool left = a.is_known && a.low >= 0;
    bool right = b.is_known && b.low >= 0;
    if (!left && !right)
        return unknown();
    int64_t high = left && (!right || a.high < b.high) ? a.high : b.high;
    return between(0, high);
}

static weft_lint_range range_of_binary(weft_lint_walk* walk, CXCursor cursor, unsigned depth) {
    const weft_lint_clang* clang = walk->clang;
    CXCursor side[2];
    if (weft_lint_children(clang, cursor, side, 2) != 2)
        return unknown();
    weft_lint_range a = range_of(walk, side[0], depth + 1);
    weft_lint_range b = range_of(walk, side[1], depth + 1);
    bool is_counted = a.is_known && a.low >= 0;
    bool by_constant = b.is_known && b.low == b.high && b.low > 0;
    int64_t high = is_counted ? a.high : INT64_MAX;
    switch ((int)weft_lint_operator_of(clang, cursor)) {
    case WEFT_LINT_OP_ADD:
        return sum(a, b);
    case WEFT_LINT_OP_SUBTRACT:
        return difference(a, b);
    case WEFT_LINT_OP_MULTIPLY:
        return product(a, b);
    case WEFT_LINT_OP_AND:
        return masked(a, b);
    case WEFT_LINT_OP_DIVIDE:
        return is_counted && by_constant ? between(a.low / b.low, a.high / b.low) : unknown();
    case WEFT_LINT_OP_REMAINDER:
        if (!by_constant || (!is_counted && is_signed(weft_lint_type(clang, cursor))))
            return unknown();
        return between(0, high < b.low - 1 ? high : b.low - 1);
    case WEFT_LINT_OP_RIGHT:
        if (!by_constant || b.low > 63)
            return unknown();
        if (is_counted)
            return between(a.low >> b.low, a.high >> b.low);
        // Of 64 bits without bounds: what is left of them.
        return is_signed(weft_lint_type(clang, cursor)) ||
                       clang->Type_getSizeOf(weft_lint_type(clang, cursor)) != 8
                   ? unknown()
                   : between(0, (int64_t)(UINT64_MAX >> b.low));
    default:
        return unknown();
    }
}

/// Counts of bits.
static weft_lint_range range_of_call(weft_lint_walk* walk, CXCursor cursor) {
    const weft_lint_clang* clang = walk->clang;
    CXString text = clang->getCursorSpelling(cursor);
    const char* name = clang->getCString(text);
    weft_lint_range made = unknown();
    if (strcmp(name, "__builtin_clz") == 0 || strcmp(name, "__builtin_ctz") == 0)
        made = between(0, 31);
    else if (strcmp(name, "__builtin_clzll") == 0 || strcmp(name, "__builtin_ctzll") == 0)
        made = between(0, 63);
    clang->disposeString(text);
    return made;
}

static weft_lint_range range_of(weft_lint_walk* walk, CXCursor cursor, unsigned depth) {
    const weft_lint_clang* clang = walk->clang;
    CXType type = weft_lint_type(clang, cursor);
    CXCursor part[4];
    weft_lint_constant constant = weft_lint_constant_of(clang, cursor);
    if (constant.is_known)
        return constant.is_unsigned && constant.value < 0 ? unknown()
                                                          : between(constant.value, constant.value);
    if (depth > DEPTH_MAX)
        return unknown();
    weft_lint_range made = unknown();
    size_t count = weft_lint_children(clang, cursor, part, 4);
    switch ((int)clang->getCursorKind(cursor)) {
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr:
    case CXCursor_CStyleCastExpr:
        if (count > 0 && count <= 4 && clang->isExpression(clang->getCursorKind(part[count - 1])))
            made = range_of(walk, part[count - 1], depth + 1);
        break;
    case CXCursor_DeclRefExpr:
        made = range_of_variable(walk, cursor, depth);
        break;
    case CXCursor_BinaryOperator:
        made = range_of_binary(walk, cursor, depth);
        break;
    case CXCursor_CallExpr:
        made = range_of_call(walk, cursor);
        break;
    case CXCursor_ConditionalOperator:
        if (count == 3) {
            weft_lint_range a = range_of(walk, part[1], depth + 1);
            weft_lint_range b = range_of(walk, part[2], depth + 1);
            made = between(a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high);
            made.is_known = a.is_known && b.is_known;
        }
        break;
    default:
        break;
    }
    return fitted(clang, made, type);
}

weft_lint_range weft_lint_range_of(weft_lint_walk* walk, CXCursor cursor) {
    walk->budget = WEFT_LINT_BUDGET;
    return range_of(walk, cursor, 0);
}
