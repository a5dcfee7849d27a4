#!/bin/sh
# Compiles each public header alone, as C and (with clang, which needs no C++ library) as C++.
# usage: headers.sh CC CLANG "FLAG;FLAG..." HEADER...
set -u
cc=$1 clang=$2 flags=$(printf '%s' "$3" | tr ';' ' ')
shift 3
failed=0
for header; do
    # $flags is a list.
    # shellcheck disable=SC2086
    "$cc" -std=gnu17 -fsyntax-only -Wall -Wextra -Wpedantic -Werror $flags -include "$header" \
        -x c /dev/null || failed=1
    case $clang in
    *NOTFOUND | "") ;;
    *)
        # shellcheck disable=SC2086
        "$clang" -std=c++17 -fsyntax-only -Wall -Wextra -Werror $flags -include "$header" \
            -x c++ /dev/null || failed=1
        ;;
    esac
done
exit $failed
