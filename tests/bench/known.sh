#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# known.sh [ROUNDS]: calls whose context is known (known.c), replayed: medians over the medians in the program. What the
# program alone knows, dgemv 220, has to stay unexplained: the sequence is far below 1 there.
. tests/bench/lib.sh
rounds=${1:-5}
for ((i = 0; i < rounds; i++)); do
    progress "round $((i + 1)) of $rounds"
    rm -rf "$dir/trace"
    KTRACE_OUT=$dir/trace LD_PRELOAD=$shim "$tools/known" 100 2>/dev/null
    "$B/ktrace" replay --store none --context warm,tracked,cold,sequence --budget "${BUDGET:-4}" --json "$dir/trace" >"$dir/$i.json" 2>/dev/null
done
progress
"$PYTHON" tests/bench/sequence_agrees.py shapes "$dir"/*.json
