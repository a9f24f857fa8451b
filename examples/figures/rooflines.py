#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Steinmann's rooflines of daxpy, dgemv and dgemm, with data and code warm and cold."""
from figure import Figure, main, percent

LIBRARY = "openblas-serial"
FEWEST = 6  # calls: the fewest whose quartile one disturbance does not move
# kernel, largest n (with --quick)
KERNELS = [("daxpy", 10_000_000, 2_000_000), ("dgemv", 3000, 1500), ("dgemm", 1500, 600)]


def by_context(document):
    """{context: points, smallest n first}"""
    found = {}
    for point in document["points"]:
        if point.get("seconds"):
            found.setdefault(point["context"], []).append(point)
    return {context: sorted(points, key=lambda p: p["args"]["n"]) for context, points in found.items()}


def ratio_claim(figure, kernel, warm, cold):
    both = sorted({p["args"]["n"] for p in warm} & {p["args"]["n"] for p in cold})
    times = [{p["args"]["n"]: p["seconds"] for p in points} for points in (warm, cold)]
    if not both:
        return
    quotients = {n: times[1][n] / times[0][n] for n in both}
    most = 1.1 if kernel == "dgemm" else 1.5
    figure.claim("warm data: about the same time" if kernel == "dgemm" else "warm data: a time that is shorter by 1.5 times at most",
                 f"n = {both[0]:,}: {quotients[both[0]]:.2f} times, n = {both[-1]:,}: {quotients[both[-1]]:.2f} times; "
                 f"at most {most} at {sum(q <= most for q in quotients.values())} of {len(both)} sizes", max(quotients.values()) <= most)


def roof_claim(figure, kernel, point):
    reached, few = point["flops_per_cycle"] / point["limit"], point["calls"] < FEWEST
    says = {"daxpy": "large operands: just below the roof of the memory's bandwidth", "dgemv": "large operands: just below the roof of the memory's bandwidth",
            "dgemm": "large operands: near the highest roof"}[kernel]
    # 10 % either way is what the paper grants its own measurements.
    figure.claim(says, f"n = {point['args']['n']:,}, cold: {percent(reached)} of what is attainable at {point['intensity']:.3g} flop/byte ({point['source']}), "
                 f"{point['calls']:.0f} calls" + (", too few to tell" if few else ""), None if few else (0.9 if kernel == "dgemm" else 0.7) <= reached <= 1.1)


def intensity_claim(figure, kernel, points):
    says = {"daxpy": "1/8 flop/byte where operands fit into the cache, 1/12 where not", "dgemv": "0.25 flop/byte for large matrices",
            "dgemm": "n/16 flop/byte"}[kernel]
    last = points[-1]
    expected = {"daxpy": 1 / 12, "dgemv": 0.25, "dgemm": last["args"]["n"] / 16}[kernel]
    counted = [p for p in points if p["source"] == "counted"]
    found = f"n = {points[0]['args']['n']:,}: {points[0]['intensity']:.3g}, n = {last['args']['n']:,}: {last['intensity']:.3g}"
    figure.claim(says, found + (", counted" if counted else ", modelled from the arguments: no counters here"),
                 abs(last["intensity"] / expected - 1) < 0.1 if counted else None)


def one_kernel(machine, kernel, largest, options, share):
    figure = Figure(machine, f"roofline_{kernel}", "Steinmann, rooflines of BLAS", f"{kernel} under the roofs of this machine")
    name = f"roofline_{kernel}"
    document = machine.json("roofline", "--kernel", kernel, "--n", f"16:{largest}:{8 if options.quick else 14}", "--states", "warm,cold" if options.quick else "all", "--blas", LIBRARY,
                            "--budget", round(share), "-o", machine.path(f"{name}.svg"), name=name)
    figure.picture(f"{name}.svg")
    contexts = by_context(document)
    if "warm" in contexts and "cold" in contexts:
        intensity_claim(figure, kernel, contexts["cold"])
        ratio_claim(figure, kernel, contexts["warm"], contexts["cold"])
        roof_claim(figure, kernel, contexts["cold"][-1])
    figure.note(f"Library: {machine.library(LIBRARY)}, one thread. Times: lower quartiles of single calls. "
                + (f"Left out, no time: {len(document['left_out'])} points." if document["left_out"] else ""))
    figure.save()


def make(machine, options):
    machine.probed()
    for kernel, largest, quick in KERNELS:
        one_kernel(machine, kernel, quick if options.quick else largest, options, options.budget / len(KERNELS))


if __name__ == "__main__":
    main(make, __doc__, 180, 30)
