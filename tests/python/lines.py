# SPDX-License-Identifier: BSD-3-Clause
"""A program that knows which of its lines call BLAS: lines.py LOG [numpy|ctypes LIBRARY].

Each call is an argument of at() on the same line, which notes the line and the function that the interpreter says. LOG gets,
by thread, the places in order; what is called twice in a row from one place stands there once."""
import ctypes
import functools
import json
import sys
import threading

places = {}


def qualified(code):
    return getattr(code, "co_qualname", code.co_name)


def at(*results):
    """Of the innermost frames that are no others' code: where at() was called."""
    frame = sys._getframe(1)
    here = [[frame.f_code.co_filename, frame.f_lineno, qualified(frame.f_code)]]
    while frame.f_back:
        frame = frame.f_back
        here.append([frame.f_code.co_filename, frame.f_lineno, qualified(frame.f_code)])
    mine = places.setdefault(threading.get_native_id(), [])
    if not mine or mine[-1] != here:
        mine.append(here)
    return results[0]


if sys.argv[2] == "numpy":
    import numpy as np, numpy.linalg as la, scipy.linalg; at(np)  # noqa: E401, E702: importing calls BLAS
    dot = ctypes.CDLL("libblas.so.3").ddot_
else:
    dot = ctypes.CDLL(sys.argv[3]).ddot_
dot.restype = ctypes.c_double
n, one = ctypes.byref(ctypes.c_int32(3)), ctypes.byref(ctypes.c_int32(1))
x = (ctypes.c_double * 3)(1, 2, 3)


def plain():
    return at(dot(n, x, one, x, one))


def several_lines():
    first = at(dot(n, x, one, x, one))
    second = at(dot(n,
                    x, one,
                    x, one))
    return first + second


def generator(count):
    for _ in range(count):
        yield at(dot(n, x, one, x, one))


def decorated(function):
    @functools.wraps(function)
    def inner(*arguments):
        at(dot(n, x, one, x, one))
        return function(*arguments)
    return inner


@decorated
def recursive(depth):
    at(dot(n, x, one, x, one))
    return recursive(depth - 1) if depth else None


class Solver:
    def method(self):
        return [at(dot(n, x, one, x, one)) for _ in range(2)]

    @classmethod
    def of_class(cls):
        return at(dot(n, x, one, x, one))

    @staticmethod
    def of_none():
        return at(dot(n, x, one, x, one))

    @property
    def value(self):
        return at(dot(n, x, one, x, one))


class Context:
    def __enter__(self):
        at(dot(n, x, one, x, one))

    def __exit__(self, *_):
        at(dot(n, x, one, x, one))


def failing():
    try:
        at(dot(n, x, one, x, one)), 1 / 0
    except ZeroDivisionError:
        at(dot(n, x, one, x, one))
    finally:
        at(dot(n, x, one, x, one))


def ünïcode_名前():
    return at(dot(n, x, one, x, one))


def executed():
    exec(compile("at(dot(n, x, one, x, one))\n\n\nat(dot(n, x, one, x, one))", "made in one.py", "exec"))
    for i in range(20):
        exec("\n" * i + "at(dot(n, x, one, x, one))")
    return eval("at(dot(n, x, one, x, one))")


def long_function():
    """More code than one byte of a table counts."""
    total = 0
    total += sum((i * 0 for i in range(3)), total) - len(str(total + 0)) * (total % 7 + 0)
    total += sum((i * 1 for i in range(3)), total) - len(str(total + 1)) * (total % 7 + 1)
    total += sum((i * 2 for i in range(3)), total) - len(str(total + 2)) * (total % 7 + 2)
    total += sum((i * 3 for i in range(3)), total) - len(str(total + 3)) * (total % 7 + 3)
    total += sum((i * 4 for i in range(3)), total) - len(str(total + 4)) * (total % 7 + 4)
    total += sum((i * 5 for i in range(3)), total) - len(str(total + 5)) * (total % 7 + 5)
    total += sum((i * 6 for i in range(3)), total) - len(str(total + 6)) * (total % 7 + 6)
    total += sum((i * 7 for i in range(3)), total) - len(str(total + 7)) * (total % 7 + 7)
    total += sum((i * 8 for i in range(3)), total) - len(str(total + 8)) * (total % 7 + 8)
    total += sum((i * 9 for i in range(3)), total) - len(str(total + 9)) * (total % 7 + 9)
    total += sum((i * 10 for i in range(3)), total) - len(str(total + 10)) * (total % 7 + 10)
    total += sum((i * 11 for i in range(3)), total) - len(str(total + 11)) * (total % 7 + 11)
    at(dot(n, x, one, x, one))
    total += sum((i * 12 for i in range(3)), total) - len(str(total + 12)) * (total % 7 + 12)
    total += sum((i * 13 for i in range(3)), total) - len(str(total + 13)) * (total % 7 + 13)
    total += sum((i * 14 for i in range(3)), total) - len(str(total + 14)) * (total % 7 + 14)
    total += sum((i * 15 for i in range(3)), total) - len(str(total + 15)) * (total % 7 + 15)
    total += sum((i * 16 for i in range(3)), total) - len(str(total + 16)) * (total % 7 + 16)
    total += sum((i * 17 for i in range(3)), total) - len(str(total + 17)) * (total % 7 + 17)
    total += sum((i * 18 for i in range(3)), total) - len(str(total + 18)) * (total % 7 + 18)
    total += sum((i * 19 for i in range(3)), total) - len(str(total + 19)) * (total % 7 + 19)
    return at(dot(n, x, one, x, one)) + total


async def coroutine(depth):
    at(dot(n, x, one, x, one))
    if depth:
        await coroutine(depth - 1)
    at(dot(n, x, one, x, one))


def run_coroutine():
    import asyncio
    asyncio.run(coroutine(3))


def with_numpy():
    g = np.random.default_rng(1)
    a = g.standard_normal((40, 40))
    at(a @ a)
    at(np.dot(a, a))
    at(la.solve(a, a))
    at(np.linalg.svd(a))
    at(np.linalg.eigh(a + a.T))
    at(np.linalg.lstsq(a, a, rcond=None))
    at(scipy.linalg.lu_factor(a))
    at(scipy.linalg.cholesky(a @ a.T + 40 * np.eye(40)))
    (lambda b: at(b @ b))(a)
    np.apply_along_axis(lambda v: at(v @ v), 0, a[:, :3])


def work():
    plain()
    several_lines()
    list(generator(3))
    recursive(3)
    solver = Solver()
    solver.method(), solver.of_class(), solver.of_none(), solver.value
    with Context():
        (lambda: at(dot(n, x, one, x, one)))()
    failing()
    ünïcode_名前()
    executed()
    long_function()
    run_coroutine()
    if sys.argv[2] == "numpy":
        with_numpy()


threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads:
    t.start()
work()
for t in threads:
    t.join()
with open(sys.argv[1], "w", encoding="utf-8") as log:
    json.dump(places, log)
