#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The time a replay takes, as a multiple of the BLAS time that it explains, and how well two of them agree: one after the
# other, and one of them beside a loop that keeps another processor busy.
. tests/bench/lib.sh
export OPENBLAS_NUM_THREADS=1
replay() { "$B/ktrace" replay --store none --json "$dir/demo" >"$dir/$1.json" 2>/dev/null; }
"$B/ktrace" run -o "$dir/demo" -- "$PYTHON" examples/demo.py >/dev/null 2>&1
for i in 1 2; do replay $i; done
while :; do :; done &
busy=$!
trap 'kill $busy 2>/dev/null; cleanup' EXIT
replay busy
kill $busy
"$PYTHON" -c 'import json, sys
d = json.load(open(sys.argv[1]))
samples = sum(c["n"] for s in d["shapes"] for c in s["contexts"].values())
spent, insitu, contexts, shapes = d["seconds_spent"], d["totals"]["insitu"], len(d["contexts"]), len(d["shapes"])
print(f"Replay of the demo, {contexts} contexts: {spent:.1f} s for {insitu:.2f} s of BLAS time ({spent / insitu:.1f} x), "
      f"{shapes} shapes, {samples} samples")' "$dir/1.json"
"$PYTHON" tests/bench/replay_agree.py "$dir/1.json" "$dir/2.json"
"$PYTHON" tests/bench/replay_agree.py "$dir/2.json" "$dir/busy.json" the second beside a busy processor
