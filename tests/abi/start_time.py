# SPDX-License-Identifier: BSD-3-Clause
"""Processor time that LIBRARY adds to a run of PROGRAM when it is preloaded, in parts of what the run takes alone: least of
many interleaved runs each."""
import os
import sys

RUNS = 100


def start(program, environment):
    _, _, usage = os.wait4(os.posix_spawn(program, [program], environment), 0)
    return (usage.ru_utime + usage.ru_stime) * 1e3


def main(library, program):
    alone = {"PATH": os.environ["PATH"]}
    preloaded = dict(alone, LD_PRELOAD=library)
    times = [(start(program, alone), start(program, preloaded)) for _ in range(RUNS)]
    before, after = (min(t[side] for t in times) for side in (0, 1))
    print(f"{(after - before) / before:.2f}")


main(*sys.argv[1:])
