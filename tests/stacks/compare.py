#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Are the paths of a trace's calls what gdb's backtrace said? Usage: compare.py LOG DUMP CSV: of unwind.gdb.py, of
`ktrace dump --json` and of `ktrace export`. Functions and lines, inlined ones included, are compared where both know them,
and offsets in files always. Programs with threads: as many calls of each path, in any order."""
import csv
import json
import os
import re
import sys


def bare(name):
    """gdb says in which namespace and class a function is, and of which types; the C library's have several names."""
    name = name.replace("operator()", "call")
    while re.search(r"<[^<>]*>", name):
        name = re.sub(r"<[^<>]*>", "", name)
    return re.sub("^(__GI_)?_*", "", name.split("(")[0].split("::")[-1].split("@")[0])


def gdb_call(frames):
    named = tuple((bare(function) if line else None, file, line) for function, file, line, *_ in frames)
    return named, tuple((path, offset) for _, _, _, path, offset, is_inlined in frames if not is_inlined)


def our_frame(text):
    function, where = re.fullmatch(r"(.*) \((.*?)\)", text).groups()
    file, _, line = where.rpartition(":")
    return (bare(function), file, int(line)) if file else (None, None, None)


def our_call(call, path):
    found = [(os.path.basename(os.path.realpath(f["object"])), int(f["offset"], 16)) for f in call["stack"]]
    return tuple(our_frame(text) for text in reversed(path.split(";"))), tuple(found)


log, dump, table = sys.argv[1:]
with open(log, encoding="utf-8") as file:
    expected = [gdb_call(json.loads(line)) for line in file]
with open(dump, encoding="utf-8") as file:
    calls = [call for call in map(json.loads, file) if call["depth"] == 0]
with open(table, encoding="utf-8") as file:
    paths = [row["path"] for row in csv.DictReader(file) if row["depth"] == "0"]
ours = [our_call(call, path) for call, path in zip(calls, paths)]
if len({call["tid"] for call in calls}) > 1:
    expected, ours = (sorted(x, key=repr) for x in (expected, ours))
if len(expected) == len(ours):  # what called main() is not shown, of a Fortran program nor is main() itself
    ours = [(named[:len(their[0])], found[:len(their[1])]) for (named, found), their in zip(ours, expected)]
differ = [pair for pair in zip(expected, ours) if pair[0] != pair[1]]
for theirs, own in differ[:3]:
    print("gdb:   ", theirs)
    print("ktrace:", own)
print(f"{len(calls)} calls, {len(differ) + abs(len(expected) - len(ours))} differ, {len({str(x) for x in ours})} paths")
