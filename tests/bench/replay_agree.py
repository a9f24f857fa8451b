# SPDX-License-Identifier: BSD-3-Clause
"""Do two replays agree? replay_agree.py REPLAY1 REPLAY2: the shapes that make up 90 % of the in-situ time, best estimates
within 5 % in every context. Prints a summary and the shapes and contexts that differ more; exit status 1 if there are any."""
import json
import sys

first, second = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:3])


def key(shape):
    return json.dumps([shape["symbol"] if "symbol" in shape else shape["routine"], shape["args"]], sort_keys=True)


others = {key(shape): shape for shape in second["shapes"]}
total = sum(shape["insitu"]["median"] * shape["calls"] for shape in first["shapes"])
covered, compared, apart, widest = 0.0, 0, [], 0.0
for shape in sorted(first["shapes"], key=lambda s: -s["insitu"]["median"] * s["calls"]):
    if covered >= 0.9 * total:
        break
    covered += shape["insitu"]["median"] * shape["calls"]
    for context, stat in shape["contexts"].items():
        ratio = others[key(shape)]["contexts"][context]["best"] / stat["best"]
        compared += 1
        widest = max(widest, abs(ratio - 1))
        if abs(ratio - 1) > 0.05:
            apart.append(f"{shape['routine']} {shape['args']} {context}: {stat['best']:.3g} s, then {ratio:.3f} times that")
print(f"Two replays: {len(apart)} of {compared} estimates differ by more than 5 %, widest {100 * widest:.1f} %")
for line in apart:
    print("#  ", line)
sys.exit(bool(apart))
