# SPDX-License-Identifier: BSD-3-Clause
"""Compares the calls that a routine of LAPACK made with those of an algorithm: compare_calls.py TRACE ALGORITHM [INSIDE].

Both files are JSON Lines, of ktrace dump and ktrace model calls. Routines, options, sizes, scalars and leading dimensions
must be the same, call by call, and where the first operand is a part of the matrix it must be the same part. INSIDE: calls of
that routine are replaced by those that it makes.
"""
import json
import sys

recorded = [json.loads(line) for line in open(sys.argv[1])]
written = [json.loads(line) for line in open(sys.argv[2])]
inside = sys.argv[3] if len(sys.argv) > 3 else None
by_number = {call["n"]: call for call in recorded}


def belongs(call):
    parent = by_number.get(call["parent"])
    if call["depth"] == 1:
        return call["routine"] != inside
    return bool(inside) and call["depth"] == 2 and parent["routine"] == inside


def key(call):
    names = [name for name, value in call["args"].items() if isinstance(value, (int, float)) or value in list("NTCULRFB")]
    return call["routine"], {name: call["args"][name] for name in names if name not in ("lwork", "info")}


def first(call):
    return int(call["operands"][0]["lo"], 16)


recorded = [call for call in recorded if belongs(call)]
if len(recorded) != len(written):
    sys.exit(f"{len(recorded)} calls were made, {len(written)} are written")
origin = None
for number, (made, said) in enumerate(zip(recorded, written)):
    if key(made) != key(said):
        sys.exit(f"call {number}: {key(made)} was made, {key(said)} is written (line {said['line']})")
    if not made["operands"][0]["rows"] * made["operands"][0]["cols"] or made["routine"] in ("dlaswp",):
        continue
    rows = max([value for name, value in said["args"].items() if name.startswith("ld")] or [0])
    if first(said) - int(written[0]["operands"][0]["lo"], 16) > 8 * rows * rows:
        continue  # in a workspace, which is somewhere else
    distance = first(made) - first(said)
    origin = distance if origin is None else origin
    if distance != origin:
        sys.exit(f"call {number}: {key(made)}: the first operand is {distance - origin} bytes from where it is written")
print(len(recorded))
