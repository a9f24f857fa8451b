#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The tables of doc/papers.md and doc/papers_machine.md beside what there is. Usage: papers.py KTRACE FILE...

Prints a line for each row of which a file, a test or a command is not there, or whose state says too little.
"""
import os
import re
import subprocess
import sys

from documents import Command, options_wrong, text_of

HEAD = ["section", "item", "where", "command", "test", "state"]


def rows_of(path):
    """(heading, cells) of each row of the tables with that head."""
    heading, inside = "", False
    for line in text_of(path).splitlines():
        if line.startswith("## "):
            heading = line[3:]
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("| ") else []
        if cells == HEAD:
            inside = True
        elif not line.startswith("|"):
            inside = False
        elif inside and cells:
            yield heading, cells


def code(cell):
    """What a cell of one code span holds, or None."""
    found = re.fullmatch(r"`([^`]+)`", cell)
    return found and found[1]


def test_wrong(cell):
    """make check finds unit tests by their names, scripts by the line that says what they take."""
    name = code(cell)
    if name and name.startswith("test_"):
        return None if os.path.exists(f"tests/unit/{name}.c") else f"there is no unit test {name}"
    path = f"tests/{name}"
    if not name or not os.path.exists(path):
        return f"there is no test {cell}"
    return None if re.search(r"^# check: (fast|slow), \d+ s$", text_of(path), re.M) else f"make check does not run {path}"


def target_wrong(name):
    """make bench-NAME runs tests/bench/NAME.sh; make help lists all others."""
    bench = re.fullmatch(r"bench-(\w+)", name)
    listed = subprocess.run(["make", "-s", "help"], capture_output=True, text=True, check=True).stdout
    there = os.path.exists(f"tests/bench/{bench[1]}.sh") if bench else re.search(rf"^make {re.escape(name)}\b(?!-)", listed, re.M)
    return None if there else f"make has no target {name}"


def command_wrong(cell, command):
    line = code(cell)
    words = line.split() if line else [""]
    if words[0] == "ktrace":
        verb = words[1] if len(words) > 1 else ""
        if verb not in command.verbs:
            return f"there is no verb {verb}"
        if verb == "model" and (len(words) < 3 or words[2] not in command.parts):
            return f"there is no such part of model: {line}"
        short = [word for word in words if re.fullmatch(r"-\w", word)]
        known = command.help(*(words[1:3] if verb == "model" else [verb]))
        wrong = [word for word in short if not re.search(rf"^ +{word}[, ]", known, re.M)]
        return next(options_wrong("", line, command), None) or (f"{wrong[0]} is no option: {line}" if wrong else None)
    if words[0] == "make":
        return target_wrong(words[1])
    if not os.access(words[0], os.X_OK):
        return f"there is no program {cell}"
    status = subprocess.run([words[0], "--help"], stdout=subprocess.DEVNULL, check=False).returncode
    return f"status {status} of {line} --help" if status else None


def state_wrong(cell):
    return None if re.fullmatch(r"done\b.*|(part|not): .{20,}", cell) else f"no state, or one without a reason: {cell}"


def row_wrong(cells, command):
    if len(cells) != len(HEAD):
        return [f"{len(cells)} cells"]
    found = [f"there is no file {cells[2]}"] if not (code(cells[2]) and os.path.isfile(code(cells[2]))) else []
    return found + [wrong for wrong in (command_wrong(cells[3], command), test_wrong(cells[4]), state_wrong(cells[5])) if wrong]


def main(ktrace, paths):
    command = Command(ktrace)
    count = {}
    for path in paths:
        for heading, cells in rows_of(path):
            count[heading] = count.get(heading, 0) + 1
            for wrong in row_wrong(cells, command):
                print(f"{path}: {heading.split(':')[0]}: {cells[1] if len(cells) > 1 else cells}: {wrong}")
    print("items:", *count.values())


main(sys.argv[1], sys.argv[2:])
