#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The false alarms of compare: a library against a copy of itself. In how many of the runs the interval of the total ratio
# holds 1, how wide it is, and how many shapes are called faster or slower that are neither.
# Usage: tests/bench/itself.sh [RUNS] [BUDGET] [COMMAND...]   default: 40 runs of 60 s, examples/demo.py
. tests/bench/lib.sh
runs=${1:-40} budget=${2:-60}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- "$PYTHON" examples/demo.py
"$B/ktrace" run -o "$dir/trace" -- "$@" >/dev/null 2>&1
library=$(info "$dir/trace" '[l["path"] for l in d["libraries"] if "blas" in l["path"].rsplit("/", 1)[1]][-1]')
library=$("$PYTHON" -c 'import os, sys; print(os.path.realpath(sys.argv[1]))' "$library")
for copy in one two; do mkdir "$dir/$copy"; cp "$library" "$dir/$copy/"; done
name=${library##*/}
for ((i = 1; i <= runs; i++)); do
    progress "run $i of $runs"
    "$B/ktrace" compare --json --store none --budget "$budget" --blas "$dir/one/$name" --blas "$dir/two/$name" "$dir/trace" \
        >"$dir/run" 2>"$dir/err" || echo "run $i ended with status $?: $(tail -n 1 "$dir/err")"
    query 'json.dumps([d["libraries"][-2:], [s["libraries"][-2:] for s in d["shapes"]], d["best"]["mix_ratio"]])' <"$dir/run" >>"$dir/runs" || :
done
progress ""
"$PYTHON" - "$dir/runs" "$name" <<'END'
import json, statistics, sys
# Ratios are to the recorded library; of the copies both are such ratios.
runs = [json.loads(line) for line in open(sys.argv[1])]
ratios = [l["ratio"] for copies, _, _ in runs for l in copies]
holds = [r["lo"] <= 1 <= r["hi"] for r in ratios]
widths = sorted(50 * (r["hi"] - r["lo"]) for r in ratios)
shapes = [l["verdict"] for _, all_shapes, _ in runs for s in all_shapes for l in s]
print(f"{sys.argv[2]} against copies of itself, {len(ratios)} comparisons in {len(runs)} runs:")
print(f"the interval of the total holds 1 in {sum(holds)} ({100 * sum(holds) / len(holds):.1f} %)")
print(f"its half-width is {statistics.median(widths):.2f} % in the median, {widths[-1]:.2f} % at most; "
      f"ratios from {min(r['value'] for r in ratios):.4f} to {max(r['value'] for r in ratios):.4f}")
told = sum(v in ("faster", "slower") for v in shapes)
print(f"of {len(shapes)} ratios of single shapes {told} ({100 * told / max(len(shapes), 1):.1f} %) are called faster or slower")
print(f"the best of each wins {100 * (1 - min(m for _, _, m in runs)):.2f} % at most, where there is nothing to win")
END
