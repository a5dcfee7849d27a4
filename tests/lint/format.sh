#!/bin/sh
# Checks that every C file is as clang-format 14 writes it; with --fix, writes it so. Versions
# disagree, so without version 14 the check is skipped (status 77).
set -eu
cd "$(dirname "$0")/../.."
command -v clang-format-14 >/dev/null || { echo "clang-format-14 is not installed"; exit 77; }

if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    files=$(git ls-files --cached --others --exclude-standard -- '*.c' '*.h')
else
    files=$(find math ecs scheduler bench tests docs -name '*.[ch]')
fi
files=$(printf '%s\n' "$files" | grep -v '^tests/[a-z]*lint/fixtures/' |
    while read -r file; do [ ! -f "$file" ] || printf '%s\n' "$file"; done)
mode="--dry-run -Werror"
[ "${1:-}" != --fix ] || mode=-i
# $mode is a list.
# shellcheck disable=SC2086
printf '%s\n' "$files" | xargs clang-format-14 $mode
