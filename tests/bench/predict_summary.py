# SPDX-License-Identifier: BSD-3-Clause
"""What tests/bench/predict.sh found, beside what is aimed at."""
import glob
import json
import statistics
import sys

folder = sys.argv[1]


def load(pattern):
    for path in sorted(glob.glob(f"{folder}/{pattern}")):
        try:
            yield path[len(folder) + 1:-5], json.load(open(path))
        except json.JSONDecodeError:
            print(f"{path}: no result")


def off(value, point):
    """Relative error at the pace of the kernels while it was measured, median of the rounds."""
    return value / point["predicted"]["seconds"] * point["at_pace"]["median"] - 1


print("predicted times: error of the prediction, and whether it beats both sums that know nothing of caches")
for routine in ("dgeqrf", "dpotrf"):
    points = [point for _, document in load(f"predict-{routine}-*.json") for point in document["curve"]]
    by_paper = [point for _, document in load(f"paper-{routine}-*.json") for point in document["curve"]]
    for point, paper in zip(points, by_paper):
        point["by_paper"] = paper["predicted"]["seconds"]
    known = [point for point in points if not point["calls_not_predicted"] and "at_pace" in point]
    if not known:
        continue
    plain = [abs(point["error"]) for point in known]
    errors = [abs(point["error_at_pace"]) for point in known]
    by_sums = [min(abs(off(point[name], point)) for name in ("warm", "cold")) for point in known]
    better = [error <= by_sum + 1e-3 for error, by_sum in zip(errors, by_sums)]
    # The truth has an interval too: within it neither is better.
    told = [is_better for is_better, error, by_sum, point in zip(better, errors, by_sums, known)
            if abs(error - by_sum) > (point["at_pace"]["hi"] - point["at_pace"]["lo"]) / 2]
    print(f"  {routine}: {len(known)} of {len(points)} points; the machine's pace {min(p['pace']['median'] for p in known):.2f} to "
          f"{max(p['pace']['median'] for p in known):.2f}")
    print(f"    at that pace: mean {statistics.mean(errors):.1%}, worst {max(errors):.1%}; within 10 %: "
          f"{sum(e <= 0.1 for e in errors) / len(errors):.0%} (aim 100 %, 3 %); better than both sums, or as good: "
          f"{sum(better) / len(better):.0%} (aim 90 %)")
    print(f"    where the interval of what was measured tells which is better: at {sum(told)} of {len(told)} points")
    papers = [abs(off(point["by_paper"], point)) for point in known if "by_paper" in point]
    if papers:
        print(f"    combined as in the paper: mean {statistics.mean(papers):.1%}, worst {max(papers):.1%}; within 10 %: "
              f"{sum(e <= 0.1 for e in papers) / len(papers):.0%}")
    print(f"    as modelled: mean {statistics.mean(plain):.1%}, worst {max(plain):.1%}")
    for point in known:
        n, b = point["parameters"]["n"], point["parameters"]["b"]
        print(f"      n = {n:4.0f}, b = {b:3.0f}: {point['error_at_pace']:+.1%} ({point['at_pace']['lo'] - 1:+.1%} to "
              f"{point['at_pace']['hi'] - 1:+.1%}); sums {off(point['warm'], point):+.1%}, {off(point['cold'], point):+.1%}")

print("block sizes: time at the truly best b over time at the predicted one (aim 99 %, done 95 to 97 %)")
for name, document in load("tune-*.json"):
    for curve in document["curves"]:
        ratio = curve.get("fastest_over_best")
        if ratio:
            print(f"  {name[5:]:12} n = {curve['n']:5.0f}: b = {curve['best']:3.0f} predicted, {curve['fastest']:3.0f} fastest: "
                  f"{ratio['median']:.1%} ({ratio['lo']:.1%} to {ratio['hi']:.1%})")

def pairs_right(names, order):
    """Of the pairs that the measurement at this size tells apart: how many are in that order of names, and how many there are."""
    entry = {e["name"]: e["measured"] for e in order["order"] if e["predicted"]}
    names = [name for name in names if name in entry]
    right = wrong = 0
    for i, one in enumerate(names):
        for two in names[i + 1:]:
            right += entry[two]["lo"] > 1.01 * entry[one]["hi"]
            wrong += entry[two]["hi"] < 0.99 * entry[one]["lo"]
    return right, right + wrong


print("rankings: pairs whose measured quotient excludes 0.99 to 1.01, predicted in that order")
sizes = sizes_right = 0
for name, document in load("rank-*.json"):
    fixed = []
    for order in document["orders"]:
        names = [e["name"] for e in order["order"] if e["predicted"]]
        right, told = pairs_right(names, order)
        sizes, sizes_right = sizes + 1, sizes_right + (right == told)
        fixed.append(sum(pairs_right(names, other)[0] == pairs_right(names, other)[1] for other in document["orders"]))
        print(f"  {name[5:]:9} n = {order['n']:5.0f}: {right} of {told}; first: {names[0] if names else '-'}")
    print(f"  {name[5:]:9} the same order for each n is right at {max(fixed)} of {len(fixed)} n at most")
if sizes:
    print(f"  all pairs right at {sizes_right} of {sizes} n (aim all, done 70 %)")
