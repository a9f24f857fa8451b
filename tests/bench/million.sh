#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# How long a trace of 10^6 calls of 1,000 shapes is replayed in three contexts, and again from the store.
. tests/bench/lib.sh
"$B/ktrace" run -o "$dir/trace" -- "$tools/million" >/dev/null
# replay NAME: its document, and seconds of the whole command in NAME.seconds
replay() {
    local start=$EPOCHREALTIME
    "$B/ktrace" replay --store "$dir/store" --json "$dir/trace" >"$dir/$1.json" 2>/dev/null
    "$PYTHON" -c 'import sys; print(float(sys.argv[2]) - float(sys.argv[1]))' "$start" "$EPOCHREALTIME" >"$dir/$1.seconds"
}
for which in first second; do replay $which; done
"$PYTHON" - "$dir" <<'END'
import json, statistics, sys
first, second = (json.load(open(f"{sys.argv[1]}/{name}.json")) for name in ("first", "second"))
took = [float(open(f"{sys.argv[1]}/{name}.seconds").read()) for name in ("first", "second")]
shapes = first["shapes"]
warm = [shape["contexts"]["warm"] for shape in shapes]
known = statistics.median((c["hi"] - c["lo"]) / c["median"] / 2 for c in warm)
same = [shape["contexts"] for shape in shapes] == [shape["contexts"] for shape in second["shapes"]]
print(f"{sum(shape['calls'] for shape in shapes)} calls of {len(shapes)} shapes, {len(first['not_replayed'])} not replayed, "
      f"contexts {', '.join(first['contexts'])}: {took[0]:.1f} s; warm medians known to {known:.1%}, half of the shapes better")
print(f"again from the store: {took[1]:.2f} s, {'the same numbers' if same else 'OTHER NUMBERS'}")
END
