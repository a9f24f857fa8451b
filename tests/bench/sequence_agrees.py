# SPDX-License-Identifier: BSD-3-Clause
"""How far replays in each context are from the time in the program.

    sequence_agrees.py total FILE...    all calls: median of the rounds' ratios, least and most in brackets
    sequence_agrees.py shapes FILE...   shape by shape: medians of the rounds' medians

Each FILE is what `ktrace replay --json` printed in one round: a trace taken, and replayed at once. On a machine that
others use, the clock changes between a trace and its replay, or a round is slow as a whole: the median of many tells.
"""
import json
import statistics
import sys


def collect(files):
    """{shape: (calls, {context: [median of each round]})}, where "in situ" is one of the contexts."""
    shapes = {}
    for file in files:
        with open(file) as f:
            document = json.load(f)
        for shape in document["shapes"]:
            name = shape["routine"] + " " + " ".join(str(v) for v in shape["args"].values() if isinstance(v, int) and v > 1)
            calls, times = shapes.setdefault((name, str(shape["args"])), (shape["calls"], {}))
            for context, stat in {"in situ": shape["insitu"], **shape["contexts"]}.items():
                if stat["n"]:
                    times.setdefault(context, []).append(stat["median"])
    return shapes


def total(file):
    """Of each context the medians of shapes times calls over those in situ, of the shapes that have both; and the part of
    the in-situ time whose shapes take no longer warm than tracked, and tracked than cold, within the medians' intervals."""
    with open(file) as f:
        document = json.load(f)
    shapes = document["shapes"]
    result = {}
    for context in ("warm", "tracked", "cold"):
        both = [s for s in shapes if s["contexts"].get(context, {}).get("n")]
        if both:
            result[context] = sum(s["calls"] * s["contexts"][context]["median"] for s in both) / sum(
                s["calls"] * s["insitu"]["median"] for s in both)
    if document.get("sequence", {}).get("typical"):
        result["sequence"] = document["sequence"]["typical"]
        result["sequence, sums"] = document["sequence"]["ratio"]
    if {"warm", "tracked", "cold"} <= result.keys():
        ordered = {True: 0.0, False: 0.0}
        for s in shapes:
            warm, tracked, cold = (s["contexts"].get(c, {"n": 0}) for c in ("warm", "tracked", "cold"))
            if warm["n"] and tracked["n"] and cold["n"]:
                ordered[warm["lo"] <= tracked["hi"] and tracked["lo"] <= cold["hi"]] += s["total"]
        result["in order"] = ordered[True] / sum(ordered.values())
    return result


def ratios(times):
    """Of each context the median over the rounds over that in situ."""
    insitu = statistics.median(times["in situ"])
    return {c: statistics.median(v) / insitu for c, v in times.items() if c != "in situ"}


def main():
    if sys.argv[1] == "total":
        rounds = [total(file) for file in sys.argv[2:]]
        for context in rounds[0]:
            found = sorted(r[context] for r in rounds if context in r)
            print(f"  {context} {statistics.median(found):.3f} ({found[0]:.3f}..{found[-1]:.3f})", end="")
        print()
        return
    shapes = collect(sys.argv[2:])
    for (name, _), (calls, times) in shapes.items():
        insitu = statistics.median(times["in situ"])
        spread = f"({min(times['in situ']) / insitu:.2f}..{max(times['in situ']) / insitu:.2f} by round)"
        found = "  ".join(f"{c} {r:6.3f}" for c, r in ratios(times).items())
        print(f"{name[:24]:24} {calls:6} calls  {insitu * 1e6:9.2f} us in situ {spread};  over that: {found}")


if __name__ == "__main__":
    main()
