#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What a call takes that is not recorded, beyond the call through the procedure linkage table: of routines that do nothing
# (tests/bench/nothing.h), of which ddot and dgemv have compiled functions in the shim and dlarfg goes through its trampoline.
# Runs with and without the shim take turns on one processor.
# Usage: tests/bench/passed.sh [ROUNDS]
. tests/bench/lib.sh
rounds=${1:-15}
batches=500 # of 10,000 calls each: nothing.h
out=$dir/out samples=$dir/samples notes=$dir/notes
touch "$samples" "$notes"
cpu=$(one_processor)

# --- the ways: run_NAME PROGRAM..., and the calls that are made that way -----------------------------------------------
ktrace() { KTRACE_OUT=$out LD_PRELOAD=$shim "$@"; }
run_plain() { "$@"; }
run_nested() { KTRACE_NESTED=none ktrace "$@"; }
run_default() { ktrace "$@"; }
run_sampled() { KTRACE_SAMPLE=1000000 ktrace "$@"; }
run_filtered() { KTRACE_ROUTINES=zgemm ktrace "$@"; }
run_paused() { KTRACE_PAUSED=1 ktrace "$@"; }
run_disabled() { KTRACE_DISABLE=1 ktrace "$@"; }
cases=(nested/inside-{ddot,dgemv,dlarfg} default/inside-{ddot,dgemv,dlarfg} sampled/inside-{ddot,dlarfg}
    {sampled,filtered,paused,disabled}/{ddot,dgemv,dlarfg})
knows KTRACE_NESTED || echo "this build has no KTRACE_NESTED: it records nested calls" >>"$notes"

# Was anything recorded that should not be? Few are: the calls that a sample takes, those of dgesv.
check() { # WAY CALLS
    local recorded=0
    [ ! -d "$out" ] || recorded=$(info "$out" 'd["calls"]')
    ((recorded <= 2 * batches)) || echo "$1, $2: $recorded calls were recorded" >>"$notes"
}

sample() { # ROUND WAY CALLS
    local way
    rm -rf "$out"
    for way in $(turns "$1" plain "$2"); do
        "run_$way" taskset -c "$cpu" "$tools/one_call" "$3" "$batches" >"$dir/$way"
    done
    [ "$1" != 1 ] || [ "$2" = default ] || check "$2" "$3"
    echo "$1 $2 $3 $(<"$dir/plain") $(<"$dir/$2")" >>"$samples"
}

for ((round = 1; round <= rounds; round++)); do
    for case in $(turns "$round" "${cases[@]}"); do
        progress "round $round of $rounds: $case"
        sample "$round" "${case%/*}" "${case#*/}"
    done
done
progress
"$PYTHON" -B tests/bench/passed_table.py "$rounds" <"$samples"
[ ! -s "$notes" ] || { echo; sort -u "$notes" | sed 's/^/! /'; }
