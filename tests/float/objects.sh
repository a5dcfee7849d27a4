#!/bin/sh
# Checks the machine code of the pinned backend: no fused multiply-add, and no function of libm but
# sqrtf. The canary, compiled with contraction and a call of sinf, must be found out.
#
#   objects.sh COMPILER "CANARY FLAGS" OBJECT...
set -eu
compiler=$1 canary_flags=$2
shift 2
command -v objdump >/dev/null && command -v nm >/dev/null || { echo "no binutils"; exit 77; }

# x86, aarch64, riscv, s390x.
fused='[[:space:]](vfn?m(add|sub|addsub|subadd)[0-9]*[sp][sd]|fn?m(add|sub)(\.[sd])?|fml[as]|w?[fm](ma|ms)[esd]b?r?)[[:space:]]'
# What the object needs from elsewhere, but for the layer's own and what any C code may call.
foreign() {
    nm -u "$@" | awk 'NF == 2 { print $2 }' | grep -Ev \
        '^(weft_|_?_GLOBAL_OFFSET_TABLE_$|sqrtf$|mem(cpy|set|move)$|__(asan|ubsan|tsan|stack_chk|cpu_)|__ud?iv|__ashl|__lshr)' || true
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/canary.c" <<'END'
float sinf(float);
float canary(float a, float b, float c);
float canary(float a, float b, float c) { return a * b + sinf(c); }
END
# The flags are a list.
# shellcheck disable=SC2086
"$compiler" -O2 -ffp-contract=fast $canary_flags -c -o "$work/canary.o" "$work/canary.c"
objdump -d --no-show-raw-insn "$work/canary.o" | grep -qE "$fused" ||
    { echo "the canary's fused instruction is not seen"; exit 1; }
[ "$(foreign "$work/canary.o")" = sinf ] || { echo "the canary's sinf is not seen"; exit 1; }

[ $# -gt 0 ] || { echo "no objects"; exit 1; }
for object; do
    objdump -d --no-show-raw-insn "$object" >"$work/code"
    grep -q 'weft_' "$work/code" || { echo "$object has no code"; exit 1; }
    ! grep -E "$fused" "$work/code" || { echo "$object has fused instructions"; exit 1; }
    names=$(foreign "$object")
    [ -z "$names" ] || { echo "$object calls: $names"; exit 1; }
done
