# SPDX-License-Identifier: BSD-3-Clause
"""compare.py LOG lines|paths < `ktrace dump --json`: are the calls' source lines those that the program logged? Prints how many
places agree, or the first that does not."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    logged = json.load(file)
found = {}
for call in map(json.loads, sys.stdin):
    place = [[s["file"], s["line"], s["function"]] for s in call.get("source", [])]
    mine = found.setdefault(str(call["tid"]), [])
    if call["depth"] == 0 and (not mine or mine[-1] != place):
        mine.append(place)
agree = 0
for thread, places in logged.items():
    expected = [p if sys.argv[2] == "paths" else p[:1] for p in places]
    expected = [p for i, p in enumerate(expected) if i == 0 or p != expected[i - 1]]
    got = found.get(thread, [])
    for e, g in zip(expected, got):
        if e != g:
            sys.exit(f"thread {thread}, place {agree}: expected {e}, found {g}")
        agree += 1
    if len(expected) != len(got):
        sys.exit(f"thread {thread}: expected {len(expected)} places, found {len(got)}")
print(f"{agree} places")
