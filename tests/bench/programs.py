# SPDX-License-Identifier: BSD-3-Clause
"""Slowdown of whole programs: programs.py BUILD DIRECTORY REFERENCE_BLAS PAIRS [PROGRAM...]

Each program runs in pairs, traced and not, in random order; the pairs of different programs take turns. What counts is
the ratio of the two times of a pair: its median, and the interval that the sign test gives for the median, which assumes
nothing about how disturbances are distributed."""
import glob
import json
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import time

HPL_ORDER, HPL_SOLVES, STEPS, DDOTS = 1900, 20, 500000, 20000000
HPL_INPUT = """HPLinpack benchmark input file
.
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
{solves}     # of problems sizes (N)
{orders}     Ns
1            # of NBs
80           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
1            Ps
1            Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
"""


def sign_test_interval(values, confidence=0.95):
    """Of the median: the closest order statistics that hold it with that probability; None if there are too few."""
    ordered, n = sorted(values), len(values)
    best = None
    for k in range(n // 2):
        outside = 2 * sum(math.comb(n, i) for i in range(k + 1)) / 2 ** n
        if 1 - outside >= confidence:
            best = ordered[k], ordered[n - 1 - k]
    return best


class Program:
    """NAME as printed; COMMAND; SHIM and BLAS to run it with, and how many repetitions a pair has."""

    def __init__(self, name, command, blas, repetitions=1):
        self.name, self.command, self.blas, self.repetitions = name, command, blas, repetitions
        self.pairs = []  # of {measure: seconds}, not traced and traced
        self.calls = self.output = None

    def prepare(self, folder):
        pass

    def measures(self, folder, wall, cpu, output):
        return {self.name: wall, self.name + ", CPU": cpu}

    def text(self, folder, output):
        return output

    def run(self, directory, shim):
        folder, trace = os.path.join(directory, "run"), os.path.join(directory, "trace")
        os.mkdir(folder)
        self.prepare(folder)
        environment = dict(os.environ, LD_LIBRARY_PATH=self.blas, OPENBLAS_NUM_THREADS="1")
        if shim:
            environment.update(LD_PRELOAD=shim, KTRACE_OUT=trace)
        path = os.path.join(folder, "output")
        with open(path, "wb") as out, open(os.path.join(folder, "error"), "wb") as err:
            began = time.perf_counter()
            process = subprocess.Popen(self.command, cwd=folder, env=environment, stdout=out, stderr=err)
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.perf_counter() - began
        if status:
            raise SystemExit(f"bench-programs: {' '.join(self.command)} ended with wait status {status}")
        with open(path, encoding="utf-8", errors="replace") as file:
            output = file.read()
        self.same_output(self.text(folder, output))
        result = self.measures(folder, wall, usage.ru_utime + usage.ru_stime, output)
        shutil.rmtree(folder)
        return result

    def same_output(self, output):
        if self.output is not None and output != self.output:
            raise SystemExit(f"bench-programs: {self.name} printed something else than the first time:\n{output}")
        self.output = output

    def pair(self, directory, shim, ktrace):
        """Both ways, in random order; the trace is looked at once."""
        times = {}
        for way in random.sample([None, shim], 2):
            times[way] = self.run(directory, way)
            trace = os.path.join(directory, "trace")
            if way and self.calls is None:
                self.calls = recorded(ktrace, trace)
            shutil.rmtree(trace, ignore_errors=True)
        self.pairs.append((times[None], times[shim]))


class Hpl(Program):
    """The part of hpcc that is HPL: the times that it reports of its solutions."""

    def prepare(self, folder):
        with open(os.path.join(folder, "hpccinf.txt"), "w", encoding="ascii") as file:
            file.write(HPL_INPUT.format(solves=HPL_SOLVES, orders=" ".join([str(HPL_ORDER)] * HPL_SOLVES)))

    def report(self, folder):
        with open(os.path.join(folder, "hpccoutf.txt"), encoding="ascii", errors="replace") as file:
            return file.read()

    def measures(self, folder, wall, cpu, output):
        gflops = [float(line.split()[6]) for line in self.report(folder).splitlines() if line.startswith("WR")]
        operations = (2 / 3 * HPL_ORDER ** 3 + 3 / 2 * HPL_ORDER ** 2) / 1e9
        seconds = [operations / g for g in gflops]
        return {self.name: sum(seconds), "HPL, the median solution": statistics.median(seconds)}

    def text(self, folder, output):
        report = self.report(folder)
        solutions, passed = report.count("\nWR"), len(re.findall(r"\|\|Ax-b\|\|.*PASSED", report))
        return f"{solutions} solutions, {passed} passed their test"


class Calls(Program):
    """Its own time and count of calls of ddot(n=1): what one call costs, measured among the programs."""

    def measures(self, folder, wall, cpu, output):
        return {self.name: float(output.split()[0]) * float(output.split()[1]) / 1e9}

    def text(self, folder, output):
        return output.split()[1]


def recorded(ktrace, trace):
    if not os.path.isdir(trace):
        raise SystemExit(f"bench-programs: no trace in {trace}")
    text = subprocess.run([ktrace, "info", "--json", trace], check=True, capture_output=True, text=True).stdout
    info = json.loads(text)
    lost = sum(cause["calls"] for cause in info["lost"])
    if lost:
        raise SystemExit(f"bench-programs: {lost} calls of {trace} were lost")
    return info["calls"]


def programs(build, reference, python, wanted):
    openblas = os.path.dirname((glob.glob("/usr/lib/*/openblas-serial/libblas.so.3") + [""])[0])
    tools = os.path.abspath(os.path.join(build, "tests/bench"))
    known = {
        "hpl": Hpl(f"HPL, {HPL_SOLVES} x N={HPL_ORDER}", ["hpcc"], openblas),
        "demo": Program("NumPy example", [python, os.path.abspath("examples/demo.py")], openblas, 2),
        "small": Program("small calls", [tools + "/small", str(STEPS)], reference, 2),
        "calls": Calls("ddot(n=1)", [tools + "/calls", "ddot", str(DDOTS)], reference, 2),
    }
    if not shutil.which("hpcc"):
        print("HPL: not installed (apt: hpcc)")
        del known["hpl"]
    return {name: p for name, p in known.items() if not wanted or name in wanted}


def percent(ratio):
    return f"{100 * (ratio - 1):+.2f} %"


def rows(program):
    """Name, seconds, calls per second, slowdown, interval; for each measure."""
    for measure in program.pairs[0][0]:
        ratios = [traced[measure] / plain[measure] for plain, traced in program.pairs]
        plain = statistics.median(p[measure] for p, _ in program.pairs)
        interval = sign_test_interval(ratios)
        text = f"{percent(interval[0])} .. {percent(interval[1])}" if interval else "too few pairs"
        slowdown = percent(statistics.median(ratios))
        rate = f"{program.calls / plain / 1e6:9.3f}" if measure == program.name else " " * 9
        yield f"{measure:30s}{plain:7.2f} s{rate}{slowdown:>11s}  {text}"


def nanoseconds(program):
    """Added to each call: of the pairs, (median, interval)."""
    added = [1e9 * (traced[program.name] - plain[program.name]) / program.calls for plain, traced in program.pairs]
    low, high = sign_test_interval(added) or (min(added), max(added))
    return f"{program.name} {statistics.median(added):.1f} ns ({low:.1f} .. {high:.1f})"


def main(build, directory, reference, pairs, *wanted):
    shim, ktrace = (os.path.abspath(os.path.join(build, name)) for name in ("libktrace.so", "ktrace"))
    chosen = programs(build, reference, os.environ.get("PYTHON", sys.executable), wanted)
    for i in range(int(pairs)):
        for name, program in chosen.items():
            if sys.stderr.isatty():
                print(f"\r\033[Kpair {i + 1} of {pairs}: {name}", end="", file=sys.stderr, flush=True)
            for _ in range(program.repetitions):
                program.pair(directory, shim, ktrace)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    print(f"Slowdown of whole programs by full recording: medians of {pairs} pairs or twice that,\n"
          "95 % intervals (sign test)\n")
    print(f"{'':30s}{'alone':>9s}{'Mcalls/s':>9s}{'slowdown':>11s}  interval")
    for program in chosen.values():
        if program.name != "ddot(n=1)":
            print("\n".join(rows(program)))
    costs = [nanoseconds(chosen[name]) for name in ("small", "calls") if name in chosen]
    if costs:
        print(f"\nAdded to one call: {', '.join(costs)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
