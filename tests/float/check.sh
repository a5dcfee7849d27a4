#!/bin/sh
# Compiles a user's unit with a set of flags, and checks what becomes of it.
#
#   check.sh COMPILER LIBRARY EXPECTED CPU "INCLUDES" "FLAGS" "LINK FLAGS"
#
# EXPECTED: "good" - the self test passes and the operations have their bits; "error: TEXT" - it
# does not compile, with TEXT in a message; "unsupported: TEXT" - the self test refuses with TEXT in
# its line; "inline: TEXT" - the same, and the inline operations have their bits nevertheless.
# CPU: a word of /proc/cpuinfo that the flags need, or "any".
set -eu
compiler=$1 library=$2 expected=$3 cpu=$4 includes=$5 flags=$6 link_flags=$7
here=$(cd "$(dirname "$0")" && pwd)
bits=c97bc510

command -v "$compiler" >/dev/null || { echo "$compiler is not installed"; exit 77; }
[ "$cpu" = any ] || grep -qw "$cpu" /proc/cpuinfo || { echo "no $cpu here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The flags are lists.
# shellcheck disable=SC2086
if ! "$compiler" -std=gnu17 -Wall -Wextra $includes $flags -c -o "$work/user.o" "$here/user.c" \
    2>"$work/messages"; then
    case $expected in
    "error: "*) ;;
    *)
        echo "it does not compile:"
        cat "$work/messages"
        exit 1
        ;;
    esac
    grep -qF -- "${expected#error: }" "$work/messages" || { cat "$work/messages"; exit 1; }
    exit 0
fi
# No -lm: the header must not make a user call libm.
# shellcheck disable=SC2086
"$compiler" $link_flags -o "$work/user" "$work/user.o" "$library" -Wl,-rpath,"${library%/*}"
out=$("$work/user")
echo "$out"
case $expected in
good) [ "$out" = "$bits OK: good" ] ;;
"unsupported: "*)
    case $out in
    *" UNSUPPORTED: "*"${expected#unsupported: }"*) ;;
    *) exit 1 ;;
    esac
    ;;
"inline: "*)
    case $out in
    "$bits UNSUPPORTED: "*"${expected#inline: }"*) ;;
    *) exit 1 ;;
    esac
    ;;
*)
    echo "it compiles, and must not"
    exit 1
    ;;
esac
