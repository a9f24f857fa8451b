# SPDX-License-Identifier: BSD-3-Clause
"""Compares the reports (--json) of a full trace and of a profile of the same calls: same.py FULL PROFILE.

Counts, operations and traffic have to agree exactly. Prints every difference, and the ratio of the times."""
import json
import sys

full, profile = (json.load(open(path)) for path in sys.argv[1:3])
differences = []


def compare(what, a, b, keys):
    for key in keys:
        if a.get(key) != b.get(key):
            differences.append(f"{what} {key}: {a.get(key)}, in the profile {b.get(key)}")


def table(report, rows, key):
    return {key(row): row for row in report[rows]}


def compare_tables(rows, key, keys):
    a, b = table(full, rows, key), table(profile, rows, key)
    for name in sorted(a.keys() | b.keys()):
        compare(f"{rows} {name}", a.get(name, {}), b.get(name, {}), keys)


compare("report", full, profile, ["calls", "calls_top", "unfinished"])
compare_tables("routines", lambda r: r["routine"], ["calls", "calls_top", "flops", "bytes"])
compare_tables("shapes", lambda s: s["symbol"] + json.dumps(s["args"]), ["calls", "flops", "bytes", "query"])
compare_tables("callers", lambda c: f'{c["object"]} {c["offset"]}', ["calls"])
for difference in differences:
    print(difference)
self = sum(routine["seconds_self"] for routine in profile["routines"])
if abs(self - profile["seconds_blas"]) > 1e-6 * self:
    print(f"own times add up to {self}, not to {profile['seconds_blas']}")
for shape in profile["shapes"]:
    s = shape["insitu"]
    if not s["min"] <= s["lo"] <= s["median"] <= s["hi"] or s["n"] != shape["calls"]:
        print(f"impossible statistics: {shape}")
print(f"{len(full['shapes'])} shapes, {len(full['routines'])} routines")
