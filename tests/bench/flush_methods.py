# SPDX-License-Identifier: BSD-3-Clause
"""Without arguments: calls ten kernels. With the results of replays: compares the ways of flushing in them."""
import ctypes
import json
import statistics
import sys

LONG, SIDE = 20000, 150  # vectors, matrices


def calls():
    import numpy as np
    blas = ctypes.CDLL("libblas.so.3")
    blas.ddot_.restype = blas.dasum_.restype = blas.dnrm2_.restype = ctypes.c_double

    def pointer(v):
        if isinstance(v, np.ndarray):
            return v.ctypes.data_as(ctypes.c_void_p)
        kind = {str: lambda: ctypes.c_char_p(v.encode()), float: lambda: ctypes.byref(ctypes.c_double(v))}
        return kind.get(type(v), lambda: ctypes.byref(ctypes.c_int32(v)))()

    def call(name, *arguments):
        getattr(blas, name + "_")(*map(pointer, arguments))

    x, y = np.ones(LONG), np.ones(LONG)
    a, b, c = (np.ones((SIDE, SIDE)) for _ in range(3))
    for n in 1, LONG:
        for name in "dcopy", "dswap", "ddot":
            call(name, n, x, 1, y, 1)
        for name in "dasum", "dnrm2":
            call(name, n, x, 1)
        call("daxpy", n, 0.5, x, 1, y, 1)
        call("dscal", n, 0.9, x, 1)
    for n in 1, SIDE:
        call("dgemv", "N", n, n, 0.5, a, SIDE, x, 1, 0.3, y, 1)
        call("dger", n, n, 0.5, x, 1, y, 1, a, SIDE)
        call("dgemm", "N", "N", n, n, n, 0.5, a, SIDE, b, SIDE, 0.3, c, SIDE)


def times(path):
    with open(path, encoding="utf-8") as file:
        shapes = json.load(file)["shapes"]
    return {(s["routine"], {k.lower(): v for k, v in s["args"].items()}["n"]):
            {name: stat["best"] * 1e6 for name, stat in s["contexts"].items()} for s in shapes}


def judge(paths):
    runs = [times(path) for path in paths]
    differences = []
    print("kernel      n     cold  all cold    swept  constant  difference")
    for routine, n in sorted(k for k in runs[0] if k[1] > 1 and (k[0], 1) in runs[0]):
        cold, flushed, swept, constant, difference = (statistics.median(v) for v in zip(*(
            (t["cold"], t["allcold"], t["l3"], c, (t["l3"] - c) / t["allcold"] - 1)
            for t, c in ((run[routine, n], run[routine, 1]["l3"] - run[routine, 1]["allcold"]) for run in runs))))
        differences.append(abs(difference))
        print(f"{routine:8} {n:5}  {cold:7.2f}  {flushed:8.2f} {swept:8.2f}  {constant:8.2f}  {100 * difference:+9.1f} %")
    print(f"Microseconds, medians of {len(runs)} replays. Differences after the constant: median "
          f"{100 * statistics.median(differences):.1f} %, most {100 * max(differences):.1f} %; aim 5 %.")


if len(sys.argv) > 1:
    judge(sys.argv[1:])
else:
    calls()
