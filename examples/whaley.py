# SPDX-License-Identifier: BSD-3-Clause
"""Puts the replays and the independent timings of examples/whaley.sh together: a table, and a figure for gnuplot.

Usage: whaley.py FOLDER-WITH-RESULTS FOLDER-FOR-THE-FIGURE LIBRARY...
"""
import glob
import json
import math
import os
import statistics
import sys

CONTEXTS = (("warm", "unflushed"), ("cold", "flushed"))


def read_replay(path):
    """{n: {context: (seconds, core cycles)}}"""
    with open(path) as file:
        document = json.load(file)
    def both(stat):
        return stat["best"], stat["best"] * (stat["core_hz"] or 1)
    return {s["args"]["n"]: {c: both(s["contexts"][c]) for c, _ in CONTEXTS} for s in document["shapes"]}


def read_harness(path):
    with open(path) as file:
        rows = [line.split() for line in file]
    return {int(n): {"warm": (float(warm), float(warm) * float(warm_clock)),
                     "cold": (float(cold), float(cold) * float(cold_clock))}
            for n, warm, cold, warm_clock, cold_clock in rows}


def deviation_of(pairs):
    """Of the first from the second, in the median; nan where the clock of this machine sees nothing in most of the runs."""
    quotients = [one / other for one, other in pairs if one > 0 and other > 0]
    return statistics.median(quotients) - 1 if 2 * len(quotients) > len(pairs) else math.nan


class Curve:
    """What one library's runs say of one context: by n, medians over the runs."""

    def __init__(self, replays, harnesses, context):
        self.lengths = sorted(replays[0])
        runs = {n: [r[n][context] for r in replays] for n in self.lengths}
        others = {n: [h[n][context] for h in harnesses] for n in self.lengths}
        self.seconds = {n: statistics.median(r[0] for r in runs[n]) for n in self.lengths}
        self.harness = {n: statistics.median(o[0] for o in others[n]) for n in self.lengths}
        # Runs of replay and harness follow each other: their ratios are less noisy than the ratio of medians.
        self.deviation, self.in_cycles = (
            {n: deviation_of([(r[k], h[k]) for r, h in zip(runs[n], others[n])]) for n in self.lengths}
            for k in (0, 1))
        self.spread = {n: (min(r[0] for r in runs[n]), max(r[0] for r in runs[n])) for n in self.lengths}

    def gflops(self, n, seconds=None):
        seconds = self.seconds[n] if seconds is None else seconds
        return 2 * n / seconds / 1e9 if seconds > 0 else math.nan

    def falls(self):
        """Lengths at which the curve falls by more than the runs scatter: the best run is worse than the worst so far."""
        found = []
        highest = 0
        for n in self.lengths:
            best = self.gflops(n, self.spread[n][0])
            if best < highest:
                found.append((n, 1 - best / highest))
            highest = max(highest, self.gflops(n, self.spread[n][1]))
        return found


def cache_sizes():
    """[(name, bytes)] of the data caches, as the system tells."""
    sizes = []
    for level, key in (("L1", "SC_LEVEL1_DCACHE_SIZE"), ("L2", "SC_LEVEL2_CACHE_SIZE"), ("L3", "SC_LEVEL3_CACHE_SIZE")):
        try:
            size = os.sysconf(key)
        except (ValueError, OSError):
            size = int(os.popen(f"getconf {key[3:]} 2>/dev/null").read() or 0)
        if size > 0:
            sizes.append((level, size))
    return sizes


def print_table(library, curves):
    warm, cold = curves["warm"], curves["cold"]
    print(f"\nddot of {library}: Gflop/s from replays, and by how much they differ from the independent program's, "
          f"in time and in cycles of the core")
    print(f"{'n':>10} {'unflushed':>10} {'differs':>8} {'cycles':>8} {'flushed':>9} {'differs':>8} {'cycles':>8} {'ratio':>6}")
    for n in warm.lengths:
        print(f"{n:>10,} {warm.gflops(n):>10.2f} {warm.deviation[n]:>+8.1%} {warm.in_cycles[n]:>+8.1%} "
              f"{cold.gflops(n):>9.3f} {cold.deviation[n]:>+8.1%} {cold.in_cycles[n]:>+8.1%} "
              f"{cold.seconds[n] / warm.seconds[n]:>6.1f}")
    for context, name in CONTEXTS:
        for what, deviations in (("time", curves[context].deviation), ("cycles", curves[context].in_cycles)):
            values = [abs(d) for d in deviations.values() if not math.isnan(d)]
            if len(values) < len(deviations):
                print(f"{name}, {what}: {len(deviations) - len(values)} of {len(deviations)} lengths are too short for the clock.")
            print(f"{name}, {what}: {sum(v <= 0.015 for v in values)} of {len(values)} points within 1.5 %, "
                  f"{sum(v <= 0.05 for v in values)} within 5 %; median {statistics.median(values):.1%}, "
                  f"farthest {max(values):.1%}")
    falls = cold.falls()
    print("The flushed curve rises, within the scatter of the runs." if not falls else
          "The flushed curve falls, by more than the runs scatter, at n = " +
          ", ".join(f"{n:,} ({part:.0%})" for n, part in falls) + ".")
    print_plateaus(warm, cold)


def print_plateaus(warm, cold):
    """Ratio of the curves while the operands fit into each cache, and at the end."""
    below = 0
    for name, size in cache_sizes():
        inside = [n for n in warm.lengths if below < 16 * n <= 0.8 * size]
        if inside:
            ratios = [cold.seconds[n] / warm.seconds[n] for n in inside]
            print(f"Operands in {name}: unflushed is {min(ratios):.1f} to {max(ratios):.1f} times faster.")
        below = 1.2 * size
    last = warm.lengths[-1]
    print(f"At the end, n = {last:,}: {cold.seconds[last] / warm.seconds[last]:.2f} times.")


def write_data(path, curves):
    with open(path, "w") as file:
        file.write("# n, then for unflushed and flushed: Gflop/s, least, most of the runs, independent program\n")
        for n in curves["warm"].lengths:
            columns = [str(n)]
            for context, _ in CONTEXTS:
                c = curves[context]
                columns += [f"{c.gflops(n, s):.6g}" for s in (c.seconds[n], c.spread[n][1], c.spread[n][0], c.harness[n])]
            file.write(" ".join(columns) + "\n")


HEAD = """# Written by examples/whaley.sh
set encoding utf8
set logscale xy
set grid xtics ytics lc rgb '#dddddd' lt 1 lw 0.6
set border 3
set tics nomirror out
set format x '10^{%T}'
set xlabel 'length of the vectors, n'
set ylabel 'Gflop/s'
set xrange [10:3e7]
set yrange [0.1:50]
set ytics (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)
set key at graph 0.985, 0.98 top right samplen 2.5 spacing 1.25 opaque noenhanced width -1
set style line 1 lc rgb '#1f5fa8' lw 1.8 pt 5 ps 0.75
set style line 2 lc rgb '#c0392b' lw 1.8 pt 9 ps 0.95
set style line 3 lc rgb '#222222' lw 1.2 pt 6 ps 1.5
"""


def write_figure(folder, libraries):
    marks = []
    for name, size in cache_sizes():
        marks.append(f"set arrow from {size / 16:g}, graph 0 to {size / 16:g}, graph 1 nohead dt 3 lc rgb '#777777' lw 1.2")
        text = f"{size / 2**20:.0f} MB" if size >= 2**20 else f"{size / 2**10:.0f} KB"
        marks.append(f"set label '{name}: {text}' at {size / 16 * 1.27:g}, graph 0.03 rotate by 90 left tc rgb '#666666' font ',10'")
    with open(os.path.join(folder, "whaley.gp"), "w") as file:
        height = 480 * len(libraries)
        for terminal, name in (("svg size 820,%d font 'sans-serif,12' background 'white'" % height, "whaley.svg"),
                               ("pngcairo size 1230,%d font 'sans-serif,12' fontscale 1.35 pointscale 1.4 linewidth 1.4"
                                % (height * 3 // 2), "whaley.png")):
            file.write(f"reset\nset terminal {terminal}\nset output '{os.path.join(folder, name)}'\n" + HEAD)
            file.write("\n".join(marks) + "\n")
            file.write(f"set multiplot layout {len(libraries)},1\n")
            for library in libraries:
                data = os.path.join(folder, f"{library}.dat")
                file.write(f"set title 'ddot of {library}: operands left in cache, and flushed' noenhanced\n")
                file.write(f"plot '{data}' using 1:2 with linespoints ls 1 title 'replayed, unflushed', \\\n"
                           f"     '' using 1:6 with linespoints ls 2 title 'replayed, flushed', \\\n"
                           f"     '' using 1:5 with points ls 3 title 'independent C program', \\\n"
                           f"     '' using 1:9 with points ls 3 notitle\n")
            file.write("unset multiplot\n")


def main():
    work, folder, libraries = sys.argv[1], sys.argv[2], sys.argv[3:]
    for library in libraries:
        replays = [read_replay(p) for p in sorted(glob.glob(os.path.join(work, library, "replay.*")))]
        harnesses = [read_harness(p) for p in sorted(glob.glob(os.path.join(work, library, "harness.*")))]
        curves = {c: Curve(replays, harnesses, c) for c, _ in CONTEXTS}
        print_table(library, curves)
        write_data(os.path.join(folder, f"{library}.dat"), curves)
    write_figure(folder, libraries)


main()
