#!/bin/bash
# Completes lines as bash, and fish and zsh where they are installed, would with what the program
# prints.
#
# usage: completion.sh WEFT LOADERS
# LOADERS is the folder of the files that are installed for the shells.
set -u
weft=$1
loaders=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failures=0
LC_ALL=C
export LC_ALL
PATH=$(dirname "$weft"):$PATH
export PATH

fail() {
    failures=$((failures + 1))
    printf 'FAILED: %s\n' "$*"
}

# The file that is installed makes bash know the program.
# shellcheck disable=SC1091
source "$loaders/weft.bash"
[[ $(complete -p weft) == *"-F _complete_weft"* ]] || fail "bash knows no completion of weft"

# replies WORD...: what bash would offer for the last word, a line each. Readline splits at "=".
replies() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _complete_weft
    printf '%s\n' "${COMPREPLY[@]}" | sort
}

# offers WANTED WORD...: exactly the words WANTED are offered, in the order of the alphabet.
offers() {
    local wanted=$1 got
    shift
    got=$(replies "$@" | tr '\n' ' ')
    [ "${got% }" = "$wanted" ] || fail "bash, '$*': offered are '${got% }', not '$wanted'"
}

offers "run" weft ru
offers "bench bisect" weft b
offers "verify" weft help ver
offers "--help --version" weft -
offers "--entities" weft run --en
offers "--entities" weft run creatures --ticks 10 --en
offers "creatures" weft run cr
offers "creatures" weft bisect --no-pin cr
offers "canary churn churn_sparse creatures" weft verify c
offers "alias" weft run --guard = al
offers "alias hash none trap twin" weft run --guard =
offers "alias hash none trap twin" weft run --guard ""
offers "" weft run --rollback =
offers "creatures" weft run --rollback cr
offers "threads" weft replay --executor th
offers "processes threads" weft tune --executor ""
offers "dot" weft graph --format = do
offers "csv npz sqlite" weft export --format ""
offers "headline" weft bench headl
offers "compare" weft bench comp
offers "--threshold" weft bench compare --th
offers "" weft bench runs --th
offers "" weft bench --th
offers "clock" weft selftest cl
offers "bash fish zsh" weft completion ""
# Names of files are readline's own business.
offers "" weft run --hashes ""
offers "" weft run --hashes cr
offers "" weft export -o cr
offers "" weft nothing ""
offers "" weft run --ticks ""

# Every command and every option that --help shows, and the values of options are accepted.
weft --help | sed -n 's/^  \([a-z]*\( [a-z]*\)\{0,1\}\)   *[a-z].*/\1/p' >"$dir/commands"
[ "$(wc -l <"$dir/commands")" -ge 12 ] || fail "weft --help lists too few commands"
values=0
while read -r command; do
    read -r -a words <<<"$command"
    replies weft "${words[@]}" | grep -qx -e "${words[-1]}" || fail "bash does not offer $command"
    weft "${words[@]}" --help </dev/null |
        sed -n 's/^ \{2,6\}\(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' |
        grep -vxE -e '--(usage|version)' | sort >"$dir/options"
    replies weft "${words[@]}" -- | cmp -s - "$dir/options" ||
        fail "bash: options of $command are not those of --help"
    while read -r option; do
        # Only a wrong value is named in what the program says, by parsing or later.
        run=(weft "${words[@]}")
        "${run[@]}" "$option=none-such" </dev/null 2>&1 | grep -qF "'none-such'" ||
            run+=(creatures --entities 10)
        for value in $(replies weft "${words[@]}" "$option" = "") none-such; do
            "${run[@]}" "$option=$value" </dev/null 2>&1 | grep -qF "'$value'"
            case $?,$value in
            0,none-such) ;;
            1,none-such) fail "weft $command does not complain of $option=none-such" ;;
            1,*) values=$((values + 1)) ;;
            *) fail "weft $command refuses $option=$value, which is completed" ;;
            esac
        done
    done < <(weft completion fish | grep -F "'__fish_seen_subcommand_from ${words[0]}" |
        sed -n 's/.* -l \([a-z-]*\) -x -a .*/--\1/p' | sort -u)
done <"$dir/commands"
[ "$values" -ge 30 ] || fail "only $values values of options are completed"

# A program of another name completes itself, and weft still does.
ln -s "$weft" "$dir/my-orbit"
eval "$("$dir/my-orbit" completion bash)"
[[ $(complete -p my-orbit) == *"-F _complete_my_orbit"* ]] || fail "my-orbit is not completed"
[[ $(complete -p weft) == *"-F _complete_weft"* ]] || fail "weft is no longer completed"

if command -v fish >/dev/null; then
    # fish LINE WANTED: what fish offers, without the descriptions.
    fish_offers() {
        HOME=$dir fish --no-config -c "source '$loaders/weft.fish'; complete -C '$1'" |
            cut -f 1 | sort | tr '\n' ' ' >"$dir/out"
        [ "$(sed 's/ $//' "$dir/out")" = "$2" ] ||
            fail "fish, '$1': offered are '$(cat "$dir/out")', not '$2'"
    }
    fish_offers "weft ru" "run"
    fish_offers "weft run --ent" "--entities"
    fish_offers "weft run creat" "creatures"
    fish_offers "weft run --guard=tr" "--guard=trap"
    fish_offers "weft bench comp" "compare"
    fish_offers "weft bench compare --thr" "--threshold"
    fish_offers "weft bench --thr" ""
    fish_offers "weft help ver" "verify"
    fish_offers "weft selftest cl" "clock"
else
    echo "note: no fish here"
fi

if command -v zsh >/dev/null; then
    # The real line editor, in a terminal of its own: TAB after each beginning.
    cat >"$dir/tabs.zsh" <<END
zmodload zsh/zpty
zpty shell "HOME=$dir ZDOTDIR=$dir TERM=dumb zsh -f -i"
zpty -w shell "PS1=; fpath=('$loaders' \\\$fpath); autoload -U compinit; compinit -u -d '$dir/dump'"
zpty -w shell "unsetopt beep; bindkey '^I' complete-word; cd '$dir'"
for line in "weft ru" "weft run --ent" "weft run creat" "weft bench comp" "weft run --guard tra"; do
    zpty -w -n shell "\$line"\$'\t\x01''print -r -- "said: '\$'\x05''"'\$'\n'
done
zpty -w shell "exit"
zpty -r shell all '*never*'
print -r -- "\$all"
END
    timeout 20 zsh -f "$dir/tabs.zsh" 2>&1 | tr -d '\r' | sed -n 's/^.*said: \(.*[^ ]\) *$/\1/p' \
        >"$dir/out"
    for line in "weft run" "weft run --entities" "weft run creatures" "weft bench compare" \
        "weft run --guard trap"; do
        grep -qx -e "$line" "$dir/out" || fail "zsh does not complete to '$line'"
    done
else
    echo "note: no zsh here"
fi

[ "$failures" -eq 0 ] || exit 1
echo "$values values of options"
