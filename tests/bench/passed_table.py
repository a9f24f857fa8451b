# SPDX-License-Identifier: BSD-3-Clause
"""Prints the samples of tests/bench/passed.sh: passed_table.py ROUNDS <SAMPLES

Lines of samples: ROUND WAY CALLS PLAIN TIME, nanoseconds per call."""
import statistics
import sys

from nested_table import quartiles

WAYS = {
    "nested": "nested, KTRACE_NESTED=none", "default": "nested, as is", "sampled": "KTRACE_SAMPLE=1000000",
    "filtered": "KTRACE_ROUTINES=zgemm", "paused": "KTRACE_PAUSED=1", "disabled": "KTRACE_DISABLE=1",
}
CALLS = {"ddot": "ddot, compiled", "dgemv": "dgemv, compiled", "dlarfg": "dlarfg, trampoline"}


def read(lines):
    """{(way, calls): [(plain, time)]}"""
    samples = {}
    for line in lines:
        _, way, calls, plain, time = line.split()
        samples.setdefault((way, calls), []).append((float(plain), float(time)))
    return samples


def row(way, calls, times):
    inside = calls.startswith("inside-")
    name = CALLS[calls.removeprefix("inside-")] + (" (in a dgesv)" if inside and way == "sampled" else "")
    low, median, high = quartiles([time - plain for plain, time in times])
    plain = statistics.median(plain for plain, _ in times)
    return f"{WAYS[way]:28s}{name:32s}{plain:8.2f}{median:9.2f}   {low:.2f} .. {high:.2f}"


def main(rounds):
    samples = read(sys.stdin)
    print(f"Nanoseconds that a call takes which is not recorded: medians of {rounds} rounds\n")
    print(f"{'':60s}{'plain':>8s}{'added':>9s}   quartiles")
    for way in WAYS:
        for key, times in sorted(samples.items()):
            if key[0] == way:
                print(row(*key, times))


if __name__ == "__main__":
    main(*sys.argv[1:])
