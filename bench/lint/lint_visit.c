// The walk through a function or an object: what it names becomes references, what it does
// candidates.
//
// Expressions are looked at as the compiler sees them, after macros and typedefs. What is not
// evaluated is passed over: operands of sizeof, and the choices of _Generic that are not taken.

#include "lint_clang.h"

#include <string.h>

static void walk_children(weft_lint_walk* walk, CXCursor cursor) {
    (void)walk->clang->visitChildren(cursor, weft_lint_visit, walk);
}

static bool text_is(const weft_lint_clang* clang, CXString text, const char* wanted) {
    const char* chars = clang->getCString(text);
    bool is = chars != NULL && strcmp(chars, wanted) == 0;
    clang->disposeString(text);
    return is;
}

// Floating point ---------------------------------------------------------------------------------

/// The floating type in a type, through arrays, vectors, complex numbers, and if `deep` pointers
/// and results; CXType_Invalid if there is none.
static CXType float_in(const weft_lint_clang* clang, CXType type, bool deep) {
    for (unsigned depth = 0; depth < 16; depth++) {
        type = clang->getCanonicalType(type);
        switch ((int)type.kind) {
        case CXType_Float:
        case CXType_Double:
        case CXType_LongDouble:
        case CXType_Float128:
        case CXType_Half:
        case CXType_Float16:
        case CXType_BFloat16:
        case CXType_Ibm128:
            return type;
        case CXType_Complex:
        case CXType_Vector:
        case CXType_ExtVector:
            type = clang->getElementType(type);
            break;
        case CXType_ConstantArray:
        case CXType_VariableArray:
        case CXType_IncompleteArray:
            type = clang->getArrayElementType(type);
            break;
        case CXType_Pointer:
            type = deep ? clang->getPointeeType(type) : (CXType){.kind = CXType_Invalid};
            break;
        case CXType_FunctionProto:
        case CXType_FunctionNoProto:
            type = deep ? clang->getResultType(type) : (CXType){.kind = CXType_Invalid};
            break;
        default:
            return (CXType){.kind = CXType_Invalid};
        }
    }
    return (CXType){.kind = CXType_Invalid};
}

/// Says so if a type has floating point that its file must not have. True if it did.
static bool float_check(weft_lint_walk* walk, CXCursor cursor, CXType type, bool deep) {
    CXType found = float_in(walk->clang, type, deep);
    if (found.kind == CXType_Invalid || (found.kind == CXType_Float && walk->floats))
        return false;
    const char* spelled = weft_lint_keep(walk, walk->clang->getTypeSpelling(found));
    const char* name = weft_lint_keep(walk, walk->clang->getCursorSpelling(cursor));
    weft_lint_say(walk, WEFT_LINT_FLOAT, cursor,
                  name[0] != '\0' && walk->clang->getCursorKind(cursor) != CXCursor_UnexposedExpr
                      ? weft_lint_format(walk->lint, "'%s' is of type %s", name, spelled)
                      : weft_lint_format(walk->lint, "a value of type %s", spelled));
    return true;
}

// References -------------------------------------------------------------------------------------

const char* weft_lint_key_of(weft_lint_walk* walk, CXCursor declared) {
    const weft_lint_clang* clang = walk->clang;
    const char* name = weft_lint_keep(walk, clang->getCursorSpelling(declared));
    CXCursor defined = clang->getCursorDefinition(declared);
    bool is_here = !clang->Cursor_isNull(defined);
    weft_lint_place place =
        weft_lint_place_of(walk, is_here ? defined : clang->getCanonicalCursor(declared));
    return clang->getCursorLinkage(declared) == CXLinkage_External
               ? weft_lint_node_key(walk->lint, name, is_here ? place : (weft_lint_place){0})
               : weft_lint_format(walk->lint, "%s@%s:%u:%u", name, place.path, place.line,
                                  place.column);
}

/// True if nobody can write to an object of this type.
static bool is_constant(const weft_lint_clang* clang, CXType type) {
    type = clang->getCanonicalType(type);
    bool is_const = clang->isConstQualifiedType(type) != 0;
    bool is_volatile = clang->isVolatileQualifiedType(type) != 0;
    // A qualifier of the elements is the array's, and the other way round.
    while (type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray) {
        type = clang->getCanonicalType(clang->getArrayElementType(type));
        is_const |= clang->isConstQualifiedType(type) != 0;
        is_volatile |= clang->isVolatileQualifiedType(type) != 0;
    }
    return is_const && !is_volatile;
}

bool weft_lint_is_system(const weft_lint_clang* clang, CXType type) {
    type = clang->getCanonicalType(type);
    if (clang->getNumArgTypes(type) != 2)
        return false;
    CXType result = clang->getCanonicalType(clang->getResultType(type));
    CXType view = clang->getPointeeType(clang->getCanonicalType(clang->getArgType(type, 0)));
    CXType context = clang->getPointeeType(clang->getCanonicalType(clang->getArgType(type, 1)));
    return text_is(clang, clang->getCursorSpelling(clang->getTypeDeclaration(result)),
                   "weft_status") &&
           text_is(clang, clang->getCursorSpelling(clang->getTypeDeclaration(view)), "weft_view") &&
           clang->getCanonicalType(context).kind == CXType_Void;
}

static void reference_take(weft_lint_walk* walk, CXCursor cursor) {
    const weft_lint_clang* clang = walk->clang;
    CXCursor declared = clang->getCursorReferenced(cursor);
    enum CXCursorKind kind = clang->getCursorKind(declared);
    bool is_function = kind == CXCursor_FunctionDecl;
    if (!is_function &&
        (kind != CXCursor_VarDecl || !clang->Cursor_hasVarDeclGlobalStorage(declared) ||
         clang->getCursorLinkage(declared) == CXLinkage_NoLinkage))
        return;
    weft_lint_ref ref = {
        .from = walk->node,
        .key = weft_lint_key_of(walk, declared),
        .name = weft_lint_keep(walk, clang->getCursorSpelling(declared)),
        .place = weft_lint_place_of(walk, cursor),
        .other = walk->is_callee ? walk->sorter : (weft_lint_place){.path = NULL},
        .is_mutable = !is_function && !is_constant(clang, clang->getCursorType(declared)),
        .is_function = is_function,
    };
    weft_lint_ref_add(walk->lint, ref);
    bool is_system = is_function && !walk->is_callee &&
                     weft_lint_is_system(clang, clang->getCursorType(declared));
    if (walk->is_entry || is_system)
        weft_lint_entry_add(walk->lint, ref.key, "system");
}

// Calls ------------------------------------------------------------------------------------------

/// True if a format, as printf takes it, prints an address.
static bool format_has_address(const char* format) {
    for (const char* at = strchr(format, '%'); at != NULL; at = strchr(at, '%')) {
        at += 1 + strspn(at + 1, "-+ #0123456789.*'hlLqjzt");
        if (*at == 'p')
            return true;
        at += *at != '\0';
    }
    return false;
}

static void arguments_check(weft_lint_walk* walk, CXCursor call, int fixed_count,
                            bool is_variadic) {
    const weft_lint_clang* clang = walk->clang;
    int count = clang->Cursor_getNumArguments(call);
    for (int i = 0; i < count; i++) {
        CXCursor argument = clang->Cursor_getArgument(call, (unsigned)i);
        CXCursor bare = weft_lint_bare(clang, argument, true);
        if (is_variadic && clang->getCursorKind(bare) == CXCursor_StringLiteral) {
            const char* text = weft_lint_keep(walk, clang->getCursorSpelling(bare));
            if (format_has_address(text))
                weft_lint_say(walk, WEFT_LINT_ADDRESS, bare, "an address printed by %p");
        }
        bool said = walk->float_said;
        if (is_variadic && i >= fixed_count &&
            float_in(clang, clang->getCursorType(argument), false).kind != CXType_Invalid) {
            weft_lint_say(walk, WEFT_LINT_VARARG_FLOAT, argument,
                          "a floating value among variable arguments");
            walk->float_said = true;
        }
        (void)weft_lint_visit(argument, call, walk);
        walk->float_said = said;
    }
}

/// Where the function is that a sort is to compare with, if it is named in the call.
static weft_lint_place comparator_find(weft_lint_walk* walk, CXCursor call) {
    const weft_lint_clang* clang = walk->clang;
    for (int i = clang->Cursor_getNumArguments(call) - 1; i >= 0; i--) {
        CXCursor bare = weft_lint_bare(clang, clang->Cursor_getArgument(call, (unsigned)i), true);
        if (clang->getCursorKind(bare) != CXCursor_DeclRefExpr)
            continue;
        CXCursor declared = clang->getCursorReferenced(bare);
        CXCursor defined = clang->getCursorDefinition(declared);
        if (clang->getCursorKind(declared) == CXCursor_FunctionDecl)
            return weft_lint_place_of(walk, clang->Cursor_isNull(defined) ? declared : defined);
    }
    return (weft_lint_place){.path = NULL};
}

static void call_take(weft_lint_walk* walk, CXCursor call) {
    const weft_lint_clang* clang = walk->clang;
    CXCursor callee;
    if (weft_lint_children(clang, call, &callee, 1) == 0)
        return;
    bool was_callee = walk->is_callee;
    weft_lint_place sorter = walk->sorter;
    walk->sorter = comparator_find(walk, call);
    walk->is_callee = true;
    (void)weft_lint_visit(callee, call, walk);
    walk->is_callee = false;
    walk->sorter = sorter;
    CXType type = weft_lint_type(clang, callee);
    if (type.kind == CXType_Pointer)
        type = clang->getCanonicalType(clang->getPointeeType(type));
    arguments_check(walk, call, clang->getNumArgTypes(type),
                    clang->isFunctionTypeVariadic(type) != 0);
    walk->is_callee = was_callee;
}

// Expressions ------------------------------------------------------------------------------------

/// Of _Generic's choices only those can be the one that is taken that have its type.
static void generic_take(weft_lint_walk* walk, CXCursor cursor) {
    const weft_lint_clang* clang = walk->clang;
    CXCursor part[64];
    size_t count = weft_lint_children(clang, cursor, part, 64);
    CXType type = weft_lint_type(clang, cursor);
    // The first is what the choice hangs on, and is not evaluated.
    for (size_t i = 1; i < count && i < 64; i++) {
        if (clang->isExpression(clang->getCursorKind(part[i])) &&
            clang->equalTypes(weft_lint_type(clang, part[i]), type))
            (void)weft_lint_visit(part[i], cursor, walk);
    }
}

static void entry_assign(weft_lint_walk* walk, CXCursor cursor, CXCursor left, CXCursor right) {
    const weft_lint_clang* clang = walk->clang;
    CXCursor field = clang->getCursorReferenced(weft_lint_bare(clang, left, false));
    bool is_run = clang->getCursorKind(field) == CXCursor_FieldDecl &&
                  text_is(clang, clang->getCursorSpelling(field), "run") &&
                  text_is(clang, clang->getCursorSpelling(clang->getCursorSemanticParent(field)),
                          "weft_system_desc");
    bool was_entry = walk->is_entry;
    (void)weft_lint_visit(left, cursor, walk);
    walk->is_entry |= is_run;
    (void)weft_lint_visit(right, cursor, walk);
    walk->is_entry = was_entry;
}

static void binary_take(weft_lint_walk* walk, CXCursor cursor) {
    CXCursor side[2];
    if (weft_lint_children(walk->clang, cursor, side, 2) != 2) {
        walk_children(walk, cursor);
        return;
    }
    weft_lint_operator op = weft_lint_operator_of(walk->clang, cursor);
    weft_lint_check_arithmetic(walk, cursor, op, side[0], side[1]);
    weft_lint_check_order(walk, cursor, op, side[0], side[1]);
    if (op == WEFT_LINT_OP_ASSIGN) {
        entry_assign(walk, cursor, side[0], side[1]);
        return;
    }
    walk_children(walk, cursor);
}

/// Braces around a description: what is given to `run` or `input` is an entry.
static void braces_take(weft_lint_walk* walk, CXCursor cursor) {
    const weft_lint_clang* clang = walk->clang;
    CXCursor declared = clang->getTypeDeclaration(weft_lint_type(clang, cursor));
    const char* type = weft_lint_keep(walk, clang->getCursorSpelling(declared));
    bool is_system = strcmp(type, "weft_system_desc") == 0;
    if (!is_system && strcmp(type, "weft_module") != 0) {
        walk_children(walk, cursor);
        return;
    }
    CXCursor part[32];
    size_t count = weft_lint_children(clang, cursor, part, 32);
    for (size_t i = 0; i < count && i < 32; i++) {
        CXCursor named[2];
        bool was_entry = walk->is_entry;
        if (weft_lint_children(clang, part[i], named, 2) == 2 &&
            clang->getCursorKind(named[0]) == CXCursor_MemberRef) {
            const char* field = weft_lint_keep(walk, clang->getCursorSpelling(named[0]));
            walk->is_entry = is_system && strcmp(field, "run") == 0;
            CXCursor bare = weft_lint_bare(clang, named[1], true);
            if (!is_system && strcmp(field, "input") == 0 &&
                clang->getCursorKind(bare) == CXCursor_DeclRefExpr)
                weft_lint_entry_add(
                    walk->lint, weft_lint_key_of(walk, clang->getCursorReferenced(bare)), "input");
        }
        (void)weft_lint_visit(part[i], cursor, walk);
        walk->is_entry = was_entry;
    }
}

/// What the interface does not name: conversions, and operations on atomics.
static void unexposed_take(weft_lint_walk* walk, CXCursor cursor) {
    const weft_lint_clang* clang = walk->clang;
    CXCursor child[2];
    size_t count = weft_lint_children(clang, cursor, child, 2);
    if (count == 1 && clang->isExpression(clang->getCursorKind(child[0])))
        weft_lint_check_cast(walk, cursor, child[0]);
    // An operation on an atomic has an address and then a memory order.
    bool said = walk->atomic_said;
    if (count >= 2 && weft_lint_is_pointer(weft_lint_type(clang, child[0]))) {
        weft_lint_constant order = weft_lint_constant_of(clang, child[1]);
        if (order.is_known && order.value >= 0 && order.value <= 5) {
            weft_lint_say(walk, WEFT_LINT_ATOMIC, cursor, "an atomic operation");
            walk->atomic_said = true;
        }
    }
    walk_children(walk, cursor);
    walk->atomic_said = said;
}

static void cast_take(weft_lint_walk* walk, CXCursor cursor) {
    CXCursor part[4];
    size_t count = weft_lint_children(walk->clang, cursor, part, 4);
    if (count > 0 && count <= 4)
        weft_lint_check_cast(walk, cursor, part[count - 1]);
    walk_children(walk, cursor);
}

/// Says so for an expression of floating type, once for all that it is made of. A whole number that
/// becomes one does so for the sake of another, which is said.
static bool expression_float(weft_lint_walk* walk, CXCursor cursor) {
    const weft_lint_clang* clang = walk->clang;
    enum CXCursorKind kind = clang->getCursorKind(cursor);
    CXCursor operand;
    if (walk->float_said || kind == CXCursor_InitListExpr)
        return false;
    if (kind == CXCursor_UnexposedExpr && weft_lint_children(clang, cursor, &operand, 1) == 1 &&
        clang->isExpression(clang->getCursorKind(operand)) &&
        weft_lint_constant_of(clang, operand).is_known)
        return false;
    return float_check(walk, cursor, clang->getCursorType(cursor), false);
}

static void expression_take(weft_lint_walk* walk, CXCursor cursor) {
    const weft_lint_clang* clang = walk->clang;
    enum CXCursorKind kind = clang->getCursorKind(cursor);
    bool said = walk->float_said;
    // A reference to a function is called, and so is what is made of one; nothing else is.
    bool was_callee = walk->is_callee;
    if (kind != CXCursor_DeclRefExpr && kind != CXCursor_UnexposedExpr &&
        kind != CXCursor_ParenExpr)
        walk->is_callee = false;
    walk->float_said |= expression_float(walk, cursor);
    if (!walk->atomic_said && weft_lint_type(clang, cursor).kind == CXType_Atomic &&
        (kind == CXCursor_DeclRefExpr || kind == CXCursor_MemberRefExpr))
        weft_lint_say(walk, WEFT_LINT_ATOMIC, cursor, "a value of atomic type");
    switch ((int)kind) {
    case CXCursor_UnaryExpr: // sizeof
        break;
    case CXCursor_GenericSelectionExpr:
        generic_take(walk, cursor);
        break;
    case CXCursor_DeclRefExpr:
        reference_take(walk, cursor);
        break;
    case CXCursor_CallExpr:
        call_take(walk, cursor);
        break;
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
        binary_take(walk, cursor);
        break;
    case CXCursor_InitListExpr:
        braces_take(walk, cursor);
        break;
    case CXCursor_CStyleCastExpr:
        cast_take(walk, cursor);
        break;
    case CXCursor_UnexposedExpr:
        unexposed_take(walk, cursor);
        break;
    default:
        walk_children(walk, cursor);
    }
    walk->is_callee = was_callee;
    walk->float_said = said;
}

// Declarations -----------------------------------------------------------------------------------

/// A variable: of a function, or at file scope, where the node at hand is its own.
static void variable_take(weft_lint_walk* walk, CXCursor cursor) {
    const weft_lint_clang* clang = walk->clang;
    CXType type = clang->getCursorType(cursor);
    bool is_static = clang->Cursor_hasVarDeclGlobalStorage(cursor) &&
                     clang->Cursor_getStorageClass(cursor) != CX_SC_Extern;
    if (is_static && !is_constant(clang, type))
        weft_lint_say(walk, WEFT_LINT_STATIC, cursor,
                      weft_lint_format(walk->lint,
                                       "'%s' has static or thread storage and may be "
                                       "written",
                                       weft_lint_keep(walk, clang->getCursorSpelling(cursor))));
    if (clang->getCanonicalType(type).kind == CXType_Atomic)
        weft_lint_say(walk, WEFT_LINT_ATOMIC, cursor, "a variable of atomic type");
    bool said = walk->float_said;
    walk->float_said |= float_check(walk, cursor, type, true);
    walk_children(walk, cursor);
    walk->float_said = said;
}

void weft_lint_visit_result(weft_lint_walk* walk, CXCursor function) {
    CXType type = weft_lint_type(walk->clang, function);
    (void)float_check(walk, function, walk->clang->getResultType(type), true);
}

enum CXChildVisitResult weft_lint_visit(CXCursor cursor, CXCursor parent, CXClientData data) {
    (void)parent;
    weft_lint_walk* walk = data;
    const weft_lint_clang* clang = walk->clang;
    enum CXCursorKind kind = clang->getCursorKind(cursor);
    if (clang->isExpression(kind)) {
        expression_take(walk, cursor);
        return CXChildVisit_Continue;
    }
    switch ((int)kind) {
    case CXCursor_VarDecl:
        variable_take(walk, cursor);
        break;
    case CXCursor_ParmDecl:
        (void)float_check(walk, cursor, clang->getCursorType(cursor), true);
        break;
    case CXCursor_FieldDecl:
        (void)float_check(walk, cursor, clang->getCursorType(cursor), true);
        if (clang->getCanonicalType(clang->getCursorType(cursor)).kind == CXType_Atomic)
            weft_lint_say(walk, WEFT_LINT_ATOMIC, cursor, "a field of atomic type");
        break;
    case CXCursor_StructDecl:
    case CXCursor_UnionDecl:
        walk_children(walk, cursor);
        break;
    case CXCursor_TypedefDecl:
        (void)float_check(walk, cursor, clang->getCursorType(cursor), true);
        break;
    case CXCursor_FunctionDecl: // Declared inside a function.
    case CXCursor_TypeRef:
        break;
    case CXCursor_GCCAsmStmt:
    case CXCursor_MSAsmStmt:
        weft_lint_say(walk, WEFT_LINT_ASM, cursor, "inline assembler");
        walk_children(walk, cursor);
        break;
    default:
        walk_children(walk, cursor);
    }
    return CXChildVisit_Continue;
}
