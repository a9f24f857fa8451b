# SPDX-License-Identifier: BSD-3-Clause
"""Slowdown of whole programs: programs.py BUILD DIRECTORY REFERENCE_BLAS PAIRS [WAY...] [PROGRAM...]

Each program runs in pairs, traced in one of the ways and not, in random order; the pairs of different programs and ways take
turns. What counts is the ratio of the two times of a pair: its median, and the interval that the sign test gives for the
median, which assumes nothing about how disturbances are distributed."""
import glob
import importlib.util
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
# How programs are traced, and what that is called in tables.
WAYS = {"full": ({}, "as is"), "profile": ({"KTRACE_MODE": "profile"}, "profile"),
        "nested": ({"KTRACE_NESTED": "all"}, "NESTED=all")}
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
        self.pairs = {}  # {way: [({measure: seconds} not traced, and traced)]}
        self.calls = {}  # {way: how many are recorded}
        self.output = None

    def prepare(self, folder):
        pass

    def measures(self, folder, wall, cpu, output):
        return {self.name: wall, self.name + ", CPU": cpu}

    def text(self, folder, output):
        return output

    def run(self, directory, variables):
        folder = os.path.join(directory, "run")
        os.mkdir(folder)
        self.prepare(folder)
        environment = dict(os.environ, LD_LIBRARY_PATH=self.blas, OPENBLAS_NUM_THREADS="1", OMP_THREAD_LIMIT="1", **variables)
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

    def pair(self, directory, way, shim, ktrace):
        """Traced and not, in random order; the trace is looked at once."""
        trace = os.path.join(directory, "trace")
        times = {}
        for traced in random.sample([False, True], 2):
            times[traced] = self.run(directory, dict(WAYS[way][0], LD_PRELOAD=shim, KTRACE_OUT=trace) if traced else {})
            if traced and way not in self.calls:
                self.calls[way] = recorded(ktrace, trace)
            shutil.rmtree(trace, ignore_errors=True)
        self.pairs.setdefault(way, []).append((times[False], times[True]))


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


def absent(build):
    """{program: the Debian package that it needs and that is not there}"""
    needed = {
        "hpl": (shutil.which("hpcc"), "hpcc"),
        "scipy": (importlib.util.find_spec("scipy"), "python3-scipy"),
        "octave": (shutil.which("octave-cli"), "octave"),
        "r": (shutil.which("Rscript"), "r-base-core"),
        "cholmod": (os.path.exists(os.path.join(build, "tests/bench/cholesky")), "libsuitesparse-dev"),
    }
    return {name: package for name, (there, package) in needed.items() if not there}


def programs(build, reference, python, wanted):
    openblas = os.path.dirname((glob.glob("/usr/lib/*/openblas-serial/libblas.so.3") + [""])[0])
    tools = os.path.abspath(os.path.join(build, "tests/bench"))
    script = os.path.abspath("tests/bench/linalg")
    known = {
        "hpl": Hpl(f"HPL, {HPL_SOLVES} x N={HPL_ORDER}", ["hpcc"], openblas),
        "demo": Program("NumPy example", [python, os.path.abspath("examples/demo.py")], openblas, 2),
        "scipy": Program("SciPy", [python, script + ".py", "4"], openblas, 2),
        "octave": Program("Octave", ["octave-cli", "--norc", "--no-history", script + ".m"], openblas, 2),
        "r": Program("R", ["Rscript", "--vanilla", script + ".R"], openblas, 2),
        "cholmod": Program("CHOLMOD", [tools + "/cholesky", "20", "25"], openblas, 2),
        "small": Program("small calls", [tools + "/small", str(STEPS)], reference, 2),
        "calls": Calls("ddot(n=1)", [tools + "/calls", "ddot", str(DDOTS)], reference, 2),
    }
    unknown = set(wanted) - set(known)
    if unknown:
        raise SystemExit(f"bench-programs: no program or way is called {', '.join(sorted(unknown))}")
    missing = absent(build)
    chosen = {name: program for name, program in known.items() if not wanted or name in wanted}
    for name in missing.keys() & chosen.keys():
        print(f"{chosen[name].name}: skipped, needs a package that is not installed (apt: {missing[name]})")
    return {name: program for name, program in chosen.items() if name not in missing}


def ways(ktrace, wanted):
    """Those wanted that this build has."""
    variables = subprocess.run([ktrace, "env"], check=True, capture_output=True, text=True).stdout
    chosen = [way for way in WAYS if not wanted or way in wanted]
    for way in chosen:
        for variable in WAYS[way][0]:
            if not re.search(rf"^{variable} ", variables, re.MULTILINE):
                print(f"{WAYS[way][1]}: skipped, this build has no {variable}")
    return [way for way in chosen if all(re.search(rf"^{v} ", variables, re.MULTILINE) for v in WAYS[way][0])]


def percent(ratio):
    return f"{100 * (ratio - 1):+.2f} %"


def row(program, way, measure):
    """Name, way, seconds, recorded calls per second, slowdown, interval."""
    pairs = program.pairs[way]
    ratios = [traced[measure] / plain[measure] for plain, traced in pairs]
    plain = statistics.median(p[measure] for p, _ in pairs)
    interval = sign_test_interval(ratios)
    text = f"{percent(interval[0])} .. {percent(interval[1])}" if interval else "too few pairs"
    rate = f"{program.calls[way] / plain / 1e6:9.3f}" if measure == program.name else " " * 9
    return f"{measure:26s}{WAYS[way][1]:12s}{plain:7.2f} s{rate}{percent(statistics.median(ratios)):>11s}  {text}"


def rows(program):
    measures = next(iter(program.pairs.values()))[0][0]
    return [row(program, way, measure) for measure in measures for way in program.pairs]


def nanoseconds(program, way):
    """Added to each call that is recorded: of the pairs, (median, interval)."""
    added = [1e9 * (traced[program.name] - plain[program.name]) / program.calls[way] for plain, traced in program.pairs[way]]
    low, high = sign_test_interval(added) or (min(added), max(added))
    return f"{program.name} {statistics.median(added):.1f} ns ({low:.1f} .. {high:.1f})"


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def measure_all(chosen, traced, pairs, directory, shim, ktrace):
    for i in range(pairs):
        for name, program in chosen.items():
            for way in traced:
                progress(f"pair {i + 1} of {pairs}: {name}, {way}")
                for _ in range(program.repetitions):
                    program.pair(directory, way, shim, ktrace)
    progress("")


def main(build, directory, reference, pairs, *words):
    shim, ktrace = (os.path.abspath(os.path.join(build, name)) for name in ("libktrace.so", "ktrace"))
    traced = ways(ktrace, [word for word in words if word in WAYS])
    chosen = programs(build, reference, os.environ.get("PYTHON", sys.executable), [w for w in words if w not in WAYS])
    measure_all(chosen, traced, int(pairs), directory, shim, ktrace)
    print(f"Slowdown of whole programs by recording: medians of {pairs} pairs or twice that, 95 % intervals (sign\n"
          "test). As is; KTRACE_MODE=profile; KTRACE_NESTED=all\n")
    print(f"{'':38s}{'alone':>9s}{'Mcalls/s':>9s}{'slowdown':>11s}  interval")
    for program in chosen.values():
        if program.name != "ddot(n=1)":
            print("\n".join(rows(program)))
    print()
    for way in traced:
        costs = [nanoseconds(chosen[name], way) for name in ("small", "calls") if name in chosen]
        if costs:
            print(f"Added to one call, {WAYS[way][1]}: {', '.join(costs)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
