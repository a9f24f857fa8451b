# SPDX-License-Identifier: BSD-3-Clause
"""Prints the samples of tests/bench/nested.sh: nested_table.py ROUNDS <SAMPLES

Lines of samples: ROUND LIBRARY CASE WAY PLAIN TIME. Microseconds of a call without the shim, right before or after, and that
way; of the case ddot nanoseconds, which tell what one record costs. Ratios are of the two times of a line."""
import statistics
import sys

LIBRARIES = {"reference": "Reference LAPACK on OpenBLAS' BLAS", "openblas": "OpenBLAS' LAPACK"}
COLUMNS = {"recorded": "recorded", "less": "less one", "report": "report", "disabled": "disabled", "all": "all",
           "none": "none", "profile": "profile"}


def read(lines):
    """{library: {case: {way: {round: (plain, time)}}}}"""
    samples = {}
    for line in lines:
        turn, library, case, way, plain, time = line.split()
        samples.setdefault(library, {}).setdefault(case, {}).setdefault(way, {})[int(turn)] = (float(plain), float(time))
    return samples


def quartiles(values):
    """(first, median, third)"""
    return statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3


def record_us(dots):
    """What recording one outermost call adds: the median of the rounds."""
    return 1e-3 * statistics.median(time - plain for plain, time in dots["recorded"].values())


def ratios(ways, record):
    """{column: quartiles of the ratios}"""
    found = {way: [time / plain for plain, time in ways[way].values()] for way in COLUMNS if way in ways}
    if "recorded" in ways:
        found["less"] = [(time - record) / plain for plain, time in ways["recorded"].values()]
    return {column: quartiles(values) for column, values in found.items()}


def number(value):
    return f"{value:10.{3 if value < 2 else 2}f}"


def rows(case, ways, record):
    found = ratios(ways, record)
    plain = statistics.median(plain for runs in ways.values() for plain, _ in runs.values())
    heads = (" " * 25, f"{case.replace('-', ' '):15s}{plain:10.2f}", " " * 25)
    for quartile in (1, 0, 2):
        cells = "".join(number(found[c][quartile]) if c in found else " " * 10 for c in COLUMNS)
        yield (heads[quartile] + cells).rstrip()


def library_table(title, cases):
    record = record_us(cases["ddot"])
    print(f"\n{title}; one outermost record (ddot, n=1): {1e3 * record:.0f} ns")
    print(f"{'':15s}{'plain, us':>10s}" + "".join(f"{text:>10s}" for text in COLUMNS.values()))
    for case, ways in cases.items():
        if case != "ddot":
            print("\n".join(rows(case, ways, record)))


def added(ways, way):
    """{round: microseconds}"""
    return {turn: time - plain for turn, (plain, time) in ways[way].items()}


def least_row(case, ways):
    least, every = added(ways, "least"), added(ways, "all")
    turns = [turn for turn in least if turn in every and least[turn] > 0]
    name = f"{case.replace('-', ' '):15s}"
    if not turns:
        return name + " the least shim added nothing that could be measured"
    values = [every[turn] / least[turn] for turn in turns]
    first, median, third = quartiles(values)
    middle = [statistics.median(times[turn] for turn in turns) for times in (least, every)]
    return f"{name}{middle[0]:12.2f}{middle[1]:12.2f}{median:9.2f}   {first:.2f} .. {third:.2f}"


def least_table(cases):
    covered = {case: ways for case, ways in cases.items() if "least" in ways and "all" in ways}
    if not covered:
        return
    print("\nAdded to a call by recording all that nests in it (KTRACE_NESTED=all), and by the least possible shim\n"
          "in front of the same names: microseconds, and the ratio of both within a round\n"
          f"{'':15s}{'least, us':>12s}{'all, us':>12s}{'ratio':>9s}   quartiles")
    for case, ways in covered.items():
        print(least_row(case, ways))


def main(rounds):
    samples = read(sys.stdin)
    print(f"One LAPACK call by the program's own clock, as a multiple of the plain run beside it: of {rounds} rounds\n"
          "the median and below it the first and the third quartile.\n"
          "recorded: as is. less one: without what one outermost record costs. report: what ktrace report says of\n"
          "the call. all, none: KTRACE_NESTED. disabled: KTRACE_DISABLE=1. profile: KTRACE_MODE=profile.")
    for library, title in LIBRARIES.items():
        if library in samples:
            library_table(title, samples[library])
    least_table(samples.get("reference", {}))


if __name__ == "__main__":
    main(*sys.argv[1:])
