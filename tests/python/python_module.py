# SPDX-License-Identifier: BSD-3-Clause
"""share/python/ktrace.py beside what the command prints; printed as TAP.

    python_module.py KTRACE TRACE TRACE FOLDER with|without      pandas
"""
import json
import os
import subprocess
import sys

command, first, second, folder, pandas = sys.argv[1:]
sys.dont_write_bytecode = True
sys.path.insert(0, "share/python")
if pandas == "without":
    sys.modules["pandas"] = None  # importing it fails
import ktrace

ktrace.command = command
failures = 0


def same(name, expected, found):
    global failures
    print("ok" if expected == found else "not ok", "-", name, "" if pandas == "without" else "(pandas)")
    if expected != found:
        failures += 1
        print(f"#   expected: {str(expected)[:300]}\n#   found:    {str(found)[:300]}")


def printed(*arguments):
    return subprocess.run([command, *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout


def rows(table):
    if pandas == "without":
        return table
    return [{key: None if isinstance(value, float) and value != value else value for key, value in row.items()} for row in table.to_dict("records")]


def whole(records):
    """As in a frame: what only some have is null in the others."""
    if pandas == "without":
        return records
    keys = dict.fromkeys(key for record in records for key in record)
    return [{key: record.get(key) for key in keys} for record in records]


def message(function):
    try:
        function()
    except ktrace.Error as error:
        return str(error), error.status
    return "no error", 0


trace = ktrace.read(first)
calls = [json.loads(line) for line in printed("dump", "--json", first).splitlines()]
same("calls are those of dump --json", whole(calls), rows(trace.calls))
same("... all of them", True, len(calls) > 20 and len(trace.calls) == len(calls))
report = json.loads(printed("report", "--json", first))
for name in "routines", "shapes", "lines", "callers", "threads", "processes", "ranks", "regions":
    same(f"{name} are those of report --json", whole(report[name]), rows(getattr(trace, name)))
if pandas == "with":
    import pandas as pd
    same("a table is a frame", pd.DataFrame, type(trace.shapes))
    same("... with types", ("float64", "int64"), (str(trace.calls["dt"].dtype), str(trace.calls["n"].dtype)))
    same("... that sums up", round(report["seconds_blas"], 9), round(float(trace.lines["seconds"].sum()), 9))
both = ktrace.read(first, second)
same("two traces are one job", 2, len(both.processes))
same("... with the calls of both", 2 * len(calls), len(both.calls))

same("a trace shows its routines", len(report["routines"]) + 1, trace._repr_html_().count("<tr>"))
same("... escaped", "&lt;b&gt;", ktrace._cell("<b>"))
same("any verb", "ktrace.info/1", ktrace.document("info", first)["schema"])

text, status = message(lambda: ktrace.read(os.path.join(folder, "nowhere")))
same("a trace that is not there is an error with the message of ktrace", (True, 3), ("nowhere: No such file" in text and not text.startswith("ktrace:"), status))
ktrace.command = os.path.join(folder, "no-ktrace")
text, status = message(lambda: ktrace.document("info", first))
same("... and so is a command that is not there", (True, None), ("no-ktrace cannot be started" in text, status))
ktrace.command = command

program = [sys.executable, "-c", "import numpy as np; a = np.ones((20, 20)); a @ a; print('done')"]
recorded = ktrace.run(program)
path = recorded.paths[0]
same("a program is recorded", True, "dgemm" in [row["routine"] for row in recorded.report["routines"]])
del recorded
same("... and its trace goes with the object", False, os.path.exists(path))
same("a program that fails", 7, message(lambda: ktrace.run([sys.executable, "-c", "raise SystemExit(7)"]))[1])


text, status = message(lambda: ktrace.run(program, ["--no-such-option"]))
same("... and options that are wrong", (True, 2), (text.startswith("run: unknown option --no-such-option"), status))


class Shell:
    def register_magic_function(self, function, kind, name):
        self.kind, self.name, self.function = kind, name, function


shell = Shell()
ktrace.load_ipython_extension(shell)
same("the magic of a cell", ("cell", "ktrace"), (shell.kind, shell.name))
cell = shell.function("--nested all", "import numpy as np\na = np.eye(30)\nfor i in range(5):\n    np.linalg.solve(a, a)\n")
same("... records the cell", [(5, "all")], [(row["calls_top"], cell.report["nested"]["mode"]) for row in cell.report["routines"] if row["routine"] == "dgesv"])
same("... with its lines", True, ("cell.py", 4) in [(os.path.basename(row["file"] or ""), row["line"]) for row in cell.report["lines"]])
kept = os.path.join(folder, f"kept-{pandas}")
shell.function(f"-o {kept}", "import numpy as np\nnp.ones((9, 9)) @ np.ones((9, 9))\n")
same("... into a trace that is kept", True, os.path.isdir(kept))
if os.path.exists(os.path.join(os.path.dirname(command), "report.html")):
    frame = trace.html(height=300)._repr_html_()
    same("the page is in a frame", (True, True, 1), (frame.startswith("<iframe srcdoc="), 'height="300"' in frame, frame.count("<") - frame.count("</iframe>")))
sys.exit(failures != 0)
