# What scripts that run the program share. Before it is read: $weft, the program; $dir, a folder.

failures=0
LC_ALL=C
export LC_ALL

# try CODE ARGUMENT...: runs weft, keeps what it prints in $dir/out and $dir/err.
try() {
    want=$1
    shift
    said="weft $*"
    "$weft" "$@" >"$dir/out" 2>"$dir/err"
    code=$?
    [ "$code" -eq "$want" ] || fail "exit code $code, not $want"
}

fail() {
    failures=$((failures + 1))
    printf 'FAILED: %s\n  %s\n' "$said" "$1"
    sed 's/^/  out: /' "$dir/out" | head -n 40
    sed 's/^/  err: /' "$dir/err" | head -n 40
}

# out TEXT, err TEXT: the output has this text.
out() {
    grep -qF -e "$1" "$dir/out" || fail "standard output lacks: $1"
}
err() {
    grep -qF -e "$1" "$dir/err" || fail "standard error lacks: $1"
}
