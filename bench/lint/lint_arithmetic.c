// Integer division and shifts that are not defined for every value.

#include "lint_clang.h"

static bool divisor_is_safe(weft_lint_walk* walk, CXCursor cursor, bool is_signed) {
    const weft_lint_clang* clang = walk->clang;
    weft_lint_constant constant = weft_lint_constant_of(clang, cursor);
    if (constant.is_known)
        return constant.value != 0 && !(is_signed && constant.value == -1);
    weft_lint_range range = weft_lint_range_of(walk, cursor);
    if (range.is_known && range.low > 0)
        return true;
    CXCursor bare = weft_lint_bare(clang, cursor, false);
    CXCursor part[3];
    if (clang->getCursorKind(bare) == CXCursor_ConditionalOperator &&
        weft_lint_children(clang, bare, part, 3) == 3)
        return divisor_is_safe(walk, part[1], is_signed) &&
               divisor_is_safe(walk, part[2], is_signed);
    // x | 1
    if (clang->getCursorKind(bare) == CXCursor_BinaryOperator && !is_signed &&
        weft_lint_children(clang, bare, part, 2) == 2 &&
        weft_lint_operator_of(clang, bare) == WEFT_LINT_OP_OR)
        return divisor_is_safe(walk, part[0], false) || divisor_is_safe(walk, part[1], false);
    return false;
}

static const char* operator_text(weft_lint_operator op) {
    switch (op) {
    case WEFT_LINT_OP_DIVIDE:
        return "/";
    case WEFT_LINT_OP_REMAINDER:
        return "%";
    case WEFT_LINT_OP_LEFT:
        return "<<";
    case WEFT_LINT_OP_RIGHT:
        return ">>";
    case WEFT_LINT_OP_DIVIDE_ASSIGN:
        return "/=";
    case WEFT_LINT_OP_REMAINDER_ASSIGN:
        return "%=";
    case WEFT_LINT_OP_LEFT_ASSIGN:
        return "<<=";
    default:
        return ">>=";
    }
}

void weft_lint_check_arithmetic(weft_lint_walk* walk, CXCursor cursor, weft_lint_operator op,
                                CXCursor left, CXCursor right) {
    const weft_lint_clang* clang = walk->clang;
    bool divides = op == WEFT_LINT_OP_DIVIDE || op == WEFT_LINT_OP_REMAINDER ||
                   op == WEFT_LINT_OP_DIVIDE_ASSIGN || op == WEFT_LINT_OP_REMAINDER_ASSIGN;
    bool shifts = op == WEFT_LINT_OP_LEFT || op == WEFT_LINT_OP_RIGHT ||
                  op == WEFT_LINT_OP_LEFT_ASSIGN || op == WEFT_LINT_OP_RIGHT_ASSIGN;
    if (!divides && !shifts)
        return;
    // In a compound assignment the left operand's own type may be narrower than what is computed
    // with: taken as signed and at most as wide, it errs on the side of a finding.
    CXType type = weft_lint_type(clang, left);
    CXType right_type = weft_lint_type(clang, right);
    if (type.kind == CXType_Vector || type.kind == CXType_ExtVector)
        type = clang->getCanonicalType(clang->getElementType(type));
    if (!weft_lint_is_integer(type) && type.kind != CXType_Atomic)
        return;
    if (divides && (weft_lint_is_integer(right_type) || right_type.kind == CXType_Vector)) {
        bool is_signed = type.kind >= CXType_Char_S || right_type.kind >= CXType_Char_S;
        if (!divisor_is_safe(walk, right, is_signed))
            weft_lint_say(walk, WEFT_LINT_DIVISION, cursor,
                          weft_lint_format(walk->lint, "'%s' by what may be 0%s", operator_text(op),
                                           is_signed ? " or -1" : ""));
    }
    if (shifts) {
        int64_t width = clang->Type_getSizeOf(type) * 8;
        weft_lint_range count = weft_lint_range_of(walk, right);
        if (!count.is_known || count.low < 0 || count.high >= (width < 32 ? 32 : width))
            weft_lint_say(walk, WEFT_LINT_SHIFT, cursor,
                          weft_lint_format(walk->lint, "'%s' by what may be as large as the width",
                                           operator_text(op)));
    }
}
