#!/bin/sh
# Compiles one file and checks what comes of it.
#
#   check.sh COMPILER FILE FLAG...
#
# The file's first line says what: "// error: PART | PART..." for a file that must not compile, with
# messages that contain each part, or "// compiles: ..." for one that must.
set -eu
compiler=$1
file=$2
shift 2
command -v "$compiler" >/dev/null || { echo "$compiler is not installed"; exit 77; }

out=$("$compiler" -std=gnu17 -Wall -Wextra -Werror -O1 -c -o /dev/null "$@" "$file" 2>&1) && failed=0 ||
    failed=1
line=$(head -n 1 "$file")
case $line in
"// compiles: "*)
    [ "$failed" -eq 0 ] || { echo "$file does not compile:"; echo "$out"; exit 1; }
    exit 0
    ;;
"// error: "*) ;;
*)
    echo "$file: the first line says neither error nor compiles"
    exit 1
    ;;
esac
[ "$failed" -eq 1 ] || { echo "$file compiles"; exit 1; }
# gcc and clang cut messages into lines as they were written.
text=$(printf '%s' "$out" | tr '\n' ' ')
printf '%s\n' "${line#// error: }" | sed 's/ | /\n/g' | while read -r part; do
    case $text in
    *"$part"*) ;;
    *)
        echo "$file: no message has \"$part\":"
        echo "$out"
        exit 1
        ;;
    esac
done
