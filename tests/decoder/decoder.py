#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A second decoder of the trace format, written from FORMAT.md alone: prints the JSON Lines of
`ktrace dump --json` without operands, or with "readings" how fast the machine was. It expects an undamaged trace and explains the format by example."""
import json
import math
import os
import re
import struct
import sys

STORED = {"char": (1, "B"), "enum": (4, "i"), "int": (8, "q"), "s": (4, "f"), "d": (8, "d"),
          "c": (8, "ff"), "z": (16, "dd"), "address": (8, "Q")}
CBLAS_ENUMS = ("trans", "uplo", "side", "diag")
ARRAYS = ("in", "out", "io", "upd", "work", "fun")


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
    head, arguments = (family + " ").split(" | ")[:2]
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
                  "char" if role in ("opt", "optio") else "int")
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


def differences(data, at, changed):
    """The words that changed, and by how much."""
    for word in range(64):
        if changed >> word & 1:
            more = data[at] & 7
            length = 1 + (more if more < 7 else 8)
            value = int.from_bytes(data[at + 1:at + 9] if more == 7 else data[at:at + length], "little")
            value = value if more == 7 else value >> 3
            yield word, -(value + 1 >> 1) if value & 1 else value >> 1
            at += length


class Call:
    def __init__(self, entry, words, parent):
        self.entry, self.caller, self.args = entry, words[1], struct.pack("<61Q", *words[2:])
        self.depth, self.cpu, self.parent, self.n = words[0] & 0xffff, words[0] >> 16 & 0xffff, parent, None
        self.in_parallel, self.source = bool(words[0] >> 32 & 1), words[0] >> 40
        self.done, self.start, self.ticks, self.info, self.counts, self.nested = False, 0, 0, 0, [], 0
        self.faults = None
        self.weight, self.passed = 0, 0


class Stream:
    """Of one thread: reads the calls and their ends. SAMPLED: nested calls are recorded in some outermost ones only."""
    def __init__(self, path, sampled):
        with open(path, "rb") as file:
            self.data = file.read()
        self.sampled = sampled
        self.calls, self.open, self.anchors, self.readings = [], [], [], []
        chunks, at = {}, 0
        while at + 192 <= len(self.data):
            if self.data[at:at + 8] != b"ktchunk\n":
                at += 8
                continue
            head, index, length, _, _, *anchor = struct.unpack_from("<IIQIIQQ", self.data, at + 16)
            used, = struct.unpack_from("<Q", self.data, at + 144)
            if used > chunks.get(index, [0])[0]:
                chunks[index] = used, at, head, anchor
            at += length
        for _, (used, at, head, anchor) in sorted(chunks.items()):
            self.anchors.append(anchor)
            self.last = anchor[0]
            self.read_chunk(at + head, at + used)

    def read_chunk(self, at, end):
        contexts = {}
        self.weight, self.ended = None, None  # of an INSIDE and the call that ended, if the event before is such a one
        while at < end:
            kind, words, number, upper = struct.unpack_from("<BBHI", self.data, at)
            word, = struct.unpack_from("<Q", self.data, at)
            ended, self.ended = self.ended, None
            if kind == 9 and ended and ended.depth == 0:
                ended.passed = upper
            if kind == 7:
                self.leave(self.open[-1].depth, (self.last + (word >> 36),), word >> 8 & 0xfffffff)
                words = 1
            elif kind == 6:
                number, ticks, start, words = word >> 8 & 0xffff, word >> 24 & 0xfffff, self.last + (word >> 44), 1
                owner, word = contexts.get(number % 128, (None, None))
                contexts[number % 128] = number, word if owner == number else [0] * 63
                self.begin(number, contexts[number % 128][1], True)
                self.leave(self.open[-1].depth, (start,), ticks)
            elif kind in (1, 2):
                changed, begin = (upper, at + 8) if kind == 1 else struct.unpack_from("<Q", self.data, at + 8) + (at + 16,)
                owner, word = contexts.get(number % 128, (None, None))
                word = word if owner == number else [0] * 63
                for i, difference in differences(self.data, begin, changed):
                    word[i] = word[i] + difference & 2**64 - 1
                contexts[number % 128] = number, word
                self.begin(number, word, words == 1)
            elif kind in (10, 11):
                changed = upper if kind == 10 else int.from_bytes(self.data[at + 8:at + 24], "little")
                begin = at + (8 if kind == 10 else 24)
                owner, word = contexts.get(number % 128, (None, None))
                halves = list(struct.unpack("<126I", struct.pack("<63Q", *(word if owner == number else [0] * 63))))
                for half in range(126):
                    if changed >> half & 1:
                        halves[half], = struct.unpack_from("<I", self.data, begin)
                        begin += 4
                contexts[number % 128] = number, list(struct.unpack("<63Q", struct.pack("<126I", *halves)))
                self.begin(number, contexts[number % 128][1], False)
            elif kind in (3, 4):
                self.leave(number, struct.unpack_from(f"<{words - 1}Q", self.data, at + 8), upper if kind == 3 else None)
            elif kind == 13:
                self.readings.append((number, upper, *struct.unpack_from("<QIIQQII", self.data, at + 8)))
            self.weight = upper if kind == 8 else None
            at += 8 * words

    def begin(self, entry, words, same):
        depth = words[0] & 0xffff
        while self.open and self.open[-1].depth >= depth:
            self.open.pop()
        parent = self.open[-1] if self.open and self.open[-1].depth == depth - 1 else None
        self.calls.append(Call(entry, words, parent))
        self.calls[-1].weight = (self.weight or 0) / 256 if self.sampled else 1
        self.calls[-1].same, self.calls[-1].nested = same, -len(self.calls)
        self.open.append(self.calls[-1])

    def leave(self, depth, words, ticks):
        self.last = words[0] + (ticks if ticks is not None else words[1])
        while self.open and self.open[-1].depth > depth:
            self.open.pop()
        if not self.open or self.open[-1].depth != depth:
            return
        call = self.open.pop()
        call.done, call.start, call.ticks = True, words[0], ticks
        self.ended = call if self.sampled else None
        call.nested += len(self.calls)
        if ticks is None:
            _, call.ticks, where, call.info, *call.counts = words
            call.cpu, call.faults = where & 0xffff, where >> 32 if where & 1 << 31 else None


class Process:
    def __init__(self, path):
        self.objects, self.entries, self.ways, self.lines, self.stacks = [], {}, {}, {}, {}
        sampled = any(f[:2] == ["option", "NESTED"] and f[2] != "all" for f in lines_of(path + "/meta"))
        meta = {fields[0]: fields[1:] for fields in lines_of(path + "/meta")}
        assert meta["format"][:2] == ["ktrace", "2"] and meta["byte_order"] == ["little"]
        self.pid, self.clock_ticks, self.clock = int(meta["pid"][0]), float(meta["clock_ticks"][0]), meta["clock"][0]
        self.self_ticks = float(meta["self_ticks"][0]) if "self_ticks" in meta else 0
        ranges = [r.split("-") for key in ("affinity", "cpuset") if key in meta for r in meta[key][0].split(",")]
        assert all(0 <= int(r[0]) <= int(r[-1]) for r in ranges)
        assert all(int(x) > 0 for x in meta.get("quota", [])[:2])
        self.anchors = [[int(x) for x in meta["anchor"][:2]]]
        for f in lines_of(path + "/definitions"):
            if f[0] == "object":
                self.objects.append((int(f[2], 16), int(f[3], 16), int(f[4], 16), unescape(f[5])))
            elif f[0] == "entry":
                params = parse_family(unescape(f[7]), f[4], f[3])
                self.entries[int(f[1])] = (f[2], f[4], params, place(params))
                self.ways[int(f[1])] = f[9] if len(f) > 9 else None
            elif f[0] == "line":
                self.lines[int(f[1])] = int(f[2]), int(f[3]), unescape(f[4]), unescape(f[5])
            elif f[0] in ("stack", "path"):
                self.stacks[int(f[1]) + (1 << 23)] = [int(x, 16) for x in f[2].split()] if f[0] == "path" else []
        self.streams = [(tid, Stream(name, sampled)) for tid, name in numbered(path, "t")]
        if "price_compiled" in meta:
            self.self_ticks = self.mean_price(meta, path)
        self.anchors += [anchor for _, stream in self.streams for anchor in stream.anchors]
        self.anchors += [[int(x) for x in f[1:3]] for f in lines_of(path + "/end") if f[0] == "anchor"]
        first, last = self.anchors[0], max(self.anchors, key=lambda a: a[1])
        self.hz = 1e9 if self.clock == "monotonic" else (last[0] - first[0]) / (last[1] - first[1]) * 1e9

    def mean_price(self, meta, path):
        calls = [call for _, stream in self.streams for call in stream.calls if call.entry in self.entries]
        room = sum(int(f[1]) for f in lines_of(path + "/end") if f[0] == "room_ticks")
        way = {"compiled": "price_compiled"}
        prices = [float(meta[way.get(self.ways[call.entry], "price_trampoline") + "_same" * call.same][0]) for call in calls]
        return (room + sum(prices)) / len(calls) if calls else 0

    def path(self, source):
        while source in self.lines:
            source, line, function, file = self.lines[source]
            yield {"file": file, "line": line, "function": function}

    def address(self, address):
        where = next((o for o in reversed(self.objects) if o[0] <= address < o[1]), None)
        return {"object": where and where[3], "offset": where and hex(address - where[2]), "address": hex(address)}

    def call(self, tid, call):
        symbol, routine, params, offsets = self.entries[call.entry]
        values = [value(s, struct.unpack_from("<" + STORED[s][1], call.args, offsets[i]))
                  for i, (_, s, _) in enumerate(params)]
        has_info = call.done and any(p[2] == "info" for p in params)
        inside = {"inside": call.weight > 0, "weight": call.weight, "passed": call.passed if call.done else None}
        others = self.clock_ticks + call.nested * self.self_ticks  # that ktrace took
        return {"n": call.n, "pid": self.pid, "tid": tid, "depth": call.depth,
                "parent": call.parent and call.parent.n, "routine": routine, "symbol": symbol,
                "t": (call.start - self.anchors[0][0]) / self.hz if call.done else None,
                "dt": max(0.0, call.ticks - others) / self.hz if call.done else None,
                "nested": call.nested if call.done else None, "cpu": call.cpu, "in_parallel": call.in_parallel, "faults": call.faults,
                **({} if call.depth else inside),
                "caller": self.address(call.caller),
                **({"source": list(self.path(call.source))} if self.lines else {}),
                **({"stack": [self.address(a) for a in self.stacks.get(call.source, [])]} if self.stacks else {}),
                "args": {p[0]: v for v, p in zip(values, params) if p[2] != "info"},
                "info": struct.unpack("<q", struct.pack("<Q", call.info))[0] if has_info else None,
                "complete": call.done}


    def reading(self, tid, reading):
        """How fast the machine was: seconds of an addition of the chain, of one that waits for nothing, of a load."""
        loads, additions, start, chain, wide, memory, time, taken, given = reading
        seconds = [max(t - self.clock_ticks, 0) / self.hz for t in (chain, wide, memory)]
        return {"pid": self.pid, "tid": tid, "t": (start - self.anchors[0][0]) / self.hz, "chain": seconds[0] / additions,
                "wide": seconds[1] / additions / 4, "memory": seconds[2] / loads, "taken": taken, "given": given,
                "processor": None if time == 2**64 - 1 else time / 1e6}


def readings(trace):
    for process in (Process(path) for _, path in numbered(trace, "p")):
        for tid, stream in process.streams:
            for reading in stream.readings:
                print(json.dumps(process.reading(tid, reading)))


def main(trace):
    n = 0
    for number, (_, path) in enumerate(numbered(trace, "p")):
        process = Process(path)
        for tid, stream in process.streams:
            for call in stream.calls:
                call.n, n = n, n + 1
                print(json.dumps({"process": number, **process.call(tid, call)}))


(readings if sys.argv[2:] == ["readings"] else main)(sys.argv[1])
