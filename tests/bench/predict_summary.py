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


print("predicted times: error of the prediction, and whether it beats both sums that know nothing of caches")
for routine in ("dgeqrf", "dpotrf"):
    errors, better = [], []
    for _, document in load(f"predict-{routine}-*.json"):
        for point in document["curve"]:
            measured = point["measured"]
            if point["calls_not_predicted"] or not measured:
                continue
            error = abs(point["predicted"]["seconds"] / measured - 1)
            errors.append(error)
            better.append(all(error <= abs(point[name] / measured - 1) + 1e-3 for name in ("warm", "cold")))
    if errors:
        print(f"  {routine}: {len(errors)} points, mean {statistics.mean(errors):.1%}, median {statistics.median(errors):.1%}, worst "
              f"{max(errors):.1%}; within 10 %: {sum(e <= 0.1 for e in errors) / len(errors):.0%} (aim 100 %, 3 %); better than "
              f"both: {sum(better) / len(better):.0%} (aim 90 %)")

print("block sizes: time at the truly best b over time at the predicted one (aim 99 %, done 95 to 97 %)")
for name, document in load("tune-*.json"):
    for curve in document["curves"]:
        ratio = curve.get("fastest_over_best")
        if ratio:
            print(f"  {name[5:]:12} n = {curve['n']:5.0f}: b = {curve['best']:3.0f} predicted, {curve['fastest']:3.0f} fastest: "
                  f"{ratio['median']:.1%} ({ratio['lo']:.1%} to {ratio['hi']:.1%})")

print("rankings: pairs whose measured quotient excludes 0.99 to 1.01, predicted in that order")
for name, document in load("rank-*.json"):
    for order in document["orders"]:
        entries = [e for e in order["order"] if e["predicted"]]
        right = wrong = 0
        for i, one in enumerate(entries):
            for two in entries[i + 1:]:
                apart_slower = two["measured"]["lo"] > 1.01 * one["measured"]["hi"]
                apart_faster = two["measured"]["hi"] < 0.99 * one["measured"]["lo"]
                right += apart_slower
                wrong += apart_faster
        print(f"  {name[5:]:9} n = {order['n']:5.0f}: {right} of {right + wrong}; first: {entries[0]['name'] if entries else '-'}")
