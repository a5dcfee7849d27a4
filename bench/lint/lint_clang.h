/// libclang as the lint uses it. The library is loaded when a lint begins: the program's other
/// commands must neither need it nor wait for it.
#pragma once

#include <clang-c/Index.h>

#include "lint_model.h"

/// Every function of libclang that the lint calls.
#define WEFT_LINT_CLANG_MAP(X)                                                                     \
    X(Cursor_Evaluate)                                                                             \
    X(Cursor_getArgument)                                                                          \
    X(Cursor_getNumArguments)                                                                      \
    X(Cursor_getStorageClass)                                                                      \
    X(Cursor_hasVarDeclGlobalStorage)                                                              \
    X(Cursor_isNull)                                                                               \
    X(EvalResult_dispose)                                                                          \
    X(EvalResult_getAsLongLong)                                                                    \
    X(EvalResult_getAsUnsigned)                                                                    \
    X(EvalResult_getKind)                                                                          \
    X(EvalResult_isUnsignedInt)                                                                    \
    X(Location_isInSystemHeader)                                                                   \
    X(Type_getSizeOf)                                                                              \
    X(createIndex)                                                                                 \
    X(defaultDiagnosticDisplayOptions)                                                             \
    X(disposeDiagnostic)                                                                           \
    X(disposeIndex)                                                                                \
    X(disposeSourceRangeList)                                                                      \
    X(disposeString)                                                                               \
    X(disposeTokens)                                                                               \
    X(disposeTranslationUnit)                                                                      \
    X(equalCursors)                                                                                \
    X(equalTypes)                                                                                  \
    X(formatDiagnostic)                                                                            \
    X(getArgType)                                                                                  \
    X(getArrayElementType)                                                                         \
    X(getCString)                                                                                  \
    X(getCanonicalCursor)                                                                          \
    X(getCanonicalType)                                                                            \
    X(getClangVersion)                                                                             \
    X(getCursorDefinition)                                                                         \
    X(getCursorExtent)                                                                             \
    X(getCursorKind)                                                                               \
    X(getCursorLinkage)                                                                            \
    X(getCursorLocation)                                                                           \
    X(getCursorReferenced)                                                                         \
    X(getCursorSemanticParent)                                                                     \
    X(getCursorSpelling)                                                                           \
    X(getCursorType)                                                                               \
    X(getDiagnostic)                                                                               \
    X(getDiagnosticSeverity)                                                                       \
    X(getElementType)                                                                              \
    X(getFile)                                                                                     \
    X(getFileContents)                                                                             \
    X(getFileLocation)                                                                             \
    X(getFileName)                                                                                 \
    X(getInclusions)                                                                               \
    X(getLocationForOffset)                                                                        \
    X(getNullCursor)                                                                               \
    X(getNumArgTypes)                                                                              \
    X(getNumDiagnostics)                                                                           \
    X(getPointeeType)                                                                              \
    X(getRangeEnd)                                                                                 \
    X(getRangeStart)                                                                               \
    X(getResultType)                                                                               \
    X(getSkippedRanges)                                                                            \
    X(getTokenSpelling)                                                                            \
    X(getTranslationUnitCursor)                                                                    \
    X(getTypeDeclaration)                                                                          \
    X(getTypeSpelling)                                                                             \
    X(isConstQualifiedType)                                                                        \
    X(isExpression)                                                                                \
    X(isFunctionTypeVariadic)                                                                      \
    X(isVolatileQualifiedType)                                                                     \
    X(parseTranslationUnit2)                                                                       \
    X(tokenize)                                                                                    \
    X(visitChildren)

/// The functions by their names without "clang_".
typedef struct weft_lint_clang {
#define X(name) __typeof__(&clang_##name) name;
    WEFT_LINT_CLANG_MAP(X)
#undef X
#ifdef WEFT_LINT_OPERATORS
    __typeof__(&clang_getCursorBinaryOperatorKind) getCursorBinaryOperatorKind;
#endif
    void* library;
} weft_lint_clang;

/// Binary operators, in the order of clang's own list.
typedef enum weft_lint_operator {
    WEFT_LINT_OP_NONE,
    WEFT_LINT_OP_MULTIPLY = 3,
    WEFT_LINT_OP_DIVIDE,
    WEFT_LINT_OP_REMAINDER,
    WEFT_LINT_OP_ADD,
    WEFT_LINT_OP_SUBTRACT,
    WEFT_LINT_OP_LEFT,
    WEFT_LINT_OP_RIGHT,
    WEFT_LINT_OP_LESS = 11,
    WEFT_LINT_OP_GREATER,
    WEFT_LINT_OP_AT_MOST,
    WEFT_LINT_OP_AT_LEAST,
    WEFT_LINT_OP_AND = 17,
    WEFT_LINT_OP_OR = 19,
    WEFT_LINT_OP_BOTH, // &&
    WEFT_LINT_OP_EITHER,
    WEFT_LINT_OP_ASSIGN,
    WEFT_LINT_OP_DIVIDE_ASSIGN = 24,
    WEFT_LINT_OP_REMAINDER_ASSIGN,
    WEFT_LINT_OP_ADD_ASSIGN,
    WEFT_LINT_OP_SUBTRACT_ASSIGN,
    WEFT_LINT_OP_LEFT_ASSIGN,
    WEFT_LINT_OP_RIGHT_ASSIGN,
} weft_lint_operator;

/// Variables that are followed back for one question at most: code that goes in circles, or doubles
/// at every step, would take for ever.
#define WEFT_LINT_BUDGET 256u

struct weft_lint_parser {
    weft_lint_clang clang;
    CXIndex index;
    char version[128];
};

/// The operator of a binary or compound expression.
weft_lint_operator weft_lint_operator_of(const weft_lint_clang* clang, CXCursor cursor);

/// One source as it is walked.
typedef struct weft_lint_walk {
    weft_lint* lint;
    const weft_lint_clang* clang;
    CXTranslationUnit unit;
    struct weft_lint_macro_use* macros;
    size_t macro_count, macro_capacity;
    uint32_t node;          // Whose body this is; WEFT_LINT_NO_NODE at file scope.
    CXCursor function;      // The same as a cursor.
    weft_lint_place sorter; // The comparator of the call at hand.
    unsigned budget;        // Variables that may still be followed for the question at hand.
    bool float_said;        // A float finding covers what is walked.
    bool atomic_said;       // The same for atomics.
    bool is_callee;         // What is walked is being called.
    bool is_entry;          // What is walked is given to an executor.
    bool floats;            // In a float world.
} weft_lint_walk;

// lint_walk.c: help for walking
// --------------------------------------------------------------------

/// The first `max` children; returns how many there are.
size_t weft_lint_children(const weft_lint_clang* clang, CXCursor cursor, CXCursor* out, size_t max);

/// The expression inside parentheses and implicit conversions; explicit casts too if `casts`.
CXCursor weft_lint_bare(const weft_lint_clang* clang, CXCursor cursor, bool casts);

/// Where a cursor is: inside a macro, where it is expanded or where its argument is written.
weft_lint_place weft_lint_place_of(weft_lint_walk* walk, CXCursor cursor);

/// A string that lives as long as the lint.
const char* weft_lint_keep(weft_lint_walk* walk, CXString text);

/// The value of an integer constant expression.
typedef struct weft_lint_constant {
    bool is_known;
    bool is_unsigned;
    int64_t value; // Of an unsigned one: its bits.
} weft_lint_constant;

weft_lint_constant weft_lint_constant_of(const weft_lint_clang* clang, CXCursor cursor);

/// Bounds of an integer expression, both included.
typedef struct weft_lint_range {
    bool is_known;
    int64_t low, high;
} weft_lint_range;

/// What is known of an expression in the function at hand (lint_ranges.c).
weft_lint_range weft_lint_range_of(weft_lint_walk* walk, CXCursor cursor);

CXType weft_lint_type(const weft_lint_clang* clang, CXCursor cursor);
bool weft_lint_is_pointer(CXType type);
bool weft_lint_is_integer(CXType type);

/// Adds a candidate of the node at hand.
void weft_lint_say(weft_lint_walk* walk, weft_lint_rule rule, CXCursor where, const char* what);

// lint_visit.c -----------------------------------------------------------------------------------

/// Walks a cursor that is in the body of the node at hand; `data` is the weft_lint_walk.
enum CXChildVisitResult weft_lint_visit(CXCursor cursor, CXCursor parent, CXClientData data);

/// Checks what a function gives back.
void weft_lint_visit_result(weft_lint_walk* walk, CXCursor function);

/// Unique name of a function or an object with static storage.
const char* weft_lint_key_of(weft_lint_walk* walk, CXCursor declared);

/// True for the type of `weft_status f(weft_view*, const void*)`.
bool weft_lint_is_system(const weft_lint_clang* clang, CXType type);

// lint_arithmetic.c and lint_pointers.c -----------------------------------------------------------

/// Checks one expression and its operands.
void weft_lint_check_arithmetic(weft_lint_walk* walk, CXCursor cursor, weft_lint_operator op,
                                CXCursor left, CXCursor right);
void weft_lint_check_order(weft_lint_walk* walk, CXCursor cursor, weft_lint_operator op,
                           CXCursor left, CXCursor right);
void weft_lint_check_cast(weft_lint_walk* walk, CXCursor cursor, CXCursor operand);
