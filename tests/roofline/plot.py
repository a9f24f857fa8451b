# SPDX-License-Identifier: BSD-3-Clause
"""Reads the script of a roofline plot back: plot.py SCRIPT CSV CALLS MACHINE; CALLS is what `ktrace dump --json` says of its trace.

Prints one TAP line for each thing that the picture must be."""
import csv, json, math, re, sys

script = open(sys.argv[1], encoding="utf8").read()
rows = list(csv.DictReader(open(sys.argv[2], encoding="utf8")))
calls = [json.loads(line) for line in open(sys.argv[3], encoding="utf8")] if sys.argv[3] != "-" else []
machine = json.load(open(sys.argv[4], encoding="utf8"))
blocks = {name: [line.split("#")[0].split() for line in text.splitlines()]
          for name, text in re.findall(r"^\$(\w+) << EOD\n(.*?)^EOD$", script, re.S | re.M)}
wrong = 0


def check(name, fine, why=""):
    global wrong
    wrong += not fine
    print(("ok - " if fine else "not ok - ") + name + ("" if fine else f"\n#   {why}"))


def near(a, b, part=1e-4):
    return abs(a - b) <= part * max(abs(a), abs(b))


def numbers(block):
    return [[float(x) if not x.startswith("0x") else x for x in line] for line in blocks[block] if line]


def quantile(values, part):
    values = sorted(values)
    place = part * (len(values) - 1)
    below = int(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (place - below) * (values[above] - values[below])


check("both axes are logarithmic", "set logscale xy" in script and "set logscale y2" in script)
x0, x1, y0, y1 = (float(x) for axis in "xy" for x in re.search(rf"set {axis}range \[(.*):(.*)\]", script).groups())
check("the ranges hold what is above zero", 0 < x0 < x1 and 0 < y0 < y1)

roofs, lines = [], []
for line in blocks["roofs"] + [[]]:
    if line:
        lines.append([float(x) for x in line[:2]])
    elif lines:
        roofs.append(lines)
        lines = []
flat = [r for r in roofs if r[0][1] == r[1][1]]
steep = [r for r in roofs if r[0][1] != r[1][1]]
check("each roof is a line of two ends", all(len(r) == 2 for r in roofs), roofs)
check("bandwidths have unit slope", steep and all(near(math.log(b[1] / a[1]), math.log(b[0] / a[0]), 1e-3) for a, b in steep), steep)
bandwidth = max(b["bytes_per_cycle"] for b in machine["bandwidth"] if b["name"] == "memory load")
check("memory's is the measured one", any(near(a[1] / a[0], bandwidth, 1e-3) for a, b in steep), steep)
peak = max(p["flops_per_cycle"] for p in machine["peak"] if "double" in p["name"])
check("the peak is the measured one", any(near(a[1], peak) for a, b in flat), flat)
check("roofs are inside the picture", all(x0 * 0.999 <= x <= x1 * 1.001 and y0 * 0.999 <= y <= y1 * 1.001 for r in roofs for x, y in r))
check("ridges are where they meet", all(any(near(y, a[1]) for a, b in flat) and any(near(y / x, a[1] / a[0], 1e-3) for a, b in steep)
                                        for x, y in (r[:2] for r in numbers("ridges"))), blocks["ridges"])

numbered = [r for r in rows if r["number"]]
insitu = [r for r in numbered if r["context"] == "in situ"]
check("at most twenty shapes are labelled", 0 < len({r["number"] for r in insitu}) <= 20)
discs = numbers("discs")
check("each has its disc", len(discs) == len(insitu), (len(discs), len(insitu)))
for d in discs:
    row = next(r for r in insitu if "radius" not in r and int(r["number"]) == int(d[4]) and near(float(r["intensity"]), d[0]) and near(float(r["flops_per_cycle"]), d[1]))
    row["radius"] = d[2]
large = [r for r in insitu if r["radius"] > 3.6]
check("areas are shares of time", len(large) > 1 and all(near(a["radius"] ** 2 * float(large[0]["share"]), large[0]["radius"] ** 2 * float(a["share"]), 0.01)
                                      for a in large), [(a["radius"], a["share"]) for a in large])

durations = {}
for call in calls:
    if call.get("depth") == 0 and call.get("dt"):
        durations.setdefault((call["routine"], json.dumps({k: v for k, v in call["args"].items() if not str(v).startswith("0x") and k != "info"}, sort_keys=True)), []).append(call["dt"])
hz = machine["core_hz"]
boxes, whiskers = numbers("boxes"), numbers("whiskers")
checked = 0
for row in insitu:
    for (routine, args), seconds in durations.items():
        if routine != row["routine"] or len(seconds) != int(float(row["calls"])) or len(seconds) < 4:
            continue
        rate = [float(row["flops"]) / s / hz for s in seconds]
        if not near(1 / quantile([1 / r for r in rate], 0.5), float(row["flops_per_cycle"]), 2e-3):
            continue  # another shape with as many calls
        box = next((b for b in boxes if near(b[0], float(row["intensity"])) and near(b[1], float(row["flops_per_cycle"]))), None)
        whisker = next((w for w in whiskers if near(w[0], float(row["intensity"])) and near(w[1], float(row["flops_per_cycle"]))), None)
        if box is None or whisker is None:
            check(f"{routine} has a box and whiskers", False, row)
            continue
        times = [1 / r for r in rate]
        expected = [1 / quantile(times, 0.75), 1 / quantile(times, 0.25)]
        if not (near(box[4], expected[0], 2e-3) and near(box[5], expected[1], 2e-3)):
            check(f"the box of {routine} holds the quartiles", False, (box, expected))
        if not (near(whisker[4], min(rate), 2e-3) and near(whisker[5], max(rate), 2e-3)):
            check(f"the whiskers of {routine} are the extremes", False, (whisker, min(rate), max(rate)))
        checked += 1
if calls:
    check("boxes are quartiles and whiskers extremes, of the recorded durations", checked >= 3, f"{checked} shapes found again")

place = {(r["number"], r["context"], r["series"]): (float(r["intensity"]), float(r["flops_per_cycle"])) for r in numbered if r["intensity"]}
series = list(dict.fromkeys(r["series"] for r in rows))


def joins(block, other_context, next_series):
    fine = True
    for x, y, x2, y2, _, number in numbers(block):
        ends = [(place.get((str(int(number)), "in situ", s)),
                 place.get((str(int(number)), other_context, series[i + 1] if next_series and i + 1 < len(series) else s))) for i, s in enumerate(series)]
        fine = fine and any(a and b and near(a[0], x) and near(a[1], y) and near(b[0], x2) and near(b[1], y2) for a, b in ends)
    return fine


check("arrows lead to the warm replay of the same shape", joins("gains", "warm", False), blocks["gains"])
check("lines lead to its cold replay", joins("losses", "cold", False), blocks["losses"])
check("links join the same shape in the next series", joins("links", "in situ", True), blocks["links"])
if len(series) > 1:
    check("there are links", len(blocks["links"]) > 0)
sys.exit(wrong != 0)
