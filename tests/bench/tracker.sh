#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Calls of the demo that the cache tracker follows in a second of processor time, reading the trace included.
. tests/bench/lib.sh
[ -x "$B/tests/replay/tracker" ] || { echo "$B/tests/replay/tracker is not there: make bench-tracker builds it"; exit 2; }
export OPENBLAS_NUM_THREADS=1
"$B/ktrace" run --nested all -o "$dir/demo" -- "$PYTHON" examples/demo.py >/dev/null 2>&1
for level in outermost leaves; do
    for i in 1 2 3; do echo "Tracker, $level: $("$B/tests/replay/tracker" time "$dir/demo" "$level")"; done
done
