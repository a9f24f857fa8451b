# SPDX-License-Identifier: BSD-3-Clause
"""What the scripts of this folder share: options, commands of ktrace, pictures, and a result for the index.

A script makes one or more figures. Each has claims: what the paper says, what was found here, and whether both agree
(True, False, or None: cannot tell). What was found is computed from the JSON that ktrace printed.
"""
import argparse
import json
import os
import shlex
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Missing(Exception):
    """Something that a figure needs is not on this machine."""


def arguments(about, budget, quick):
    """The options of a script. budget, quick: seconds of measuring that it gets if --budget does not say otherwise."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help=f"fewer and smaller sizes; about {quick} s instead of {budget} s")
    parser.add_argument("--budget", type=float, metavar="SECONDS", help="seconds of measuring")
    parser.add_argument("-o", "--output", default="figures", metavar="FOLDER", help="where pictures, data and results go")
    options = parser.parse_args()
    if options.budget is None:
        options.budget = quick if options.quick else budget
    if options.budget <= 0:
        parser.error("--budget is a number of seconds above 0")
    os.makedirs(options.output, exist_ok=True)
    return options


class Machine:
    """Runs ktrace: each command is shown before it runs, and kept for the index."""

    def __init__(self, folder):
        self.folder = folder
        self.kt = os.path.join(ROOT, os.environ.get("B", "build"), "ktrace")
        self.commands = []
        if not os.access(self.kt, os.X_OK):
            raise Missing(f"{self.kt} is not there; make builds it")
        self.environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, words, quiet=False):
        words = [str(word) for word in words]
        shown = shlex.join(["ktrace" if word == self.kt else word for word in words])
        if not quiet:
            self.commands.append(shown)
            print(f"  {shown}", file=sys.stderr, flush=True)
        done = subprocess.run(words, stdout=subprocess.PIPE, env=self.environment, text=True, check=False,
                              stderr=subprocess.DEVNULL if quiet else None)
        if done.returncode:
            raise Missing(f"status {done.returncode} of {shown}")
        return done.stdout

    def json(self, *words, name=None, quiet=False):
        """The document that ktrace WORDS --json prints; kept as NAME.json."""
        text = self.run([self.kt, *words, "--json"], quiet)
        if name:
            with open(self.path(f"{name}.json"), "w", encoding="utf-8") as file:
                file.write(text)
        return json.loads(text)

    def probed(self):
        """Roofs and caches must be known; an earlier probe will do."""
        try:
            return self.json("probe", "--show", quiet=True)
        except Missing:
            return self.json("probe", "--quick")

    def installed(self, name):
        """What ktrace knows of a library, or None."""
        return next((library for library in self.json("info", "--libraries", quiet=True)["libraries"] if library["name"] == name), None)

    def library(self, name):
        """For people: its version, and the processor that its kernels are for."""
        known = self.installed(name)
        if not known:
            raise Missing(f"the library {name} is needed; make setup-libraries installs it")
        return f"{name} {known.get('number') or ''}, kernels for {known.get('kernel') or 'an unknown processor'}"

    def file_of(self, name, which):
        """The file with "blas" or "lapack" of an installed library, or None."""
        known = self.installed(name)
        return known and known["files"][0 if which == "blas" else -1]

    def lapack(self):
        """(files, words): the reference LAPACK, whose block sizes can be set, on the fastest BLAS that is one file of its own."""
        lapack = self.file_of("reference", "lapack")
        if not lapack:
            raise Missing("the reference LAPACK is needed (Debian: liblapack3)")
        openblas = self.file_of("openblas-serial", "blas")
        beside = openblas and os.path.join(os.path.dirname(openblas), "libblas.so.3")
        if beside and os.path.exists(beside):
            return f"{beside},{lapack}", "the reference LAPACK on OpenBLAS"
        return "reference", "the reference LAPACK and BLAS"


class Figure:
    """One figure of a paper, as it is drawn here."""

    def __init__(self, machine, name, paper, title):
        self.machine, self.name = machine, name
        self.result = {"name": name, "paper": paper, "title": title, "pictures": [], "claims": [], "tables": [], "notes": []}
        self.began = time.monotonic()
        print(f"{paper}: {title}", file=sys.stderr, flush=True)

    def picture(self, file):
        if os.path.exists(self.machine.path(file)):
            self.result["pictures"].append(file)
        else:
            self.note(f"{file} was not drawn: gnuplot (Debian: gnuplot-nox) is needed.")

    def claim(self, says, found, agrees):
        self.result["claims"].append({"says": says, "found": found, "agrees": agrees})

    def table(self, head, rows):
        self.result["tables"].append({"head": head, "rows": [[str(cell) for cell in row] for row in rows]})

    def note(self, text):
        self.result["notes"].append(text)

    def draw(self, name, settings, plots, rows):
        """Rows of numbers (None: no value) as NAME.dat; a picture NAME.svg by gnuplot, whose script NAME.gp is kept too."""
        base = self.machine.path(name)
        with open(f"{base}.dat", "w", encoding="utf-8") as file:
            file.writelines(" ".join("?" if cell is None else f"{cell:.6g}" for cell in row) + "\n" for row in rows)
        script = ["set encoding utf8", "set datafile missing '?'", "set terminal svg size 760,440 font 'sans-serif,12' background 'white'",
                  f"set output '{base}.svg'", "set grid lc rgb '#dddddd' lt 1 lw 0.6", "set border 3", "set tics nomirror out",
                  "set key above noenhanced", "set title noenhanced", *settings,
                  "plot " + ", ".join(f"'{base}.dat' {plot}" for plot in plots)]
        with open(f"{base}.gp", "w", encoding="utf-8") as file:
            file.write("\n".join(script) + "\n")
        try:
            subprocess.run(["gnuplot", f"{base}.gp"], check=True)
        except (OSError, subprocess.CalledProcessError):
            pass
        self.picture(f"{name}.svg")

    def save(self):
        self.result["commands"] = self.machine.commands
        self.machine.commands = []
        self.result["seconds"] = time.monotonic() - self.began
        with open(self.machine.path(f"{self.name}.figure.json"), "w", encoding="utf-8") as file:
            json.dump(self.result, file, indent=1)
        for claim in self.result["claims"]:
            print(f"  paper: {claim['says']}\n  here:  {claim['found']}\n         {verdict(claim['agrees'])}", flush=True)


def verdict(agrees):
    return {True: "agrees", False: "does not agree", None: "cannot tell"}[agrees]


def percent(part):
    return f"{100 * part:.1f} %"


def main(make, about, budget, quick):
    """Runs make(machine, options); what is missing ends it with status 3."""
    options = arguments(about, budget, quick)
    try:
        make(Machine(options.output), options)
    except Missing as missing:
        print(f"{os.path.basename(sys.argv[0])}: {missing}", file=sys.stderr)
        sys.exit(3)
