# SPDX-License-Identifier: BSD-3-Clause
"""Is what compare predicts right? verify.py KTRACE DIRECTORY RUNS BUDGET [PROGRAM...]

Errors of the ratio: of what all calls took, and of their typical times. The last column holds what a machine with much
else to do still tells: by how much the processor time of the whole program grew, and in brackets by how much BLAS was
predicted to. Real programs are recorded, their BLAS time is predicted for every library that is here, with one thread
and with two, and then they really run on each of them, RUNS times, short ones up to three times as often (ktrace compare
--verify). A row for each program, number of threads and library: predicted and measured ratio to the library that the
program was recorded with, and the error of the one. Below them, what each correction does to the errors (ablation.py)."""
import json
import os
import shutil
import statistics
import subprocess
import sys
import time

import ablation

LAPACK_TESTS = "/usr/lib/x86_64-linux-gnu/lapack"

SCIPY = """
import numpy as np, scipy.linalg as la
g = np.random.default_rng(1)
a = g.standard_normal((300, 300)); s = a @ a.T + 300 * np.eye(300)
for i in range(8):
    la.eigh(s, subset_by_index=[0, 9]); la.cho_solve(la.cho_factor(s), a); la.lu_factor(a); la.qr(a, mode="economic")
    la.svd(a[:, :60], full_matrices=False); la.expm(a / 30); la.lstsq(a, a[:, :4])
"""
OCTAVE = """
rand("seed", 1); a = rand(400); s = a * a' + 400 * eye(400);
for i = 1:6, x = s \\ a; e = eig(s); l = chol(s); y = a * x; [u, d, v] = svd(a(:, 1:80), 0); z = a(:, 1)' * y; end
"""
R = """
set.seed(1); a <- matrix(rnorm(160000), 400); s <- crossprod(a) + diag(400)
for (i in 1:6) { x <- solve(s, a); e <- eigen(s, TRUE, TRUE); l <- chol(s); y <- a %*% x; v <- svd(a[, 1:80]); f <- qr.solve(a, y[, 1]) }
"""
EIGENVALUES = """SEP:  symmetric eigenvalue problems
2
100 130
1
32
2
48
5000.0
T
T
F
1
SEP 21
"""


def programs(directory):
    """Name: command, or None if it is not installed."""
    sys.path.insert(0, os.path.dirname(__file__))
    from programs import HPL_INPUT
    python, files = os.environ.get("PYTHON", "/usr/bin/python3"), {
        "use_scipy.py": SCIPY, "octave.m": OCTAVE, "r.R": R, "sep.in": EIGENVALUES,
        "hpccinf.txt": HPL_INPUT.format(solves=2, orders="1200 1200")}
    for name, text in files.items():
        with open(os.path.join(directory, name), "w", encoding="ascii") as file:
            file.write(text)

    def at(name):
        return os.path.join(directory, name)

    def given(name):
        return os.path.join(os.path.dirname(os.path.abspath(__file__)), "verify", name)
    # The molecules of one cell, repeated: 4 of them have 12 ms of BLAS, 18 have 180.
    with open(given("water.inp"), encoding="ascii") as few, open(at("water18.inp"), "w", encoding="ascii") as many:
        many.write(few.read().replace("MULTIPLE_UNIT_CELL 2 2 1", "MULTIPLE_UNIT_CELL 3 3 2"))
    # Of Debian's libsuitesparse-dev; where that is not installed there is no program either.
    subprocess.run(["gcc", "-O2", "-I/usr/include/suitesparse", "-o", at("sparse_cholesky"), given("sparse_cholesky.c"),
                    "-lcholmod"], capture_output=True)
    found = {
        "NumPy": [python, os.path.abspath("examples/demo.py")],
        "SciPy": [python, at("use_scipy.py")],
        "Octave": ["octave-cli", "--norc", "--no-history", at("octave.m")],
        "R": ["Rscript", "--vanilla", at("r.R")],
        "HPL": ["sh", "-c", f"cd '{directory}' && exec hpcc"],
        "CHOLMOD": [at("sparse_cholesky")],
        "CP2K": ["sh", "-c", f"cd '{directory}' && exec cp2k -i '{given('water.inp')}'"],
        "CP2K-18": ["sh", "-c", f"cd '{directory}' && exec cp2k -i '{at('water18.inp')}'"],
        "Kalman": [python, given("kalman.py")],
        "process": [python, given("gaussian_process.py")],
        "squares": [python, given("least_squares.py")],
        "components": ["Rscript", "--vanilla", given("components.R")],
        "Riccati": ["octave-cli", "--norc", "--no-history", given("riccati.m")],
        "eigenvalues": ["sh", "-c", f"exec {LAPACK_TESTS}/xeigtstd <'{at('sep.in')}'"],
    }
    needed = {"eigenvalues": LAPACK_TESTS + "/xeigtstd", "HPL": "hpcc", "CP2K": "cp2k", "CP2K-18": "cp2k"}
    missing = [n for n in found if not shutil.which(needed.get(n, found[n][0]))]
    if subprocess.run([python, "-c", "import scipy"], capture_output=True).returncode:
        missing += ["SciPy", "process"]
    for name in missing:
        print(f"{name}: not installed")
    return {n: c for n, c in found.items() if n not in missing}


def libraries(ktrace):
    """Those named in LIBRARIES, or all that have 32-bit integers."""
    if os.environ.get("LIBRARIES"):
        return os.environ["LIBRARIES"].split()
    text = subprocess.run([ktrace, "info", "--libraries", "--json"], capture_output=True, text=True).stdout
    return [l["name"] for l in json.loads(text)["libraries"] if l["usable"] and l["int_bits"] == 32 and "/" not in l["name"]]


def runs_of(command, runs):
    """The shorter a program, the more one of its runs is an accident."""
    start = time.monotonic()
    subprocess.run(command, capture_output=True)
    return str(max(int(runs), min(3 * int(runs), int(15 / (time.monotonic() - start)))))


def verify(ktrace, command, names, threads, runs, budget):
    arguments = [ktrace, "compare", "--json", "--verify", "--store", "none", "--runs", runs_of(command, runs), "--budget", budget,
                 "--threads", str(threads)]
    for name in names:
        arguments += ["--blas", name]
    done = subprocess.run(arguments + ["--", *command], capture_output=True, text=True)
    if not done.stdout:
        print(f"   {done.stderr.strip().splitlines()[-1:]}")
        return None
    return json.loads(done.stdout)


def show(program, threads, document, rows):
    first = document["verify"]["libraries"][0]
    for library in document["verify"]["libraries"][1:]:
        if library["failed"] or library["error"] is None or library["ratio_measured"]["value"] is None:
            print(f"{program:12s} {threads}  {library['name']:18.18s} {library['failed'] or 'no ratio'}")
            continue
        measured = library["ratio_measured"]
        interval = f"{measured['lo']:.3f}..{measured['hi']:.3f}"
        print(f"{program:12s} {threads}  {library['name']:18.18s}{library['ratio_predicted']:9.3f}{measured['value']:9.3f}"
              f"  {interval:16s}{100 * library['error']:+6.1f} %{100 * library['error_typical']:+6.1f} %"
              f"{library['program_cpu']['median'] - first['program_cpu']['median']:+7.2f} ({library['predicted'] - first['predicted']:+.2f})",
              flush=True)
        rows.append((abs(library["error"]), abs(library["error_typical"])))


def main(ktrace, directory, runs, budget, *wanted):
    names, rows, orders, documents = libraries(ktrace), [], [], []
    print(f"Predicted and measured BLAS time, as multiples of the recorded library's\n{runs} runs on each (short programs: "
          f"up to {3 * int(runs)}), {budget} s of replay; {', '.join(names)}\n")
    print(f"{'program':12s} {'t':2s} {'library':18s}{'predicted':>9s}{'measured':>9s}  {'95 % interval':16s}{'error':>8s}{'typical':>8s}  CPU s")
    for program, command in programs(directory).items():
        for threads in map(int, os.environ.get("THREADS", "1 2").split()):
            document = verify(ktrace, command, names, threads, runs, budget) if not wanted or program in wanted else None
            if document:
                documents.append(document)
                orders.append(document["verify"]["order_is_right"])
                show(program, threads, document, rows)
    if rows:
        for what, errors in zip(("all calls took", "calls typically take"), map(sorted, zip(*rows))):
            print(f"{len(errors)} pairs, error of the ratio of what {what}: {100 * statistics.median(errors):.1f} % in the "
                  f"median, {100 * errors[-1]:.1f} % at worst")
        print(f"order of the libraries right in {sum(orders)} of {len(orders)}")
    ablation.show(documents)


if __name__ == "__main__":
    main(*sys.argv[1:])
