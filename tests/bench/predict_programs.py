# SPDX-License-Identifier: BSD-3-Clause
"""Recorded programs predicted from models alone: predict_programs.py KTRACE DIRECTORY RUNS BUDGET [PROGRAM...]

Each program is recorded once, on the first library. Models of each library are built for that trace, BUDGET seconds
altogether, in RUNS parts; after each part the program runs on each library, so that models and truth meet the same
machine. A row for each program and library: BLAS time as predicted from the first trace, as measured (least and median
of the runs), the part of the calls that no model knows, and for other libraries the ratio to the first."""
import json
import os
import statistics
import subprocess
import sys

from verify import programs


class Library:
    def __init__(self, ktrace, directory, program, name):
        self.ktrace, self.name = ktrace, name
        self.base = os.path.join(directory, f"{program}-{name.replace('/', '_')}")
        self.models = ["--blas", name, "--models", self.base + ".json"]
        self.seconds = []

    def run(self, command, trace=None):
        trace = trace or self.base + ".trace"
        subprocess.run(["rm", "-rf", trace], check=True)
        subprocess.run([self.ktrace, "run", "--blas", self.name, "-o", trace, "--", *command], capture_output=True, check=True)
        return trace

    def build(self, trace, budget):
        subprocess.run([self.ktrace, "model", "build", *self.models, "--level", "outermost", "--budget", str(budget), trace],
                       capture_output=True, check=True)

    def predict(self, trace):
        done = subprocess.run([self.ktrace, "model", "predict", *self.models, "--combine", "level", "--json", trace],
                              capture_output=True, check=True)
        return json.loads(done.stdout)


def show(program, libraries, trace):
    first = None
    for library in libraries:
        document = library.predict(trace)
        predicted = document["predicted"]["seconds"]
        least, median = min(library.seconds), statistics.median(library.seconds)
        left_out = document["calls_not_predicted"] / max(document["calls_total"], 1)
        text = (f"{program:8s} {library.name:17.17s} {predicted:9.4f} {least:9.4f} {median:9.4f}"
                f"{100 * (predicted / median - 1):+7.1f} %{100 * left_out:7.2f} %")
        first = first or (predicted, library.seconds)
        if library is not libraries[0]:
            ratio = statistics.median(own / other for own, other in zip(library.seconds, first[1]))
            text += f" {predicted / first[0]:7.3f} {ratio:7.3f}{100 * (predicted / first[0] / ratio - 1):+7.1f} %"
        print(text, flush=True)


def main(ktrace, directory, runs, budget, *wanted):
    names = os.environ.get("LIBRARIES", "openblas-serial reference").split()
    print(f"BLAS time in s, {runs} runs on each library, models of {budget} s each")
    print(f"{'program':8s} {'library':17s} {'predicted':>9s} {'least':>9s} {'median':>9s} {'error':>8s} {'unknown':>8s} {'ratio':>8s} {'meas.':>7s}   error")
    for program, command in programs(directory).items():
        if program not in (wanted or ("NumPy", "HPL", "Octave")):
            continue
        libraries = [Library(ktrace, directory, program, name) for name in names]
        trace = libraries[0].run(command, os.path.join(directory, program + ".trace"))
        for _ in range(int(runs)):
            for library in libraries:
                library.build(trace, float(budget) / int(runs))
                library.seconds.append(library.predict(library.run(command))["measured"])
        show(program, libraries, trace)


if __name__ == "__main__":
    main(*sys.argv[1:])
