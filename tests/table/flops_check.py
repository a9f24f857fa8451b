# SPDX-License-Identifier: BSD-3-Clause
"""The table's operation count of each LAPACK call against the sum over the BLAS calls nested in it. Prints TAP.
flops_check.py REPORT SPEC... <DUMP   `ktrace report --json`, the BLAS sections of the table, `ktrace dump --json`"""
import collections
import json
import re
import sys

LEAST = 1e6  # operations; in smaller calls what routines do besides calling the BLAS matters
PERCENT = 2
# Work by blocks is more work than that of the algorithms that the counts are defined by: block reflectors have triangular
# factors, to be formed and multiplied with. A call works by blocks if one of these is called in it.
BLOCKS = ("larft", "latrd", "labrd", "lahr2", "laqps", "sygs2")
PERCENT_BLOCKS = 11
FACTOR = 1.15


def blas_names(specs):
    names = set()
    for spec in specs:
        for line in open(spec, encoding="utf-8"):
            family = re.match(r"([a-z?]\S*) ([^|]*)\|", line)
            if family:
                names.update(family[1].replace("?", prefix.split(":")[0]) for prefix in family[2].split())
    return names


def calls_with_sums(dump, blas):
    """LAPACK's calls, each with the operations of the outermost BLAS calls nested in it."""
    stack = []
    for line in dump:
        call = json.loads(line)
        while len(stack) > call["depth"]:
            yield stack.pop()
        call.update(sum=0.0, blocks=False, nested_in=[outer["routine"] for outer in stack])
        stack.append(call)
        if call["routine"] in blas:
            if blas.isdisjoint(call["nested_in"]):
                for outer in stack[:-1]:
                    outer["sum"] += call["flops"]
        elif call["routine"][1:] in BLOCKS:
            for outer in stack[:-1]:
                outer["blocks"] = True
    while stack:
        yield stack.pop()


def within(ratios, blocks):
    return 1 - PERCENT / 100 <= min(ratios) and max(ratios) <= 1 + (PERCENT_BLOCKS if blocks else PERCENT) / 100


def tap(good, text):
    print("ok -" if good else "not ok -", text)
    return good


report, *specs = sys.argv[1:]
blas = blas_names(specs)
ratios = collections.defaultdict(list)
totals = collections.Counter()
queries = []
for call in calls_with_sums(sys.stdin, blas):
    count = call["flops"]
    if call["args"].get("lwork") == -1:
        queries.append(call)
    if count is not None and call["routine"] not in call["nested_in"]:
        totals[call["routine"]] += count
    if call["routine"] not in blas and count is not None and count >= LEAST:
        ratios[call["routine"], call["blocks"]].append(call["sum"] / count)

good = True
for (routine, blocks), found in sorted(ratios.items()):
    good &= tap(within(found, blocks), f"{routine}{' by blocks' if blocks else ''}: the BLAS calls nested in it do "
                f"{min(found):.4f} to {max(found):.4f} of its count, {len(found)} calls")
for factor in (1 / FACTOR, FACTOR):
    passing = [routine for (routine, blocks), found in ratios.items() if within([factor * x for x in found], blocks)]
    good &= tap(not passing, f"counts that are wrong by a factor of {1 / factor:.2f} do not pass " + " ".join(passing))
good &= tap(queries and all(call["flops"] == call["sum"] == 0 for call in queries), f"{len(queries)} queries do nothing")
reported = {row["routine"]: row["flops"] for row in json.load(open(report, encoding="utf-8"))["routines"]}
wrong = [f"{name}: {reported.get(name)}, not {total}" for name, total in totals.items()
         if abs((reported.get(name) or 0) - total) > 1e-9 * total]
good &= tap(not wrong, f"the report counts {len(totals)} routines, each where it is not nested in itself "
            + "; ".join(wrong[:3]))
sys.exit(not good)
