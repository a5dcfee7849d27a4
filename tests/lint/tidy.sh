#!/bin/sh
# Runs clang-tidy 14 over the sources that a build's compile_commands.json names.
# usage: tidy.sh BUILD_DIR [FILE...]
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$1
shift
command -v clang-tidy-14 >/dev/null || { echo "clang-tidy-14 is not installed"; exit 77; }
[ -f "$build/compile_commands.json" ] || { echo "no compile_commands.json in $build"; exit 1; }

# Generated sources are left out.
if [ $# -eq 0 ]; then
    files=$(sed -n 's/^ *"file": "\(.*\)",*$/\1/p' "$build/compile_commands.json" | sort -u |
        grep -E "^$root/(math|ecs|scheduler|bench|docs|tests)/" || true)
else
    files=$(printf '%s\n' "$@")
fi
[ -n "$files" ] || exit 0

# A source that several targets compile is looked at once. In the second round of one process the
# analyser of clang-tidy 14 takes every va_list for one that nobody started.
commands=$(mktemp -d)
trap 'rm -rf "$commands"' EXIT
awk '
    /^\{/ { entry = "" }
    { entry = entry $0 "\n" }
    /^ *"file": / { file = $0 }
    /^\}/ {
        sub(/,?\n$/, "", entry)
        if (!(file in seen))
            printf "%s%s", count++ == 0 ? "[\n" : ",\n", entry
        seen[file] = 1
    }
    END { print "\n]" }
' "$build/compile_commands.json" > "$commands/compile_commands.json"
printf '%s\n' "$files" |
    xargs -P "$(nproc)" -n 1 clang-tidy-14 -p "$commands" --quiet --warnings-as-errors='*'
