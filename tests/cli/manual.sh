#!/bin/sh
# Compares the manual pages with the program: each command has a page, which has each of its options
# and no other, and no page or example names what does not exist. Then asks a formatter.
#
# usage: manual.sh WEFT MAN_DIR
set -u
weft=$1
man=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failures=0
LC_ALL=C
export LC_ALL

fail() {
    failures=$((failures + 1))
    printf 'FAILED: %s\n' "$*"
}

# options COMMAND: the long options that --help shows, sorted.
options() {
    # $1 is of one word or two.
    # shellcheck disable=SC2086
    "$weft" $1 --help | sed -n 's/^ \{2,6\}\(-., \)\{0,1\}--\([a-z-]*\).*/\2/p' |
        grep -vxE 'help|usage|version' | sort -u
}

# entries PAGE: the options that have an entry in a list, sorted.
entries() {
    awk '/^\.It Xo/ { listed = 1 } /^\.Xc/ { listed = 0 } listed || /^\.It/' "$1" | tr ' ' '\n' |
        sed -n 's/^-\([a-z][a-z-]*\)$/\1/p' | sort -u
}

"$weft" --help | sed -n 's/^  \([a-z]*\( [a-z]*\)\{0,1\}\)   *[a-z].*/\1/p' >"$dir/commands"
[ -s "$dir/commands" ] || fail "weft --help lists no command"
printf 'help\nversion\n' >"$dir/all"
: >"$dir/pages"
while read -r command; do
    name=$(printf 'weft-%s' "$command" | tr ' ' '-')
    page=$man/$name.1
    echo "$page" >>"$dir/pages"
    options "$command" >"$dir/$name.options"
    cat "$dir/$name.options" >>"$dir/all"
    if [ ! -f "$page" ]; then
        fail "weft $command has no manual page: write $page"
        continue
    fi
    grep -qx "\.It Xr $name 1" "$man/weft.1" || fail "$man/weft.1 does not list $name"
    for line in "\.Nm $name" "\.Sh SYNOPSIS" "\.Cm $command" "\.Sh EXIT STATUS" "\.Sh EXAMPLES"; do
        grep -qx "$line" "$page" || fail "$page lacks a line '$line'"
    done
    entries "$page" >"$dir/entries"
    for option in $(comm -13 "$dir/entries" "$dir/$name.options"); do
        fail "$page has no entry for --$option, which weft $command --help shows"
    done
    for option in $(comm -23 "$dir/entries" "$dir/$name.options"); do
        fail "$page has an entry for --$option, which weft $command does not have"
    done
done <"$dir/commands"

for page in "$man"/*.1; do
    [ "$page" = "$man/weft.1" ] || grep -qxF "$page" "$dir/pages" ||
        fail "$page is the page of no command"
    # Options in the text are those of some command.
    for option in $(grep '^\.' "$page" | grep -v '^\.\(Bd\|Bl\|Dl\)' | tr ' ' '\n' |
        sed -n 's/^-\([a-z][a-z-]*\)$/\1/p'); do
        grep -qx "$option" "$dir/all" || fail "$page names --$option, which no command has"
    done
    # Those of an example are those of its command.
    sed -n 's/^.*\$  *weft  *//p' "$page" | sed 's/ -- .*//' >"$dir/examples"
    while read -r example; do
        name=$(printf '%s' "$example" | awk '{ print $1 "-" $2 }')
        [ -f "$dir/weft-$name.options" ] || name=${example%% *}
        if [ ! -f "$dir/weft-$name.options" ]; then
            fail "$page: no command is named as in: weft $example"
            continue
        fi
        for option in $(printf '%s' "$example" | tr ' =' '\n\n' | sed -n 's/^--\([a-z]\)/\1/p'); do
            grep -qx "$option" "$dir/weft-$name.options" ||
                fail "$page: --$option is no option of: weft $example"
        done
    done <"$dir/examples"
done

if command -v mandoc >/dev/null; then
    mandoc -T lint -W warning "$man"/*.1 || fail "mandoc finds fault"
elif command -v groff >/dev/null; then
    for page in "$man"/*.1; do
        said=$(groff -mandoc -ww -z "$page" 2>&1)
        [ -z "$said" ] || fail "groff finds fault: $said"
    done
else
    echo "note: no mandoc and no groff here, so nobody read the pages' macros"
fi

[ "$failures" -eq 0 ] || exit 1
echo "$(wc -l <"$dir/commands") commands, $(sort -u "$dir/all" | wc -l) options"
