# SPDX-License-Identifier: BSD-3-Clause
"""Reads pictures of predictions back, scripts and data: pictures.py tuned|ordered|ranked|curve|routines [CSV]; prints how much was
found again, and whether it was right."""
import csv
import math
import re
import sys

kind = sys.argv[1]
script = open(f"{kind}.gp", encoding="utf8").read()
rows = list(csv.DictReader(open(sys.argv[2] if len(sys.argv) > 2 else f"{kind}.csv", encoding="utf8")))


def number(text):
    return float(text) if text else math.nan


def blocks(name):
    """All of that name, one of each panel, without the lines that only end them."""
    found = re.findall(rf"^\${name} << EOD\n(.*?)^EOD$", script, re.S | re.M)
    return [[[float(x) for x in line.split()] for line in text.splitlines() if not line.startswith("NaN")] for text in found]


def near(a, b):
    return abs(a - b) <= 1e-5 * max(abs(a), abs(b))


def is_point(point, x, row, prefix, unit=1.0):
    """Of a row: its value, and its interval as far as it is in the picture."""
    value, lo, hi = (number(row[name]) / unit for name in (prefix, "lo" if prefix == "predicted" else "measured_lo",
                                                           "hi" if prefix == "predicted" else "measured_hi"))
    inside = lo * 0.99999 <= point[2] <= value * 1.00001 and value * 0.99999 <= point[3] <= hi * 1.00001
    return near(point[0], x) and near(point[1], value) and inside


def tuned():
    sizes = sorted({float(row["n"]) for row in rows})
    fine = all(number(row["lo"]) <= number(row["predicted"]) <= number(row["hi"]) for row in rows if row["predicted"])
    for n, panel in zip(sizes, blocks("predicted")):
        mine = [row for row in rows if float(row["n"]) == n and row["predicted"]]
        fine = fine and 0 < len(panel) <= len(mine)
        fine = fine and all(any(is_point(p, float(row["b"]), row, "predicted") for row in mine) for p in panel)
    for n, panel in zip(sizes, blocks("measured")):
        mine = [row for row in rows if float(row["n"]) == n and row["measured"]]
        fine = fine and len(panel) > 0 and all(any(is_point(p, float(row["b"]), row, "measured") for row in mine) for p in panel)
    return len(blocks("predicted")), fine


def ordered():
    """x y x_low x_high y_low y_high: from above to below, each at least as long as the one before."""
    bars = blocks("predicted")[0]
    drawn = [b[0] for b in bars]
    return len(rows), drawn == sorted(drawn) and [round(b[1]) for b in bars] == [-i for i in range(len(bars))] and all(
        near(b[0], number(row["predicted"])) for b, row in zip(bars, rows))


def ranked():
    """The quickest algorithm of each size has a point at 1."""
    lines = [(what, i) for what in ("predicted", "measured") for i in range(5)]
    ones = sum(near(p[1], 1) for what, i in lines if what == "predicted" for p in blocks(f"{what}{i}")[0])
    points = sum(len(blocks(f"{what}{i}")[0]) for what, i in lines if what == "predicted")
    return len(lines), ones >= 2 and points == sum(bool(row["predicted"]) for row in rows)


def curve():
    points = blocks("curve")[0]
    fine = all(p[2] <= p[1] <= p[3] and near(p[1], number(row["predicted"])) for p, row in zip(points, rows))
    over = [is_point(p, number(row["n"]), row, "measured", number(row["predicted"]))
            for row in rows for p in blocks("over")[0] if near(p[0], number(row["n"]))]
    return len(points), len(over), fine and all(over)


def routines():
    total, parts = rows[0], rows[1:]
    sums = [sum(number(row[name]) for row in parts) for name in ("predicted", "lo", "hi")]
    within = sums[1] * 0.99999 <= number(total["lo"]) and number(total["hi"]) <= sums[2] * 1.00001
    return (near(sums[0], number(total["predicted"])) and within and len(parts) > 1,)


print(*{"tuned": tuned, "ordered": ordered, "ranked": ranked, "curve": curve, "routines": routines}[kind]())
