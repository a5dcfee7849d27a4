#!/bin/sh
# canary.sh JUDGE: the judge finds the one wrong result of its canary, a sine that is off by one ulp
# at 123456789, and finds nothing where that input is not asked for.
set -eu
judge=$1

rc=0
out=$("$judge" canary --from 123000000 --to 124000000) || rc=$?
if [ "$rc" -ne 1 ] || [ "$(printf '%s\n' "$out" | grep -c '^  wrong: canary(123456789) = ')" -ne 1 ] ||
    [ "$(printf '%s\n' "$out" | grep -c 'wrong: ')" -ne 1 ]; then
    printf 'the canary was not found (exit %s):\n%s\n' "$rc" "$out"
    exit 1
fi
rc=0
out=$("$judge" canary --from 123456790 --to 124000000) || rc=$?
if [ "$rc" -ne 0 ]; then
    printf 'something was found where nothing is wrong (exit %s):\n%s\n' "$rc" "$out"
    exit 1
fi
rc=0
"$judge" no_such_function >/dev/null 2>&1 || rc=$?
[ "$rc" -eq 2 ] || { echo "an unknown function exits with $rc"; exit 1; }
