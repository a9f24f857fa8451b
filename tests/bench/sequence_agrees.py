# SPDX-License-Identifier: BSD-3-Clause
"""How far replays in each context are from the time in the program.

    sequence_agrees.py total FILE...    all calls: of each shape the least time of all rounds, times its calls
    sequence_agrees.py shapes FILE...   shape by shape: medians of the rounds' medians

Each FILE is what `ktrace replay --json` printed in one round: a trace taken, and replayed at once. On a machine that
others use, a round may be slow as a whole; the least of many tells most, as disturbances only add.
"""
import json
import statistics
import sys


def collect(files):
    """{shape: (calls, {context: [(median, min) of each round]})}, where "in situ" is one of the contexts."""
    shapes = {}
    for file in files:
        with open(file) as f:
            document = json.load(f)
        for shape in document["shapes"]:
            name = shape["routine"] + " " + " ".join(str(v) for v in shape["args"].values() if isinstance(v, int) and v > 1)
            calls, times = shapes.setdefault((name, str(shape["args"])), (shape["calls"], {}))
            for context, stat in {"in situ": shape["insitu"], **shape["contexts"]}.items():
                if stat["n"]:
                    times.setdefault(context, []).append((stat["median"], stat["min"]))
    return shapes


def contexts_of(shapes):
    names = {c for _, times in shapes.values() for c in times}
    return [c for c in ("warm", "tracked", "sequence", "cold") if c in names]


def total(shapes):
    """Of each context the sum of least times over that in situ, of the shapes that have both."""
    result = {}
    for context in contexts_of(shapes):
        both = [(calls, times) for calls, times in shapes.values() if context in times]
        sums = [sum(calls * min(t[1] for t in times[c]) for calls, times in both) for c in (context, "in situ")]
        result[context] = sums[0] / sums[1]
    return result


def ratios(times):
    """Of each context the median over the rounds over that in situ."""
    insitu = statistics.median(t[0] for t in times["in situ"])
    return {c: statistics.median(t[0] for t in v) / insitu for c, v in times.items() if c != "in situ"}


def main():
    shapes = collect(sys.argv[2:])
    if sys.argv[1] == "total":
        print("  ".join(f"{c} {r:.3f}" for c, r in total(shapes).items()))
        return
    for (name, _), (calls, times) in shapes.items():
        insitu = statistics.median(t[0] for t in times["in situ"])
        found = "  ".join(f"{c} {r:6.3f}" for c, r in ratios(times).items())
        print(f"{name[:24]:24} {calls:6} calls  {insitu * 1e6:9.2f} us in situ;  over that: {found}")


if __name__ == "__main__":
    main()
