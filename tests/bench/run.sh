#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What recording one call adds, in nanoseconds and as a multiple of what the least possible shim adds (tests/bench/least.c).
# All variants run in turn, several rounds; the minimum of each counts, as disturbances only add.
# Usage: tests/bench/run.sh [ROUNDS] [CALLS]
set -euo pipefail
rounds=${1:-7} calls=${2:-1000000}
B=${B:-build}
blas=$(dirname "$(find /usr/lib -path '*/blas/libblas.so.3' | head -n 1)")
dir=$(mktemp -d "${TMPDIR:-/tmp}/ktrace-bench.XXXXXX")
trap 'rm -rf "$dir"' EXIT
export LD_LIBRARY_PATH=$blas KTRACE_QUIET=1

declare -A best
sample() { # KEY ENVIRONMENT... -- WHAT
    local key=$1 ns; shift
    ns=$(env "$@")
    rm -rf "$dir/trace"
    if [ -z "${best[$key]:-}" ] || awk "BEGIN{exit !($ns < ${best[$key]})}"; then best[$key]=$ns; fi
}
for ((i = 0; i < rounds; i++)); do
    for what in ddot dgemm; do
        run=("$B/tests/bench/calls" "$what" "$calls")
        sample "$what plain" "${run[@]}"
        sample "$what least" LD_PRELOAD="$B/tests/bench/least.so" "${run[@]}"
        sample "$what full" KTRACE_OUT="$dir/trace" LD_PRELOAD="$B/libktrace.so" "${run[@]}"
        sample "$what disabled" KTRACE_DISABLE=1 LD_PRELOAD="$B/libktrace.so" "${run[@]}"
    done
    [ ! -t 2 ] || printf '\rround %d of %d' $((i + 1)) "$rounds" >&2
done
[ ! -t 2 ] || printf '\r\033[K' >&2

echo "Cost of recording a call: reference BLAS, one thread, minimum of $rounds interleaved rounds of $calls calls"
printf '%-24s %12s %12s %10s\n' "" "ns/call" "added ns" "x least"
for what in ddot dgemm; do
    label="$what(n=1)"; [ $what = ddot ] || label="$what(n=4), 13 arguments"
    echo "$label"
    for variant in plain least full disabled; do
        awk -v name="$variant" -v t="${best["$what $variant"]}" -v plain="${best["$what plain"]}" -v least="${best["$what least"]}" \
            'BEGIN { printf "  %-22s %12.1f %12.1f %10.2f\n", name, t, t - plain, (t - plain) / (least - plain) }'
    done
done

# The time a replay takes, as a multiple of the BLAS time that it explains, and how well two of them agree.
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1
unset LD_LIBRARY_PATH
python=${PYTHON:-python3}
"$B/ktrace" run -o "$dir/demo" -- "$python" examples/demo.py >/dev/null 2>&1
for i in 1 2; do "$B/ktrace" replay --json "$dir/demo" >"$dir/$i.json" 2>/dev/null; done
"$python" -c 'import json, sys
d = json.load(open(sys.argv[1]))
samples = sum(c["n"] for s in d["shapes"] for c in s["contexts"].values())
spent, insitu, contexts, shapes = d["seconds_spent"], d["totals"]["insitu"], len(d["contexts"]), len(d["shapes"])
print(f"\nReplay of the demo, {contexts} contexts: {spent:.1f} s for {insitu:.2f} s of BLAS time ({spent / insitu:.1f} x), "
      f"{shapes} shapes, {samples} samples")' "$dir/1.json"
"$python" tests/bench/replay_agree.py "$dir/1.json" "$dir/2.json" || true
