#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Figures 1, 6 and 7 of Peise & Bientinesi: time of dgeqrf and dpotrf over the block size, measured, and predicted from
kernels in cache, out of cache, and from both by following what is in the cache."""
import statistics

from figure import Figure, main, percent


def errors(points, of):
    """Mean distance from the measured times."""
    return statistics.mean(abs(of(p) / p["measured"]["best"] - 1) for p in points)


def default_claim(figure, routine, document, curve):
    """What the default block size costs, from measured times."""
    says = {"dgeqrf": "n = 3800: the default block size is 15 % slower than the best one",
            "dpotrf": "n = 3800: the default block size is 13 % slower than the best one"}[routine]
    times = {p["value"]: p["measured"] for p in curve["curve"] if p.get("measured")}
    default, best = document["default"], min(times, key=lambda b: times[b]["best"])
    if default not in times:
        figure.claim(says, f"the default, {default:.0f}, was not among the block sizes", None)
        return
    if default == best:
        figure.claim(says, f"n = {curve['n']:.0f}: the default, b = {default:.0f}, is the best of {len(times)} block sizes", False)
        return
    loss = times[default]["best"] / times[best]["best"] - 1
    apart = times[default]["lo"] > times[best]["hi"]
    figure.claim(says, f"n = {curve['n']:.0f}: b = {default:.0f} is {percent(loss)} slower than b = {best:.0f}"
                 + ("" if apart else ", which is within the intervals"), True if apart else None)


def prediction_claims(figure, points):
    below = sum(p["warm"] < p["measured"]["best"] for p in points)
    above = sum(p["cold"] > p["measured"]["best"] for p in points)
    figure.claim("sums of kernels in cache are too short, sums of kernels out of cache too long",
                 f"in cache: below the measured time at {below} of {len(points)} block sizes; out of cache: above it at {above}",
                 below > 0.8 * len(points) and above > 0.8 * len(points))
    warm, cold, both = (errors(points, of) for of in (lambda p: p["warm"], lambda p: p["cold"], lambda p: p["predicted"]["seconds"]))
    # A difference that the measured times' own intervals could make says nothing.
    width = statistics.mean((p["measured"]["hi"] - p["measured"]["lo"]) / p["measured"]["best"] / 2 for p in points)
    figure.claim("following the cache is closer to the measured time than either sum",
                 f"mean error {percent(both)}; in cache only {percent(warm)}, out of cache only {percent(cold)}; "
                 f"measured times +-{percent(width)}", None if abs(min(warm, cold) - both) < width else both < min(warm, cold))


def one_routine(machine, routine, options, share):
    figure = Figure(machine, f"block_size_{routine}", "Peise & Bientinesi, figures 1, 6 and 7", f"{routine} over the block size")
    blas, words = machine.lapack()
    n, blocks = (500, "16:96:16") if options.quick else (1500, "16:256:16")
    models = machine.path(f"models-{routine}.json")
    machine.json("model", "build", "--blas", blas, "--models", models, "--algorithm", routine, "--n", n, "--b", blocks,
                 "--budget", round(0.6 * share))
    name = f"tune_{routine}"
    document = machine.json("model", "tune", routine, "--blas", blas, "--models", models, "--n", n, "--b", blocks, "--measure",
                            "--budget", round(0.4 * share), name=name)
    curve = document["curves"][0]
    points = [p for p in curve["curve"] if p.get("measured") and p.get("predicted")]
    figure.draw(figure.name, [f"set title '{routine}, n = {n}: {words}'", "set xlabel 'block size'", "set ylabel 'ms'", "set yrange [0:]"],
                ["using 1:2:3:4 with yerrorlines pt 7 ps 0.7 lc rgb '#222222' title 'measured, 95 %'",
                 "using 1:5 with lines lw 2 lc rgb '#1f5fa8' title 'in cache'", "using 1:6 with lines lw 2 lc rgb '#c0392b' title 'out of cache'",
                 "using 1:7 with lines lw 2 dt 2 lc rgb '#2e8b57' title 'both, by what is cached'"],
                [[p["value"], *(1e3 * t for t in (p["measured"]["best"], p["measured"]["lo"], p["measured"]["hi"], p["warm"], p["cold"],
                                                  p["predicted"]["seconds"]))] for p in points])
    default_claim(figure, routine, document, curve)
    if points:
        prediction_claims(figure, points)
    figure.note(f"{words}; one thread; {machine_of(document)}. Predictions rest on times of kernels alone.")
    figure.save()


def machine_of(document):
    return f"{document['machine']}, {document['samples']} samples"


def make(machine, options):
    machine.probed()
    for routine in ("dgeqrf", "dpotrf"):
        one_routine(machine, routine, options, options.budget / 2)


if __name__ == "__main__":
    main(make, __doc__, 240, 50)
