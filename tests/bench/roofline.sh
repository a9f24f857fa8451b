#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# roofline.sh: are the roofs right? Peaks beside what the width of the vectors allows, bandwidths beside an independent loop
# of the same minute (replay/machine/peak.c), and how far points of real kernels are above what they cannot be above.
. tests/bench/lib.sh
export XDG_CACHE_HOME=$dir/cache
KTRACE_OUT=$dir/t LD_PRELOAD=$shim "$tools/known" 10 >/dev/null 2>&1
for i in 1 2 3; do # in turn, as the clock and what others leave of the memory change
    progress "round $i of 3"
    "$B/ktrace" probe ${QUICK:+--quick} --json >"$dir/machine$i.json" 2>/dev/null
    # without a machine file: it measures for itself
    XDG_CACHE_HOME=$dir/other "$B/ktrace" replay --context warm --budget 1 --store none --json "$dir/t" >"$dir/replay$i.json" 2>/dev/null
done
for kernel in daxpy ddot dgemv dtrsv dgemm dtrsm; do
    progress "$kernel"
    "$B/ktrace" roofline --machine "$dir/machine1.json" --kernel $kernel --n 16:700:8 --states all --budget "${BUDGET:-8}" --json >"$dir/$kernel.json" 2>/dev/null
done
progress
"$PYTHON" - "$dir" <<'EOF'
import glob, json, re, sys
folder = sys.argv[1]
machines, replays = ([json.load(open(f"{folder}/{name}{i}.json")) for i in (1, 2, 3)] for name in ("machine", "replay"))
print("peak, flops per cycle            found   2 units   ratio")
for p in machines[0]["peak"]:
    if p.get("operation") == "fma" and p["cores"] == 1:
        most = 4 * p["lanes"]
        print(f"{p['name']:30} {p['flops_per_cycle']:7.2f} {most:9} {p['flops_per_cycle'] / most:7.3f}")
print("\nbandwidth, GB/s                  probe     other   ratio")
for level in replays[0]["peaks"]["levels"]:
    name = level["name"]
    found = [b["bytes_per_second"] for m in machines for b in m["bandwidth"] if b["name"] == name + " load" and b["cores"] == 1]
    other = [l["read"] for r in replays for l in r["peaks"]["levels"] if l["name"] == name and l["read"]]
    if found and other:
        print(f"{name + ' load':30} {max(found) / 1e9:7.1f} {max(other) / 1e9:9.1f} {max(found) / max(other):7.3f}")
print("\nkernel   points   highest over its bound (1: on it)")
for path in sorted(glob.glob(f"{folder}/d*.json")):
    d = json.load(open(path))
    peak = max(r["value"] for r in d["roofs"] if r["kind"] == "flops" and "double" in r["name"] and r["cores"] == 1)
    l1 = max(r["value"] for r in d["roofs"] if re.match("L1 ", r["name"]) and r["cores"] == 1)
    over = [p["flops_per_cycle"] / min(peak, l1 * p["intensity"]) for p in d["points"] if p["intensity"]]
    print(f"{d['points'][0]['routine']:8} {len(over):6} {max(over):9.3f}")
EOF
