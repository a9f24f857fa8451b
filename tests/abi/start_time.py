# SPDX-License-Identifier: BSD-3-Clause
"""Processor time that LIBRARY adds to a run of PROGRAM when it is preloaded, in parts of what the run takes alone: median of
many pairs of runs, one after the other."""
import os
import statistics
import sys

RUNS = 100


def start(program, environment):
    _, _, usage = os.wait4(os.posix_spawn(program, [program], environment), 0)
    return (usage.ru_utime + usage.ru_stime) * 1e3


def main(library, program):
    alone = {"PATH": os.environ["PATH"]}
    preloaded = dict(alone, LD_PRELOAD=library)
    ratios = [start(program, preloaded) / start(program, alone) for _ in range(RUNS)]
    print(f"{statistics.median(ratios) - 1:.2f}")


main(*sys.argv[1:])
