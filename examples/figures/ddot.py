#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Figure 1 of Whaley & Castaldo: ddot over its length, with operands left in cache and flushed, by ../whaley.sh."""
import os
import subprocess
import sys

from figure import ROOT, Figure, Missing, main

LIBRARY = "openblas-serial"


def read(path):
    """Rows of whaley.py's data: n, then of unflushed and flushed: Gflop/s, least and most of the runs, independent program."""
    with open(path, encoding="utf-8") as file:
        rows = [list(map(float, line.split())) for line in file if not line.startswith("#")]
    return [{"n": r[0], "warm": r[1], "warm_least": r[2], "cold": r[5], "cold_least": r[6], "cold_most": r[7]} for r in rows]


def ratios(rows, least, most):
    return [r["warm"] / r["cold"] for r in rows if least < 16 * r["n"] <= most]


def falls(rows):
    """Where even the best of the flushed runs is below the worst of a shorter length."""
    highest, found = 0, []
    for r in rows:
        if r["cold_most"] < highest:
            found.append(r["n"])
        highest = max(highest, r["cold_least"])
    return found


def make(machine, options):
    figure = Figure(machine, "ddot", "Whaley & Castaldo, figure 1", "ddot as a timer sees it that flushes, and as one that does not")
    caches = machine.probed()["caches"]
    # A round is a replay and the independent program, each with seconds of its own.
    seconds = 3 if options.quick else 5
    rounds = max(3, round(options.budget / (2 * seconds)))
    machine.commands.append(f"ROUNDS={rounds} SECONDS_EACH={seconds} examples/whaley.sh {LIBRARY}")
    print(f"  {machine.commands[-1]}", file=sys.stderr, flush=True)
    done = subprocess.run([os.path.join(ROOT, "examples", "whaley.sh"), "-o", options.output, LIBRARY], stdout=subprocess.PIPE, check=False,
                          env={**machine.environment, "B": os.path.dirname(machine.kt), "ROUNDS": str(rounds), "SECONDS_EACH": str(seconds)})
    if done.returncode:
        raise Missing(f"status {done.returncode} of whaley.sh")
    rows = read(machine.path(f"{LIBRARY}.dat"))
    figure.picture("whaley.svg")
    inside = ratios(rows, 0, 0.8 * caches[0]["bytes"]) if caches and caches[0]["bytes"] else []
    figure.claim("operands in the first cache: more than 3.5 times faster without flushing",
                 f"{min(inside):.1f} to {max(inside):.1f} times, {len(inside)} lengths" if inside else "the size of the first cache is not known",
                 min(inside) > 3.5 if inside else None)
    last = rows[-1]
    figure.claim("operands larger than all caches: both timers say the same",
                 f"n = {last['n']:,.0f}: {last['warm'] / last['cold']:.2f} times", abs(last["warm"] / last["cold"] - 1) < 0.1)
    fell = falls(rows)
    figure.claim("the flushed curve never falls",
                 f"it falls, by more than {rounds} runs scatter, at n = " + ", ".join(f"{n:,.0f}" for n in fell) if fell
                 else f"it rises, within the scatter of {rounds} runs", not fell)
    figure.note(f"Library: {machine.library(LIBRARY)}. Circles: a C program of its own, which knows nothing of ktrace.")
    figure.save()


if __name__ == "__main__":
    main(make, __doc__, 100, 18)
