# SPDX-License-Identifier: BSD-3-Clause
"""Recorded programs predicted from models alone: predict_programs.py KTRACE DIRECTORY RUNS BUDGET [PROGRAM...]

Each program is recorded once, on the first library. Models of each library are built for that trace, BUDGET seconds
altogether, in RUNS parts; after each part the program runs on each library, so that models and truth meet the same
machine. A row for each program and library: BLAS time as predicted from the first trace, as measured (least and median
of the runs), the part of the calls that no model knows, and for other libraries the ratio to the first. A second row
tells the errors at the pace that the kernels of the models had after each run (ktrace model predict --pace)."""
import json
import math
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
        self.seconds, self.pace = [], []

    def run(self, command, trace=None):
        trace = trace or self.base + ".trace"
        subprocess.run(["rm", "-rf", trace], check=True)
        subprocess.run([self.ktrace, "run", "--blas", self.name, "-o", trace, "--", *command], capture_output=True, check=True)
        return trace

    def build(self, trace, budget):
        subprocess.run([self.ktrace, "model", "build", *self.models, "--level", "outermost", "--budget", str(budget), trace],
                       capture_output=True, check=True)

    def predict(self, trace, *options):
        done = subprocess.run([self.ktrace, "model", "predict", *self.models, "--combine", "level", "--json", *options, trace],
                              capture_output=True, check=True)
        return json.loads(done.stdout)

    def measure(self, command):
        document = self.predict(self.run(command), "--pace", "--budget", os.environ.get("PACE", "5"))
        self.seconds.append(document["measured"])
        self.pace.append(document["pace"]["median"] if "pace" in document else math.nan)

    def at_pace(self, predicted):
        return [predicted * pace / seconds for pace, seconds in zip(self.pace, self.seconds)]


def show_at_pace(library, predicted, first):
    errors = library.at_pace(predicted)
    text = (f"    ... at pace {statistics.median(library.pace):5.2f} {'':29s} {100 * (statistics.median(errors) - 1):+13.1f} %"
            f" ({' '.join(f'{100 * (e - 1):+.1f}' for e in errors)})")
    if library is not first:
        ratios = [own / other for own, other in zip(errors, first.at_pace(first.predicted))]
        text += f" ratio {100 * (statistics.median(ratios) - 1):+.1f} %"
    print(text, flush=True)


def show(program, libraries, trace):
    first = None
    for library in libraries:
        document = library.predict(trace)
        predicted = library.predicted = document["predicted"]["seconds"]
        least, median = min(library.seconds), statistics.median(library.seconds)
        left_out = document["calls_not_predicted"] / max(document["calls_total"], 1)
        text = (f"{program:8s} {library.name:17.17s} {predicted:9.4f} {least:9.4f} {median:9.4f}"
                f"{100 * (predicted / median - 1):+7.1f} %{100 * left_out:7.2f} %")
        first = first or library
        if library is not first:
            ratio = statistics.median(own / other for own, other in zip(library.seconds, first.seconds))
            told = predicted / first.predicted
            text += f" {told:7.3f} {ratio:7.3f}{100 * (told / ratio - 1):+7.1f} %"
        print(text, flush=True)
        show_at_pace(library, predicted, first)


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
                library.measure(command)
        show(program, libraries, trace)


if __name__ == "__main__":
    main(*sys.argv[1:])
