# SPDX-License-Identifier: BSD-3-Clause
"""What each correction of compare does to the errors of its predictions, from documents of ktrace compare --verify --json."""
import statistics


def errors_of(document):
    """[(correction, error with all, error without it)] of each library that was really run."""
    measured = {l["name"]: l["ratio_measured"]["value"] for l in document["verify"]["libraries"][1:] if not l["failed"]}
    made = {l["label"]: l["ratio"]["value"] for l in document["libraries"]}
    rows = []
    for correction in document["corrections"]:
        for one in correction["without"]:
            truth = measured.get(one["name"])
            if truth and one["ratio"]["value"] and made.get(one["name"]):
                rows.append((correction["name"], abs(made[one["name"]] / truth - 1), abs(one["ratio"]["value"] / truth - 1)))
    return rows


def show(documents):
    """A line for each correction: errors in the median and at worst, with all corrections and without that one."""
    rows = [row for document in documents for row in errors_of(document)]
    if not rows:
        return
    print(f"\n{'without':12s}{'pairs':>6s}{'changed':>9s}   {'median error':>14s}   {'worst':>14s}   better without, worse without")
    for name in dict.fromkeys(row[0] for row in rows):
        own = [(with_it, without) for correction, with_it, without in rows if correction == name]
        changed = [(w, o) for w, o in own if abs(w - o) > 0.001]
        median, worst = ([100 * f(column) for column in zip(*own)] for f in (statistics.median, max))
        print(f"{name:12s}{len(own):6d}{len(changed):9d}   {median[0]:5.1f} -> {median[1]:4.1f} %   {worst[0]:5.1f} -> "
              f"{worst[1]:4.1f} %   {sum(o < w for w, o in changed):d}, {sum(o > w for w, o in changed):d}")
