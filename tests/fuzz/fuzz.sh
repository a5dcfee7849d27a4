#!/bin/sh
# Fuzzes the readers for a while. What makes them crash is kept in FOLDER and named.
#
# usage: fuzz.sh FUZZ_READERS WRITE_CORPUS FOLDER SECONDS
set -eu
corpus=$3/corpus
mkdir -p "$corpus"
"$2" "$corpus"
cd "$3"
"$1" -max_total_time="$4" -timeout=20 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 "$corpus"
