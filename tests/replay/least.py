# SPDX-License-Identifier: BSD-3-Clause
"""Of several replays of one trace (replay --json), one: least.py REPLAY...

Each time is the least that one of them found, each bandwidth of the machine the largest. What else runs on a machine only
adds to times, and may last as long as a replay."""
import json
import sys

replays = [json.load(open(path)) for path in sys.argv[1:]]
first = replays[0]
for shapes in zip(*(r["shapes"] for r in replays), strict=True):
    assert all((s["symbol"], s["args"]) == (shapes[0]["symbol"], shapes[0]["args"]) for s in shapes)
    for name, context in shapes[0]["contexts"].items():
        for key in ("best", "median"):
            context[key] = min(s["contexts"][name][key] for s in shapes if s["contexts"][name]["n"])
for levels in zip(*(r["peaks"]["levels"] for r in replays)):
    levels[0]["read"] = max(level["read"] for level in levels)
json.dump(first, sys.stdout)
