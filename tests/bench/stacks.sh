#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What KTRACE_STACKS costs in R: a call in three functions and vapply, with lines or paths, beside one with neither. First
# instructions, counted by callgrind: a long run minus a short one, over the calls that it makes more. Then times: runs of
# the three in turns, and the median of the differences within a round, with the quartiles.
# Usage: tests/bench/stacks.sh [ROUNDS]
. tests/bench/lib.sh
command -v Rscript >/dev/null || { echo "R is not installed (apt: r-base-core)"; exit 0; }
rounds=${1:-15}
export OPENBLAS_NUM_THREADS=1 KTRACE_YARDSTICKS=0 KTRACE_CLOCK=tsc TIMES
rscript="$(R RHOME)/bin/exec/R"
export R_HOME LD_LIBRARY_PATH; R_HOME=$(R RHOME); LD_LIBRARY_PATH=$R_HOME/lib

# program KEEP STACKS TIMES [VALGRIND...]: the script, with its sources kept or not
program() {
    rm -rf "$dir/out"
    TIMES=$3
    KTRACE_STACKS=$2 KTRACE_OUT=$dir/out LD_PRELOAD=$shim "${@:4}" "$rscript" --no-echo --no-restore --vanilla \
        -e "source('tests/bench/small_calls.R', keep.source = $1)" 2>"$dir/error" || { cat "$dir/error" >&2; exit 1; }
}

count() { # KEEP STACKS TIMES: instructions of the whole run
    program "$@" valgrind --tool=callgrind --callgrind-out-file="$dir/callgrind" >"$dir/said"
    awk '/^(summary|totals):/ { total = $2 } END { print total }' "$dir/callgrind"
}

instructions() { # KEEP STACKS: of one call
    local short long
    short=$(count "$1" "$2" 1000) && long=$(count "$1" "$2" 11000) || return 1
    awk -v d=$((long - short)) 'BEGIN { printf "%.0f\n", d / 10000 }'
}

if command -v valgrind >/dev/null; then
    printf 'Instructions of one call%26s%9s%9s\n' off lines paths
    for keep in FALSE TRUE; do
        printf 'keep.source = %-24s' "$keep"
        for stacks in off lines paths; do
            progress "$keep $stacks"
            printf '%12s' "$(instructions $keep $stacks)"
        done
        echo
    done
fi

for keep in FALSE TRUE; do
    for ((round = 0; round < rounds; round++)); do
        for stacks in $(turns "$round" off lines paths); do
            progress "$keep $round $stacks"
            printf '%s %s %s\n' "$round" "$stacks" "$(program "$keep" "$stacks" 200000)"
        done
    done >"$dir/times.$keep"
done
progress
"$PYTHON" - "$rounds" "$dir/times.FALSE" "$dir/times.TRUE" <<'END_OF_TABLE'
import statistics, sys

def quartiles(x):
    low, middle, high = statistics.quantiles(x, n=4, method="inclusive")
    return "%.0f (%.0f to %.0f)" % (middle, low, high)

print("Nanoseconds of one call, medians of %s rounds, quartiles%12s%24s%24s" % (sys.argv[1], "off", "lines - off", "paths - off"))
for name in sys.argv[2:]:
    rounds = {}
    for line in open(name):
        number, stacks, time = line.split()
        rounds.setdefault(number, {})[stacks] = float(time)
    less = [[r[s] - (r["off"] if s != "off" else 0) for r in rounds.values()] for s in ("off", "lines", "paths")]
    print("keep.source = %-28s" % name.rsplit(".")[-1] + "".join("%24s" % quartiles(x) for x in less))
END_OF_TABLE
