# SPDX-License-Identifier: BSD-3-Clause
"""Compares the reports (--json) of two profiles of the same calls: near.py ALL SAMPLE.

Nested calls are counted in all outermost calls of the first, and in some of the second. Counts of outermost calls have
to agree exactly, what nests in them roughly, as parts of all time: recording all of them takes time. Prints every
difference."""
import json
import sys

NEAR = 0.3
WORTH = 0.05  # of all time

every, sample = (json.load(open(path)) for path in sys.argv[1:3])


def differ(what, a, b):
    if a != b:
        print(f"{what}: {a}, in the sample {b}")


def differ_much(what, a, b):
    if abs(b - a) > NEAR * a:
        print(f"{what}: {a:.3g}, in the sample {b:.3g}")


def shapes(report):
    return sorted((s["symbol"], json.dumps(s["args"]), s["calls"], s["flops"]) for s in report["shapes"])


def top(report):
    return {r["routine"]: r["calls_top"] for r in report["routines"] if r["calls_top"]}


differ("shapes", shapes(every), shapes(sample))
differ("outermost calls", top(every), top(sample))
differ("calls", every["calls"], sample["calls"] + sample["nested"]["passed"])
for report in every, sample:
    differ_much("time of all routines", report["seconds_blas"], sum(r["seconds_self"] for r in report["routines"]))
total = sum(r["calls"] for r in sample["routines"])
if abs(total - every["calls"]) > len(sample["routines"]):
    print(f"calls of all routines: {every['calls']}, in the sample {total}")
estimates = {r["routine"]: r for r in sample["routines"]}
nested = [r for r in every["routines"] if not r["calls_top"] and r["seconds"] > WORTH * every["seconds_blas"]]
for routine in nested:
    name = routine["routine"]
    found = estimates[name]
    differ_much(f"calls of {name}", routine["calls"], found["calls"])
    differ_much(f"part of {name}", routine["seconds"] / every["seconds_blas"], found["seconds"] / sample["seconds_blas"])
    estimated = found["estimated"]
    if estimated["seconds"]["lo"] is not None or not 0 < estimated["sampled"] < estimated["of"]:
        print(f"not told as an estimate: {estimated}")
print(f"{len(nested)} nested routines")
