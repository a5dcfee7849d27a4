#!/bin/sh
# Lints Weft itself: every function of math and ecs, and the workloads' systems. And sees to it that a
# fault that is planted in them is found.
#
# usage: tree.sh WEFT [OBJECT...]    the objects of math and ecs
set -u
weft=$1
shift
cd "$(dirname "$0")/../.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
include="-Imath/include -Iecs/include -Ischeduler/include -Ibench/include -Imath/internal
    -Iecs/internal"

# lint CODE WHAT ARGUMENT...: runs the lint and compares its exit code.
lint() {
    want=$1
    what=$2
    shift 2
    "$weft" lint "$@" >"$dir/out" 2>&1
    code=$?
    if grep -E 'without libclang|libclang cannot be used' "$dir/out"; then
        echo "SKIPPED: the lint of sources needs libclang"
        exit 77
    fi
    tail -n 1 "$dir/out" | sed "s/^/$what: /"
    if [ "$code" -ne "$want" ]; then
        echo "FAILED: $what: exit code $code, not $want"
        cat "$dir/out"
        failed=1
    fi
}

# The handler of broken invariants writes and aborts; the arena's default body takes and gives memory
# between ticks. In the sources they are excepted where they stand.
if [ $# -gt 0 ]; then
    lint 0 objects --object --pure='XXH*' --pure=fprintf --pure=fflush --pure=stderr \
        --pure=aligned_alloc --pure=free "$@"
    lint 1 "objects, all" --object "$@"
fi

# $include is a list.
# shellcheck disable=SC2086
{
    # In math the operations are made that others are to use: its divisions and shifts are tested
    # value by value, under sanitizers and on other machines.
    lint 0 math --all --without=division --without=shift --pure='XXH*' --float='*/pinned*' \
        math/*.c math/include/weft/*.h -- $include
    lint 0 ecs --all --float='*/pinned*' ecs/*.c ecs/include/weft/*.h -- $include
    lint 0 workloads --float='*/orbits.c' --float='*/heavy_compute.*' --float='*/faulty.c' \
        bench/workloads/*.c -- $include
    lint 0 examples docs/examples/*.c -- $include

    cp ecs/*.c ecs/*.h "$dir" 2>/dev/null
    echo 'extern int rand(void); int planted(void); int planted(void) { return rand(); }' \
        >>"$dir/merge.c"
    lint 1 "a planted fault" --all "$dir/merge.c" -- $include -Iecs
    grep -q "merge.c:.*: random: rand()" "$dir/out" || { echo "FAILED: it is not named"; failed=1; }
}
exit $failed
