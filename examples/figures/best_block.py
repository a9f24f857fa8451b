#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Figures 8 to 10 of Peise & Bientinesi: the block size that predictions choose for dgeqrf, square and tall, and for
dpotrf, over the size, and what part of the best measured speed it reaches."""
import statistics

from figure import Figure, main, percent

# routine, name, words, rows (None: square), what the paper says, the part of the best speed that it names, and at how many sizes not
CASES = [
    ("dgeqrf", "square", "square matrices", None, "up to n = 4120 the choice reaches 99.7 % of the best speed or more, but for one size", 0.997, 1),
    ("dgeqrf", "tall", "tall matrices", (800, 2000), "4120 rows, one thread: the choice reaches about 99 % of the best speed", 0.99, 0),
    ("dpotrf", "square", "square matrices", None, "up to n = 3500 the choice reaches 97 % of the best speed", 0.97, 0),
]


def efficiencies(document):
    """(n, chosen, fastest, part of the best measured speed, least, most) for each size at which both are known."""
    for curve in document["curves"]:
        over = curve["fastest_over_best"]
        if over and over["best"]:
            yield curve["n"], curve["best"], curve["fastest"], over["best"], over["lo"], over["hi"]


def choice_claim(figure, says, part, exceptions, found):
    """Below PART for certain is what is so with its whole interval."""
    if not found:
        figure.claim(says, "no size has both a prediction and a measured best", None)
        return
    reached = [row[3] for row in found]
    low, certain = sum(value < part for value in reached), sum(row[5] < part for row in found)
    figure.claim(says, f"least {percent(min(reached))}, median {percent(statistics.median(reached))} of the best measured speed; "
                 f"{low} of {len(reached)} sizes below {percent(part)}, {certain} of them for certain",
                 True if low <= exceptions else False if certain > exceptions else None)


def gain_over_default(document):
    """What choosing wins over the default block size: the median ratio of measured times, and how many sizes it is of."""
    gains = []
    for curve in document["curves"]:
        times = {p["value"]: p["measured"]["best"] for p in curve["curve"] if p.get("measured")}
        if curve["best"] in times and document["default"] in times:
            gains.append(times[document["default"]] / times[curve["best"]])
    return gains


def one_case(machine, case, options, share):
    routine, name, title, rows, says, part, exceptions = case
    figure = Figure(machine, f"best_block_{routine}_{name}", "Peise & Bientinesi, figures 8 to 10", f"{routine}, {title}: the block size chosen by prediction")
    blas, words = machine.lapack()
    # 32 and 64 are the defaults of LAPACK.
    sizes, blocks = ("100:500:100", "16:96:16") if options.quick else ("100:1500:200", "16:64:8,80:256:16")
    most = ["--m", rows[0] if options.quick else rows[1]] if rows else []
    models = machine.path(f"models-{routine}-{name}.json")
    machine.json("model", "build", "--blas", blas, "--models", models, "--algorithm", routine, "--n", sizes, "--b", blocks, *most,
                 "--budget", round(0.5 * share))
    count = 5 if options.quick else 8
    document = machine.json("model", "tune", routine, "--blas", blas, "--models", models, "--n", sizes, "--b", blocks, *most, "--measure",
                            "--budget", max(1, round(0.5 * share / count)), name=f"tune_{routine}_{name}")
    found = list(efficiencies(document))
    figure.draw(figure.name, [f"set title '{routine}, {title}: {words}'", "set xlabel 'n'", "set ylabel 'part of the best measured speed'",
                              "set y2label 'block size'", "set ytics nomirror", "set y2tics", "set y2range [0:*]", "set border 11"],
                ["using 1:4:5:6 with yerrorlines pt 7 ps 0.7 lc rgb '#1f5fa8' title 'speed of the chosen one, 95 %'",
                 "using 1:2 axes x1y2 with linespoints pt 4 lc rgb '#c0392b' title 'block size chosen'",
                 "using 1:3 axes x1y2 with points pt 6 ps 1.4 lc rgb '#222222' title 'block size fastest'"], found)
    choice_claim(figure, says, part, exceptions, found)
    gains = gain_over_default(document)
    if rows and gains:
        figure.claim("choosing makes tall matrices up to 1.6 times faster (ten threads)",
                     f"one thread: {min(gains):.2f} to {max(gains):.2f} times as fast as with the default block size, {len(gains)} sizes", None)
    figure.note(f"{words}; one thread; {document['machine']}, {document['samples']} samples of kernels"
                + (f"; {most[1]} rows" if most else "") + ". The algorithm itself ran only to judge the choice. "
                "Ratios are medians of pairs: where two block sizes are alike they may exceed 1.")
    figure.save()


def make(machine, options):
    machine.probed()
    for case in CASES:
        one_case(machine, case, options, options.budget / len(CASES))


if __name__ == "__main__":
    main(make, __doc__, 420, 75)
