# SPDX-License-Identifier: BSD-3-Clause
"""Makes the trace of a large job of traces of a few processes: job.py OUT RANKS SOURCE... [--node N] [--slow NODE] [--factor F]

Each rank is one of the processes in SOURCE with another process id, rank, node and clock. Streams are hard links, so that ten
thousand ranks take little space. How fast a rank is follows from its clock's rate, which both anchors tell: each rank differs by
some percent, those of the slow node take F times as long. OUT/rank.R is the trace of rank R."""
import argparse
import glob
import os
import random

FILES = "ts"  # first letters of streams: of events, of sums


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("ranks", type=int)
    parser.add_argument("source", nargs="+")
    parser.add_argument("--node", type=int, default=64, metavar="N", help="ranks of a node")
    parser.add_argument("--slow", type=int, default=-1, metavar="NODE", help="number of a node that is slower")
    parser.add_argument("--factor", type=float, default=1.3, metavar="F", help="by how much")
    return parser.parse_args()


def read(path):
    with open(path, encoding="ascii") as file:
        return [line.rstrip("\n").split("\t") for line in file]


def write(path, lines):
    with open(path, "w", encoding="ascii") as file:
        file.writelines("\t".join(line) + "\n" for line in lines)


class Process:
    """One that is copied, as it is on the disk."""

    def __init__(self, path):
        self.path = path
        self.meta = read(path + "/meta")
        self.end = read(path + "/end")
        self.pid = dict((line[0], line[1]) for line in self.meta)["pid"]
        self.anchor = [int(number) for line in self.meta if line[0] == "anchor" for number in line[1:]]
        self.last = [int(number) for line in self.end if line[0] == "anchor" for number in line[1:]]
        with open(path + "/definitions", encoding="ascii") as file:
            self.definitions = file.read()
        self.streams = [name for name in os.listdir(path) if name == "control" or name[0] in FILES and name[1:].split(".")[0].isdigit()]

    def began(self):
        return [int(line[1]) for line in self.meta if line[0] == "began"]


def moved(process, line, new, shift):
    """A line of the meta file for another rank."""
    if line[0] in new:
        return [line[0], new[line[0]]]
    if line[0] == "anchor":
        return ["anchor", line[1], str(int(line[2]) + shift[0]), str(int(line[3]) + shift[1])]
    if line[0] == "began":
        return ["began", str(int(line[1]) + shift[0])]
    return line


def make_rank(args, process, rank):
    node = rank // args.node
    pid = str(2000 + rank % args.node)
    mine = random.Random(rank)
    speed = mine.gauss(1, 0.01) * (args.factor if node == args.slow else 1)
    shift = (10**12 + node * 10**9 + mine.randrange(10**6), mine.randrange(10**6))
    took = [int((b - a) * speed) for a, b in zip(process.anchor[1:], process.last[1:])]
    out = "%s/rank.%d/p%s" % (args.out, rank, pid)
    os.makedirs(out)
    new = {"pid": pid, "host": "node%d" % node, "boot_id": "boot-%d" % node, "rank": str(rank), "ranks": str(args.ranks), "job": "big"}
    meta = [moved(process, line, new, shift) for line in process.meta if line[0] not in ("rank", "ranks", "job")]
    write(out + "/meta", meta + [[key, new[key]] for key in ("rank", "ranks", "job")])
    first = [process.anchor[1] + shift[0], process.anchor[2] + shift[1]]
    write(out + "/end", [line if line[0] != "anchor" else
                         ["anchor", line[1], str(first[0] + took[0]), str(first[1] + took[1])] for line in process.end])
    with open(out + "/definitions", "w", encoding="ascii") as file:
        file.write(process.definitions + "rank\t%d\n" % rank)  # a kind of line that readers pass over: no two files are equal
    for name in process.streams:
        main = name[1:] == process.pid
        os.link("%s/%s" % (process.path, name), "%s/%s" % (out, name[0] + pid if main else name))


def main():
    args = options()
    sources = [Process(path) for source in args.source for path in sorted(glob.glob(source + "/p[0-9]*"))]
    for rank in range(args.ranks):
        make_rank(args, sources[rank % len(sources)], rank)


main()
