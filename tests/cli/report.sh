#!/bin/sh
# The page of weft report, and plots of weft run, made of what this program writes, and of files that mean harm.
#
# usage: report.sh page|browser|plot WEFT TOOLS
set -u
section=$1
weft=$2
tools=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/expect.sh"
page=$dir/report.html

has() {
    grep -qF -e "$1" "$page" || fail "the page lacks: $1"
}
lacks() {
    ! grep -qF -e "$1" "$page" || fail "the page has: $1"
}

# check SECTION...: the page is well made, and has these sections.
check() {
    [ -n "$python" ] || return 0
    "$python" "$tools/check_page.py" "$page" "$@" >"$dir/out" 2>"$dir/err" ||
        fail "the page is not well made"
}

# trace [EVIL]: a trace of two workers, whose first system has this name.
trace() {
    cat <<END
{"displayTimeUnit":"ns","metadata":{"weft":"0.1.0","module":"creatures","cpu":"a <b>CPU</b>"},
"traceEvents":[
{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"worker 0, leads"}},
{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"worker 1"}},
{"ph":"X","name":"host","cat":"host","pid":1,"tid":1,"ts":0.000,"dur":900.000,"args":{"tick":0}},
{"ph":"X","name":"wait","cat":"wait","pid":1,"tid":2,"ts":0.000,"dur":910.000,"args":{"tick":0}},
{"ph":"X","name":"tick 0","cat":"tick","pid":1,"tid":1,"ts":900.000,"dur":100.000,"args":{"tick":0}},
{"ph":"X","name":"${1:-motion}","cat":"system","pid":1,"tid":1,"ts":910.000,"dur":85.000,"args":{"tick":0,"rows":9}},
{"ph":"X","name":"hunger","cat":"system","pid":1,"tid":2,"ts":910.000,"dur":20.000,"args":{"tick":0}},
{"ph":"X","name":"tick 1","cat":"tick","pid":1,"tid":1,"ts":1000.000,"dur":100.000,"args":{"tick":1}},
{"ph":"X","name":"hunger","cat":"system","pid":1,"tid":2,"ts":1010.000,"dur":60.000,"args":{"tick":1}}
]}
END
}

# Everything that a page can be made of, in $dir, and its names in $all.
make_all() {
    try 0 verify creatures --entities 1k --ticks 10 --configs virtual:2,threads:2 --seeds 2 --json
    cp "$dir/out" "$dir/verify.json"
    try 0 run creatures --entities 2k --ticks 40 --executor serial --json \
        --hashes "$dir/a.hashes" --log "$dir/run.log"
    cp "$dir/out" "$dir/run.json"
    cp "$dir/a.hashes" "$dir/b.hashes"
    try 0 bench creatures overhead --quick --json
    cp "$dir/out" "$dir/bench.json"
    trace >"$dir/trace.json"
    try 0 forecast creatures --entities 1k --ticks 8 --workers 1,2,64 --json
    cp "$dir/out" "$dir/forecast.json"
    all="$dir/verify.json $dir/run.json $dir/a.hashes $dir/b.hashes $dir/run.log $dir/bench.json
        $dir/trace.json $dir/forecast.json"
}

wrong_inputs() {
    try 2 report
    err "report needs files that other commands wrote, or --module"
    try 2 report "$dir/run.json" --entities 5
    err "--entities is of the graph: add --module"
    try 2 report --module creatures --entities 1e10
    err "--entities: a world holds at most"
    try 2 report --module creature -o "$page"
    err "--module: no workload is named 'creature': did you mean 'creatures'?"
    try 3 report "$dir/none.json" -o "$page"
    err "none.json: cannot be read: No such file or directory"
    try 3 report "$dir" -o "$page"
    err "cannot be read: Is a directory"
    printf 'something else\n' >"$dir/bad"
    try 3 report "$dir/bad" -o "$page"
    err "is nothing that a report is made of"
    : >"$dir/bad"
    try 3 report "$dir/bad" -o "$page"
    err "is nothing that a report is made of"
    printf '{"module": "a", "full": ' >"$dir/bad"
    try 3 report "$dir/bad" -o "$page"
    err "this is no whole JSON"
    printf '{"some": 1}' >"$dir/bad"
    try 3 report "$dir/bad" -o "$page"
    err "is JSON, but of none of run, verify"
    head -n 20 "$dir/a.hashes" >"$dir/bad"
    try 3 report "$dir/bad" -o "$page"
    err "the file is truncated"
    printf 'SQLite format 3 and no more' >"$dir/bad"
    try 3 report "$dir/bad" -o "$page"
    cp "$dir/a.hashes" "$dir/keep"
    try 2 report "$dir/a.hashes" -o "$dir/./a.hashes"
    err "the page would take the place of this file"
    cmp -s "$dir/a.hashes" "$dir/keep" || fail "an input was written to"
    [ ! -e "$page" ] || fail "a page was begun"
    try 3 report "$dir/a.hashes" -o "$dir/none/report.html"
    err "the report cannot be written"
}

verdicts() {
    try 0 report "$dir/a.hashes" "$dir/b.hashes" -o "$page"
    out "nothing differs"
    has "are equal in all 41 digests that both have"
    has "weft run SIMULATION --trace trace.json"
    check run hashes machine
    # The digests of tick 17 and those behind it are others.
    sed '27,$s/ \(.\)/ f\1/2; 27,$s/ f\(.*\)./ f\1/' "$dir/a.hashes" >"$dir/other.hashes"
    try 0 report "$dir/a.hashes" "$dir/other.hashes" -o "$page"
    has "differ from tick 17 on"
    has '<section class="verdict different"'
    check run hashes machine
    try 0 run creatures --entities 2k --ticks 40 --seed 2 --executor serial --hashes "$dir/c.hashes"
    try 0 report "$dir/a.hashes" "$dir/c.hashes" -o "$page"
    has "are of different runs"
    has '<section class="verdict missed"'
    # The same run with another digest.
    sed 's/"full": "./"full": "x/' "$dir/run.json" >"$dir/other.json"
    try 0 report "$dir/run.json" "$dir/other.json" -o "$page"
    has "are the same run with different digests"
    # A verification that found something, and one that failed.
    sed '/"runs"/,$s/"result": "equal"/"result": "different"/' "$dir/verify.json" >"$dir/other.json"
    try 0 report "$dir/other.json" -o "$page"
    has "creatures: differs from the serial run with virtual in tick 10"
    sed '/"runs"/,$s/"result": "equal"/"result": "failed"/' "$dir/verify.json" >"$dir/other.json"
    try 0 report "$dir/other.json" -o "$page"
    has '<section class="verdict failed"'
    cat >"$dir/other.json" <<'END'
{"weft": "0.1.0", "time": "now", "machine": {"cpu": "x"}, "options": {}, "measurements": [
 {"name": "one", "status": "OK", "title": "one", "conditions": {}, "rows": [
  {"name": "slow", "unit": "us", "sense": "at_most", "values": [3, 3, 3],
   "target": {"sense": "at_most", "value": 2.0, "verdict": "missed"}},
  {"name": "fast", "unit": "us", "sense": "at_most", "values": [1, 1, 1],
   "target": {"sense": "at_most", "value": 2.0, "verdict": "met"}}]},
 {"name": "two", "status": "FILE_ERROR", "title": "two", "error": "no <room>", "rows": []}]}
END
    sed 's/3, 3, 3/3, 3, 3, 3, 3, 3, 3/' "$dir/other.json" >"$dir/before.json"
    sed 's/3, 3, 3/4, 4, 4, 4, 4, 4, 4/' "$dir/other.json" >"$dir/after.json"
    try 0 report "$dir/before.json" "$dir/after.json" -o "$page"
    has "after.json against $dir/before.json: 1 rows are slower, 0 faster, 1 without"
    has "one: slow"
    has "1.333"
    check run bench machine
    try 0 report "$dir/after.json" "$dir/before.json" -o "$page"
    has "before.json against $dir/after.json: 0 rows are slower, 1 faster"
    try 0 report "$dir/other.json" -o "$page"
    has "one: slow missed its target"
    has "missed: at most 2"
    has "met: at most 2"
    has "no &lt;room&gt;"
    check run bench machine
}

# What files say is shown as it is, and is never a part of the page.
escaping() {
    evil='<script>alert(1)</script>'
    sed "s|^module .*|module $evil|" "$dir/a.hashes" >"$dir/$(printf 'e"v&.hashes')"
    try 0 report "$dir/"'e"v&.hashes' -o "$page" --title "</title>$evil"
    lacks "<script>alert"
    has "&lt;script&gt;alert(1)&lt;/script&gt;"
    has "e&quot;v&amp;.hashes"
    check run hashes machine
    trace "</svg></script>$evil \u00e9\u2028\u0007" >"$dir/evil.json"
    try 0 report "$dir/evil.json" -o "$page"
    lacks "<script>alert"
    lacks "<b>CPU"
    has "$(printf '\303\251')"
    check run trace machine
    # Of bytes that are no UTF-8 each is the sign for that.
    try 0 report "$dir/trace.json" -o "$page" --title "$(printf 'a\377b\303')"
    has "$(printf 'a\357\277\275b\357\277\275')"
    check run trace machine
}

# Numbers that nobody would write.
numbers() {
    cat >"$dir/other.json" <<'END'
{"simulation": "x", "forecasts": [{"workers": 1e300, "tick_ns": 1e-300}, {"workers": -4, "tick_ns": 5},
 {"workers": 9007199254740993, "speedup": 1e300}, {"workers": "many"}, 7, null]}
END
    try 0 report "$dir/other.json" -o "$page"
    check run forecast machine
    cat >"$dir/other.json" <<'END'
{"traceEvents": [{"ph": "X", "name": "a", "pid": 1e300, "tid": -1e300, "ts": -5e200, "dur": 1e200},
 {"ph": "X", "ts": 1, "dur": 0}, {"ph": "X", "dur": -1}, {"ph": 4}, 5, [], null]}
END
    try 0 report "$dir/other.json" -o "$page"
    check run trace machine
    printf '{"search": [{"factor": "grain", "candidate": "4", "verdict": "kept", "ratio": {"estimate": 0.5}}], "result": {}, "layout": "threads"}' \
        >"$dir/other.json"
    try 0 report "$dir/other.json" -o "$page"
    has "grain: 4"
    check run layout machine
    echo '[]' >"$dir/other.json"
    try 0 report "$dir/other.json" -o "$page"
    has "The trace has no slices."
    printf '{"reference": 1, "runs": [1, {"place": 3, "result": "different"}], "drawn": []}' >"$dir/other.json"
    try 0 report "$dir/other.json" -o "$page"
    has '<section class="verdict different"'
    check run hashes machine
}

section_page() {
    make_all
    wrong_inputs
    # $all is a list.
    # shellcheck disable=SC2086
    try 0 report $all --module creatures -o "$page"
    out "8 files, 9 sections, "
    check run hashes speed forecast trace graph log bench machine
    has "Cost of each system"
    has "ideal: as many times as fast as workers"
    has "Population.creatures"
    has "forecast, creatures"
    has "what no executor could beat"
    has "creatures: 3 runs are equal to the serial run in every tick"
    try 0 run creatures --entities 2k --ticks 5 --executor threads:2 --trace "$dir/real.json"
    try 0 report "$dir/real.json" -o "$page"
    has "classify_hungry"
    has "worker 1"
    has "weft tune SIMULATION --json"
    check run trace machine
    verdicts
    escaping
    numbers
    said="weft report without graphviz"
    PATH=$dir/none "$weft" report --module creatures -o "$page" >"$dir/out" 2>"$dir/err" ||
        fail "it failed"
    has "There is no picture: graphviz"
    has "Edges of creatures"
    "$weft" graph creatures --json >"$dir/graph.json"
    try 0 report "$dir/graph.json" -o "$page"
    has "Edges of "
    check run graph machine
}

# The page in a browser: no errors, zoom, sorting, widths.
section_browser() {
    browser=
    for name in chromium chromium-browser google-chrome; do
        [ -n "$browser" ] || browser=$(command -v "$name")
    done
    if [ -z "$browser" ]; then
        echo "SKIPPED: no chromium here"
        exit 77
    fi
    make_all
    # shellcheck disable=SC2086
    try 0 report $all --module creatures -o "$page"
    cp "$tools/drive_page.html" "$dir/drive.html"
    said="the page in $browser"
    timeout 100 "$browser" --headless=new --no-sandbox --disable-gpu --allow-file-access-from-files \
        --user-data-dir="$dir/profile" --enable-logging=stderr --window-size=1700,1000 \
        --virtual-time-budget=20000 --dump-dom "file://$dir/drive.html" >"$dir/dom" 2>"$dir/err"
    tr '\n' ' ' <"$dir/dom" | sed 's/.*<pre id="result">\([^<]*\)<.*/\1/' | tr ';' '\n' >"$dir/out"
    if ! grep -q "checks" "$dir/out" && ! grep -q "<html" "$dir/dom"; then
        echo "SKIPPED: $browser does not start here"
        exit 77
    fi
    grep -q "^ *15 checks, 0 failed" "$dir/out" || fail "the page does not do what it must"
    ! grep "CONSOLE" "$dir/err" >"$dir/console" ||
        fail "the console is not empty"
    cat "$dir/out"
    echo
}

# plot WHAT: a run whose gnuplot is what stands in $dir/bin.
plot() {
    said="weft run --plot, gnuplot $1"
    PATH=$dir/bin "$weft" run creatures --entities 500 --ticks 3 --plot population -o "$dir/p.svg" \
        >"$dir/out" 2>"$dir/err"
    code=$?
    [ $code -eq 3 ] || fail "exit code $code, not 3"
    [ ! -e "$dir/p.svg" ] || fail "a picture was begun"
}

section_plot() {
    try 2 run creatures -o "$dir/p.svg"
    err "-o is the picture of --plot: add --plot NAME"
    try 2 run creatures --plot population
    err "--plot needs a file that ends in .png or .svg: add -o FILE"
    try 2 run creatures --plot population -o "$dir/p.pdf"
    err "--plot needs a file that ends in .png or .svg"
    try 2 run creatures --plot "" -o "$dir/p.svg"
    err "--plot: name a series, such as entities"
    mkdir "$dir/bin"
    plot "is missing"
    err "--plot draws by gnuplot, whose program gnuplot cannot be started"
    err "install it (Debian: gnuplot-nox)"
    # What stands for gnuplot draws nothing when there is something to draw.
    printf '#!/bin/sh\nread -r line || exit 0\necho trouble >&2\nexit 4\n' >"$dir/bin/gnuplot"
    chmod +x "$dir/bin/gnuplot"
    plot "fails"
    err "--plot: gnuplot failed with status 4: trouble"
    if ! command -v gnuplot >/dev/null; then
        [ $failures -eq 0 ] || exit 1
        echo "SKIPPED: plots need gnuplot"
        exit 77
    fi
    try 2 run creatures --entities 500 --ticks 3 --plot entities,People -o "$dir/p.svg"
    err "--plot: nothing is named 'People'; there is entities, Eaten, Born, Dead, Population.creatures"
    [ ! -e "$dir/p.svg" ] || fail "a picture was begun"
    try 3 run motion --entities 500 --ticks 3 --plot population -o "$dir/p.svg"
    err "--plot: the module has no tables"
    try 0 run creatures --entities 500 --ticks 30 --plot population.food,EATEN,entities -o "$dir/p.svg"
    out "plot      $dir/p.svg"
    ! grep -q "^log " "$dir/out" || fail "a log is shown that nobody asked for"
    for name in Population.food Eaten entities creatures tick; do
        grep -q ">$name<" "$dir/p.svg" || fail "the picture lacks $name"
    done
    ! grep -q ">Population.born<" "$dir/p.svg" || fail "the picture has what it must not"
    try 0 run boids --entities 300 --ticks 3 --plot entities -o "$dir/p.png" --json
    [ "$(head -c 4 "$dir/p.png" | od -An -c | tr -d ' \n')" = '211PNG' ] || fail "no PNG"
    try 0 run creatures --entities 500 --ticks 9 --plot Dead -o "$dir/p.png" --log "$dir/kept.log"
    out "log       "
    [ -s "$dir/kept.log" ] || fail "the log is gone"
    try 3 run creatures --entities 500 --ticks 9 --plot entities -o "$dir/none/p.png"
    err "the picture cannot be written"
    ! grep -q "^plot" "$dir/out" || fail "a picture is named that is not there"
    [ -z "$(find "$dir" -name '*.tmp*')" ] || fail "something is left behind"
    # A picture changes no result.
    try 0 run creatures --entities 500 --ticks 30 --executor serial
    grep "^full" "$dir/out" >"$dir/full"
    try 0 run creatures --entities 500 --ticks 30 --executor serial --plot population -o "$dir/p.svg"
    grep "^full" "$dir/out" | cmp -s - "$dir/full" || fail "the digest is another"
}

python=
for found in python3 /usr/bin/python3; do
    [ -n "$python" ] || ! command -v "$found" >/dev/null || python=$found
done
"section_$section"
[ "$failures" -eq 0 ] || exit 1
echo "report, $section: everything as it must be"
