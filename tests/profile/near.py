# SPDX-License-Identifier: BSD-3-Clause
"""Compares the reports (--json) of two kinds of profile of the same calls, a number of runs of each:
near.py ALL... SAMPLE...

Nested calls are counted in all outermost calls of the first, and in some of the second. Counts of outermost calls have
to agree exactly in each pair, what nests in them roughly, as parts of all time: recording all of them takes time. Of
these the median of the pairs counts: a machine that others share is slower now and then, and few calls are recorded in
a sample. Prints every difference."""
import json
import statistics
import sys

NEAR = 0.3
WORTH = 0.05  # of all time

reports = [json.load(open(path)) for path in sys.argv[1:]]
pairs = list(zip(reports[: len(reports) // 2], reports[len(reports) // 2 :]))


def differ(what, a, b):
    if a != b:
        print(f"{what}: {a}, in the sample {b}")


def differ_much(what, values):
    a, b = (statistics.median(side) for side in zip(*values))
    if abs(b - a) > NEAR * a:
        print(f"{what}: {a:.3g}, in the sample {b:.3g}")


def shapes(report):
    return sorted((s["symbol"], json.dumps(s["args"]), s["calls"], s["flops"]) for s in report["shapes"])


def top(report):
    return {r["routine"]: r["calls_top"] for r in report["routines"] if r["calls_top"]}


def counts(every, sample):
    differ("shapes", shapes(every), shapes(sample))
    differ("outermost calls", top(every), top(sample))
    differ("calls", every["calls"], sample["calls"] + sample["nested"]["passed"])
    total = sum(r["calls"] for r in sample["routines"])
    if abs(total - every["calls"]) > len(sample["routines"]):
        print(f"calls of all routines: {every['calls']}, in the sample {total}")


def routine(report, name):
    return next(r for r in report["routines"] if r["routine"] == name)


def part(report, name):
    return routine(report, name)["seconds"] / report["seconds_blas"]


for every, sample in pairs:
    counts(every, sample)
differ_much("time of all routines", [(r["seconds_blas"], sum(x["seconds_self"] for x in r["routines"])) for r in reports])
names = [r["routine"] for r in pairs[0][0]["routines"] if not r["calls_top"]]
worth = [name for name in names if statistics.median(part(every, name) for every, _ in pairs) > WORTH]
for name in worth:
    differ_much(f"calls of {name}", [(routine(e, name)["calls"], routine(s, name)["calls"]) for e, s in pairs])
    differ_much(f"part of {name}", [(part(e, name), part(s, name)) for e, s in pairs])
    for _, sample in pairs:
        estimated = routine(sample, name)["estimated"]
        if estimated["seconds"]["lo"] is not None or not 0 < estimated["sampled"] < estimated["of"]:
            print(f"not told as an estimate: {estimated}")
print(f"{len(worth)} nested routines")
