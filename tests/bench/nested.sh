#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What recording makes of the time of one LAPACK call, by the program's own clock (tests/bench/nested.c), on the reference
# LAPACK with OpenBLAS' BLAS and on OpenBLAS' own LAPACK: the ways take turns on one processor, and each run has a plain
# one beside it that it is compared with. Then: nested calls recorded, beside the least possible shim (tests/bench/least_nested.c).
# Usage: tests/bench/nested.sh [ROUNDS [ROUTINE...]]    an odd number of rounds; routines as "dgeqrf-40"
. tests/bench/lib.sh
rounds=${1:-7}
wanted=" ${*:2} "
out=$dir/out samples=$dir/samples notes=$dir/notes
touch "$samples" "$notes"

# What is called, and how often in a process: a tenth or two of a second without the shim.
cases=(dgeqrf-40-4000 dsyev-24-2000 dgesdd-30-800 dgels-16-8000 dgesv-8-20000 dpotrf-16-20000 zheev-20-1500 dgetrf-100-1500
    dormqr-64-2000 dgesdd-300x60-60)
# Those whose nested calls all have a function in the least shim, on the reference LAPACK.
least_covers=" dgeqrf-40 dsyev-24 dgesdd-30 dgels-16 "

openblas=$(serial_openblas)
lapack=$(reference_lapack)
declare -A folders=([reference]=$lapack:$openblas [openblas]=$openblas)
cpu=$(one_processor)

# --- the ways: run_NAME PROGRAM... -------------------------------------------------------------------------------------
ktrace() { KTRACE_OUT=$out LD_PRELOAD=$shim "$@"; }
run_plain() { "$@"; }
run_disabled() { KTRACE_DISABLE=1 ktrace "$@"; }
run_recorded() { ktrace "$@"; }
run_all() { KTRACE_NESTED=all ktrace "$@"; }
run_none() { KTRACE_NESTED=none ktrace "$@"; }
run_profile() { KTRACE_MODE=profile ktrace "$@"; }
run_least() { LD_PRELOAD=$tools/least_nested.so "$@"; }
ways=(disabled recorded all none profile)
if ! knows KTRACE_NESTED; then
    echo "this build has no KTRACE_NESTED: it records all nested calls, whatever the columns say" >>"$notes"
fi

# --- samples: ROUND LIBRARY CASE WAY PLAIN TIME; each way has a plain run right before or after it -----------------------
report() { "$B/ktrace" report --json "$@" "$out"; }

# The report's median of the one shape of the routine that the program calls.
reported() { # ROUTINE
    report --by shape | query "next('%.4f' % (1e6 * s['insitu']['median']) for s in d['shapes'] if s['routine'] == '$1' and s['insitu'])"
}

# Once: are there names in the trace that the least shim has no function for?
uncovered() { # CASE
    local missing
    missing=$(comm -23 <(report --by routine | query '"\n".join(r["routine"] + "_" for r in d["routines"])' | sort) \
        <(nm -D --defined-only "$tools/least_nested.so" | awk '{ print $3 }' | sort) | tr '\n' ' ')
    [ -z "$missing" ] || echo "$1: least_nested.c has no ${missing% }" >>"$notes"
}

# First word that the program prints.
run() { # LIBRARY WAY PROGRAM...
    local word
    LD_LIBRARY_PATH=${folders[$1]} "run_$2" taskset -c "$cpu" "${@:3}" 2>"$dir/error" >"$dir/result" || return 1
    read -r word _ <"$dir/result"
    echo "$word"
}

# Both runs, in an order that changes from round to round: "PLAIN TIME".
pair() { # ROUND LIBRARY WAY PROGRAM...
    local way
    for way in $(turns "$1" plain "$3"); do
        run "$2" "$way" "${@:4}" >"$dir/$way" || return 1
    done
    echo "$(<"$dir/plain") $(<"$dir/$3")"
}

sample() { # ROUND LIBRARY ROUTINE SIZE TIMES WAY
    local round=$1 library=$2 case=$3-$4 way=$6 times us
    rm -rf "$out"
    if ! times=$(pair "$round" "$library" "$way" "$tools/nested" "$3" "$4" "$5"); then
        echo "$library, $case, $way failed: $(tail -n 1 "$dir/error")" >>"$notes"
        return
    fi
    echo "$round $library $case $way $times" >>"$samples"
    if [ "$way" = recorded ] && us=$(reported "$3"); then
        echo "$round $library $case report ${times% *} $us" >>"$samples"
    fi
    if [ "$round $way" = "1 all" ] && is_covered "$library" "$case"; then uncovered "$case"; fi
}
is_covered() { [ "$1" = reference ] && [[ $least_covers == *" $2 "* ]]; }

# What one outermost record costs: ddot(n=1), nanoseconds a call.
one_record() { # ROUND LIBRARY
    rm -rf "$out"
    echo "$1 $2 ddot recorded $(pair "$1" "$2" recorded "$tools/calls" ddot 0.2s)" >>"$samples"
}

for ((round = 1; round <= rounds; round++)); do
    for library in reference openblas; do
        one_record "$round" "$library"
        for case in "${cases[@]}"; do
            IFS=- read -r routine size times <<<"$case"
            [ "$wanted" = "  " ] || [[ $wanted == *" $routine-$size "* ]] || continue
            progress "round $round of $rounds: $library, $routine $size"
            least=()
            is_covered "$library" "$routine-$size" && least=(least)
            for way in $(turns "$round" "${ways[@]}" "${least[@]}"); do
                sample "$round" "$library" "$routine" "$size" "$times" "$way"
            done
        done
    done
done
progress
"$PYTHON" tests/bench/nested_table.py "$rounds" <"$samples"
[ ! -s "$notes" ] || { echo; sort -u "$notes" | sed 's/^/! /'; }
