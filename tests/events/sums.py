# SPDX-License-Identifier: BSD-3-Clause
"""Adds up the counts of calls, as `ktrace dump --json` lists them, by routine and event: calls nested in a call of the
same routine are in that one's count."""
import json
import sys

calls = {c["n"]: c for c in map(json.loads, open(sys.argv[1], encoding="utf-8"))}


def is_nested_in_itself(call):
    at = call
    while at["parent"] is not None:
        at = calls[at["parent"]]
        if at["routine"] == call["routine"]:
            return True
    return False


sums = {}
for call in calls.values():
    if is_nested_in_itself(call):
        continue
    for event, count in call["events"].items():
        total, counted, missing = sums.get((call["routine"], event), (None, 0, 0))
        if count is None:
            sums[call["routine"], event] = (total, counted, missing + 1)
        else:
            sums[call["routine"], event] = ((total or 0.0) + count, counted + 1, missing)
print(sorted((*key, *value) for key, value in sums.items()))
