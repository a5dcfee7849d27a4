#!/bin/sh
# Runs the program as a user would and checks exit codes and what it says.
#
# usage: cli.sh SECTION WEFT MODULE_DIR JSON_VALUE MODULE_SOURCES LINES
# LINES is 1 if the program can tell lines of sources.
set -u
section=$1
weft=$2
modules=$3
json_value=$4
sources=$5
lines=$6
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/expect.sh"

# silent: nothing on standard error.
silent() {
    [ ! -s "$dir/err" ] || fail "standard error is not empty"
}

# value PATH...: the value in the JSON that was printed.
value() {
    "$json_value" "$@" <"$dir/out" || fail "no JSON value at: $*"
}
is() {
    wanted=$1
    shift
    found=$(value "$@")
    [ "$found" = "$wanted" ] || fail "JSON $*: '$found', not '$wanted'"
}

# line NUMBER TEXT FILE: FILE with one line replaced, in $dir/bad.
line() {
    sed "$1s/.*/$2/" "$3" >"$dir/bad"
}

section_help() {
    try 0 --version
    out "weft 0."
    silent
    try 0 --help
    out "Exit status"
    "$weft" --help | sed -n 's/^  \([a-z]*\( [a-z]*\)\{0,1\}\)   *[a-z].*/\1/p' >"$dir/commands"
    [ "$(wc -l <"$dir/commands")" -ge 12 ] || fail "fewer commands than there are"
    while read -r command; do
        # $command is of one word or two.
        # shellcheck disable=SC2086
        try 0 $command --help
        out "Usage: weft $command"
        out "Examples:"
        out "Exit status"
        silent
        cp "$dir/out" "$dir/first"
        # shellcheck disable=SC2086
        try 0 help $command
        cmp -s "$dir/out" "$dir/first" || fail "differs from weft $command --help"
        # shellcheck disable=SC2086
        try 0 $command --version
        out "weft 0."
    done <"$dir/commands"
    try 2 help rnu
    err "'rnu' is not a command: did you mean 'run'?"
    try 0 bench --help
    for option in suite save quick entities ticks seed workers json quiet; do
        out "--$option"
    done
    try 0 graph --help
    for option in entities seed format output all-edges overlaps why deny deny-ambiguous json; do
        out "--$option"
    done
    try 0 export --help
    for option in format output table list json; do
        out "--$option"
    done
    try 0 verify --help
    for option in entities ticks seed executor workers configs seeds schedule-seed against hashes \
        digest-check check perturb perturb-seed perturb-draw time json quiet no-pin placement cpus \
        sweep; do
        out "--$option"
    done
    try 0 tune --help
    for option in entities seed workers time output quick json; do
        out "--$option"
    done
    try 0 list
    out "creatures"
    out "headline"
    silent
    try 0 list --json
    is creatures workloads 0 name
    value measurements 0 name >/dev/null
}

section_usage() {
    try 2
    err "Usage: weft"
    try 2 rnu
    err "'rnu' is not a command: did you mean 'run'?"
    try 2 --frobnicate
    err "'--frobnicate' is not a command"
    try 2 completion
    err "completion needs the name of one shell: bash, fish or zsh"
    try 2 completion ksh
    err "completion needs the name of one shell: bash, fish or zsh"
    try 2 completion bash fish
    err "completion needs the name of one shell: bash, fish or zsh"
    try 2 run
    err "run needs a simulation"
    try 2 run creatures boids
    err "'boids' is one too many"
    try 2 run creature
    err "no workload is named 'creature': did you mean 'creatures'?"
    try 2 run zzzzzzzz
    err "no workload is named 'zzzzzzzz'; "
    try 2 run creatures --frobnicate
    err "frobnicate"
    try 2 run creatures --seeds 3
    err "seeds"
    try 2 list creatures
    err "'creatures' is one too many"
    try 2 bench heddline
    err "no measurement is named 'heddline': did you mean 'headline'?"
    for bad in -1 +1 "" x 10kk 1.5 1.2345k 1e20 18446744073709551616 "1 " " 1" 0x10; do
        try 2 run creatures --entities "$bad"
        err "--entities: '$bad' is not a whole number"
        try 2 run creatures --ticks "$bad"
        err "--ticks: '$bad' is not a whole number"
    done
    for bad in -1 +1 "" x 0x 0xg 1k 18446744073709551616 0x10000000000000000 "1 " " 1"; do
        try 2 run creatures --seed "$bad"
        err "--seed: '$bad' is not a number of 64 bits"
    done
    try 2 run creatures --entities 4294967295
    err "--entities: a world holds at most 4294967294"
    for bad in 0 1025 -1 x ""; do
        try 2 run creatures --workers "$bad"
        err "--workers: '$bad' is not a number from 1 to 1024"
    done
    for bad in "" thread threads: threads:0 threads:1025 serial:2 virtual:x threads:2:3 process \
        processes: processes:0 processes:1025; do
        try 2 run creatures --executor "$bad"
        err "--executor: '$bad' is not serial"
    done
    try 2 run creatures --executor threads:2 --workers 3
    err "--workers 3 contradicts --executor threads:2"
    try 2 run creatures --executor serial --workers 2
    err "--workers 2 contradicts --executor serial"
    try 2 run creatures --executor processes:2 --workers 3
    err "--workers 3 contradicts --executor processes:2"
    try 2 verify creatures --configs virtual:2,thrads:3
    err "--configs: 'thrads:3' is not serial"
    try 2 verify creatures --configs serial --executor serial
    err "leave one out"
    try 2 verify creatures --seeds 0
    err "--seeds: '0' is not a number from 1 to 100000"
    try 2 verify creatures --check light
    err "--check: 'light' is not root, sync or heavy"
    try 2 verify creatures --perturb 0
    err "--perturb: draw at least one configuration"
    try 2 verify creatures --perturb-seed 3
    err "add --perturb N or --time TIME"
    try 2 verify creatures --perturb-draw 3 --time 5s
    err "leave --perturb, --perturb-seed and --time out"
    try 2 verify creatures --time 5x
    err "--time: '5x' is not a time"
}

section_lint() {
    root=$(cd "$(dirname "$0")/../.." && pwd)
    include="-I$root/math/include -I$root/ecs/include -I$root/scheduler/include"
    cat >"$dir/clean.c" <<'END'
#include <weft/schedule.h>
weft_status run(weft_view* view, const void* context) {
    const int* in = context;
    return weft_view_row_count(view) / in[0]; // weft-lint: allow(division): in[0] is 4
}
END
    cat >"$dir/dirty.c" <<'END'
#include <weft/schedule.h>
#include <stdlib.h>
static int draw(void) { return rand(); }
weft_status run(weft_view* view, const void* context) {
    (void)view, (void)context;
    return draw() > DEPTH;
}
END
    echo 'int f(int a) { return a; }' >"$dir/helper.c"
    echo 'int f(int a) { return b; }' >"$dir/broken.c"
    said="weft lint"
    "$weft" lint --all "$dir/helper.c" >"$dir/out" 2>"$dir/err"
    if grep -E 'without libclang|libclang cannot be used' "$dir/err"; then
        echo "SKIPPED: the lint of sources needs libclang"
        exit 77
    fi

    # $include is a list.
    # shellcheck disable=SC2086
    {
        try 0 lint "$dir/clean.c" -- $include
        silent
        out "clean.c:4: excepted from division: in[0] is 4"
        out "0 findings, 1 exception; 1 source, 1 function reached from 1 system"
        try 1 lint "$dir/clean.c" "$dir/dirty.c" --compile-flag=-DDEPTH=3 -- $include
        silent
        out "dirty.c:3:32: random: rand(): "
        out "use weft_view_random()"
        out "  in system run > draw"
        out "1 finding, 1 exception; 2 sources, 3 functions reached from 2 systems"
        try 0 lint --pure='ran*' "$dir/dirty.c" -- $include -DDEPTH=3
        try 0 lint --without=random --without=division "$dir/clean.c" "$dir/dirty.c" -- $include \
            -DDEPTH=3
        out "0 findings, 0 exceptions"
        try 1 lint --json "$dir/dirty.c" -- $include -DDEPTH=3
        is random findings 0 rule
        is 3 findings 0 line
        is "system run > draw" findings 0 route
        is 1 systems
        try 1 lint --sarif "$dir/dirty.c" -- $include -DDEPTH=3
        is 2.1.0 version
        is random runs 0 results 0 ruleId
        is 3 runs 0 results 0 locations 0 physicalLocation region startLine
        try 2 lint "$dir/dirty.c" -- $include
        err "dirty.c:6:21: error: use of undeclared identifier 'DEPTH'"
        err "flags for the compiler go behind '--'"
        [ ! -s "$dir/out" ] || fail "a result in spite of the error"
        try 2 lint "$dir/dirty.c"
        err "'weft/schedule.h' file not found"
        try 2 lint "$dir/clean.c" "$dir/dirty.c" -- $include
        try 2 lint "$dir/clean.c" -- $include --no-such-flag
    }
    try 2 lint --all "$dir/broken.c"
    err "use of undeclared identifier 'b'"
    try 0 lint --all "$dir/helper.c"
    out "0 findings, 0 exceptions; 1 source, 1 function"
    try 2 lint "$dir/helper.c"
    err "no system is in these files"
    try 2 lint --all "$dir/nothing.c"
    err "nothing.c: cannot be read"
    try 2 lint --all "$dir"
    try 2 lint --all "$modules/hidden_input.so"
    err "objects need --object"
    try 2 lint --json --sarif --all "$dir/helper.c"
    err "exclude each other"
    try 2 lint
    err "lint needs a file"
    try 2 lint --frobnicate
    try 2 lint --all --without=rand "$dir/helper.c"
    err "'rand' is no rule"
    try 2 lint -- -Wall
    err "lint needs a file"
}

section_objects() {
    try 0 lint --list-rules
    out "division"
    out "hash-order"
    try 0 lint --list-rules --json
    is float rules 0 name
    try 1 lint --object "$modules/hidden_input.so"
    out "hidden_input.so: static: world_count has static storage and may be written"
    try 1 lint --object --json "$modules/hidden_input.so"
    out '"symbol": "world_count"'
    is 1 objects
    try 2 lint --object "$dir/none.o"
    err "none.o: cannot be read: No such file"
    try 2 lint --object "$0"
    err "it is no ELF object"
    try 2 lint --object "$dir"
    err "cannot be read: Is a directory"
    try 2 lint --object
    err "lint needs a file"
    if strip -o "$dir/bare.so" "$modules/hidden_input.so" 2>/dev/null; then
        try 2 lint --object "$dir/bare.so"
        err "stripped"
    fi
}

section_run() {
    try 0 run creatures --entities 2k --ticks 20 --executor serial
    out "module    creatures"
    out "2,000 entities, 20 ticks, seed 1"
    out "executor  serial, 1 worker"
    silent
    full=$(sed -n 's/^full *//p' "$dir/out")
    for executor in virtual:3 threads:2 threads:5 processes:1 processes:3; do
        try 0 run creatures --entities 2000 --ticks 2e1 --executor $executor
        out "full      $full"
        silent
    done
    try 0 run creatures --entities 2k --ticks 20 --seed 2
    grep -qF "$full" "$dir/out" && fail "another seed, the same digest"
    try 0 run creatures --entities 2k --ticks 20 --workers 2 --no-pin --quiet
    out "executor  threads, 2 workers, not pinned"
    out "full      $full"
    # The first CPU that this test may use.
    cpu=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
    try 0 run creatures --entities 2k --ticks 20 --cpus "$cpu"
    out "executor  threads, 1 worker, pinned, list"
    out "full      $full"
    try 0 run creatures --entities 2k --ticks 20 --workers 3 --cpus "$cpu" --json
    is 3 executor pinned
    is list executor placement
    is "$full" full
    for placement in spread compact per-node; do
        try 0 run creatures --entities 2k --ticks 20 --workers 2 --placement $placement --json
        is $placement executor placement
        is 2 executor pinned
        is "$full" full
    done
    try 3 run creatures --entities 2k --ticks 20 --cpus 4000000
    err "CPU 4000000 is listed twice, or is not one that this process may use"
    try 3 run creatures --entities 2k --ticks 20 --cpus "$cpu,$cpu"
    err "CPU $cpu is listed twice"
    try 0 run creatures --entities 2k --ticks 20 --executor processes --workers 2 --no-pin --quiet
    out "executor  processes, 2 workers, not pinned"
    out "full      $full"
    try 0 run creatures --entities 2k --ticks 20 --executor virtual --workers 2 --schedule-seed 9
    out "virtual, 2 workers, schedule seed 9"
    out "full      $full"
    try 0 run creatures --entities 2k --ticks 20 --digest-check
    out "full      $full"
    try 0 run tick10 --entities 20k --ticks 20 --executor serial --sweep chunk
    out "stages    0 of 20 runs went system by system"
    swept=$(sed -n 's/^full *//p' "$dir/out")
    try 0 run tick10 --entities 20k --ticks 20 --executor threads:2 --sweep system
    out "stages    20 of 20 runs went system by system"
    out "full      $swept"
    try 0 run tick10 --entities 20k --ticks 20 --executor serial --json
    is auto executor sweep
    is 20 executor sweeps
    try 2 run tick10 --sweep rows
    err "--sweep"
    try 2 run tick10 --placement near
    err "--placement: 'near' is not spread, compact or per-node"
    for cpus in "" 0-2- 4-1 x; do
        try 2 run tick10 --cpus "$cpus"
        err "--cpus: '$cpus' is not a list of at most 1024 CPUs; write 0,2,4-7"
    done
    try 2 run tick10 --cpus 0 --placement compact
    err "--placement and --cpus exclude each other"
    try 2 run tick10 --no-pin --placement compact
    err "--no-pin leaves no room for --placement or --cpus"
    try 0 run creatures --entities 2k --ticks 20 --json --seed 0xffffffffffffffff
    is creatures module
    is 2000 entities
    is 20 ticks
    is 0xffffffffffffffff seed
    is false interrupted
    is threads executor kind
    try 0 run creatures --entities 2k --ticks 20 --json
    is "$full" full
    try 0 run creatures --entities 100 --ticks 0 --json
    is 0 ticks
    # A system that lies about its access leaves a stale cache behind.
    try 3 run canary --ticks 3 --executor serial --digest-check
    err "DIGEST_MISMATCH"
    if [ -w /dev/full ]; then
        "$weft" list >/dev/full 2>"$dir/err"
        code=$?
        : >"$dir/out"
        said="weft list >/dev/full"
        [ "$code" -eq 3 ] || fail "exit code $code, not 3"
        err "standard output could not be written"
    fi
}

# bench_json SECONDS_PER_ROW [OTHER]: a run as weft bench --json prints it, with noise of 1%.
bench_json() {
    awk -v value="$1" -v row="${2:-loop}" 'BEGIN {
        for (i = 0; i < 15; i++)
            samples = samples (i ? ", " : "") value * (1 + (i * 7 % 15) / 1000)
        printf "{\"weft\": \"0.1.0\", \"time\": \"now\", \"machine\": {\"cpu\": \"c\"},"
        printf "\"options\": {}, \"measurements\": [{\"name\": \"m\", \"status\": \"OK\","
        printf "\"title\": \"t\", \"conditions\": {}, \"rows\": [{\"name\": \"%s\",", row
        printf "\"unit\": \"ns\", \"sense\": \"at_most\", \"values\": [%s]}]}]}\n", samples
    }'
}

section_bench() {
    try 0 bench overhead --quick
    out "overhead: "
    out "GHz"
    silent
    grep -q "measurements in" "$dir/out" && fail "a summary of one measurement"
    try 0 bench overhead numbers --quick --seed 5
    out "2 of 2 measurements in"
    out "targets: 0 met, 0 missed; "
    out "compiler"
    try 0 bench overhead --quick --workers 1 --json
    is overhead measurements 0 name
    is OK measurements 0 status
    is yes options quick
    is 1 options workers
    value measurements 0 rows 0 name >/dev/null
    is at_most measurements 0 rows 0 sense
    for fact in weft compiler architecture kernel topology memory; do
        value machine $fact >/dev/null
    done
    for probe in line_before_ns line_after_ns ghz_before ghz_after others stolen disturbed; do
        value measurements 0 conditions $probe >/dev/null
    done
    value measurements 0 rows 0 values 2 >/dev/null
    try 2 bench --suite overhead
    err "--suite is every measurement: leave 'overhead' out"

    # The canary: a tenth slower is found, and equal is equal.
    bench_json 100 >"$dir/a.json"
    bench_json 110 >"$dir/slow.json"
    bench_json 100.1 >"$dir/same.json"
    try 1 bench compare "$dir/a.json" "$dir/slow.json"
    out "SLOWER by 10.0%"
    out "0 faster, 1 slower, 0 without a difference; threshold 2%"
    silent
    try 0 bench compare "$dir/slow.json" "$dir/a.json"
    out "faster by 10.0%"
    try 0 bench compare "$dir/a.json" "$dir/same.json"
    out "no difference"
    out "0 faster, 0 slower, 1 without a difference; threshold 2%"
    try 0 bench compare "$dir/a.json" "$dir/slow.json" --threshold 15%
    out "threshold 15%"
    try 1 bench compare --json "$dir/a.json" "$dir/slow.json"
    is slower rows 0 change
    is 15 rows 0 samples_b
    is 1 slower
    bench_json 100 other | sed 's/"cpu": "c"/"cpu": "d"/' >"$dir/other.json"
    try 0 bench compare "$dir/a.json" "$dir/other.json"
    out "no row is in both"
    out "  m: loop"
    out "  m: other"
    out "  cpu: 'c' in A, 'd' in B"
    for bad in -1 x 2x "" % 1001 nan; do
        try 2 bench compare a b --threshold "$bad"
        err "--threshold: '$bad' is not a percentage from 0 to 1000"
    done
    try 2 bench compare "$dir/a.json"
    err "compare takes two runs"
    try 2 bench compare a b c
    try 2 bench runs
    err "runs takes one file"
    try 0 bench compare --help
    out "Usage: weft bench compare [OPTION...] A B"
    try 0 bench runs --help
    out "Usage: weft bench runs"
    echo '{"a": 1}' >"$dir/bad"
    try 3 bench compare "$dir/a.json" "$dir/bad"
    err "bad: is JSON, but not what"
    head -c 100 "$dir/a.json" >"$dir/bad"
    try 3 bench compare "$dir/a.json" "$dir/bad"
    err "bad:1: "
}

section_results() {
    file=$dir/results.weft
    said="weft bench --save"
    "$weft" bench overhead --quick --save "$file" >"$dir/out" 2>"$dir/err"
    if grep -q "libsqlite3-dev" "$dir/err"; then
        echo "SKIPPED: results are kept where SQLite is"
        exit 77
    fi
    out "saved as run 1 of $file"
    try 0 bench overhead numbers --quick --save "$file" --json
    is 2 saved run
    try 0 bench runs "$file"
    out "overhead, numbers"
    try 0 bench runs "$file" --json
    is 1 runs 0 run
    is overhead runs 0 measurements
    try 0 bench compare "$file:1" "$file"
    out "A  $file run 1, "
    out "B  $file run 2, "
    out "too few samples"
    out "only in B:"
    out "  numbers: "
    out "quick runs have too few samples"
    try 3 bench compare "$file:1" "$file:3"
    err "has no run 3; \`weft bench runs\` lists those it has"
    try 3 bench compare "$file:0" "$file"
    err "there is no such file of results"
    try 3 bench compare "$file" "$dir/none"
    err "none: there is no such file of results"
    # A file that is no good is found before anything is measured, and left alone.
    echo "mine" >"$dir/mine"
    try 3 bench overhead --quick --save "$dir/mine"
    err "mine: this is no file of results: it is no SQLite file"
    [ "$(cat "$dir/mine")" = mine ] || fail "the file was changed"
    [ ! -s "$dir/out" ] || fail "it was measured"
    try 3 bench overhead --quick --save "$dir/none/x"
    err "none/x: the file of results cannot be opened for writing: No such file or directory"
    try 3 bench overhead --quick --save "$dir"
    err "not a regular file"
    head -c 9000 "$file" >"$dir/torn"
    try 3 bench overhead --quick --save "$dir/torn"
    err "torn: the file of results is damaged"
    if [ "$(id -u)" -ne 0 ]; then
        cp "$file" "$dir/readonly" && chmod 400 "$dir/readonly"
        try 3 bench overhead --quick --save "$dir/readonly"
        err "read-only"
    fi
    # No room: the table is printed all the same, and what was there still is.
    said="weft bench --save without room"
    blocks=$(($(wc -c <"$file") / 512 + 4))
    (
        trap '' XFSZ
        ulimit -f $blocks
        i=0
        while [ $i -lt 20 ]; do
            "$weft" bench overhead --quick --save "$file" || exit $?
            i=$((i + 1))
        done
    ) >"$dir/out" 2>"$dir/err"
    code=$?
    [ $code -eq 3 ] || fail "exit code $code, not 3"
    err "make room, or save elsewhere: what the file had is still there"
    out "2 workers"
    try 0 bench compare "$file:1" "$file:2"
}

section_hashes() {
    good=$dir/good.hashes
    verify="verify creatures --configs serial"
    try 0 run creatures --entities 500 --ticks 6 --seed 7 --executor threads:2 --hashes "$good"
    [ "$(wc -l <"$good")" -eq 16 ] || fail "not 16 lines in the hash file"
    [ "$(ls "$dir" | grep -c tmp-)" -eq 0 ] || fail "a temporary file was left behind"
    try 0 $verify --against "$good"
    out "500 entities, 6 ticks, seed 7"
    out "good.hashes: equal, 6 ticks"
    try 0 $verify --against "$good" --ticks 4 --hashes "$dir/again.hashes"
    head -n 5 "$good" >"$dir/a"
    head -n 5 "$dir/again.hashes" >"$dir/b"
    cmp -s "$dir/a" "$dir/b" || fail "the serial run writes another head"

    # Another digest is a difference, with its place.
    line 13 "3 $(printf '%032d' 0) $(printf '%032d' 0)" "$good"
    try 1 $verify --against "$dir/bad"
    out "DIFFERENT from the file"
    out "bad:13"
    out "this line of the file is damaged"
    line 16 "6 $(printf '%032d' 0) $(printf '%032d' 0)" "$good"
    try 1 $verify --against "$dir/bad" --json
    is different reference result
    is 6 reference tick

    # Files that are no good.
    try 0 run orbits --entities 300 --ticks 3 --hashes "$dir/float.hashes"
    out "3 ticks, seed 1, float_pinned_32"
    try 0 verify orbits --against "$dir/float.hashes" --configs serial,virtual:2
    out "3 ticks, seed 1, float_pinned_32"
    sed '9s/.*/math fixed_point_16_16/' "$dir/float.hashes" >"$dir/bad"
    try 3 verify orbits --against "$dir/bad" --configs serial
    err ":9: made with fixed_point_16_16, this run has float_pinned_32"
    bad_hashes
    # Files of another run.
    foreign_hashes
    # Files that cannot be written.
    try 3 run creatures --entities 10 --ticks 1 --hashes "$dir/none/x"
    err "$dir/none/x: the hash file cannot be written: No such file or directory"
    try 3 run creatures --entities 10 --ticks 1 --hashes /dev/null
    err "/dev/null: the hash file cannot be written: not a regular file"
    try 3 run creatures --entities 10 --ticks 1 --hashes "$dir"
    err "not a regular file"
}

# refuse MESSAGE: $dir/bad is refused with this line.
refuse() {
    try 3 $verify --against "$dir/bad"
    err "$dir/bad$1"
}

bad_hashes() {
    rm -f "$dir/bad"
    refuse ": the hash file cannot be read: No such file or directory"
    try 3 $verify --against "$dir"
    err "$dir: the hash file cannot be read: Is a directory"
    : >"$dir/bad"
    refuse ":1: the file is truncated: expected 'weft-hashes 1', found its end"
    echo "#!/bin/sh" >"$dir/bad"
    refuse ":1: this is no hash file: expected 'weft-hashes 1', found '#!/bin/sh'"
    head -c 3000 "$weft" >"$dir/bad"
    refuse ":1: this is no hash file: expected 'weft-hashes 1', found '?ELF"
    line 1 "weft-hashes 2" "$good"
    refuse ":1: hash file of version 2, this program reads version 1"
    line 2 "weft" "$good"
    refuse ":2: expected 'weft' and one word, found 'weft'"
    line 4 "entities 0500" "$good"
    refuse ":4: expected 'entities' and a decimal number, found 'entities 0500'"
    line 5 "seed 7" "$good"
    refuse ":5: expected 'seed 0x' and 16 hexadecimal digits, found 'seed 7'"
    line 6 "ticks 99999999999999999999" "$good"
    refuse ":6: expected 'ticks' and a decimal number, found 'ticks 99999999999999999999'"
    line 6 "ticks 7" "$good"
    refuse ":17: the file is truncated: expected tick 7 of 7, found its end"
    line 6 "ticks 5" "$good"
    refuse ":16: expected the end of the file after tick 5, found '6 "
    line 9 "math float32" "$good"
    refuse ":9: expected 'math fixed_point_16_16' or 'math float_pinned_32', found 'math float32'"
    line 12 "3 abc" "$good"
    refuse ":12: expected tick 2 and two digests of 32 hexadecimal digits, found '3 abc'"
    sed '13s/ [0-9a-f]/ G/' "$good" >"$dir/bad"
    refuse ":13: expected tick 3 and two digests of 32 hexadecimal digits, found '3 G"
    sed '13d' "$good" >"$dir/bad"
    refuse ":13: expected tick 3 and two digests"
    head -n 12 "$good" >"$dir/bad"
    refuse ":13: the file is truncated: expected tick 3 of 6, found its end"
    head -n 5 "$good" >"$dir/bad"
    refuse ":6: the file is truncated: expected 'ticks' and a decimal number, found its end"
    size=$(wc -c <"$good")
    head -c $((size - 1)) "$good" >"$dir/bad"
    refuse ":16: the file is truncated: expected a whole line, found '6 "
    head -c $((size - 40)) "$good" >"$dir/bad"
    refuse ":16: the file is truncated: expected a whole line, found '6 "
    sed 's/$/\r/' "$good" >"$dir/bad"
    refuse ":1: this is no hash file: expected 'weft-hashes 1', found 'weft-hashes 1?'"
    # Every cut is refused, and every cut says where.
    cut=0
    while [ $cut -lt "$size" ]; do
        head -c $cut "$good" >"$dir/bad"
        refuse ":"
        cut=$((cut + 23))
    done
}

foreign_hashes() {
    sed '3s/.*/module boids/' "$good" >"$dir/bad"
    refuse ":3: made by module 'boids', this run is of 'creatures'"
    try 3 $verify --against "$good" --entities 501
    err ":4: made with 500 entities, this run has 501"
    try 3 $verify --against "$good" --seed 8
    err ":5: made with seed 0x7, this run has 0x8"
    try 3 $verify --against "$good" --ticks 7
    err ":6: has 6 ticks, this run wants 7"
    line 7 "schema 0x0123456789abcdef" "$good"
    refuse ":7: made with schema 0x0123456789abcdef, this run has 0x"
    line 8 "schedule 0x0123456789abcdef" "$good"
    refuse ":8: made with schedule 0x0123456789abcdef, this run has 0x"
    line 9 "math float_pinned_32" "$good"
    refuse ":9: made with float_pinned_32, this run has fixed_point_16_16"
}

section_modules() {
    try 3 run ./no_such_module.so
    err "./no_such_module.so: cannot be read: No such file or directory"
    try 3 run no_such_module.so
    err "no_such_module.so: cannot be read: No such file or directory"
    echo "not ELF" >"$dir/text.so"
    try 3 verify "$dir/text.so"
    err "text.so: cannot be loaded as a shared object"
    : >"$dir/empty.so"
    try 3 verify "$dir/empty.so"
    err "empty.so: cannot be loaded as a shared object"
    try 3 run "$dir/"
    err "cannot be loaded as a shared object"
    try 3 run "$modules/no_table.so"
    err "no_table.so: exports no table named weft_module_table"
    try 3 run "$modules/wrong_abi.so"
    err "wrong_abi.so: its module table is of version 3, this program takes 2"
    try 3 run "$modules/fast_math.so"
    err "fast_math.so: loading it changed the floating-point state: denormal numbers are switched"
    err "without -ffast-math"
    for executor in serial virtual:3 threads:2; do
        try 0 run "$modules/saturating.so" --executor $executor
        out "numbers   saturated, divided by 0 in 6 tasks, first in tick 2 by system \"divide\""
    done
    try 0 run "$modules/saturating.so" --json
    is 6 numbers tasks
    is divide numbers system
    try 3 run "$modules/no_build.so"
    err "no_build.so: its module table is wrong: it has no build function"
    try 3 run "$modules/unknown_relation.so"
    err "physics"
    err "rendr"
    err "UNKNOWN_SYSTEM"
    for executor in serial virtual:2 threads:1 threads:2 threads:4; do
        try 3 run "$modules/failing.so" --executor $executor
        err "burn"
        err "the fuse of slot 0 has burned down"
        err "SYSTEM_FAILED"
    done
    # With rollback it stands where a run of three ticks stands.
    try 0 run "$modules/failing.so" --ticks 3
    full=$(sed -n 's/^full *//p' "$dir/out")
    for executor in serial virtual:2 threads:4; do
        for rollback in --rollback --rollback=1 --rollback=2; do
            try 3 run "$modules/failing.so" --executor $executor $rollback
            err "the fuse of slot 0 has burned down; the world is back at the start of tick 3"
            out ", 3 ticks, seed 1"
            out "rollback  "
            out "full      $full"
        done
    done
    try 3 run "$modules/failing.so" --rollback=2 --json
    is 3 ticks
    is "$full" full
    err "the world is back at the start of tick 3"
    try 0 run creatures --entities 300 --ticks 9 --rollback=4
    out "rollback  3 states kept, the last of "
    try 2 run creatures --rollback=0
    err "--rollback: '0' is not a number"
    try 3 verify "$modules/failing.so"
    err "the fuse of slot 0 has burned down"
    try 3 verify "$modules/failing.so" --json
    is failed reference result
    is SYSTEM_FAILED reference status
    is 3 reference tick
    # Determinism off: it runs, but nothing is compared.
    for executor in serial threads:2; do
        try 0 run "$modules/no_generator.so" --executor $executor
    done
    try 3 run "$modules/no_generator.so" --hashes "$dir/none.hashes"
    err "the module turns determinism off (weft_world_desc.deterministic or"
    err "NOT_DETERMINISTIC"
    [ ! -e "$dir/none.hashes" ] || fail "a hash file was written"
    try 3 verify "$modules/no_generator.so"
    err "weft_world_desc.deterministic off"
    err "NOT_DETERMINISTIC"
    # A path without a slash is a path all the same.
    (cd "$modules" && "$weft" run bit_flip.so --executor serial >"$dir/out" 2>"$dir/err")
    said="weft run bit_flip.so"
    out "module    bit_flip"
}

# golden NAME: NAME in the folder of such files is what was printed.
golden() {
    kept=$(dirname "$0")/../golden/$1
    [ "${WEFT_UPDATE_GOLDEN:-0}" = 0 ] || cp "$dir/out" "$kept"
    diff "$kept" "$dir/out" >"$dir/err" || fail "differs from tests/golden/$1"
    : >"$dir/err"
}

section_graph() {
    for workload in creatures churn; do
        for format in txt json dot; do
            try 0 graph $workload --format "$(echo $format | sed 's/txt/text/')"
            silent
            golden graph_$workload.$format
            try 0 graph $workload -o "$dir/graph.$format"
            cmp -s "$dir/graph.$format" "$kept" || fail "the file differs from what is printed"
        done
    done
    try 0 graph creatures --json
    golden graph_creatures.json
    is 6 implied_edges
    is false edges 3 implied
    try 0 graph tick10 --json --all-edges
    is true edges 1 implied
    is 3 implied_edges

    wiring=$modules/wiring.so
    try 0 graph "$wiring" --all-edges --overlaps
    out "longest  3 systems: choose > walk > watch"
    out "choose > walk   all chunks  declared         Place: any-row read of what the other writes"
    out "walk > watch    same chunk  by registration  Place: read-write on the same row"
    out "ordered by registration alone: 3 pairs"
    out "walk, drift    1      Place: no archetype has rows for both, as Frozen parts them; Frozen: "
    out "Place  walk, drift"
    out "Place  choose   walk"
    out "haunt  never runs: no archetype matches"
    out "drift  never runs: no archetype matches"
    out "watch  changes nothing"
    try 0 graph "$wiring" --json --overlaps
    is choose critical_path 0
    is true width_exact
    is Place double_writers 0 type
    is drift double_writers 0 writers 1
    is choose reads_before_writes 0 reader
    is Frozen overlaps 1 common 0 apart
    for deny in ambiguous double-writer read-before-write dead; do
        try 1 graph "$wiring" --deny $deny
        err "wiring: denied by --deny $deny: "
    done
    try 1 graph "$wiring" --deny dead,double-writer --deny-ambiguous --json
    is ambiguous denied 0
    is double-writer denied 1
    is dead denied 2
    try 0 graph canary --deny ambiguous,double-writer,read-before-write,dead
    silent
    graph_why
    graph_refused
}

graph_why() {
    try 0 graph "$wiring" --why watch choose
    out "choose runs before watch."
    out "choose > walk"
    out "walk > watch"
    out "Place      reads  reads any  none: both only read it"
    try 0 graph "$wiring" --why walk drift
    out "Nothing orders walk and drift."
    out "Place      writes   writes  none: no archetype has rows for both, as one needs and the other"
    try 0 graph "$wiring" --why haunt watch
    out "They have no data in common."
    try 0 graph "$wiring" --why watch walk --json
    is after relation
    is walk path 0 from
    is registration path 0 order
    try 0 graph "$wiring" --why walk drift --json
    is none relation
    is false common 0 conflict
    try 2 graph "$wiring" --why walk drfit
    err "wiring has no system 'drfit': did you mean 'drift'?"
    try 2 graph "$wiring" --why walk walk
    err "two different systems"
    try 2 graph "$wiring" --why
    err "--why needs the names of two systems"
    try 2 graph "$wiring" --why walk drift --format dot
    err "--why has no picture"
}

graph_refused() {
    try 3 graph "$modules/unknown_relation.so"
    err 'system "physics" is declared to run before "rendr", which is not registered; did you mean'
    err '"render"?'
    err "UNKNOWN_SYSTEM"
    try 3 graph "$modules/cycle.so"
    err "the systems' order is a cycle"
    err '"move" before "draw": declared before'
    err '"draw" before "move": declared before'
    err "GRAPH_CYCLE"
    try 3 run "$modules/cycle.so"
    err '"draw" before "move": declared before'
    try 2 graph
    err "graph needs a simulation"
    try 2 graph creatures boids
    err "'boids' is one too many"
    try 2 graph creatures --format pdf
    err "--format: 'pdf' is not text, json, dot or svg"
    try 2 graph creatures --json --format dot
    err "exclude each other"
    for bad in "" unicorns ambiguous, ambiguos; do
        try 2 graph creatures --deny "$bad"
        err "is not ambiguous, double-writer, read-before-write or dead"
    done
    try 3 graph creatures -o "$dir/none/graph.txt"
    err "none/graph.txt: the graph cannot be written: No such file or directory"
    try 3 graph creatures -o "$dir"
    err "not a regular file"
}

section_picture() {
    said="weft graph without graphviz"
    PATH=$dir "$weft" graph creatures -o "$dir/none.svg" >"$dir/out" 2>"$dir/err"
    code=$?
    [ $code -eq 3 ] || fail "exit code $code, not 3"
    err "graphviz"
    err "install it"
    [ ! -e "$dir/none.svg" ] || fail "a file was begun"
    # What stands for dot fails, in each way that it can.
    printf '#!/bin/sh\necho trouble >&2\nexit 5\n' >"$dir/dot"
    chmod +x "$dir/dot"
    PATH=$dir:$PATH "$weft" graph creatures -o "$dir/none.svg" >"$dir/out" 2>"$dir/err"
    err "failed with status 5: trouble; --format dot"
    printf '#!/bin/sh\nkill -ABRT $$\n' >"$dir/dot"
    PATH=$dir:$PATH "$weft" graph creatures -o "$dir/none.svg" >"$dir/out" 2>"$dir/err"
    err "ended by signal 6 (it gave no reason)"
    [ ! -e "$dir/none.svg" ] || fail "a file was begun"
    if ! command -v dot >/dev/null; then
        [ $failures -eq 0 ] || exit 1
        echo "SKIPPED: pictures need graphviz"
        exit 77
    fi
    for workload in creatures churn boids overhead; do
        try 0 graph $workload --format svg
        out "<svg "
        out "</svg>"
        silent
    done
    try 0 graph "$modules/wiring.so" --all-edges -o "$dir/graph.svg"
    grep -q 'haunt' "$dir/graph.svg" || fail "the picture lacks a system"
    grep -q '(dead)' "$dir/graph.svg" || fail "the picture does not show the dead"
    try 3 graph creatures -o "$dir/none/graph.svg"
    err "the picture cannot be written"
}

section_verify() {
    try 0 verify creatures --entities 600 --ticks 4
    out "equal: 69 runs"
    for row in "serial           1" "virtual          8" "threads         64" "processes        3"; do
        out "$row"
    done
    silent
    try 0 verify creatures --entities 600 --configs threads:2,virtual:3 --seeds 2 --json
    is equal reference result
    is equal runs 2 result
    is 2 runs 0 workers
    is virtual runs 1 executor
    is 0x0000000000000001 runs 1 schedule_seed
    [ "$(value reference full)" = "$(value runs 0 full)" ] || fail "digests differ"
    try 0 verify creatures --entities 600 --ticks 3 --workers 2 --digest-check
    out "equal: 21 runs"
    # Too big for the usual number of ticks: it says so.
    try 0 verify creatures --entities 20k --configs threads:2,threads:3
    out "entities"
    try 0 verify creatures --entities 600 --ticks 0 --configs threads:2
    out "equal: 1 runs"
    try 0 verify creatures --entities 600 --ticks 20 --configs processes:2,processes:64 --json
    is equal runs 1 result
    is processes runs 1 executor
    is 64 runs 1 workers
    for check in root sync heavy; do
        try 0 verify creatures --entities 5k --ticks 3 --seeds 2 --check $check
        out "equal: 15 runs"
        [ $check = root ] || out "check     $check:"
        try 0 verify orbits --entities 600 --ticks 5 --configs serial,virtual:3 --check=$check --json
        is $check check
        is equal runs 3 result
        digest=$(value reference full)
        [ "${first:-$digest}" = "$digest" ] || fail "the digest is $digest"
        first=$digest
    done
}

section_perturb() {
    try 0 verify creatures --entities 600 --ticks 3 --perturb 12
    out "draws     from seed 0x"
    out "drawn     12 schedules in"
    out "a minute: all equal"
    out "equal: 12 runs"
    silent
    try 0 verify creatures --entities 600 --ticks 3 --perturb 2 --configs serial --check=heavy
    out "equal: 3 runs"
    try 0 verify orbits --entities 600 --time 1s --perturb-seed 9 --json
    is 0x0000000000000009 drawn seed
    is equal drawn last result
    [ "$(value drawn schedules)" -ge 1 ] || fail "nothing was drawn"
    [ "$(value drawn per_minute)" -ge 1 ] || fail "no rate"
    # Found again by the seed that is printed.
    for check in root sync heavy; do
        try 1 verify "$modules/order_bug.so" --perturb 60 --perturb-seed 1 --check=$check
        out "the last one is different"
        repeated 1
    done
    try 1 verify canary --guard=none --perturb 60 --perturb-seed 1
    out "system     stamp"
    repeated 1
    try 3 verify canary --guard=none --perturb 60 --perturb-seed 1 --check=sync
    out "the last one failed"
    repeated 3
    # Two delayed threads, of which the second one seldom is the first.
    try 1 verify "$modules/order_bug.so" --ticks 300 --perturb-draw 36
    out "DIFFERENT from the serial run: threads, 2 workers"
    out "delayed"
    try 1 verify "$modules/order_bug.so" --ticks 300 --perturb-draw 36 --json
    is different drawn last result
    value drawn last repeat >/dev/null
    # A seed of worker processes.
    try 0 verify creatures --entities 600 --ticks 3 --perturb-draw 0x5052000000000001
    try 1 verify "$modules/bit_flip_elsewhere.so" --perturb-draw 0x5052000000000001
    out "DIFFERENT from the serial run: processes, "
    repeated 1
    try 3 verify "$modules/failing.so" --perturb 3
    # Watched, one worker at a time.
    try 0 verify creatures --entities 300 --ticks 3 --perturb 4 --guard=hash
    out "equal: 4 runs"
}

# repeated CODE: the command that was printed ends with this code, and with the same draw.
repeated() {
    sh -c "$(sed -n 's/^  repeat *//p' "$dir/out")" >"$dir/again" 2>&1
    code=$?
    [ $code -eq "$1" ] || fail "the printed command exits with $code, not $1"
    draw=$(sed -n 's/^  draw  *//p' "$dir/out")
    grep -q "^  draw  *$draw\$" "$dir/again" || fail "the printed command does not find $draw"
}

section_differences() {
    # Unguarded, or the first write would end it.
    try 1 verify canary --guard=none --configs virtual:2
    out "DIFFERENT from the serial run: virtual, 2 workers, schedule seed"
    out "system     stamp"
    out "component  Stamp.tasks"
    # The printed command repeats it.
    sh -c "$(sed -n 's/^  repeat *//p' "$dir/out")" >"$dir/again" 2>&1
    code=$?
    said="the printed command"
    [ $code -eq 1 ] || fail "exit code $code, not 1"
    grep -q '^  system     stamp' "$dir/again" || fail "the command names no system"
    try 1 verify canary --guard=none --configs virtual:2,virtual:3 --json
    is different runs 0 result
    is stamp runs 0 place task system
    is equal reference result

    # One bit of one component of one entity.
    try 1 verify "$modules/bit_flip.so" --configs virtual:2
    out "tick       6: the states after ticks 1 to 5 are equal"
    out "system     flip"
    out "archetype 1, shard 1 (slots 4096 to 8191)"
    out "entity     slot 4103, generation 1"
    out "component  Place.layer"
    out "serial     40"
    out "here       44"
    out "1 entity differs"
    sh -c "$(sed -n 's/^  repeat *//p' "$dir/out")" >"$dir/again" 2>&1
    grep -q '^  entity     slot 4103, generation 1' "$dir/again" ||
        fail "the printed command does not repeat it"

    for check in sync heavy; do
        try 1 verify canary --guard=none --configs virtual:2 --check $check
        out "system     stamp"
        out "component  Stamp.tasks"
        out "--check $check"
        sh -c "$(sed -n 's/^  repeat *//p' "$dir/out")" >"$dir/again" 2>&1
        grep -q '^  system     stamp' "$dir/again" || fail "the command names no system"
        try 1 verify "$modules/bit_flip.so" --configs virtual:2 --check $check
        out "system     flip"
        out "component  Place.layer"
    done
    try 3 verify canary --guard=none --configs serial --check sync
    err "resource Odometer was changed without a mark"

    # State outside of the world: not even the serial run repeats itself.
    try 1 verify "$modules/hidden_input.so" --configs serial,threads:2
    out "DIFFERENT from the serial run: serial, 1 worker"
    out "the serial run did not repeat itself"
}

# liar LIE GUARD: runs the module that lies, and expects to catch it.
liar() {
    try 1 run "$modules/liar.so" --seed "$1" --guard="$2"
    out "UNDECLARED access, found by --guard=$2"
    out "system     walk"
    err '[UNDECLARED]'
}

# source_line TEXT: the report names the line of the module's source that has this text.
source_line() {
    [ "$lines" -eq 1 ] || return 0
    number=$(grep -nF -e "$1" "$sources/liar.c" | cut -d: -f1)
    out "liar.c:$number, walk()"
}

# The session of docs/debugging.md.
section_session() {
    bundle="$dir/bees.weftbundle"
    try 1 verify "$modules/bees.so" --configs serial,virtual:2,threads:2
    out "different at tick 1"
    out "system     gather (stage 0, rank 0)"
    out "component  Bee.nectar"
    try 1 bisect "$modules/bees.so" --configs virtual:2 --seeds 1 -o "$bundle"
    out "system     gather (stage 0, rank 0)"
    out "component  Bee.nectar"
    out "before     tick 17, system gather (rank 0), archetype 1, shard 0"
    try 1 bisect "$bundle"
    out "REPLAYED:"
    out "component  Bee.nectar"
    try 0 verify "$modules/bees_mended.so" --configs serial,virtual:2,threads:2
    try 0 bisect "$bundle" "$modules/bees_mended.so"
}

section_guard() {
    for guard in alias hash twin trap; do
        liar 1 $guard
        out "access     write, declared as read"
        out "component  Pace.y"
        out "entity     slot 41, generation 1"
        out "chunk      archetype 1, shard 0, row 41"
        out "object     $modules/liar.so+0x"
        source_line "paces)[ROW].y = 7"
    done
    for guard in hash twin trap; do
        liar 2 $guard
        out "access     write, not declared"
        out "component  Secret.b"
        out "entity     slot 41, generation 1"
        liar 5 $guard
        out "resource   Purse.coins"
    done
    source_line "purse->coins = 0"
    for guard in twin trap; do
        liar 3 $guard
        out "access     read, not declared"
        out "component  Secret.b"
        out "entity     slot 41, generation 1"
    done
    source_line "secrets[ROW].b;"
    liar 4 trap
    out "component  Place"
    out "past the last one"
    source_line "[count].x = 7"
    liar 6 twin
    out "it does not repeat itself from the same state (Place.x of entity 41:1"

    # As JSON, and in the other command.
    try 1 run "$modules/liar.so" --seed 2 --guard=trap --json
    is trap guard guard
    is walk guard system
    is write guard access
    is component guard place
    is Secret guard type
    is b guard field
    is 41 guard slot
    is 2 guard tick
    try 1 verify "$modules/liar.so" --seed 3 --guard=trap
    out "failed after tick 2"
    out "component  Secret.b"
    try 1 verify "$modules/liar.so" --seed 3 --guard=twin --json
    is failed runs 0 result
    is UNDECLARED runs 0 status
    is Secret runs 0 guard type
    is read runs 0 guard access
    # Without a word of guards a write through a const pointer is found all the same.
    try 1 verify "$modules/liar.so" --seed 1
    out "UNDECLARED access, found by --guard=alias"
    try 1 verify canary
    out "resource   Odometer.tasks"

    # Who is honest is not disturbed, and the digests are the same.
    try 0 run "$modules/liar.so" --seed 0
    honest=$(sed -n 's/^full *//p' "$dir/out")
    for guard in none alias hash twin trap; do
        try 0 run "$modules/liar.so" --seed 0 --guard=$guard
        out "$honest"
        silent
    done
    for workload in creatures motion motion_compute churn churn_sparse boids tick10 overhead \
        orbits; do
        entities=5000
        [ $workload != overhead ] || entities=10
        for guard in hash twin trap; do
            try 0 verify $workload --guard=$guard --entities $entities --ticks 12 --seeds 2
            out "equal: 5 runs"
            silent
        done
    done

    try 2 run creatures --guard=page
    err "--guard: 'page' is not none, alias, hash, twin or trap"
    try 2 run creatures --guard=hash --executor threads:2
    err "--guard=hash watches one worker at a time"
    try 2 verify creatures --guard=trap --configs serial,threads
    err "--guard=trap watches one worker at a time"
    try 0 run creatures --entities 500 --ticks 3 --guard=twin --executor threads:1
    out "executor  threads, 1 worker"
    out "guard twin"
}

# blind FAULT INSTRUMENT: an instrument that is shown no fault makes the self-test fail.
blind() {
    try 1 selftest "$1" --without "$2"
    out "WRONG: $1, $2"
    out "  named      nothing"
    out "FAILED: "
}

section_selftest() {
    try 0 selftest
    out "passed: "
    for fault in bit merge command message tie padding clock address host write stray peek rounding \
        nan none; do
        grep -q "^$fault " "$dir/out" || fail "the fault $fault is not in the table"
    done
    out "tick 4, mark: FaultyTrace.sum of entity 4138:1 (archetype 1, shard 1), bit 5"
    out "tick 4, no system: FaultyGuest.by of entity 4138:1, hidden input"
    [ "$lines" -eq 0 ] || out "written, declared as read, faulty.c:"
    silent
    tried=$(grep -c "not tried" "$dir/out")

    for instrument in verify --check=sync --check=heavy --perturb; do
        blind bit $instrument
    done
    for instrument in --digest-check --guard=alias --guard=hash --guard=twin --guard=trap; do
        blind write $instrument
    done
    blind nan tick
    [ "$tried" -ne 0 ] || blind clock lint

    try 0 selftest clock --json
    out '"passed": true'
    is clock cases 0 fault
    is verify cases 0 instrument
    out '"hidden_input": true'
    is "tick 4, mark: FaultyTrace.note of entity 4138:1 (archetype 1, shard 1)" cases 0 wanted
    try 1 selftest peek --json --without --guard=twin
    out '"passed": false'
    out '"right": 1,'
    is nothing cases 0 named
    kept=${TMPDIR-/tmp}
    export TMPDIR="$dir/none"
    try 0 selftest address
    out "not tried: "
    out "passed: 5 of 5 right, 1 not tried"
    export TMPDIR="$kept"
    try 0 selftest --list
    out "a loop goes by address"
    try 2 selftest clok
    err "no fault is named 'clok': did you mean 'clock'?"
    try 2 selftest clock bit
    err "selftest takes one fault: 'bit' is one too many"
    try 2 selftest --without eyes
    err "--without: 'eyes' is no instrument"
}

# golden_csv TABLE FILE ARGUMENT...: a table is as it is kept.
golden_csv() {
    table=$1
    shift
    kept="$sources/../../golden/export_$table.csv"
    try 0 export "$@" --table "$table" -o "$dir/$table.csv"
    silent
    if [ "${WEFT_UPDATE_GOLDEN:-0}" != 0 ]; then
        cp "$dir/$table.csv" "$kept"
    fi
    cmp -s "$dir/$table.csv" "$kept" || fail "$table is not as in $kept: $(diff "$kept" "$dir/$table.csv" |
        head -n 5)"
}

section_log() {
    log="$dir/run.log"
    # The same file from every executor, and the digests of a run without one.
    try 0 run creatures --entities 2k --ticks 60 --executor serial --log "$log"
    out "log       "
    out " rows of 60 ticks in $log"
    silent
    full=$(sed -n 's/^full *//p' "$dir/out")
    for executor in virtual:3 threads:1 threads:2 threads:3 threads:8; do
        try 0 run creatures --entities 2k --ticks 60 --executor $executor --log "$dir/other.log"
        out "$full"
        cmp -s "$log" "$dir/other.log" || fail "the log of $executor is another"
        rm "$dir/other.log"
    done
    try 0 run creatures --entities 2k --ticks 60 --executor serial
    out "$full"
    grep -q '^log' "$dir/out" && fail "a run that is not logged says that it is"

    # It goes on where it ended, and never mixes two runs.
    try 0 run creatures --entities 2k --ticks 80 --log "$log"
    out " of 20 ticks in $log, which had 60 already"
    try 0 run creatures --entities 2k --ticks 80 --log "$log" --json
    is 0 log ticks
    is 80 log ticks_passed
    is "$log" log file
    try 3 run creatures --entities 2k --ticks 80 --seed 2 --log "$log"
    err "$log: the log that is there is of another run (seed 1, here 2; the same schema)"
    try 3 run motion --entities 100 --ticks 5 --log "$dir/none.log"
    err "the module has no tables"
    try 3 run creatures --entities 100 --ticks 5 --log "$dir/no/folder.log"
    err "$dir/no/folder.log: cannot be written: No such file or directory"
    try 2 run creatures --log-policy drop
    err "--log-policy needs --log FILE"
    try 2 run creatures --log "$dir/x.log" --log-policy wait
    err "--log-policy: 'wait' is not block, drop or count"
    for policy in block drop count; do
        try 0 run creatures --entities 100 --ticks 5 --log "$dir/$policy.log" --log-policy $policy
        out "of 5 ticks in"
    done

    # From a snapshot on it goes on as if the run had never stopped.
    try 0 run creatures --entities 2k --ticks 30 --log "$dir/two.log" --snapshot "$dir/30.snapshot"
    try 0 run creatures --entities 2k --ticks 80 --log "$dir/two.log" --resume "$dir/30.snapshot"
    for table in Eaten Born Dead Population; do
        try 0 export "$log" --table $table -o "$dir/one.csv"
        try 0 export "$dir/two.log" --table $table -o "$dir/two.csv"
        cmp -s "$dir/one.csv" "$dir/two.csv" || fail "$table is another after a snapshot"
    done
    # From the end of a journal too: what the log has not is run again.
    try 0 run creatures --entities 2k --ticks 30 --journal "$dir/40.journal"
    rm "$dir/two.log"
    try 0 run creatures --entities 2k --ticks 80 --log "$dir/two.log" --resume "$dir/40.journal"
    try 0 export "$dir/two.log" --table Population -o "$dir/two.csv"
    cmp -s "$dir/one.csv" "$dir/two.csv" || fail "Population is another after a journal"
    said="weft run creatures --log --compress"
    if "$weft" run creatures --entities 2k --ticks 80 --log "$dir/small.log" --compress \
        >"$dir/out" 2>"$dir/err"; then
        [ "$(wc -c <"$dir/small.log")" -lt "$(wc -c <"$log")" ] || fail "compressed is not smaller"
        try 0 export "$dir/small.log" --table Population -o "$dir/two.csv"
        cmp -s "$dir/one.csv" "$dir/two.csv" || fail "compressed is another"
    else
        err "this build has no zstd"
    fi

    # A writer that dies leaves what is whole, and the run that is started again completes it.
    "$weft" run creatures --entities 2k --ticks 1e9 --log "$dir/killed.log" >"$dir/out" \
        2>"$dir/err" &
    killed=$!
    ticks=0
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        sleep 0.2
        [ -f "$dir/killed.log" ] || continue
        try 0 export "$dir/killed.log" --list --json
        ticks=$(value ticks)
        [ "$ticks" -lt 2048 ] || break
    done
    kill -9 $killed
    wait $killed 2>/dev/null
    try 0 export "$dir/killed.log" --list --json
    ticks=$(value ticks)
    [ "$ticks" -ge 1024 ] || fail "only $ticks ticks were written before the writer died"
    [ $((ticks % 1024)) -eq 0 ] || fail "$ticks ticks are no whole segments"
    try 0 run creatures --entities 2k --ticks $((ticks + 1024)) --log "$dir/killed.log"
    out "which had "
    try 0 run creatures --entities 2k --ticks $((ticks + 1024)) --log "$dir/whole.log"
    cmp -s "$dir/killed.log" "$dir/whole.log" || fail "the completed log is another"
}

section_export() {
    log="$dir/run.log"
    try 0 run creatures --entities 100 --ticks 40 --log "$log"
    golden_csv Population "$log"
    golden_csv Dead "$log"
    try 0 run "$modules/diary.so" --entities 20 --ticks 9 --log "$dir/diary.log"
    golden_csv Entry "$dir/diary.log"
    golden_csv Pages "$dir/diary.log"
    try 0 export "$dir/diary.log" --table Entry
    cmp -s "$dir/out" "$dir/Entry.csv" || fail "standard output has another table than the file"
    silent

    try 0 export "$log" --list
    out "seed 1"
    out "ticks     0 to 39 in 1 segments"
    out "file      $log"
    out "Population: 40 rows"
    out "  tick u64, creatures u64"
    try 0 export "$log" --list --json --table Dead
    is Dead tables 0 name
    is 0 first_tick
    is 40 ticks
    is 0 torn_bytes
    is creature.slot tables 0 columns 0 name
    is u32 tables 0 columns 0 kind

    # Of a snapshot: what there is after its ticks.
    try 0 run creatures --entities 100 --ticks 40 --snapshot "$dir/run.snapshot"
    creatures=$(sed -n 's/^state *creatures \([0-9]*\),.*/\1/p' "$dir/out")
    try 0 export "$dir/run.snapshot" creatures --entities 100 --list
    out "file      $dir/run.snapshot, seed 1"
    out "ticks     40 to 40 in 1 segments"
    out "Energy: $creatures rows"
    out "  entity.slot u32, entity.generation u32, level fixed"
    out "Climate: 1 rows"
    golden_csv Hungry "$dir/run.snapshot" creatures --entities 100
    try 0 export "$dir/run.snapshot" creatures --entities 100 --table Population
    cut -d, -f2- "$dir/out" | tail -n 1 >"$dir/last"
    tail -n 1 "$dir/Population.csv" | cut -d, -f2- >"$dir/kept"
    cmp -s "$dir/last" "$dir/kept" || fail "Population is not that of the log's last tick"
    try 2 export "$dir/run.snapshot"
    err "$dir/run.snapshot is a snapshot: name its simulation too"
    try 3 export "$dir/run.snapshot" creatures --entities 200 --list
    err "[IDENTITY_MISMATCH]"
    try 3 export "$log" creatures --entities 100 --list
    err "[BAD_FORMAT]"
    try 2 export "$dir/run.snapshot" creature --list
    err "did you mean 'creatures'?"

    # Cut off and damaged.
    head -c -100 "$log" >"$dir/cut.log"
    try 0 export "$dir/cut.log" --list
    out "ticks     none"
    out "bytes behind the last whole segment: its writer died"
    try 0 export "$dir/cut.log" --table Dead
    [ "$(wc -l <"$dir/out")" -eq 1 ] || fail "rows of a segment that is not whole"
    head -c 100 "$log" >"$dir/cut.log"
    try 3 export "$dir/cut.log" --list
    err "the log is cut off before the description of its tables"
    try 3 export "$dir/Dead.csv" --list
    err "this is no log: it does not begin with WEFT-LOG"
    try 3 export "$dir/no.log" --list
    err "$dir/no.log: cannot be read: No such file or directory"

    try 2 export
    err "export takes one log, or a snapshot and its simulation"
    try 2 export "$log"
    err "csv has one table a file: add --table, one of Eaten, Born, Dead, Population"
    try 2 export "$log" --table dead
    err "$log has no table 'dead'; it has Eaten, Born, Dead, Population"
    try 2 export "$log" --format xls
    err "--format: 'xls' is not csv, sqlite or npz"
    try 2 export "$log" --format sqlite
    err "--format sqlite needs a file: add -o FILE"
    try 2 export "$log" --list -o "$dir/list"
    err "--list writes no file"
    try 2 export "$log" --table Dead --json
    err "--json goes with --list"
    mkdir "$dir/folder"
    try 3 export "$log" --table Dead -o "$dir/folder"
    err "$dir/folder: the export cannot be written: not a regular file"
    try 3 export "$log" --table Dead -o "$dir/no/folder.csv"
    err "cannot be written: No such file or directory"
    try 3 export "$log" --format sqlite -o "$dir/no/folder.sqlite"
    err "cannot be written"
    [ -z "$(find "$dir" -name '*.tmp-*')" ] || fail "something temporary was left"
}

# read_back FILE SIMULATION TABLE...: Python reads the same from all forms. A log has no simulation.
read_back() {
    log=$1
    simulation=$2
    shift 2
    rm -rf "$dir/forms"
    mkdir "$dir/forms"
    for table in "$@"; do
        try 0 export "$log" $simulation --table "$table" -o "$dir/forms/$table.csv"
    done
    try 0 export "$log" $simulation -o "$dir/forms/all.sqlite"
    "$weft" export "$log" $simulation -o "$dir/forms/all.npz" 2>"$dir/err" ||
        grep -q "built without libzip" "$dir/err" || fail "no npz"
    said="read_export.py $*"
    "$python" "$sources/../tools/read_export.py" "$dir/forms" "$@" >"$dir/out" 2>"$dir/err" ||
        fail "it reads something else"
    cat "$dir/out"
}

section_readback() {
    python=
    for found in python3 /usr/bin/python3; do
        "$found" -c 'import csv, sqlite3' 2>/dev/null || continue
        [ -n "$python" ] || python=$found
        ! "$found" -c 'import numpy' 2>/dev/null || python=$found
    done
    if [ -z "$python" ]; then
        echo "no python3 with sqlite3 reads exports back here (cmake/setup.sh tests)"
        exit 77
    fi
    try 3 export "$dir/no.log" -o "$dir/no.sqlite"
    try 0 run creatures --entities 3k --ticks 100 --log "$dir/run.log"
    if "$weft" export "$dir/run.log" -o "$dir/x.sqlite" 2>&1 | grep -q "built without SQLite"; then
        echo "this weft was built without SQLite"
        exit 77
    fi
    read_back "$dir/run.log" "" Eaten Born Dead Population
    try 0 run "$modules/diary.so" --entities 6k --log "$dir/diary.log"
    read_back "$dir/diary.log" "" Entry Pages
    try 0 run creatures --entities 3k --ticks 50 --snapshot "$dir/run.snapshot"
    read_back "$dir/run.snapshot" "creatures --entities 3k" Position Energy Hungry Food Meadow \
        Population
    # One table, and in place of what was there.
    try 0 export "$dir/run.log" --table Dead -o "$dir/x.sqlite"
    silent
}

# traced WORKERS TICKS NAME...: the trace is whole and has slices of these names. Without Python
# only its form is looked at.
traced() {
    "$json_value" metadata weft <"$dir/trace.json" >/dev/null || fail "no JSON in the trace"
    tools=$(dirname "$sources")/tools
    for found in python3 /usr/bin/python3; do
        "$found" -c 'import json' 2>/dev/null || continue
        "$found" "$tools/read_trace.py" "$dir/trace.json" "$@" 2>"$dir/read" >&2 ||
            fail "$(cat "$dir/read")"
        return
    done
    echo "no python3 reads traces here (cmake/setup.sh tests)"
}

section_trace() {
    # The same digests, and a trace that viewers can load, from every executor.
    try 0 run creatures --entities 20k --ticks 12 --executor serial
    full=$(sed -n 's/^full *//p' "$dir/out")
    while read -r executor workers; do
        try 0 run creatures --entities 20k --ticks 12 --executor "$executor" --trace \
            "$dir/trace.json"
        out "full      $full"
        out "trace     $dir/trace.json: "
        out "events of 12 ticks"
        out "time in ticks"
        out "seek_food"
        silent
        traced "$workers" 12 motion "tick 0" "tick 11" "stage 0" commit route fold assign merge digest
    done <<END
serial 1
threads:1 1
threads:2 2
threads:3 3
processes:1 1
processes:3 3
END
    # Of virtual workers one thread does all, so calls are on tracks of their own.
    try 0 run creatures --entities 20k --ticks 12 --executor virtual:3 --trace "$dir/trace.json"
    out "full      $full"
    "$json_value" traceEvents 0 name <"$dir/trace.json" >/dev/null || fail "no JSON in the trace"

    # A range of ticks.
    for range in 3:5 0:2 :2 9:; do
        try 0 run creatures --entities 5k --ticks 12 --trace "$dir/trace.json" --trace-ticks $range \
            --executor serial
        out "events of 3 ticks"
        traced 1 3 "$(echo "tick ${range%:*}" | sed 's/ $/ 0/')"
    done
    try 0 run creatures --entities 5k --ticks 12 --trace "$dir/trace.json" --trace-ticks 100:
    out "events of 0 ticks"
    for range in 5:3 5 x: :x : 1:2:3; do
        try 2 run creatures --ticks 3 --trace "$dir/trace.json" --trace-ticks $range
        err "is not a range of ticks"
    done
    try 2 run creatures --ticks 3 --trace-ticks 1:2
    err "--trace-ticks is about the file of --trace"

    # Fields of --json.
    try 0 run tick10 --entities 20k --ticks 4 --executor threads:2 --trace "$dir/trace.json" --json \
        --hashes "$dir/x.hashes"
    is 4 trace ticks
    is 0 trace lost_records
    is 0 trace skipped_ticks
    is "$dir/trace.json" trace file
    [ "$(value trace systems 0 total_ns)" -gt 0 ] || fail "no time in a system"
    [ "$(value trace workers 1 busy_ns)" -ge 0 ] || fail "no second worker"
    [ "$(value trace lead_ns tick)" -gt "$(value trace lead_ns commit)" ] || fail "no frame"
    traced 2 4 digest leaves tree
    try 0 run creatures --entities 2k --ticks 3 --json
    is null trace

    # Names that have to be quoted.
    try 0 run "$modules/odd_names.so" --executor threads:2 --trace "$dir/trace.json" --json
    traced 2 10 'a "quoted" \ name' "$(printf 'gr\303\274\303\237 \360\237\220\235')" \
        "$(printf 'two\nlines\tand \001\177')" "$(printf 'not \357\277\275 UTF-8 \357\277\275')" \
        '</script>{}[]:,' count

    # What the processor counts: in the file, in the summary and in --json; a refusal is one line.
    program=$weft
    weft=$modules/counted
    try 0 - run creatures --entities 2k --ticks 3 --executor threads:2 --trace "$dir/trace.json"
    out "          cycles 12,000"
    out "          cache misses 120"
    out "          page faults 48"
    ! grep -q 'not counted' "$dir/out" || fail "something is not counted"
    silent
    traced 2 3 motion
    for count in "0 cycles 2000" "1 instructions 6000" "1 cache misses 20" "0 page faults 8"; do
        [ "$(grep -c "\"worker ${count% *}\".*{\"per tick\":${count##* }}" "$dir/trace.json")" -eq 3 ] ||
            fail "not counted in each tick: worker $count"
    done
    try 0 instructions:2,context-switches:13 run creatures --entities 2k --ticks 3 \
        --executor threads:2 --trace "$dir/trace.json" --json
    is 12000 trace counters cycles
    is 120 trace counters "cache misses"
    ! "$json_value" trace counters instructions <"$dir/out" >/dev/null 2>&1 ||
        fail "instructions are counted"
    case $(value trace not_counted) in
    "instructions: the processor's counters are not to be had here, as in most virtual machines") ;;
    *) fail "why is not told" ;;
    esac
    silent
    traced 2 3 motion
    ! grep -q 'worker 0 instructions\|worker 0 page faults' "$dir/trace.json" ||
        fail "what is not had is in the file"
    weft=$program

    # A run that fails keeps its trace.
    try 3 run "$modules/failing.so" --trace "$dir/trace.json"
    "$json_value" traceEvents 0 name <"$dir/trace.json" >/dev/null || fail "no JSON in the trace"

    # Files: whole or not at all, found out before the first tick.
    try 3 run creatures --entities 100 --ticks 1000000000 --trace "$dir/none/x"
    err "$dir/none/x: the trace cannot be written: No such file or directory"
    try 3 run creatures --entities 100 --ticks 1000000000 --trace /dev/null
    err "/dev/null: the trace cannot be written: not a regular file"
    try 3 run creatures --entities 100 --ticks 1000000000 --trace "$dir"
    err "not a regular file"
    echo kept >"$dir/trace.json"
    (trap '' XFSZ && ulimit -f 16 && exec "$weft" run creatures --entities 5k --ticks 50 --trace "$dir/trace.json" \
        >"$dir/out" 2>"$dir/err")
    code=$?
    said="a trace larger than a file may be"
    [ "$code" -eq 3 ] || fail "exit code $code, not 3"
    err "$dir/trace.json: the trace cannot be written: File too large"
    [ "$(find "$dir" -name '*.tmp-*' | wc -l)" -eq 0 ] || fail "a temporary file is left"
    [ "$(cat "$dir/trace.json")" = kept ] || fail "the file that was there is gone"
}

# interrupted ARGUMENT...: runs weft and sends it SIGINT after a second.
# printed NAME: the command behind a name on the screen; it is run, its code checked, its output in
# $dir/again.
printed() {
    said="the printed command '$1'"
    sh -c "$(sed -n "s/^  $1 *//p" "$dir/out")" >"$dir/again" 2>&1
    code=$?
    [ $code -eq 1 ] || fail "exit code $code, not 1"
}
again() {
    grep -qF -e "$1" "$dir/again" || fail "the printed command does not say: $1"
}

late_flip() {
    out "tick       500: the states after ticks 0 to 499 are equal"
    out "system     flip (stage 0, rank 1)"
    out "chunk      archetype 1, shard 1 (slots 4096 to 8191)"
    out "entity     slot 4103, generation 1"
    out "component  Place.layer"
    out "serial     41"
    out "here       45"
    out "extent     1 entity differs"
    out "before     tick 400, system move (rank 0), archetype 1, shard 1: 41"
    out "descent    6 of 24,589 nodes in 17 comparisons, to Place.layer"
}

section_bisect() {
    # One bit in tick 500, in parallel runs only.
    try 1 bisect "$modules/bit_flip_late.so" --configs virtual:2 --seeds 3
    out "DIFFERENT at tick 500: virtual, 2 workers, schedule seed"
    late_flip
    printed repeat
    again "before     tick 400, system move"
    # What verify finds ends with the way on.
    try 1 verify "$modules/bit_flip_late.so" --configs virtual:2 --seeds 3
    printed bisect
    again "component  Place.layer"
    again "before     tick 400, system move"
    # The same by name, and as JSON.
    try 1 bisect canary --guard=none --configs virtual:2 --json
    is stamp finding place task system
    is 1 finding tick
    is first finding write name
    [ "$(value finding descent comparisons)" -lt 40 ] || fail "too many comparisons"
    # What a guard finds first ends it.
    try 1 bisect canary --configs virtual:2
    out "UNDECLARED access"
    try 1 verify canary --configs virtual:2 --bundle "$dir/none.weftbundle"
    err "--bundle: no executor differs from the serial run"
    # By a draw, with threads too.
    try 1 bisect "$modules/order_bug.so" --perturb 60 --perturb-seed 1
    out "draw"
    # Nothing to be found.
    try 0 bisect creatures --entities 600 --ticks 3 --configs serial,virtual:2 --seeds 2
    out "equal: 3 runs"
    try 0 bisect creatures --entities 600 --ticks 3 --configs serial --json
    is equal reference result
    # What is kept outside of the world.
    try 1 bisect "$modules/hidden_input.so" --configs serial,threads:2
    out "component  Number.value"
    try 3 bisect "$modules/failing.so" --configs serial
    try 2 bisect
    try 2 bisect none
    try 2 bisect creatures boids
}

section_bisect_bundles() {
    bundle=$dir/found.weftbundle
    try 1 bisect "$modules/bit_flip_late.so" --configs virtual:2 --seeds 3 -o "$bundle"
    late_flip
    printed replay
    again "REPLAYED: the same difference, bit for bit"
    again "before     tick 400, system move"
    [ "$(ls "$dir" | grep -c tmp-)" -eq 0 ] || fail "a temporary file was left behind"
    for part in WEFTBNDL WEFTSTAT '"module_hash"' '"compiler"' 'stage 0 rank 1 flip: writes Place'; do
        grep -qaF "$part" "$bundle" || fail "the bundle lacks $part"
    done
    # Verify writes the same.
    try 1 verify "$modules/bit_flip_late.so" --configs virtual:2 --seeds 3 \
        --bundle "$dir/verify.weftbundle"
    out "bundle     "
    try 1 bisect "$dir/verify.weftbundle"
    late_flip
    # Anywhere: under another name, with another path to the module, as JSON.
    cp "$modules/bit_flip_late.so" "$dir/elsewhere.so"
    cp "$bundle" "$dir/renamed"
    try 1 bisect "$dir/renamed" "$dir/elsewhere.so" --json
    is same replay
    is flip finding place task system
    # A drawn configuration.
    try 1 bisect "$modules/order_bug.so" --perturb 60 --perturb-seed 1 -o "$dir/draw.weftbundle"
    try 1 bisect "$dir/draw.weftbundle"
    # Refused by name.
    try 3 bisect "$bundle" creatures
    err "made with schema 0x"
    err "its components or their fields have changed"
    try 3 bisect "$bundle" "$modules/none.so"
    err "none.so: cannot be read"
    head -c 1000 "$bundle" >"$dir/short.weftbundle"
    try 3 bisect "$dir/short.weftbundle"
    err "short.weftbundle: it has 1000 bytes, and should have"
    : >"$dir/empty.weftbundle"
    try 3 bisect "$dir/empty.weftbundle"
    err "this is no bundle"
    try 3 bisect "$dir/missing.weftbundle"
    err "the bundle cannot be read: No such file"
    try 3 bisect "$modules/bit_flip_late.so" --configs virtual:2 --seeds 1 -o "$dir/none/x"
    err "the bundle cannot be written: No such file or directory"
    # Of worker processes.
    try 1 bisect "$modules/bit_flip_elsewhere.so" --configs threads:2,processes:2 \
        -o "$dir/processes.weftbundle"
    out "DIFFERENT at tick 500: processes, 2 workers"
    late_flip
    printed replay
    again "REPLAYED: the same difference, bit for bit"
    again "DIFFERENT at tick 500: processes, 2 workers"
    again "before     tick 400, system move"
    try 2 bisect "$bundle" creatures boids
}

section_bisect_files() {
    run="run creatures --entities 500 --ticks 30 --executor serial"
    try 0 $run --hashes "$dir/a.hashes"
    cp "$dir/a.hashes" "$dir/b.hashes"
    try 0 bisect "$dir/a.hashes" "$dir/b.hashes"
    out "equal: 30 ticks"
    try 0 bisect "$dir/a.hashes" "$dir/b.hashes" --json
    is false different
    # From tick 12 on another run.
    try 0 $run --seed 2 --hashes "$dir/two.hashes"
    head -n 21 "$dir/a.hashes" >"$dir/b.hashes"
    tail -n +22 "$dir/two.hashes" >>"$dir/b.hashes"
    try 1 bisect "$dir/a.hashes" "$dir/b.hashes"
    out "DIFFERENT at tick 12 of 30"
    out "search     5 steps for 31 digests"
    try 1 bisect "$dir/a.hashes" "$dir/b.hashes" creatures --configs serial
    out "the serial run here gives A up to tick 12, and no executor that was tried the other"
    try 1 bisect "$dir/b.hashes" "$dir/a.hashes" creatures --configs serial --json
    is B serial_run_gives
    is 12 tick
    # One line that is damaged.
    line 22 "12 $(printf '%032d' 0) $(printf '%032d' 0)" "$dir/a.hashes"
    try 1 bisect "$dir/a.hashes" "$dir/bad"
    out "later ones are equal again, the last after tick 30"
    # A parallel run that this build gives too.
    flip="$modules/bit_flip.so"
    try 0 run "$flip" --executor serial --hashes "$dir/serial.hashes"
    try 0 run "$flip" --executor virtual:2 --schedule-seed 1 --hashes "$dir/virtual.hashes"
    try 1 bisect "$dir/virtual.hashes" "$dir/serial.hashes" "$flip" --configs virtual:2
    out "the serial run here gives B up to tick 6, and this gives the other"
    out "component  Place.layer"
    # Files of two runs that never were the same.
    try 3 bisect "$dir/a.hashes" "$dir/serial.hashes"
    err "made by module 'creatures', this run is of 'bit_flip'"
    try 3 bisect "$dir/a.hashes" "$dir/none.hashes"
    err "none.hashes: the hash file cannot be read"
    try 2 bisect "$dir/a.hashes"
    err "bisect takes two hash files"
}

section_bisect_builds() {
    try 1 bisect --builds "$weft" "$weft" "$modules/twin.so" "$modules/other_twin.so" \
        -o "$dir/twins.weftbundle"
    out "search    6 steps for the digests of 101 ticks"
    out "tick       73: the states after ticks 0 to 72 are equal"
    out "system     climb (stage 0, rank 0)"
    out "entity     slot 4195, generation 1"
    out "component  Height.metres"
    out "A          61"
    out "B          62"
    out "before     tick 61, system climb (rank 0), archetype 1, shard 1: 61"
    # The bundle tells which of the two a build is.
    try 0 bisect "$dir/twins.weftbundle"
    out "the tick is as the serial run of the bundle had it"
    try 1 bisect "$dir/twins.weftbundle" "$modules/other_twin.so"
    out "the serial run here gives what the bundle's suspect"
    try 1 bisect --builds "$weft" "$weft" "$modules/twin.so" "$modules/other_twin.so" --json
    is climb finding place task system
    is 73 finding tick
    try 0 bisect --builds "$weft" "$weft" creatures --entities 500 --ticks 5
    out "equal: the serial runs of both, 5 ticks"
    # Programs that are no good.
    try 3 bisect --builds "$weft" "$dir/none" creatures --entities 10 --ticks 1
    err "$dir/none: cannot be run: No such file"
    try 3 bisect --builds "$weft" /bin/false creatures --entities 10 --ticks 1
    err "program B, /bin/false: its serial run did not end well"
    try 3 bisect --builds "$weft" "$weft" creatures boids --entities 10 --ticks 1
    err "made by module 'creatures', this run is of 'boids'"
    try 2 bisect --builds "$weft"
    try 3 bisect creatures --record "$dir/none"
    err "none: the bundle cannot be read"
    try 3 bisect creatures --record "$dir/twins.weftbundle"
    err "this is no record"
}

interrupted() {
    said="weft $* (interrupted)"
    timeout --foreground --preserve-status -k 20 -s INT 1 "$weft" "$@" >"$dir/out" 2>"$dir/err"
    code=$?
    [ "$code" -eq 3 ] || fail "exit code $code, not 3"
}

section_persist() {
    run="creatures --entities 3000 --quiet"
    # shellcheck disable=SC2086
    try 0 run $run --ticks 60 --json
    whole=$(value full)
    # Stopped and gone on with, by other executors: the same world.
    try 0 run $run --ticks 40 --snapshot "$dir/a" --journal "$dir/j" --executor threads:2
    out "snapshot  $dir/a, tick 40"
    try 0 run $run --ticks 60 --resume "$dir/a" --executor virtual:3 --json
    is "$whole" full
    is 40 first_tick
    try 0 run $run --ticks 60 --resume "$dir/a" --journal "$dir/j" --executor serial --json
    is "$whole" full
    try 0 run $run --ticks 60 --resume "$dir/a" --executor processes:2 --json
    is "$whole" full
    is 40 first_tick
    # The other way round.
    try 0 run $run --ticks 40 --snapshot "$dir/pa" --journal "$dir/pj" --executor processes:2
    out "snapshot  $dir/pa, tick 40"
    cmp -s "$dir/a" "$dir/pa" || fail "worker processes write another snapshot"
    try 0 run $run --ticks 60 --resume "$dir/pj" --executor threads:2 --json
    is "$whole" full
    try 0 replay "$dir/pj" --executor processes:2 --json
    is 60 last_tick
    is 61 compared
    try 0 run $run --ticks 25 --snapshot "$dir/b" --snapshot-every 10 --json
    # A journal alone, with snapshots, and parts of it.
    try 0 replay "$dir/j" --json
    is 61 compared
    is 60 last_tick
    try 0 replay "$dir/j" --snapshot "$dir/a" --snapshot "$dir/b" --from 30 --to 50 \
        --executor serial --json
    is 25 first_tick
    is 50 last_tick
    try 0 replay "$dir/j" --snapshot "$dir/a"
    out "ticks     40 to 60"
    out "equal     21 digests"
    try 3 replay "$dir/j" --to 61
    err "ends with tick 60, before tick 61"
    # A torn end: named, cut, gone on with, and nothing later is lost.
    truncate -s -20 "$dir/j"
    try 0 replay "$dir/j"
    out "torn      the last 49 bytes are no whole tick"
    try 0 run $run --ticks 60 --resume "$dir/j" --json
    err "the last 49 bytes are no whole tick"
    is "$whole" full
    try 0 replay "$dir/j" --json
    is 60 last_tick
    is 0 torn_bytes
    # Other runs, and files that are none.
    try 3 run $run --journal "$dir/j"
    err "File exists; take another name"
    try 3 run creatures --entities 3001 --resume "$dir/a"
    err "entities is 3000 there, 3001 here"
    try 3 run creatures --entities 3000 --seed 2 --resume "$dir/j"
    err "seed is 0x1 there, 0x2 here"
    try 3 run $run --resume "$sources/posted.c"
    err "this is no snapshot: it does not begin with WEFTSNAP"
    try 3 replay "$dir/a"
    err "this is no journal: it does not begin with WEFTJRNL"
    try 3 replay "$dir/j" boids
    err "module is creatures there, boids here"
    # Inputs are run again from the journal, not from the module.
    WEFT_TEST_ODD_TICK=20 try 0 run "$modules/posted.so" --journal "$dir/odd" --fsync=7 --json
    odd=$(value full)
    try 0 run "$modules/posted.so" --journal "$dir/even" --fsync=tick
    try 0 replay "$dir/odd" "$modules/posted.so" --json
    is 50 inputs
    try 1 replay --diff "$dir/odd" "$dir/even"
    out "different tick 21: the inputs differ"
    try 0 run "$modules/posted.so" --ticks 50 --resume "$dir/odd" --json
    is "$odd" full
    try 0 replay --diff "$dir/odd" "$dir/odd" --json
    is true equal
    try 3 replay --diff "$dir/odd" "$dir/j"
    err "module is posted there, creatures here"
    # Audits, where the build has them: of the state, not of how it came about.
    "$weft" run $run --ticks 60 --audit --json >"$dir/out" 2>"$dir/err"
    if grep -q "no BLAKE2b" "$dir/err"; then
        said="no audits here"
    else
        audit=$(value blake2b)
        [ ${#audit} -eq 64 ] || fail "no audit: $audit"
        try 0 run $run --ticks 60 --resume "$dir/a" --audit --executor virtual:2
        out "blake2b   $audit"
    fi
    # Real time.
    try 0 run motion --entities 100 --ticks 5 --rate 200 --late skip
    out "clock     200 ticks/s"
    for wrong in "--snapshot-every 5" "--compress" "--fsync tick" "--fsync sometimes" "--late never" \
        "--snapshot a --snapshot b" "--resume $dir/a --hashes $dir/h"; do
        try 2 run motion $wrong
    done
    try 2 replay
    try 2 replay --diff "$dir/j"
}

# Killed at any moment, the journal has every tick that was said to be durable, and the run goes on
# from its end to the same world.
section_killed() {
    run="creatures --entities 2000 --quiet --executor serial"
    # shellcheck disable=SC2086
    try 0 run $run --ticks 400 --json
    whole=$(value full)
    for round in $(seq "${WEFT_TEST_KILLS:-50}"); do
        rm -f "$dir/j" "$dir/s" "$dir/s.tmp"
        # shellcheck disable=SC2086
        "$weft" run $run --ticks 100000 --journal "$dir/j" --snapshot "$dir/s" --snapshot-every 7 \
            --fsync $((round % 3 * 4 + 1)) >"$dir/out" 2>"$dir/err" &
        child=$!
        sleep "0.$(printf '%03d' $((round * 7919 % 150 + 1)))"
        kill -KILL $child
        wait $child 2>"$dir/ignored"
        [ -e "$dir/j" ] || continue
        try 0 replay "$dir/j" --executor serial --json
        last=$(value last_tick)
        from=$dir/j
        [ ! -e "$dir/s" ] || from=$dir/s
        [ "$last" -le 400 ] || { said="replay"; last=400; try 0 replay "$dir/j" --to 400; continue; }
        try 0 run $run --ticks 400 --resume "$from" --journal "$dir/j" --json
        is "$whole" full
        try 0 replay "$dir/j" --executor serial --json
        is 400 last_tick
        is 0 torn_bytes
    done
}

# A machine of each kind that is at hand, and what is right for it.
topo_file() {
    file=${WEFT_TOPOLOGIES:-$sources/../../../../shared/topologies}/$1
    shift
    if [ ! -r "$file" ]; then
        echo "skipped: no $file (set WEFT_TOPOLOGIES to the folder that holds it)"
        return 1
    fi
    try 0 topo --machine "$file" --json "$@"
    silent
}

topo_files() {
    if topo_file x1-4s2c2t.xml --workers 8; then
        is 4 machine packages
        is 4 workers 1 cpu
        is core workers 7 reason
    fi
    if topo_file x2-hybrid-i7-1370p.xml; then
        is 5000 kinds 1 mhz
        is core workers 5 reason
        is 10 workers 5 cpu
        is slow-core workers 6 reason
        is 12 workers 6 cpu
        is sibling workers 14 reason
        is 0 workers 14 beside
        try 0 topo --machine "$file"
        out "13th Gen Intel(R) Core(TM) i7-1370P"
        out "kind 1    6 cores, 12 CPUs, up to 5.0 GHz: the fastest"
        out "a slower core of its own: each faster one has a worker"
    fi
    if topo_file x3-2s-epyc-7742.xml --workers 8; then
        is 112 workers 7 cpu
        is 8 machine nodes
    fi
    if topo_file x4-power9-lassen.xml --workers 40; then
        is 8 workers 0 cpu
        is 172 workers 39 cpu
        is 88 closed 8 cpu
        is 8 memory 1 node
    fi
    if topo_file x5-restricted-cpuset.xml; then
        is 10 suggested
        is 0 memory 4 cpus
        is null cpus 0 node
    fi
}

topo_refused() {
    "$modules/refuse" "$weft" topo >"$dir/out" 2>"$dir/err"
    code=$?
    said="weft topo, where binding is refused"
    if [ $code -eq 77 ]; then
        echo "skipped: this system has no filters of system calls"
        return
    fi
    [ $code -eq 0 ] || fail "exit code $code, not 0"
    out " refused "
    grep -qE '^binding .*: (refused|not in this build)' "$dir/out" || fail "memory is bound"
    said="weft run, where binding is refused"
    "$modules/refuse" "$weft" run creatures --entities 2k --ticks 20 --workers 2 --interleave \
        >"$dir/out" 2>"$dir/err" || fail "it failed"
    out "executor  threads, 2 workers, not pinned"
    out "memory    where it is first touched"
    "$modules/refuse" ask "$weft" topo >"$dir/out" 2>"$dir/err"
    code=$?
    [ $code -ne 77 ] || return 0
    [ $code -eq 0 ] || fail "it failed"
    out "the system refuses to tell this process's mask"
}

section_topo() {
    try 0 topo
    silent
    out "machine   this one"
    out "binding   pages in turn on all nodes: "
    out "1,000,000 entities, 245 shards of 4096"
    grep -q '^ *0 .* read back .* a core of its own$' "$dir/out" || fail "worker 0 is not pinned"
    try 0 topo --json --workers 3 --entities 100k
    is true machine here
    is true machine mask_known
    is 25 shards
    is 0 workers 0 first_shard
    is "read back" workers 0 pin
    is "read back" workers 2 pin
    # A mask of one CPU, as taskset gives: everybody is on it, and all but one rest.
    if command -v taskset >/dev/null; then
        for cpu in $(sed -n 's/^Cpus_allowed_list://p' /proc/self/status | tr ',-' '  '); do
            said="weft topo by taskset -c $cpu"
            taskset -c "$cpu" "$weft" topo --workers 2 --json >"$dir/out" 2>"$dir/err" ||
                fail "it failed"
            is "$cpu" workers 0 cpu
            is "$cpu" workers 1 cpu
            is true workers 1 rests
            is 1 suggested
            is "read back" workers 1 pin
        done
    fi
    if "$weft" topo --machine "synthetic:core:1 pu:1" 2>&1 | grep -q "built without hwloc"; then
        try 3 topo --machine "synthetic:core:1 pu:1"
        topo_refused
        echo "skipped: other machines, which this program does not know"
        return
    fi
    for case in 0.5:1 1.5:2 3:3; do
        try 0 topo --machine "synthetic:package:2 core:4 pu:2" --quota ${case%:*} --json
        is ${case#*:} suggested
        try 0 topo --machine "synthetic:package:2 core:4 pu:2" --quota ${case%:*} --workers 8
        out "8 workers, ${case#*:} take part"
        out "a core of its own; rests: the quota pays for no more"
    done
    try 0 topo --machine "synthetic:core:1 pu:1"
    out "1 package, 1 NUMA node, 1 core, 1 CPU: 0"
    out "not tried"
    try 0 topo --machine "synthetic:package:2 [numa] l3:2 core:2 pu:2" --placement per-node \
        --workers 4 --json
    is per-node placement
    is 2 workers 1 cpu
    is 8 workers 2 cpu
    try 0 topo --machine "synthetic:package:2 core:2 pu:2" --cpus 4,5,1 --json
    is list placement
    is 4 workers 0 cpu
    is 0 workers 1 beside
    is 1 workers 2 cpu
    topo_files
    topo_refused

    try 0 topo --machine "synthetic:package:2 core:2 pu:2" --workers 9 --svg "$dir/t.svg"
    [ ! -s "$dir/out" ] || fail "something is printed beside the picture"
    for text in '<svg ' '</svg>' 'prefers-color-scheme:dark' 'class="sibling"' '>w0 +1<' \
        'worker 1: a core of its own; shards '; do
        grep -qF "$text" "$dir/t.svg" || fail "the picture lacks $text"
    done
    ! grep -q 'class="free"' "$dir/t.svg" || fail "a CPU is free"
    try 0 topo --machine "synthetic:package:2 [numa] core:64 pu:2" --svg "$dir/t.svg"
    width=$(sed -n 's/^<svg .* width="\([0-9]*\)".*/\1/p' "$dir/t.svg")
    [ "$width" -gt 700 ] && [ "$width" -le 1400 ] || fail "the picture is $width wide"
    try 3 topo --svg "$dir/none/t.svg"
    err "the picture cannot be written"

    try 2 topo creatures
    err "topo takes no argument: 'creatures' is one too many"
    try 2 topo --machine synthetic:bogus
    err "hwloc does not understand 'synthetic:bogus'"
    try 3 topo --machine /nowhere.xml
    err "/nowhere.xml cannot be read: No such file or directory"
    try 3 topo --machine "$0"
    err "is no XML file that this hwloc reads"
    try 2 topo --cpus 4000000
    err "--cpus: a CPU is listed twice, or may not be used"
    for quota in 0 -1 x 1.5x ""; do
        try 2 topo --quota "$quota"
        err "--quota: '$quota' is not a number of CPUs"
    done
    try 2 topo --entities 1e12
    err "--entities: a world has at most"
    try 2 topo --workers 0
    err "--workers"
    try 2 run creatures --interleave --guard=alias
    err "--interleave and --guard want different memory"
}

section_forecast() {
    try 0 forecast creatures --entities 20k --ticks 5
    silent
    out "measured  5 ticks of one worker here, "
    out "machine   this one"
    out "assumed   a core, the fastest kind: 1 times as fast as one here; --speed"
    grep -qE '^ *1 +1 +1 .* 1\.00 +1\.00 +100% +0% +0% +0% +0%$' "$dir/out" || fail "one is not one"
    out "as fast as one, "
    if grep -q ", 1 CPUs" "$dir/out"; then
        out "what others wrote is as near as one's own: not measured"
    else
        out "what others wrote is as far as between two workers here, who took turns"
    fi
    try 0 forecast motion --entities 3M --ticks 1 --workers 1
    out "what others wrote is as near as one's own: not measured"
    try 0 forecast motion --entities 20k --ticks 3 --digest --json
    is motion simulation
    is true digest
    is 3 ticks
    is null machine source
    is 1 forecasts 0 workers
    is 1.0 forecasts 0 speedup
    is 1.0 assumed speed
    if "$weft" topo --machine "synthetic:core:1 pu:1" 2>&1 | grep -q "built without hwloc"; then
        try 3 forecast motion --entities 20k --machine "synthetic:core:1 pu:1"
        echo "skipped: other machines, which this program does not know"
    else
        try 0 forecast motion_compute --entities 100k --ticks 3 --workers 1,2..4,16 --json \
            --machine "synthetic:package:2 [numa] core:4 pu:2" --speed 2 --smt 1.25 --bandwidth 99.5
        is 16 machine cpus
        is 2 machine nodes
        is 16 topology machine cpus
        is 3 topology cpus 7 core
        is 100000 topology entities
        is "$(value enough)" topology taking_part
        is 4 forecasts 3 workers
        is 4 forecasts 3 cores
        is 8 forecasts 4 cores
        is 2 forecasts 4 nodes
        is 2.0 assumed speed
        is 1.25 assumed smt
        is 99.5 assumed node_gb_s
        try 0 forecast motion_compute --quick --entities 100k --quota 2 --workers 8 --json \
            --machine "synthetic:core:4 pu:1"
        is 2 forecasts 0 taking_part
        try 0 forecast creatures --quick --entities 20k --cpus 3,1 --workers 2 --json \
            --machine "synthetic:core:2 pu:2"
        is 2 forecasts 0 cores
        try 2 forecast creatures --machine synthetic:bogus
        err "hwloc does not understand 'synthetic:bogus'"
        try 2 forecast creatures --machine "synthetic:core:2 pu:1" --cpus 7
        err "--cpus: a CPU is listed twice, or may not be used"
        if topo_file x3-2s-epyc-7742.xml; then
            try 0 forecast creatures --quick --entities 20k --machine "$file" --workers 1..128
            out "8 NUMA nodes, 128 cores, 256 CPUs"
            [ "$(grep -cE '^ +[0-9]+ +[0-9]+ +[0-9]+ ' "$dir/out")" -eq 128 ] || fail "not 128 lines"
        fi
    fi

    for list in 0 1..0 1025 1..1025 1, 1..2..3 x "" -1; do
        try 2 forecast creatures --entities 1k --workers "$list"
        err "--workers: '$list' is no list of numbers from 1 to 1024"
    done
    for wrong in "--speed 0" "--speed x" "--smt 0.5" "--smt 2x" "--bandwidth 0"; do
        # $wrong is two words.
        # shellcheck disable=SC2086
        try 2 forecast creatures $wrong
        err "${wrong% *}: '${wrong#* }' is not a number from "
    done
    for ticks in 0 10001; do
        try 2 forecast creatures --ticks $ticks
        err "--ticks: a forecast measures 1 to 10000 ticks"
    done
    try 2 forecast
    err "forecast needs a simulation"
    try 2 forecast creatures motion
    err "forecast takes one simulation"
    try 2 forecast nothing_like_it
    err "nothing_like_it"
    try 3 forecast creatures --machine /nowhere.xml
    err "/nowhere.xml cannot be read"
    try 3 forecast "$modules/failing.so" --quick
    err "failing"
}

section_tune() {
    layout=$dir/layout.json
    try 0 tune motion --quick --entities 9000 -o "$layout"
    out "default   threads, "
    out "workers    serial"
    out "memory     small pages"
    out "layout    $layout: threads, "
    [ -s "$layout" ] || fail "there is no layout"
    grep -q '^motion  *0 .* 24 ' "$dir/out" || fail "motion moves 24 bytes a row"
    out "chain     "
    out "width     1: any two systems are ordered"
    out "not tried worker processes, which are tuned on their own: --executor processes"
    grep -q '"evidence": "measured"' "$layout" || fail "the layout does not say that it was measured"
    grep -q '^alone .* of a tick, are done by one worker: commit ' "$dir/out" || fail "no share"
    try 0 run motion --entities 9000 --ticks 20 --layout "$layout"
    out "layout    $layout"
    grep '^full' "$dir/out" >"$dir/full"
    try 0 run motion --entities 9000 --ticks 20 --executor serial
    grep '^full' "$dir/out" | cmp -s - "$dir/full" || fail "the layout changes the result"
    try 0 verify motion --entities 9000 --ticks 20 --layout "$layout"
    out "equal: 1 runs"
    try 0 tune creatures --quick --workers 3 -o "$layout" --json
    is "$layout" file
    is true digests_compared
    is false result certain
    is serial search 0 candidate
    is 3 explained workers
    is food_spawn explained systems 0 name
    value explained stages 1 us >/dev/null
    is food_spawn explained stages 0 begins_with
    value explained commit_us >/dev/null
    value explained visits >/dev/null
    is 2 topology workers 2 worker
    value explained chain 1 >/dev/null
    value explained read_gbs >/dev/null

    # What a layout says is done, and what else is said comes first.
    schedule=$(sed -n 's/.*"schedule": "\(.*\)",/\1/p' "$layout")
    cat >"$layout" <<END
{"format": "weft-layout 1", "module": "creatures",
 "schedule": "$schedule",
 "executor": "threads", "workers": 3, "pin": false, "grain": 2, "memory": "small-pages",
 "sweep": "chunk", "sweeps": {"motion": "system"}}
END
    try 0 run creatures --entities 9000 --ticks 50 --layout "$layout" --json
    is threads executor kind
    is 3 executor workers
    is 0 executor pinned
    is chunk executor sweep
    is 50 executor sweeps_by_system
    try 0 run creatures --entities 9000 --ticks 50 --layout "$layout" --json --sweep chunk \
        --executor serial
    is serial executor kind
    is 0 executor sweeps_by_system
    try 0 run creatures --entities 9000 --ticks 50 --layout "$layout" --json --workers 2 \
        --placement compact
    is 2 executor workers
    is compact executor placement
    try 0 run creatures --entities 9000 --ticks 20 --layout "$layout" --journal "$dir/journal"
    try 0 replay "$dir/journal" --layout "$layout"
    out "equal     "
    try 0 verify creatures --entities 9000 --ticks 20 --layout "$layout"
    grep -q '^threads *3 .* equal ' "$dir/out" || fail "the layout's workers are not compared"
    try 0 run creatures --entities 900 --ticks 2 --layout "$layout" --guard=trap

    # Refused by name.
    try 3 run motion --layout "$layout"
    err "a layout of 'creatures', this run is of 'motion'"
    try 3 verify motion --layout "$layout"
    err "a layout of 'creatures', this run is of 'motion'"
    sed 's/"schedule": "0x./"schedule": "0xf/' "$layout" >"$dir/other"
    try 3 run creatures --layout "$dir/other"
    err "the systems, their access or their order have changed; tune again [IDENTITY_MISMATCH]"
    try 3 replay "$dir/journal" --layout "$dir/other"
    err "tune again [IDENTITY_MISMATCH]"
    sed 's/"motion"/"commotion"/' "$layout" >"$dir/other"
    try 3 run creatures --layout "$dir/other"
    err 'asked for by system "commotion", which is no registered system of chunk scope'
    sed 's/"grain"/"gran"/' "$layout" >"$dir/other"
    try 3 run creatures --layout "$dir/other"
    err "'gran' is no key of a layout: did you mean 'grain'?"
    try 3 verify creatures --layout "$dir/none"
    err "$dir/none: the layout cannot be read"

    # Layouts that do not compute the same.
    try 1 tune "$modules/hidden_input.so" --quick -o "$dir/never"
    err "the digests of two layouts differ"
    [ ! -e "$dir/never" ] || fail "a layout was written"
    try 3 tune "$modules/failing.so" --quick -o "$dir/never"
    err "[SYSTEM_FAILED]"
    try 3 tune motion --quick -o "$dir/none/at/all"
    err "the layout cannot be written"
    try 2 tune
    err "tune needs a simulation"
    try 2 tune motion --time never
    err "--time: 'never' is not a time"
    for count in 0 1025 x 1..4 1,2 ""; do
        try 2 tune motion --workers "$count"
        err "--workers: '$count' is not a number from 1 to 1024; a list is for --machine"
    done
    for wrong in "--ticks 3" "--cpus 0" --digest "--quota 1" "--speed 2" "--smt 1.2" "--bandwidth 9"; do
        # $wrong may be two words.
        # shellcheck disable=SC2086
        try 2 tune motion $wrong
        err "are for a forecast: add --machine"
    done
    for wrong in serial virtual:2; do
        try 2 tune motion --executor $wrong
        err "tune looks for better than threads:N or processes:N"
    done
    try 2 tune motion --executor processes:3 --workers 2
    err "--executor processes:3 has more than --workers 2 allows"
}

section_tune_processes() {
    layout=$dir/layout.json
    try 0 tune creatures --quick --executor processes:2 --workers 3 -o "$layout"
    out "default   processes, 2 workers"
    out "workers  "
    out "waiting  "
    ! grep -qE '(huge|small) pages|^workers  *serial|^not tried' "$dir/out" || fail "what is none of processes is tried"
    out "layout    $layout: processes, 2 workers"
    grep -q '^host  *waits .* us more for a tick' "$dir/out" || fail "nothing on the host"
    ! grep -q '"memory"' "$layout" || fail "processes have no memory to choose"
    grep -q '"executor": "processes"' "$layout" || fail "no processes in the layout"
    try 0 run creatures --entities 2000 --ticks 20 --layout "$layout" --json
    is processes executor kind
    is 2 executor workers
    try 0 run creatures --entities 2000 --ticks 20 --layout "$layout" --executor threads:1 --json
    is threads executor kind
    try 0 verify creatures --entities 2000 --ticks 20 --layout "$layout"
    out "equal: 1 runs"
    grep -q '^processes *2 .* equal ' "$dir/out" || fail "the layout's processes are not compared"
    try 0 run creatures --entities 2000 --ticks 9 --layout "$layout" --journal "$dir/journal"
    try 0 replay "$dir/journal" --layout "$layout"
    out "equal     "
    try 2 run creatures --layout "$layout" --interleave
    err "--interleave and worker processes want different memory"
    try 0 tune motion --quick --executor processes --json -o "$layout"
    is false result certain
    value explained host_us >/dev/null
    try 1 tune "$modules/hidden_input.so" --quick --executor processes:2 -o "$dir/never"
    err "the digests of two layouts differ"
    [ ! -e "$dir/never" ] || fail "a layout was written"
    try 3 tune "$modules/failing.so" --quick --executor processes:2 -o "$dir/never"
    err "[SYSTEM_FAILED]"
}

section_tune_forecast() {
    layout=$dir/layout.json
    if "$weft" topo --machine "synthetic:core:1 pu:1" 2>&1 | grep -q "built without hwloc"; then
        try 3 tune motion --entities 20k --machine "synthetic:core:1 pu:1"
        err "knows no other machine"
        echo "skipped: other machines, which this program does not know"
        return
    fi
    server="synthetic:package:2 numa:2 core:8 pu:2"
    # 25 chunks that take the same time: with 25 workers each has one.
    try 0 tune motion_compute --entities 100k --ticks 3 --machine "$server" --bandwidth 1000 \
        --workers 1,2,5,25,32,64 -o "$layout"
    silent
    out "forecast  motion_compute, 100,000 entities, without digests"
    out "machine   $server: 2 packages, 4 NUMA nodes, 32 cores, 64 CPUs"
    out "assumed   a core, the fastest kind: 1 times as fast as one here; --speed"
    grep -qE '^ *1 +1 +1 .* 1\.00 +1\.00 +100% +0% +0% +0% +0%$' "$dir/out" || fail "one is not one"
    for name in spread compact per-node; do
        grep -qE "^$name(, as [a-z]+)? +[0-9]+ +[0-9.]+ +[0-9.]+\$" "$dir/out" || fail "no $name"
    done
    grep -q '^chosen    25 workers, .* times as fast as one' "$dir/out" || fail "not 25 workers"
    out "layout    $layout: threads, 25 workers"
    out "a forecast, nobody has measured it"
    grep -q '"evidence": "forecast"' "$layout" || fail "the layout does not say that it is a forecast"
    try 0 tune motion_compute --entities 100k --ticks 3 --machine "$server" --speed 2 --digest \
        --workers 1..4 --cpus 0,2,4 -o "$layout" --json
    is list policies 0 placement
    is per-node policies 3 placement
    is forecast evidence
    is "$layout" file
    is 2.0 assumed speed
    is true digest
    is 4 forecasts 3 workers
    value forecasts 3 bound_ns >/dev/null
    value grains 4 tick_ns >/dev/null
    value result speedup >/dev/null
    value chosen workers >/dev/null

    # One worker is the serial executor, and what this machine can hold it runs.
    try 0 tune creatures --quick --machine "$server" --workers 1 -o "$layout"
    out "chosen    1 worker, spread: 1.00 times as fast as one, the best of these"
    out "layout    $layout: serial"
    try 0 run creatures --entities 2000 --ticks 2 --layout "$layout"
    out "layout    $layout, a forecast that nobody measured"
    out "executor  serial"
    try 0 tune creatures --quick --machine "$server" --workers 1024 -o "$layout"
    try 3 run creatures --entities 2000 --ticks 2 --layout "$layout"
    err "a forecast of 1024 workers for another machine, and this one has CPUs for"
    try 0 run creatures --entities 2000 --ticks 2 --layout "$layout" --workers 2
    sed -e 's/"workers": 1024/"workers": 1/' -e 's/"placement": "[a-z-]*"/"cpus": "4000000"/' \
        "$layout" >"$dir/listed"
    try 3 run creatures --entities 2000 --ticks 2 --layout "$dir/listed"
    err "a forecast for CPUs of another machine, not all of which may be used here"
    try 0 run creatures --entities 2000 --ticks 2 --layout "$dir/listed" --placement spread
    try 0 run creatures --entities 2000 --ticks 2 --layout "$dir/listed" --no-pin
    if topo_file x3-2s-epyc-7742.xml; then
        try 0 tune creatures --quick --entities 20k --machine "$file" --workers 1..128 -o "$layout"
        out "8 NUMA nodes, 128 cores, 256 CPUs"
        [ "$(grep -cE '^ +[0-9]+ +[0-9]+ +[0-9]+ ' "$dir/out")" -eq 128 ] || fail "not 128 lines"
    fi

    rm "$layout"
    for list in 0 1..0 1025 1, x "" -1; do
        try 2 tune creatures --entities 1k --machine "$server" --workers "$list" -o "$layout"
        err "--workers: '$list' is no list of numbers from 1 to 1024"
    done
    try 3 tune creatures --machine /nowhere.xml -o "$layout"
    err "/nowhere.xml cannot be read"
    try 2 tune creatures --machine synthetic:bogus -o "$layout"
    err "hwloc does not understand 'synthetic:bogus'"
    try 2 tune creatures --machine "$server" --cpus 64 -o "$layout"
    err "--cpus: a CPU is listed twice, or may not be used"
    try 2 tune creatures --machine "$server" --ticks 0 -o "$layout"
    err "--ticks: a forecast measures 1 to 10000 ticks"
    for wrong in "--time 5s" "--executor processes:2"; do
        # $wrong is two words.
        # shellcheck disable=SC2086
        try 2 tune creatures --machine "$server" $wrong -o "$layout"
        err "--time and --executor are for a search on this machine"
    done
    try 3 tune "$modules/failing.so" --quick --machine "$server" -o "$layout"
    err "failing"
    [ ! -e "$layout" ] || fail "a layout was written"
    try 3 tune creatures --quick --machine "$server" -o "$dir/none/at/all"
    err "the layout cannot be written"
}

section_interrupt() {
    interrupted run creatures --entities 1k --ticks 1e12 --hashes "$dir/some.hashes"
    err "interrupted after tick"
    out "full"
    try 0 verify creatures --configs serial --against "$dir/some.hashes" --ticks 5
    interrupted verify creatures --entities 1k --ticks 1e12
    err "interrupted"
    out "not run"
}

"section_$section"
[ "$failures" -eq 0 ] || printf '%s failures in %s\n' "$failures" "$section"
[ "$failures" -eq 0 ]
