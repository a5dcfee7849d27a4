#!/bin/sh
# Runs clang-tidy 14 over the sources that a build's compile_commands.json names.
# usage: tidy.sh BUILD_DIR [FILE...]
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$1
shift
command -v clang-tidy-14 >/dev/null || { echo "clang-tidy-14 is not installed"; exit 77; }
[ -f "$build/compile_commands.json" ] || { echo "no compile_commands.json in $build"; exit 1; }

# Generated sources and tests are left out: Criterion's macros trip every second check.
if [ $# -eq 0 ]; then
    files=$(sed -n 's/^ *"file": "\(.*\)",*$/\1/p' "$build/compile_commands.json" | sort -u |
        grep -E "^$root/(math|ecs|scheduler|bench|docs|tests/lint)/" || true)
else
    files=$(printf '%s\n' "$@")
fi
[ -n "$files" ] || exit 0
printf '%s\n' "$files" |
    xargs -P "$(nproc)" -n 1 clang-tidy-14 -p "$build" --quiet --warnings-as-errors='*'
