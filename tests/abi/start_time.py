# SPDX-License-Identifier: BSD-3-Clause
"""Milliseconds of processor time that LIBRARY adds to a run of PROGRAM when it is preloaded: least of many interleaved runs each."""
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
    print(f"{min(t[1] for t in times) - min(t[0] for t in times):.2f}")


main(*sys.argv[1:])
