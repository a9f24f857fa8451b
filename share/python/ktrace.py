# SPDX-License-Identifier: BSD-3-Clause
"""Traces of ktrace in Python, and in Jupyter.

    import ktrace
    t = ktrace.read("app.trace")
    t.routines, t.shapes, t.lines, t.calls

Tables are data frames of pandas if that can be imported, lists of dicts otherwise. All is read through `ktrace ... --json`:
`ktrace help --json-schema report` and `dump` tell what the columns mean. In Jupyter a trace shows its table of routines, and
`t.html()` the page of `ktrace report --html`. After `%load_ext ktrace`, a cell that begins with `%%ktrace` is run as a
program of its own, recorded, and returns its trace.
"""
import argparse
import html
import json
import os
import shlex
import subprocess
import sys
import tempfile

_beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "bin", "ktrace")
# What is started; of the installation that this file belongs to, or whatever PATH has. May be set.
command = os.path.normpath(_beside) if os.access(_beside, os.X_OK) else "ktrace"


class Error(Exception):
    """What ktrace said when it could not do what was asked; .status is its exit status."""

    def __init__(self, message, status=None):
        super().__init__(message)
        self.status = status


def _start(arguments, **options):
    try:
        return subprocess.Popen([command, *arguments], stdout=subprocess.PIPE, text=True, encoding="utf-8", **options)
    except OSError as error:
        raise Error(f"{command} cannot be started: {error.strerror}; set ktrace.command") from error


def _output(arguments):
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
        with _start(arguments, stderr=said) as process:
            out = process.stdout.read()
        said.seek(0)
        if process.returncode:
            message = said.read().strip().removeprefix("ktrace: ")
            raise Error(message or f"ktrace {arguments[0]} ended with status {process.returncode}", process.returncode)
    return out


def document(verb, *arguments):
    """What `ktrace VERB --json ARGUMENT...` prints."""
    return json.loads(_output([verb, "--json", *map(str, arguments)]))


def _table(rows):
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


class Page:
    """A page that shows itself in Jupyter; .text is the file."""

    def __init__(self, text, height):
        self.text = text
        self.height = height

    def _repr_html_(self):
        return f'<iframe srcdoc="{html.escape(self.text)}" width="100%" height="{int(self.height)}" sandbox="allow-scripts"></iframe>'


def _list_of_report(name, what):
    return property(lambda self: _table(self.report[name]), doc=what)


class Trace:
    """One or several traces as one job. They are read when a table is first asked for."""

    routines = _list_of_report("routines", "Calls and time of each routine.")
    shapes = _list_of_report("shapes", "Outermost calls by routine, options and sizes; after a replay with its times.")
    lines = _list_of_report("lines", "Outermost calls by line of the program.")
    callers = _list_of_report("callers", "Outermost calls by the instruction that makes them.")
    threads = _list_of_report("threads", "Calls and time of each thread.")
    processes = _list_of_report("processes", "Calls and time of each process.")
    ranks = _list_of_report("ranks", "Calls and time of each rank of a parallel job.")
    regions = _list_of_report("regions", "Calls and time in the parts that the program named.")

    def __init__(self, paths, folder=None):
        self.paths = [os.fspath(path) for path in paths]
        self._folder = folder  # lives as long as the trace
        self._report = None

    @property
    def report(self):
        """The document of `ktrace report --json`."""
        if self._report is None:
            self._report = document("report", *self.paths)
        return self._report

    @property
    def calls(self):
        """Every recorded call, as `ktrace dump --json` prints it."""
        return _table([json.loads(line) for path in self.paths for line in _output(["dump", "--json", path]).splitlines()])

    def html(self, height=700):
        """The page of `ktrace report --html`."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.html")
            _output(["report", "--html", path, *self.paths])
            with open(path, encoding="utf-8") as file:
                return Page(file.read(), height)

    def __repr__(self):
        return f"ktrace.read({', '.join(map(repr, self.paths))})"

    def _repr_html_(self):
        names = ["routine", "calls", "calls_top", "seconds", "seconds_self", "gflops"]
        head = "".join(f"<th>{name}</th>" for name in names)
        rows = "".join("<tr>" + "".join(f"<td>{_cell(row[name])}</td>" for name in names) + "</tr>" for row in self.report["routines"])
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _cell(value):
    if value is None:
        return ""
    return html.escape(f"{value:.4g}" if isinstance(value, float) else str(value))


def read(*paths):
    """The trace at that path, or several as one job; an Error if there is none."""
    if not paths:
        raise TypeError("read() expects the path of a trace")
    trace = Trace(paths)
    document("info", *trace.paths)
    return trace


def run(program, options=(), output=None):
    """Runs a command line, a list, under `ktrace run OPTION...`, prints what it prints, and returns its trace. Without
    OUTPUT the trace is gone when nothing refers to it."""
    folder = None if output else tempfile.TemporaryDirectory()
    path = os.fspath(output) if output else os.path.join(folder.name, "trace")
    with _start(["run", *options, "-o", path, "--", *map(str, program)], stderr=subprocess.STDOUT, errors="replace") as process:
        line = ""
        for line in process.stdout:
            print(line, end="")
    if process.returncode:
        message = f"{shlex.join(map(str, program))} ended with status {process.returncode}"
        if line.startswith("ktrace: run: "):  # it was not started
            message = line.strip().removeprefix("ktrace: ")
        raise Error(message, process.returncode)
    return Trace([path], folder)


def _cell_magic(line, cell):
    """%%ktrace [-o TRACE] [OPTION OF ktrace run]...: runs the cell as a program of its own and returns its trace."""
    parser = argparse.ArgumentParser("%%ktrace", add_help=False, allow_abbrev=False)
    parser.add_argument("-o", dest="output")
    given, options = parser.parse_known_args(shlex.split(line))
    folder = tempfile.TemporaryDirectory()
    script = os.path.join(folder.name, "cell.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(cell)
    trace = run([sys.executable, script], options, given.output or os.path.join(folder.name, "trace"))
    trace._folder = folder
    return trace


def load_ipython_extension(shell):
    """%load_ext ktrace"""
    shell.register_magic_function(_cell_magic, "cell", "ktrace")
