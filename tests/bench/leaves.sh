#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# leaves.sh [ORDERS [ROUNDS]] (ROUTINES=): the BLAS calls inside the reference LAPACK's dgeqrf, dpotrf and dgetrf, replayed in
# sequence and on their own: sums over the sum of the times they took in the program. Warm should be below 1, cold above.
# Many short rounds: what other tenants do to the caches changes within seconds, and both sides have to see all of it.
. tests/bench/lib.sh
orders=${1:-200 500 1000 2000}
rounds=${2:-11}
# So many factorisations that a trace takes some tenths of a second, and that the first, which touches new memory, is one of many.
times_of() { local t=$((1200000000 / ($1 * $1 * $1))); [ $t -gt 30 ] && t=30; [ $t -lt 8 ] && t=8; echo $t; }
for routine in ${ROUTINES:-dgeqrf dpotrf dgetrf}; do
    for n in $orders; do
        rm -f "$dir"/*.json
        for ((i = 0; i < rounds; i++)); do
            progress "$routine $n: round $((i + 1)) of $rounds"
            rm -rf "$dir/trace"
            KTRACE_NESTED=all KTRACE_OUT=$dir/trace LD_PRELOAD=$shim "$tools/leaves" "$routine" "$n" "$(times_of "$n")"
            "$B/ktrace" replay --level leaves --routine "${BLAS_ONLY:-d[cdgnst]*,idamax}" --budget "${BUDGET:-2}" --json \
                --context warm,tracked,sequence,cold --store none \
                "$dir/trace" >"$dir/$i.json" 2>/dev/null
        done
        progress
        printf '%s %5d:%s\n' "$routine" "$n" "$("$PYTHON" tests/bench/sequence_agrees.py total "$dir"/*.json)"
    done
done
