# SPDX-License-Identifier: BSD-3-Clause
"""Prints the samples of tests/bench/run.sh: table.py ROUNDS SECONDS PEER_SECONDS <SAMPLES

Lines of samples: ROUND WHAT VARIANT NANOSECONDS CALLS BYTES, or "- VARIANT WHY" for one that could not run."""
import statistics
import sys

CASES = {"ddot": "ddot(n=1), one thread", "threads": "ddot(n=1), two threads", "dgemm": "dgemm(n=4), 13 arguments"}
NAMES = {
    "plain": "plain", "least": "least possible shim", "full": "full", "profile": "KTRACE_MODE=profile",
    "sampled": "KTRACE_SAMPLE=100", "filtered": "KTRACE_ROUTINES=dgetrf", "disabled": "KTRACE_DISABLE=1",
    "event": "KTRACE_EVENTS, software", "uftrace": "uftrace", "uftrace_arguments": "uftrace -A",
    "lttng": "LTTng-UST", "ltrace": "ltrace", "naive": "fprintf",
}
TARGETS = {
    "ddot": {"full": 1.2, "profile": 1.8, "filtered": 0.2, "disabled": 0.2},
    "threads": {"full": 1.3},
    "dgemm": {"full": 1.4},
}
WITH_ARGUMENTS = {"uftrace_arguments": "uftrace -A", "lttng": "LTTng-UST"}


def read(lines):
    """({(what, variant): {round: (ns, bytes per call)}}, {variant: why it did not run})"""
    samples, missing = {}, {}
    for line in lines:
        words = line.split()
        if words[0] == "-":
            missing[words[1]] = " ".join(words[2:])
        else:
            turn, what, variant, ns, calls, size = words
            samples.setdefault((what, variant), {})[int(turn)] = (float(ns), int(size) / int(calls))
    return samples, missing


def added_by_round(runs, plain, least):
    """What is added as a multiple of what the least shim adds in the same round: the neighbours in time."""
    return [(runs[r][0] - plain[r][0]) / (least[r][0] - plain[r][0]) for r in runs
            if r in plain and r in least and least[r][0] > plain[r][0]]


def minimum(runs):
    return min(ns for ns, _ in runs.values())


def number(value, width, digits):
    return f"{value:{width}.{digits if abs(value) < 1000 else 0}f}"


def row(what, variant, samples):
    runs, plain, least = (samples[what, v] for v in (variant, "plain", "least"))
    text = f"  {NAMES[variant]:26s}" + number(minimum(runs), 9, 1)
    if variant == "plain":
        return text
    added = minimum(runs) - minimum(plain)
    times = added / (minimum(least) - minimum(plain))
    ratios = added_by_round(runs, plain, least)
    median = number(statistics.median(ratios), 8, 2) if ratios else " " * 8
    size = statistics.median(size for _, size in runs.values())
    target = TARGETS[what].get(variant)
    verdict = f"  {'met' if times <= target else 'not'} {target:.1f}" if target else ""
    stored = f"{size:8.1f}" if size >= 0.05 else " " * 8
    return (text + number(added, 9, 1) + number(times, 9, 2) + median + stored + verdict).rstrip()


def comparison(what, samples):
    """Full recording beside the others that record arguments."""
    def added(variant):
        return minimum(samples[what, variant]) - minimum(samples[what, "plain"])
    parts = [f"{added('full') / added(v):.2f} of {name}" for v, name in WITH_ARGUMENTS.items()
             if {(what, v), (what, "full")} <= samples.keys()]
    return [f"  full adds {', '.join(parts)}"] if parts else []


def main(rounds, seconds, peer_seconds):
    samples, missing = read(sys.stdin)
    print(f"Cost of recording a call of the reference BLAS: the minimum of {rounds} interleaved\n"
          f"rounds of {seconds} s, of other recorders {(int(rounds) + 1) // 2} of {peer_seconds} s, from the first call on.\n"
          "least: what the least possible shim adds, with two rdtscp and one store.")
    for what, title in CASES.items():
        print(f"\n{title:30s}ns/call    added  x least  median   bytes  target")
        for variant in NAMES:
            if (what, variant) in samples:
                print(row(what, variant, samples))
            else:
                print(f"  {NAMES[variant]:26s}  {missing.get(variant, 'failed')}")
        for text in comparison(what, samples):
            print(text)
    print("\nmedian: of the ratios in each round; bytes: of disk, per call. uftrace -A\n"
          "records the pointers passed, ktrace and LTTng-UST also scalars they point to.")


if __name__ == "__main__":
    main(*sys.argv[1:])
