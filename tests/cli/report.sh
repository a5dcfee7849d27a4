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
    try 0 tune creatures --quick --workers 2 -o "$dir/layout.json" --json
    cp "$dir/out" "$dir/tune.json"
    machine "$dir/topo.json"
    all="$dir/verify.json $dir/run.json $dir/a.hashes $dir/b.hashes $dir/run.log $dir/bench.json
        $dir/trace.json $dir/forecast.json $dir/tune.json $dir/topo.json"
}

# machine FILE: what weft topo says of a machine with everything that a picture can show, where
# this program knows others than this one.
machine() {
    "$weft" topo --machine "synthetic:package:2 [numa] l3:2 core:2 pu:2" --quota 7 --workers 18 \
        --json >"$1" 2>"$dir/err" || try 0 topo --json
    [ -s "$1" ] || cp "$dir/out" "$1"
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
    err "is JSON, but of none of run, verify, bench, graph, tune, forecast and topo"
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
    has '<th scope="row" class="t">grain</th><td class="t">4</td>'
    check run layout machine
    printf '{"search": [{"rounds": 1e300, "ratio": {"estimate": 1e300, "low": -1, "high": 1e-300, "certain": true}}, 3],
 "result": {"pairs": -1e300, "best": "x", "best_tick_ns": 1e300}, "seconds": 1e300, "rounds": -1e300, "skipped": 1e300,
 "explained": {"workers": 1e300, "ticks": -4, "tick_us": 1e-300, "alone_us": 1e-300, "shared_us": 1e300,
  "chain": [1, "x"], "width": 1e300, "systems": [4, {"us": 1e300, "rows": 1e300, "calls": -1e300}],
  "stages": [{"us": 1e300, "idle": -7}, []], "advice": [1]}}' >"$dir/other.json"
    try 0 report "$dir/other.json" -o "$page"
    check run layout machine
    echo '[]' >"$dir/other.json"
    try 0 report "$dir/other.json" -o "$page"
    has "The trace has no slices."
    printf '{"reference": 1, "runs": [1, {"place": 3, "result": "different"}], "drawn": []}' >"$dir/other.json"
    try 0 report "$dir/other.json" -o "$page"
    has '<section class="verdict different"'
    check run hashes machine
}

# refused KEY VALUE TEXT: a machine of which something is another value is no machine.
refused() {
    sed "s|\"$1\": [^,]*|\"$1\": $2|" "$dir/topo.json" >"$dir/bad.json"
    cmp -s "$dir/topo.json" "$dir/bad.json" && fail "there is no $1"
    try 3 report "$dir/bad.json" -o "$dir/none.html"
    err "bad.json: its topology is not as \`weft topo --json\` prints it: $3"
    [ ! -e "$dir/none.html" ] || fail "a page was begun"
}

machines() {
    try 0 report "$dir/topo.json" -o "$page"
    out "1 files, 2 sections, nothing to judge"
    has '<title id="topo-1-title">Machine and workers: '
    has '<caption>Workers of '
    has 'aria-label="Picture of the machine, '
    lacks "No file tells where it was made"
    check run machine
    # Of the same report the same picture.
    "$weft" topo --json >"$dir/here.json"
    "$weft" topo --svg "$dir/here.svg"
    try 0 report "$dir/here.json" -o "$page"
    grep -E '^<g><title>CPU |^<rect class="frame' "$dir/here.svg" >"$dir/boxes"
    [ -s "$dir/boxes" ] || fail "no boxes"
    grep -E '^<g><title>CPU |^<rect class="frame' "$page" | cmp -s - "$dir/boxes" ||
        fail "the pictures differ"
    # Those of a forecast are the workers that are enough; without its machine it is one as before.
    try 0 report "$dir/forecast.json" -o "$page"
    has ", machine of the forecast</h3>"
    sed 's/"topology": {/"then": {/' "$dir/forecast.json" >"$dir/other.json"
    try 0 report "$dir/other.json" -o "$page"
    lacks ", machine of the forecast</h3>"
    sed 's/"taking_part": .*,/"taking_part": 0,/; s/"beside": null/"beside": 70/' "$dir/forecast.json" \
        >"$dir/other.json"
    try 3 report "$dir/other.json" -o "$page"
    err "its topology is not as"
    try 0 report "$dir/run.json" -o "$page"
    has "No file tells where it was made. This report was made here:"
    has '<svg xmlns="http://www.w3.org/2000/svg" class="topo"'

    refused cpu -1 "cpus[0].cpu: no whole number from 0 to "
    refused cpu 77 "cpus[1].cpu: 77 a second time"
    refused core '"x"' "cpus[0].core: no whole number"
    refused sibling 1.5 "cpus[0].sibling: no whole number"
    refused kind 4000000 "cpus[0].kind: no whole number from 0 to "
    refused cores -1 "kinds[0].cores: no whole number from 0 to "
    refused level 0 "caches[0].level: no whole number from 1 to 9"
    refused bytes -5 "caches[0].bytes: no whole number"
    refused here 0 "machine.here: neither true nor false"
    refused model 3 "machine.model: no text"
    refused milli_cpus '"1"' "quota.milli_cpus: no whole number"
    refused interleaving '"perhaps"' "interleaving: 'perhaps' is none of its words"
    refused placement '"here"' "placement: 'here' is none of its words"
    refused suggested 0 "suggested: no whole number from 1"
    refused entities 5 "shards: no whole number from 1 to 1"
    refused taking_part 0 "taking_part: no whole number from"
    refused worker 4 "workers[0].worker: no whole number from 0 to 0"
    refused reason '"love"' "workers[0].reason: 'love' is none of its words"
    refused beside 0 "workers[0].beside: no worker before this one"
    refused pin '"held"' "workers[0].pin: 'held' is none of its words"
    refused first_shard 1 "workers[0].first_shard: no whole number from 0 to 0"
    refused workers '[], "others": [' "workers: no list of 1 to 1024 entries"
    refused closed null "closed: no list of 0 to "
    echo '{"cpus": [], "taking_part": 1}' >"$dir/bad.json"
    try 3 report "$dir/bad.json" -o "$dir/none.html"
    err "kinds: no list of 1 to "
}

# All that a search for a layout explains.
tuned() {
    try 0 report "$dir/tune.json" -o "$page"
    check run layout machine
    has "<dt>gain</dt><dd>"
    has "<dt>limit</dt><dd>however many workers there are"
    has "<dt>alone</dt><dd>"
    has "<dt>width</dt><dd>"
    has "<dt>memory</dt><dd>gives "
    has "<caption>Systems, "
    has "<caption>Stages, "
    has "are one chain of edges:"
    has "<h4>Advice</h4>"
    has "classify_hungry"
    has "Its workers are those of the layout that was written."
    cat >"$dir/other.json" <<'END'
{"module": "x", "layout": "threads, 2 workers, grain 4", "file": "l.json", "seconds": 3, "rounds": 7,
 "digests_compared": true, "skipped": 2, "future": [1],
 "search": [{"factor": "grain", "candidate": "grain 4", "verdict": "faster", "rounds": 12,
   "ratio": {"estimate": 0.9, "low": 0.88, "high": 0.92, "certain": true}}],
 "result": {"default": "threads, 2 workers", "best": "threads, 2 workers, grain 4", "certain": true,
   "time_to_default": {"estimate": 0.9, "low": 0.88, "high": 0.92, "certain": true}, "pairs": 12,
   "default_tick_ns": 2000000, "best_tick_ns": 1800000},
 "explained": {"workers": 2, "ticks": 100, "disturbed": true, "ticks_with_lost_records": 3, "tick_us": 1000,
   "alone_us": 100, "commit_us": 60, "shared_us": 900, "chain_us": 800, "chain": ["a", "<b>"],
   "width": 3, "width_exact": false, "visits": 5, "moves": 0.25, "read_gbs": 10, "update_gbs": 12,
   "systems": [{"name": "<b>", "stage": 1, "us": 200, "calls": 1, "rows": 0},
     {"name": "a", "stage": 0, "us": 600, "calls": 2.5, "rows": 1000, "ns_per_row": 600,
      "bytes_per_row": 24, "gbs": 0.04}],
   "stages": [{"begins_with": "a", "us": 400, "work_us": 600, "longest_us": 30, "items": 4, "idle": 0.25}],
   "advice": [{"kind": "wait", "share": 0.5, "text": "5 < 6"}]}}
END
    try 0 report "$dir/other.json" -o "$page"
    check run layout machine
    has "0.900 (0.880 to 0.920) of the default&#39;s time, 99%, 12 pairs; a tick takes 1.8 ms, by default 2 ms"
    has "at most 10 times as fast as with one: 900 us of work that can be shared, and 100 us"
    has "100 us, 10.0% of a tick, are done by one worker: commit 60 us"
    has "800 us of 800 us of work are one chain of edges:"
    has "at least 3 systems of which no two are ordered"
    has "25.0% of the visits of chunks"
    has "records are missing of 3 ticks of 100"
    has "<dt>beware</dt><dd>a tick took longer than in the comparison"
    has "1 candidates in 3.00 s, no time for 2 more; the same digests in 7 rounds"
    has "<dt>wait</dt><dd>5 &lt; 6</dd>"
    has "<li>&lt;b&gt; "
    has '<td class="n" data-v="600" style="--bar:75.00%">75.0%</td>'
    sed 's/"layout": "threads/"layout": "processes/; s/"tick_us": 1000,/& "host_us": 1250,/;
        s/"width": 3/"width": 1/' "$dir/other.json" >"$dir/processes.json"
    try 0 report "$dir/processes.json" -o "$page"
    has "<dt>host</dt><dd>waits 250 us more for a tick"
    has "<dd>1: any two systems are ordered</dd>"
    if [ "$(grep -c '"here": false' "$dir/topo.json")" -eq 1 ]; then
        try 0 tune creatures --quick --machine "synthetic:package:2 core:2 pu:1" -o "$dir/there.json" --json
        cp "$dir/out" "$dir/there.tune"
        try 0 report "$dir/there.tune" -o "$page"
        check run forecast machine
        has "<p>Chosen: "
        has "<caption>Placements, "
        has "Its workers are those that are chosen."
    fi
    try 0 report "$dir/other.json" -o "$page"
    # Dearest first.
    [ "$(grep -o '<th scope="row" class="t">[^<]*' "$page" | sed 's/.*>//' | sed -n '2p')" = a ] ||
        fail "the dearest system is not the first"
    sed 's/"grain 4",$/"other",/; s/"certain": true, *"time/"certain": false, "time/;
        s/"certain": true,$/"certain": false,/' "$dir/other.json" >"$dir/uncertain.json"
    try 0 report "$dir/uncertain.json" -o "$page"
    has "not certainly faster, so the default is written"
    sed 's/"best": "threads, 2 workers, grain 4"/"best": "threads, 2 workers"/; s/"advice": .*/"advice": []}}/' \
        "$dir/other.json" >"$dir/none.json"
    try 0 report "$dir/none.json" -o "$page"
    has "none: no candidate is certainly faster than the default, which stays"
    has "Nothing stands out."
}

section_page() {
    make_all
    wrong_inputs
    # $all is a list.
    # shellcheck disable=SC2086
    try 0 report $all --module creatures -o "$page"
    out "10 files, 10 sections, "
    check run hashes speed forecast layout trace graph log bench machine
    [ "$(grep -c '<svg [^>]*class="topo"' "$page")" -eq 3 ] || fail "not three machines"
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
    has "this machine: CPUs $(nproc),"
    has "weft tune SIMULATION --json"
    has "weft topo --json &gt; topo.json"
    check run trace machine
    verdicts
    escaping
    numbers
    machines
    tuned
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
    for scheme in light dark; do
        said="the page in $browser, $scheme"
        drive_page $scheme
    done
}

# drive_page SCHEME: and dark also without motion.
drive_page() {
    flags="--blink-settings=preferredColorScheme=1"
    [ "$1" = light ] || flags="--blink-settings=preferredColorScheme=0 --force-prefers-reduced-motion"
    # $flags is a list.
    # shellcheck disable=SC2086
    timeout 100 "$browser" --headless=new --no-sandbox --disable-gpu --allow-file-access-from-files \
        --user-data-dir="$dir/profile" --enable-logging=stderr --window-size=1700,1000 $flags \
        --virtual-time-budget=20000 --dump-dom "file://$dir/drive.html?$1" >"$dir/dom" 2>"$dir/err"
    tr '\n' ' ' <"$dir/dom" | sed 's/.*<pre id="result">\([^<]*\)<.*/\1/' | tr ';' '\n' >"$dir/out"
    if ! grep -q "checks" "$dir/out" && ! grep -q "<html" "$dir/dom"; then
        echo "SKIPPED: $browser does not start here"
        exit 77
    fi
    grep -q "^ *37 checks, 0 failed" "$dir/out" || fail "the page does not do what it must"
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
