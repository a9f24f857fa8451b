# SPDX-License-Identifier: BSD-3-Clause
"""Milliseconds that LIBRARY adds to the start of PROGRAM when it is preloaded: least of many interleaved runs each."""
import os
import sys
import time

RUNS = 100


def start(program, environment):
    began = time.perf_counter()
    os.waitpid(os.posix_spawn(program, [program], environment), 0)
    return (time.perf_counter() - began) * 1e3


def main(library, program):
    alone = {"PATH": os.environ["PATH"]}
    preloaded = dict(alone, LD_PRELOAD=library)
    times = [(start(program, alone), start(program, preloaded)) for _ in range(RUNS)]
    print(f"{min(t[1] for t in times) - min(t[0] for t in times):.2f}")


main(*sys.argv[1:])
