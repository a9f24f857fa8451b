# SPDX-License-Identifier: BSD-3-Clause
"""README.md of the workloads that are here: table.py KTRACE <LIST, of name|what it does|packages|command."""
import json
import os
import subprocess
import sys

HEAD = """# Workloads

Files that stand for what programs call ([distill.md](../../doc/distill.md)), as a benchmark for BLAS libraries
([workloads.md](../../doc/workloads.md)). [make.sh](make.sh) writes them, and this page; `make workloads` calls it.

    ktrace compare --workloads examples/workloads --blas openblas --blas blis

"""
NONE = "There are none here yet.\n"
TABLE = """| workload | program | packages | size | calls | single | covered | verdict: time, ratio |
|---|---|---|--:|--:|--:|--:|---|
"""
TAIL = """
calls: outermost ones of the program, with one thread; single: those that are in the file one by one; covered: part of the
recorded time that a replay of the file has. Verdict: how far the time of the workload's replay is from that of the whole trace's,
and how far the ratio between two libraries is; medians of three replays of each, with their range (`ktrace distill --show FILE`
has it by routine). The ratio is that of {ratio}.
"""


def per_cent(estimate):
    """+1.2 % (-0.3 to +2.0)"""
    if estimate["value"] is None:
        return "n/a"
    return "{value:+.1f} % ({lo:+.1f} to {hi:+.1f})".format(**{k: 100 * estimate[k] for k in ("value", "lo", "hi")})


def row(ktrace, name, what, packages):
    file = name + ".ktw"
    said = json.loads(subprocess.run([ktrace, "distill", "--show", "--json", file], check=True, capture_output=True).stdout)
    verdict, found, covered = said["verdict"], "none", "n/a"
    if verdict:
        time, ratio = verdict["libraries"][0]["time_difference"], verdict["libraries"][1]["ratio_difference"]
        found, covered = f"{per_cent(time)}, {per_cent(ratio)}", f"{100 * verdict['coverage_workload']:.0f} %"
    cells = [f"[{name}]({file})", what, packages, f"{os.path.getsize(file) / 1e3:.0f} KB", f"{said['calls']:,}",
             f"{said['calls_single']:,}", covered, found]
    return "| " + " | ".join(cells) + " |", verdict


rows, libraries = [], set()
for line in sys.stdin:
    name, what, packages, _ = line.split("|", 3)
    if os.path.exists(name + ".ktw"):
        text, verdict = row(sys.argv[1], name, what, packages)
        rows.append(text)
        libraries |= {" to ".join(one["library"] for one in verdict["libraries"][1::-1])} if verdict else set()
found = TABLE + "\n".join(rows) + "\n" + TAIL.format(ratio=", ".join(sorted(libraries)) or "no libraries")
print(HEAD + (found if rows else NONE), end="")
