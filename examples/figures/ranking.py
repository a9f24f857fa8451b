#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Figure 11 of Peise & Bientinesi: Cholesky factorisations in order of their predicted times, beside measured times."""
from itertools import combinations

from figure import Figure, main

COLOURS = ["#1f5fa8", "#c0392b", "#2e8b57", "#8e5bb0", "#b8860b", "#222222"]


def pairs(order):
    """(right, decided): of the pairs whose measured intervals do not overlap, those that are predicted in that order."""
    known = [row for row in order if row.get("measured") and row.get("predicted")]
    right = decided = 0
    for one, other in combinations(known, 2):
        if one["measured"]["hi"] < other["measured"]["lo"] or other["measured"]["hi"] < one["measured"]["lo"]:
            decided += 1
            right += (one["measured"]["best"] < other["measured"]["best"]) == (one["predicted"]["seconds"] < other["predicted"]["seconds"])
    return right, decided


def gflops(n, seconds):
    return n ** 3 / 3 / seconds / 1e9


def draw(figure, document, words):
    names = sorted({row["name"] for order in document["orders"] for row in order["order"]})
    rows = []
    for order in document["orders"]:
        by_name = {row["name"]: row for row in order["order"]}
        cells = [order["n"]]
        for name in names:
            row = by_name.get(name, {})
            cells += [gflops(order["n"], row[key][field]) if row.get(key) else None for key, field in (("predicted", "seconds"), ("measured", "best"))]
        rows.append(cells)
    plots = []
    for i, name in enumerate(names):
        colour = COLOURS[i % len(COLOURS)]
        plots += [f"using 1:{2 + 2 * i} with lines lw 2 lc rgb '{colour}' title '{name}'",
                  f"using 1:{3 + 2 * i} with points pt 7 ps 0.8 lc rgb '{colour}' notitle"]
    figure.draw(figure.name, [f"set title 'Cholesky factorisations; lines: predicted, discs: measured; {words}'", "set xlabel 'n'",
                              "set ylabel 'Gflop/s'", "set yrange [0:]"], plots, rows)


def make(machine, options):
    figure = Figure(machine, "ranking", "Peise & Bientinesi, figure 11", "Cholesky factorisations in order of predicted time")
    machine.probed()
    blas, words = machine.lapack()
    sizes, blocks, count = ("100:500:100", "24,64,128", 5) if options.quick else ("100:1500:200", "24,64,128,256", 8)
    models = machine.path("models-cholesky.json")
    machine.json("model", "build", "--blas", blas, "--models", models, "--algorithm", "cholesky", "--n", sizes, "--b", blocks,
                 "--budget", round(0.6 * options.budget))
    document = machine.json("model", "rank", "cholesky", "--blas", blas, "--models", models, "--n", sizes, "--b", blocks, "--measure",
                            "--budget", max(1, round(0.4 * options.budget / count)), name="rank_cholesky")
    draw(figure, document, words)
    counts = [pairs(order["order"]) for order in document["orders"]]
    right, decided = sum(c[0] for c in counts), sum(c[1] for c in counts)
    figure.claim("predictions put all five in the right order",
                 f"{right} of {decided} pairs whose measured times are certainly different are in the right order, {len(counts)} sizes",
                 right == decided if decided else None)
    last = document["orders"][-1]
    measured = sorted((row for row in last["order"] if row.get("measured")), key=lambda row: row["measured"]["best"])
    blocked = [row["name"] for row in measured if row["name"] in ("cholesky_bordered", "cholesky_left", "cholesky_right")]
    if measured:
        figure.claim("the recursive one is the fastest", f"n = {last['n']:.0f}: the fastest is {measured[0]['name']}", measured[0]["name"] == "cholesky_recursive")
        figure.claim("of the blocked ones the third, right-looking, is the fastest",
                     f"n = {last['n']:.0f}: the fastest of them is {blocked[0]}" if blocked else "none was measured",
                     blocked[0] == "cholesky_right" if blocked else None)
    figure.note(f"{words}; one thread; {document['machine']}, {document['samples']} samples of kernels. Each algorithm has the block size "
                "that is predicted to be its best.")
    figure.save()


if __name__ == "__main__":
    main(make, __doc__, 240, 45)
