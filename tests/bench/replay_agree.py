# SPDX-License-Identifier: BSD-3-Clause
"""Do two replays of one trace agree? replay_agree.py REPLAY1 REPLAY2 [WHAT THE SECOND WAS]

Best estimates of every shape, by context: the part of the in-situ time whose shapes differ by 2 % at most, and the
shapes that differ more, the ones with most of the time first."""
import json
import sys

WITHIN = 0.02
NAMED = 3

first, second = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:3])
what = " ".join(sys.argv[3:])


def key(shape):
    return json.dumps([shape.get("symbol", shape["routine"]), shape["args"]], sort_keys=True)


others = {key(shape): shape for shape in second["shapes"]}
print(f"Two replays{what and ', ' + what}: best estimates within {WITHIN:.0%} for")
for context in first["contexts"]:
    total, agreed, apart = 0.0, 0.0, []
    for shape in first["shapes"]:
        best = [s.get("contexts", {}).get(context, {}).get("best") for s in (shape, others.get(key(shape), {}))]
        if None in best:
            continue
        time = shape["insitu"]["median"] * shape["calls"]
        ratio = best[1] / best[0]
        total += time
        if abs(ratio - 1) <= WITHIN:
            agreed += time
        else:
            sizes = "x".join(str(v) for v in shape["args"].values() if isinstance(v, int) and v > 1)
            apart.append((time, f"{shape['routine']} {sizes} {best[0]:.3g} s, then {ratio:.3f} times that"))
    print(f"  {context:8} {agreed / total if total else 0:6.1%} of the time" + "; ".join(["", *(
        f"{time / total:.0%} {line}" for time, line in sorted(apart, reverse=True)[:NAMED])]))
