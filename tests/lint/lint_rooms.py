# SPDX-License-Identifier: BSD-3-Clause
"""The arrows between the folders of trace/, replay/ and model/; printed as TAP.

The table goes from below to above: a folder may include itself, what stands behind its name, and all that those may. It
names only folders above its own line, so there is no circle.
"""
import re
import sys

from lint import check, sources, status, text_of

ROOMS = """
trace/base:
trace/files: trace/base
trace/library: trace/base
trace/print: trace/library
trace/table: trace/base
trace/generate: trace/table
trace/read: trace/files trace/table
trace/shape: trace/print trace/read
trace/command: trace/shape
trace/export: trace/command
trace/verbs: trace/export
model/tracker: trace/shape
replay/machine: trace/command model/tracker
replay/call: replay/machine
replay/flush: replay/machine
replay/measure: replay/call replay/flush
replay/store: replay/measure
replay/setup: replay/store
replay/sequence: replay/setup
replay/result: replay/sequence
replay/right: replay/result
replay/unusual: replay/right
replay/compare: replay/unusual
replay/again: replay/compare
replay/repro: replay/call
replay/advise: replay/compare
replay/distill: replay/sequence
replay/workloads: replay/compare
replay/verbs: replay/again replay/repro replay/advise replay/distill replay/workloads
model/analysis: trace/base
model/loops: model/analysis
model/probe: trace/command model/loops
model/summary: trace/command
model/decomposition: model/summary model/tracker
model/report: model/decomposition
model/kernels: replay/setup
model/build: model/kernels
model/algorithm: replay/setup
model/predict: model/algorithm model/kernels
model/roofline: model/probe model/decomposition replay/setup
model/plot: model/roofline
model/html: model/report model/roofline
model/verbs: model/html model/build model/predict model/plot
"""
# The command links the verbs of all modules.
SEES_ALL = {"trace/verbs/main.c"}
# Of replay, models see these headers only.
DOORS = {"replay/setup/timing.h", "replay/setup/kernel_exam.h", "replay/machine/caches.h"}
# Pointers through which a folder calls what no #include shows: who sets each of them.
POINTERS = {"kt_placements": "trace/verbs/main.c",  # replay/setup calls model/tracker
            "kt_merge_results": "trace/verbs/main.c", "kt_merge_stores": "trace/verbs/main.c"}  # trace/verbs calls replay
HEAD = 10  # lines of a README

table = dict(line.split(":") for line in ROOMS.split("\n") if line)
may = {}
unordered = []
for room, names in table.items():
    may[room] = {room}
    for name in names.split():
        if name not in may:
            unordered.append(f"{room}: {name} does not stand above it")
        may[room] |= may.get(name, {name})
check("the arrows between folders have no circle", unordered)

files = sources("trace", "replay", "model")
code = [path for path in files if path.endswith((".c", ".h"))]


def room_of(path):
    return path.rpartition("/")[0]


check("every source lies in a folder of the table", [path for path in code if room_of(path) not in may])
check("every folder of the table has sources", sorted(set(may) - {room_of(path) for path in code}))

arrows, doors = [], []
for path in code:
    if path in SEES_ALL:
        continue
    for included in re.findall(r'^#include "((?:trace|replay|model|preload)/.*?)"', text_of(path), re.M):
        if room_of(included) not in may.get(room_of(path), set()):
            arrows.append(f"{path} includes {included}")
        if path.startswith("model/") and included.startswith("replay/") and included not in DOORS:
            doors.append(f"{path} includes {included}")
check("arrows between folders are those of the table", arrows)
check("model reaches replay through narrow headers", doors)

found = {}
for path in (path for path in code if path.endswith(".h")):
    for name in re.findall(r"^extern (?!const )[^;(]*\b(\w+)(?:\[\w*\])?;", text_of(path), re.M):
        found[name] = path
check("pointers that others set are listed", sorted(set(found) ^ set(POINTERS)))
check("they are set where the list says", [f"{name}: {path}" for name, path in POINTERS.items() if f"{name} = " not in text_of(path)])

wrong = []
for room, names in table.items():
    path = f"{room}/README.md"
    text = text_of(path) if path in files else ""
    if f"May include: {names.strip() or 'nothing'}" not in text:
        wrong.append(f"{path}: no line 'May include: {names.strip() or 'nothing'}'")
    if text.count("\n") > HEAD:
        wrong.append(f"{path}: above {HEAD} lines")
    wrong += [f"{path}: {name} is not there" for name in re.findall(r"\b[a-z_]+\.[ch]\b", text) if f"{room}/{name}" not in files]
check("the README of each folder says what is true", wrong)
sys.exit(status())
