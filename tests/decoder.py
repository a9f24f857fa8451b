#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A second decoder of the trace format, written from FORMAT.md alone: prints the JSON Lines of
`ktrace dump --json` without operands. It expects an undamaged trace and explains the format by example."""
import json
import math
import os
import re
import struct
import sys

STORED = {"char": (1, "B"), "enum": (4, "i"), "int": (8, "q"), "s": (4, "f"), "d": (8, "d"),
          "c": (8, "ff"), "z": (16, "dd"), "address": (8, "Q")}
CBLAS_ENUMS = ("trans", "uplo", "side", "diag")
ARRAYS = ("in", "out", "io", "upd", "work")


def unescape(text):
    return re.sub(r"\\x(..)", lambda m: chr(int(m[1], 16)), text).encode("latin-1").decode("utf-8")


def lines_of(path):
    """Complete lines, split into fields; none if there is no such file."""
    with open(path if os.path.exists(path) else os.devnull, encoding="ascii", newline="\n") as file:
        return [line[:-1].split("\t") for line in file if line.endswith("\n")]


def numbered(directory, letter):
    """Names like p12 or t34.1 as (number, path), in order."""
    found = (re.fullmatch(letter + r"(\d+)(?:\.(\d+))?", name) for name in os.listdir(directory))
    return [(n, f"{directory}/{name}") for n, _, name in sorted((int(m[1]), int(m[2] or 0), m[0]) for m in found if m)]


def scalar_type(letter, t):
    return {"T": t, "R": {"c": "s", "z": "d"}.get(t, t), "I": "int"}.get(letter, letter.lower())


def cblas_name(role, name):
    if role in ARRAYS + CBLAS_ENUMS + ("opt",):
        name = name[0].upper() + name[1:]
    if role == "inc" or (role == "trans" and len(name) == 6):
        name = name[:-1] + name[-1].upper()
    return name.upper() if role == "dim" else name


def parse_family(family, routine, view):
    """The parameters [(name, stored, role)] of a routine's symbol."""
    head, arguments = family.split("|")[:2]
    pattern, *types = head.split()
    prefixes = [(t.split(":") + [t])[:2] for t in types if t != "cblas"]
    t = next(element for prefix, element in prefixes if pattern.replace("?", prefix) == routine)
    arguments, _, result = arguments.partition("->")
    params, layout = [], False
    for word in arguments.split():
        role, name, cname, rest = re.match(r"(\w+)(?:\(\w+\))?:(\w+)(?:/(\w+))?(.*)", word).groups()
        kind = re.search(r":([TRISDCZ])(?:@|$)", re.sub(r"\[.*\]", "", rest))
        stored = ("address" if role in ARRAYS else
                  scalar_type(kind[1] if kind else "T", t) if role == "scal" else
                  ("enum" if view == "cblas" else "char") if role in CBLAS_ENUMS else
                  "char" if role == "opt" else "int")
        layout |= role == "ld" or role in CBLAS_ENUMS
        params.append((name if view == "fortran" else cname or cblas_name(role, name), stored, role))
    if view == "cblas" and layout:
        params.insert(0, ("layout", "enum", "layout"))
    if view == "cblas" and result.strip() and scalar_type(result.strip(), t) in "cz":
        params.append((routine[1:], "address", "result"))
    return params


def place(params):
    """Offsets of the parameters: by decreasing size."""
    offsets, at = {}, 0
    for size in (16, 8, 4, 1):
        for i, (_, stored, _) in enumerate(params):
            if STORED[stored][0] == size:
                offsets[i], at = at, at + size
    return offsets


def value(stored, values):
    if stored in ("char", "address"):
        return chr(values[0]) if stored == "char" else hex(values[0])
    values = [x if math.isfinite(x) else None for x in values]
    return values if stored in ("c", "z") else values[0]


class Process:
    def __init__(self, path):
        self.path, self.objects, self.entries = path, [], {}
        meta = {fields[0]: fields[1:] for fields in lines_of(path + "/meta")}
        assert meta["format"][:2] == ["ktrace", "1"] and meta["byte_order"] == ["little"]
        self.pid, self.clock_ticks, self.clock = int(meta["pid"][0]), float(meta["clock_ticks"][0]), meta["clock"][0]
        self.anchors = [[int(x) for x in meta["anchor"][:2]]]
        for f in lines_of(path + "/definitions"):
            if f[0] == "object":
                self.objects.append((int(f[2], 16), int(f[3], 16), int(f[4], 16), unescape(f[5])))
            elif f[0] == "entry":
                params = parse_family(unescape(f[7]), f[4], f[3])
                self.entries[int(f[1])] = (f[2], f[4], params, place(params))
        self.streams = [(tid, list(self.records(name))) for tid, name in numbered(path, "t")]
        self.anchors += [[int(x) for x in f[1:3]] for f in lines_of(path + "/end") if f[0] == "anchor"]
        first, last = self.anchors[0], max(self.anchors, key=lambda a: a[1])
        self.hz = 1e9 if self.clock == "monotonic" else (last[0] - first[0]) / (last[1] - first[1]) * 1e9

    def records(self, path):
        data, at = open(path, "rb").read(), 0
        while data[at:at + 8] == b"ktchunk\n":
            head, _, length, _, _, ticks, ns = struct.unpack_from("<IIQIIQQ", data, at + 16)
            self.anchors.append([ticks, ns])
            record, at = at + head, at + length
            while record + 32 <= at and struct.unpack_from("<H", data, record)[0]:
                words, *rest = struct.unpack_from("<HHHHQQQ", data, record)
                yield rest, data[record + 32:record + 8 * words]
                record += 8 * words

    def call(self, n, tid, stack, record, args):
        entry, depth, cpu, start, ticks, caller = record
        symbol, routine, params, offsets = self.entries[entry]
        done = start != 0 and ticks != 0
        parent = stack.get(depth - 1, (None, 0))
        for deeper in [d for d in stack if d >= depth]:
            del stack[deeper]
        stack[depth] = (n, start + ticks if done else math.inf)
        values = [value(s, struct.unpack_from("<" + STORED[s][1], args, offsets[i]))
                  for i, (_, s, _) in enumerate(params)]
        info = next((v for v, p in zip(values, params) if p[2] == "info"), None)
        where = next((o for o in reversed(self.objects) if o[0] <= caller < o[1]), None)
        return {"n": n, "pid": self.pid, "tid": tid, "depth": depth,
                "parent": parent[0] if start <= parent[1] else None, "routine": routine, "symbol": symbol,
                "t": (start - self.anchors[0][0]) / self.hz if done else None,
                "dt": max(0.0, ticks - self.clock_ticks) / self.hz if done else None, "cpu": cpu,
                "caller": {"object": where and where[3], "offset": where and hex(caller - where[2]),
                           "address": hex(caller)},
                "args": {p[0]: v for v, p in zip(values, params) if p[2] != "info"},
                "info": info if done else None, "complete": done}


def main(trace):
    n = 0
    for _, path in numbered(trace, "p"):
        process = Process(path)
        for tid, records in process.streams:
            stack = {}
            for record, args in records:
                print(json.dumps(process.call(n, tid, stack, record, args)))
                n += 1


main(sys.argv[1])
