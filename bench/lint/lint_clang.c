// Loading libclang, and the one thing that its older versions do not tell: which operator it is.

#define _GNU_SOURCE

#include "lint_clang.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#ifdef WEFT_LINT_OPERATORS

weft_lint_operator weft_lint_operator_of(const weft_lint_clang* clang, CXCursor cursor) {
    return (weft_lint_operator)clang->getCursorBinaryOperatorKind(cursor);
}

#else

// Before version 17 the interface has no call for the operator. Its text is no help: of an operator
// in a macro's body, libclang before 19 does not say where it stands. So it is read from where the
// compiler keeps it: bits 18 to 23 of the first word of the node that the cursor refers to, one
// less than the numbers of later versions. These versions are history and do not change, and
// nothing is believed: operators_check() compares every operator that the rules know.
#define OPERATOR_SHIFT 18
#define OPERATOR_MASK 0x3fu

weft_lint_operator weft_lint_operator_of(const weft_lint_clang* clang, CXCursor cursor) {
    (void)clang;
    uint32_t word;
    memcpy(&word, cursor.data[1], sizeof word);
    return (weft_lint_operator)((word >> OPERATOR_SHIFT & OPERATOR_MASK) + 1);
}

#endif

/// The operators that rules ask for, each in an expression of its own, with an operator of a macro
/// at the end.
static const char operators_text[] =
    "#define D(x, y) x / y\n"
    "void f(int a, int b) {\n"
    "a * b, a / b, a % b, a + b, a - b, a << b, a >> b, a < b, a > b, a <= b, a >= b, a & b, a | "
    "b, a && b,"
    "a = b, a /= b, a %= b, a += b, a -= b, a <<= b, a >>= b, D(a, b); }\n";

static const weft_lint_operator operators_wanted[] = {
    WEFT_LINT_OP_MULTIPLY,
    WEFT_LINT_OP_DIVIDE,
    WEFT_LINT_OP_REMAINDER,
    WEFT_LINT_OP_ADD,
    WEFT_LINT_OP_SUBTRACT,
    WEFT_LINT_OP_LEFT,
    WEFT_LINT_OP_RIGHT,
    WEFT_LINT_OP_LESS,
    WEFT_LINT_OP_GREATER,
    WEFT_LINT_OP_AT_MOST,
    WEFT_LINT_OP_AT_LEAST,
    WEFT_LINT_OP_AND,
    WEFT_LINT_OP_OR,
    WEFT_LINT_OP_BOTH,
    WEFT_LINT_OP_ASSIGN,
    WEFT_LINT_OP_DIVIDE_ASSIGN,
    WEFT_LINT_OP_REMAINDER_ASSIGN,
    WEFT_LINT_OP_ADD_ASSIGN,
    WEFT_LINT_OP_SUBTRACT_ASSIGN,
    WEFT_LINT_OP_LEFT_ASSIGN,
    WEFT_LINT_OP_RIGHT_ASSIGN,
    WEFT_LINT_OP_DIVIDE,
};

#define OPERATOR_COUNT (sizeof operators_wanted / sizeof operators_wanted[0])

typedef struct operators_seen {
    const weft_lint_clang* clang;
    weft_lint_operator list[OPERATOR_COUNT];
    size_t count;
} operators_seen;

/// Notes the operators whose operands are the parameters; commas have operators for operands.
static enum CXChildVisitResult operators_visit(CXCursor cursor, CXCursor parent,
                                               CXClientData data) {
    (void)parent;
    operators_seen* seen = data;
    const weft_lint_clang* clang = seen->clang;
    enum CXCursorKind kind = clang->getCursorKind(cursor);
    if (kind != CXCursor_BinaryOperator && kind != CXCursor_CompoundAssignOperator)
        return CXChildVisit_Recurse;
    CXCursor sides[2];
    if (weft_lint_children(clang, cursor, sides, 2) != 2)
        return CXChildVisit_Recurse;
    CXCursor right = weft_lint_bare(clang, sides[1], false);
    CXCursor left = weft_lint_bare(clang, sides[0], false);
    if (clang->getCursorKind(right) != CXCursor_DeclRefExpr ||
        clang->getCursorKind(left) != CXCursor_DeclRefExpr)
        return CXChildVisit_Recurse;
    if (seen->count < OPERATOR_COUNT)
        seen->list[seen->count] = weft_lint_operator_of(clang, cursor);
    seen->count++;
    return CXChildVisit_Continue;
}

static bool operators_check(const weft_lint_parser* parser) {
    const weft_lint_clang* clang = &parser->clang;
    static const char* const flags[] = {"-std=gnu17", "-w"};
    struct CXUnsavedFile file = {"weft-lint-operators.c", operators_text,
                                 sizeof operators_text - 1};
    CXTranslationUnit unit = NULL;
    operators_seen seen = {.clang = clang};
    if (clang->parseTranslationUnit2(parser->index, file.Filename, flags, 2, &file, 1, 0, &unit) !=
        CXError_Success)
        return false;
    (void)clang->visitChildren(clang->getTranslationUnitCursor(unit), operators_visit, &seen);
    clang->disposeTranslationUnit(unit);
    return seen.count == OPERATOR_COUNT &&
           memcmp(seen.list, operators_wanted, sizeof operators_wanted) == 0;
}

/// Fills the table. Returns the name of a function that the library lacks, or null.
static const char* functions_find(weft_lint_clang* clang) {
    // A pointer to a function is not an object pointer in ISO C; POSIX has dlsym() make them equal.
#define X(function)                                                                                \
    *(void**)&clang->function = dlsym(clang->library, "clang_" #function);                         \
    if (clang->function == NULL)                                                                   \
        return "clang_" #function;
    WEFT_LINT_CLANG_MAP(X)
#ifdef WEFT_LINT_OPERATORS
    X(getCursorBinaryOperatorKind)
#endif
#undef X
    return NULL;
}

weft_lint_parser* weft_lint_parser_create(char* line, size_t capacity) {
    weft_lint_parser* parser = calloc(1, sizeof(*parser));
    WEFT_ASSERT(parser != NULL);
    weft_lint_clang* clang = &parser->clang;
    clang->library = dlopen(WEFT_LIBCLANG_NAME, RTLD_NOW | RTLD_LOCAL);
    if (clang->library == NULL)
        clang->library = dlopen(WEFT_LIBCLANG_PATH, RTLD_NOW | RTLD_LOCAL);
    const char* reason = clang->library != NULL ? functions_find(clang) : dlerror();
    if (clang->library == NULL || reason != NULL) {
        (void)snprintf(line, capacity,
                       "libclang cannot be used: %s; install the one that this program was built "
                       "with, %s (Debian: " WEFT_LIBCLANG_PACKAGE ")",
                       reason != NULL ? reason : "it is not found", WEFT_LIBCLANG_NAME);
        weft_lint_parser_destroy(parser);
        return NULL;
    }
    parser->index = clang->createIndex(0, 0);
    CXString version = clang->getClangVersion();
    (void)snprintf(parser->version, sizeof parser->version, "%s", clang->getCString(version));
    clang->disposeString(version);
    if (!operators_check(parser)) {
        (void)snprintf(line, capacity,
                       "%s tells operators in another way than the lint knows; build the program "
                       "with libclang 14, or 17 and later",
                       parser->version);
        weft_lint_parser_destroy(parser);
        return NULL;
    }
    return parser;
}

void weft_lint_parser_destroy(weft_lint_parser* parser) {
    if (parser == NULL)
        return;
    if (parser->index != NULL)
        parser->clang.disposeIndex(parser->index);
    // The library stays: LLVM registers handlers that must not disappear.
    free(parser);
}
