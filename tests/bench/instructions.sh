#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Instructions that the shim adds to a call, counted by callgrind: a run minus a shorter one, over the calls that it makes
# more, minus the same without the shim. Counts do not depend on the machine's pace, and say nothing about the clock, whose
# reading is one instruction. The routines do nothing (tests/bench/nothing.h), but for the reference LAPACK's dgeqrf.
# Usage: tests/bench/instructions.sh
. tests/bench/lib.sh
command -v valgrind >/dev/null || { echo "valgrind is not installed (apt: valgrind)"; exit 0; }
export KTRACE_YARDSTICKS=0 # read beside calls, not on their way
export LD_LIBRARY_PATH; LD_LIBRARY_PATH=$(reference_lapack):$(reference_blas)
out=$dir/out
per_batch=10000  # calls: nothing.h
order=40         # of dgeqrf

# Instructions of measured() and what it calls; the shim's other threads are none of it.
count() { # PROGRAM...
    rm -rf "$out"
    if ! valgrind --tool=callgrind --callgrind-out-file="$dir/callgrind" --toggle-collect=measured "$@" \
        >"$dir/result" 2>"$dir/error"; then
        echo "$*: $(tail -n 1 "$dir/error")" >&2
        return 1
    fi
    awk '/^summary:/ { sum = $2 } /^totals:/ { total = $2 } END { print total ? total : sum }' "$dir/callgrind"
}

# Per call: the last word of PROGRAM is how often it does what makes CALLS calls, 2 and 12 times.
per_call() { # CALLS PROGRAM...
    local few many
    few=$(count "${@:2}" 2) && many=$(count "${@:2}" 12) || return 1
    awk -v d="$((many - few))" -v calls="$1" 'BEGIN { printf "%.1f\n", d / (10 * calls) }'
}

with_shim() { KTRACE_CLOCK=tsc KTRACE_OUT=$out LD_PRELOAD=$shim per_call "$@"; }

# A program is the same without the shim whatever the variables say.
declare -A plain=()
row() { # TITLE VARIABLES CALLS PROGRAM...
    local key="${*:4}" shimmed
    progress "$1"
    [ -n "${plain[$key]:-}" ] || plain[$key]=$(per_call "${@:3}")
    # shellcheck disable=SC2163 # names and values
    shimmed=$([ -z "$2" ] || export "$2"; with_shim "${@:3}")
    progress
    awk -v title="$1" -v p="${plain[$key]}" -v s="$shimmed" 'BEGIN { printf "%-60s%9.1f%9.1f%9.1f\n", title, p, s, s - p }'
}
one() { row "$1" "$2" "$per_batch" "$tools/one_call" "$3"; } # TITLE VARIABLE KIND

# Calls that nest in one dgeqrf, as recorded.
nested_in_dgeqrf() {
    rm -rf "$out"
    KTRACE_NESTED=all KTRACE_OUT=$out LD_PRELOAD=$shim "$tools/nested" dgeqrf "$order" 10 >/dev/null
    "$B/ktrace" report --json "$out" | query '(d["calls"] - d["calls_top"]) // d["calls_top"]'
}

printf 'Instructions per call, counted by callgrind%17s%9s%9s%9s\n' '' without with added
one "recorded: ddot, arguments as before" "" same-ddot
one "recorded: ddot, other addresses" "" ddot
one "recorded: dgemv, other addresses" "" dgemv
one "recorded: dlarfg (trampoline), other addresses" "" dlarfg
one "recorded, nested: ddot, other addresses" KTRACE_NESTED=all inside-ddot
one "recorded, nested: dgemv, other addresses" KTRACE_NESTED=all inside-dgemv
one "recorded, nested: dlarfg (trampoline), other addresses" KTRACE_NESTED=all inside-dlarfg
inside=$(nested_in_dgeqrf)
if knows KTRACE_NESTED; then
    one "nested, not recorded: ddot" KTRACE_NESTED=none inside-ddot
    one "nested, not recorded: dgemv" KTRACE_NESTED=none inside-dgemv
    one "nested, not recorded: dlarfg (trampoline)" KTRACE_NESTED=none inside-dlarfg
    row "nested, not recorded: each inside a dgeqrf of order $order" KTRACE_NESTED=none "$inside" "$tools/nested" dgeqrf "$order"
else
    echo "! this build has no KTRACE_NESTED: it records nested calls"
fi
row "recorded, nested: each inside a dgeqrf of order $order" KTRACE_NESTED=all "$inside" "$tools/nested" dgeqrf "$order"
one "KTRACE_DISABLE=1: ddot" KTRACE_DISABLE=1 ddot
one "KTRACE_DISABLE=1: dlarfg (trampoline)" KTRACE_DISABLE=1 dlarfg
one "KTRACE_ROUTINES=zgemm: ddot" KTRACE_ROUTINES=zgemm ddot
one "KTRACE_ROUTINES=zgemm: dlarfg (trampoline)" KTRACE_ROUTINES=zgemm dlarfg
