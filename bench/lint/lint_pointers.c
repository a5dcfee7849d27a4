// Addresses: ordered, subtracted, made into numbers.
//
// Within one array order and distance of addresses are those of its elements, which is no address
// at all. Whether two pointers are of one array is told by where they come from: every value that a
// function gives a pointer variable is followed back through steps, casts and other variables.
// If all of them lead to one root, that is the variable's root. The order of statements is not
// looked at, and a variable whose address is given away has one more, unknown, value.

#include "lint_clang.h"

#include <string.h>

#define ROOT_SIZE 256u
#define DEPTH_MAX 16u

/// What a pointer comes from, as text: equal roots, one array. Empty: unknown.
typedef struct root {
    char text[ROOT_SIZE];
} root;

static root pointer_root(weft_lint_walk* walk, CXCursor cursor, unsigned depth);

static void append(root* at, const char* text) {
    size_t length = strlen(at->text);
    size_t more = strlen(text);
    // What does not fit is unknown.
    if (length + more >= ROOT_SIZE)
        at->text[0] = '\0';
    else
        memcpy(at->text + length, text, more + 1);
}

/// A root that is a place in the source: a call, or a declaration.
static root place_root(weft_lint_walk* walk, const char* kind, CXCursor cursor) {
    weft_lint_place place = weft_lint_place_of(walk, cursor);
    root made = {""};
    if (snprintf(made.text, sizeof made.text, "%s@%s:%u:%u", kind, place.path, place.line,
                 place.column) >= (int)sizeof made.text)
        made.text[0] = '\0';
    return made;
}

// Variables --------------------------------------------------------------------------------------

/// The search for all values of one pointer variable in the function at hand.
typedef struct value_search {
    weft_lint_walk* walk;
    CXCursor variable;
    root found;   // Of the values so far.
    bool has_any; // There are values.
    bool is_unknown;
    unsigned depth;
} value_search;

static void value_add(value_search* search, root value) {
    search->is_unknown |=
        value.text[0] == '\0' || (search->has_any && strcmp(value.text, search->found.text) != 0);
    search->found = value;
    search->has_any = true;
}

/// True if the cursor names the variable, perhaps inside parentheses.
static bool is_variable(const value_search* search, CXCursor cursor) {
    const weft_lint_clang* clang = search->walk->clang;
    CXCursor bare = weft_lint_bare(clang, cursor, false);
    return clang->getCursorKind(bare) == CXCursor_DeclRefExpr &&
           clang->equalCursors(clang->getCanonicalCursor(clang->getCursorReferenced(bare)),
                               search->variable);
}

/// True if a value is the variable itself, moved on: it adds nothing.
static bool is_own_step(const value_search* search, CXCursor value) {
    const weft_lint_clang* clang = search->walk->clang;
    for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
        CXCursor bare = weft_lint_bare(clang, value, true);
        CXCursor sides[2];
        if (is_variable(search, bare))
            return true;
        if (clang->getCursorKind(bare) != CXCursor_BinaryOperator ||
            weft_lint_children(clang, bare, sides, 2) != 2)
            return false;
        weft_lint_operator op = weft_lint_operator_of(clang, bare);
        if (op != WEFT_LINT_OP_ADD && op != WEFT_LINT_OP_SUBTRACT)
            return false;
        value = weft_lint_is_pointer(weft_lint_type(clang, sides[0])) ? sides[0] : sides[1];
    }
    return false;
}

static void value_take(value_search* search, CXCursor value) {
    if (!is_own_step(search, value))
        value_add(search, pointer_root(search->walk, value, search->depth + 1));
}

static enum CXChildVisitResult value_visit(CXCursor cursor, CXCursor parent, CXClientData data) {
    (void)parent;
    value_search* search = data;
    const weft_lint_clang* clang = search->walk->clang;
    enum CXCursorKind kind = clang->getCursorKind(cursor);
    CXCursor child[2];
    if (kind == CXCursor_BinaryOperator && weft_lint_children(clang, cursor, child, 2) == 2 &&
        weft_lint_operator_of(clang, cursor) == WEFT_LINT_OP_ASSIGN &&
        is_variable(search, child[0]))
        value_take(search, child[1]);
    // &p, the one expression of that type: whoever has it may change p.
    if (kind == CXCursor_UnaryOperator && weft_lint_children(clang, cursor, child, 1) == 1 &&
        is_variable(search, child[0])) {
        CXType pointee = clang->getPointeeType(weft_lint_type(clang, cursor));
        if (clang->equalTypes(clang->getCanonicalType(pointee),
                              weft_lint_type(clang, search->variable)))
            value_add(search, place_root(search->walk, "given", cursor));
    }
    return CXChildVisit_Recurse;
}

static root variable_root(weft_lint_walk* walk, CXCursor variable, unsigned depth) {
    const weft_lint_clang* clang = walk->clang;
    root self = place_root(walk, "variable", variable);
    if (!weft_lint_is_pointer(weft_lint_type(clang, variable)))
        return self; // An array.
    if (walk->budget == 0)
        return (root){""};
    walk->budget--;
    value_search search = {.walk = walk,
                           .variable = clang->getCanonicalCursor(variable),
                           .found = {""},
                           .depth = depth};
    bool is_local = clang->getCursorKind(variable) == CXCursor_VarDecl &&
                    !clang->Cursor_hasVarDeclGlobalStorage(variable);
    if (!is_local)
        value_add(&search, self); // What it has from elsewhere.
    CXCursor part[8];
    size_t count = weft_lint_children(clang, variable, part, 8);
    if (is_local && count > 0 && count <= 8 &&
        clang->isExpression(clang->getCursorKind(part[count - 1])))
        value_take(&search, part[count - 1]);
    if (!clang->Cursor_isNull(walk->function))
        (void)clang->visitChildren(walk->function, value_visit, &search);
    if (search.is_unknown)
        return (root){""};
    return search.has_any ? search.found : self;
}

// Expressions ------------------------------------------------------------------------------------

/// `base->name` or `base.name`, by what `base` is.
static root member_root(weft_lint_walk* walk, CXCursor cursor, unsigned depth) {
    const weft_lint_clang* clang = walk->clang;
    CXCursor base;
    if (weft_lint_children(clang, cursor, &base, 1) != 1)
        return (root){""};
    root made = pointer_root(walk, base, depth + 1);
    if (made.text[0] == '\0')
        return made;
    CXString name = clang->getCursorSpelling(cursor);
    append(&made, ".");
    append(&made, clang->getCString(name));
    clang->disposeString(name);
    return made;
}

static root pointer_root(weft_lint_walk* walk, CXCursor cursor, unsigned depth) {
    const weft_lint_clang* clang = walk->clang;
    CXCursor bare = weft_lint_bare(clang, cursor, true);
    CXCursor child[2];
    if (depth > DEPTH_MAX)
        return (root){""};
    switch ((int)clang->getCursorKind(bare)) {
    case CXCursor_DeclRefExpr:
        return variable_root(walk, clang->getCursorReferenced(bare), depth);
    case CXCursor_MemberRefExpr:
        return member_root(walk, bare, depth);
    case CXCursor_ArraySubscriptExpr: // a[i] as a place is of a; as a pointer it is anybody's.
        if (weft_lint_children(clang, bare, child, 2) != 2 ||
            weft_lint_is_pointer(weft_lint_type(clang, bare)))
            return (root){""};
        return pointer_root(walk, child[0], depth + 1);
    case CXCursor_UnaryOperator: // &x, p++ and --p; *p as a place, as above.
        if (weft_lint_children(clang, bare, child, 1) != 1 ||
            (weft_lint_is_pointer(weft_lint_type(clang, bare)) &&
             clang->equalTypes(
                 weft_lint_type(clang, bare),
                 clang->getCanonicalType(clang->getPointeeType(weft_lint_type(clang, child[0]))))))
            return (root){""};
        return pointer_root(walk, child[0], depth + 1);
    case CXCursor_BinaryOperator: // p + n, n + p, p - n
        if (weft_lint_children(clang, bare, child, 2) != 2)
            return (root){""};
        if (weft_lint_operator_of(clang, bare) == WEFT_LINT_OP_ASSIGN)
            return pointer_root(walk, child[1], depth + 1);
        return pointer_root(
            walk, weft_lint_is_pointer(weft_lint_type(clang, child[0])) ? child[0] : child[1],
            depth + 1);
    case CXCursor_CallExpr: // Another array in each call.
    case CXCursor_StmtExpr:
    case CXCursor_CompoundLiteralExpr:
    case CXCursor_StringLiteral:
        return place_root(walk, "value", bare);
    default:
        return (root){""};
    }
}

// Checks -----------------------------------------------------------------------------------------

void weft_lint_check_order(weft_lint_walk* walk, CXCursor cursor, weft_lint_operator op,
                           CXCursor left, CXCursor right) {
    bool is_order = op == WEFT_LINT_OP_LESS || op == WEFT_LINT_OP_GREATER ||
                    op == WEFT_LINT_OP_AT_MOST || op == WEFT_LINT_OP_AT_LEAST;
    if ((!is_order && op != WEFT_LINT_OP_SUBTRACT) ||
        !weft_lint_is_pointer(weft_lint_type(walk->clang, left)) ||
        !weft_lint_is_pointer(weft_lint_type(walk->clang, right)))
        return;
    walk->budget = WEFT_LINT_BUDGET;
    root a = pointer_root(walk, left, 0);
    root b = pointer_root(walk, right, 0);
    if (a.text[0] == '\0' || strcmp(a.text, b.text) != 0)
        weft_lint_say(walk, WEFT_LINT_ADDRESS, cursor,
                      is_order ? "order of two addresses that may not be of one array"
                               : "difference of two addresses that may not be of one array");
}

void weft_lint_check_cast(weft_lint_walk* walk, CXCursor cursor, CXCursor operand) {
    const weft_lint_clang* clang = walk->clang;
    CXType to = weft_lint_type(clang, cursor);
    CXType from = weft_lint_type(clang, operand);
    if (!weft_lint_is_integer(to) || !weft_lint_is_pointer(from) ||
        weft_lint_constant_of(clang, cursor).is_known)
        return;
    // va_arg(list, int) has the list for a child.
    CXString pointee = clang->getTypeSpelling(clang->getCanonicalType(clang->getPointeeType(from)));
    bool is_list = strstr(clang->getCString(pointee), "va_list") != NULL;
    clang->disposeString(pointee);
    if (!is_list)
        weft_lint_say(walk, WEFT_LINT_ADDRESS, cursor, "an address made into a number");
}
