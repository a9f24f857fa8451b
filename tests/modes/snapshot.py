# SPDX-License-Identifier: BSD-3-Clause
"""A program that calls BLAS with known contents, and a reader of snapshots written from FORMAT.md.

calls STEPS...: what STEPS name is called, one after the other; contents are functions of the place.
show TRACE: routine and contents of the operands of each snapshot, as far as they belong to the operand.
"""
import ctypes
import glob
import mmap
import os
import re
import struct
import sys
import threading

PAGE = 4096
SECRET = b"TOPSECRET" * 100


def pointer(v):
    return ctypes.c_char_p(v.encode()) if isinstance(v, str) else ctypes.byref(ctypes.c_int32(v)) if isinstance(v, int) else v


def call(blas, name, *arguments):
    return getattr(blas, name + "_")(*map(pointer, arguments))


def with_secret(values, kind="d"):
    """Numbers with what is nobody's business in the memory right behind them."""
    return ctypes.create_string_buffer(struct.pack(f"<{len(values)}{kind}", *values) + SECRET)


def vector(values):
    return with_secret(values)


def at_the_end(values):
    """A vector behind which no memory can be read."""
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + 3 * [ctypes.c_int] + [ctypes.c_size_t]
    area = libc.mmap(None, 2 * PAGE, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
    libc.mprotect(ctypes.c_void_p(area + PAGE), ctypes.c_size_t(PAGE), 0)
    found = (ctypes.c_double * len(values)).from_address(area + PAGE - 8 * len(values))
    found[:] = values
    return found


def steqr(blas, n, off):
    d, e = vector([1.0 + i for i in range(n)]), vector([off * (1 + i % 7) for i in range(n)])
    info = ctypes.c_int32()
    call(blas, "dsteqr", "N", n, d, e, vector([0.0]), 1, vector([0.0]), ctypes.byref(info))


def forms(blas):
    """Operands of all forms, each in an array that ends with it."""
    one, zero = vector([1.0]), vector([0.0])
    some = lambda n: vector([1.0 + i for i in range(n)])
    call(blas, "ddot", 4, some(10), -3, some(4), 1)
    call(blas, "dgemv", "T", 5, 3, one, some(21), 8, some(5), 1, one, some(3), 1)
    call(blas, "dtrsv", "U", "N", "N", 4, some(22), 6, some(4), 1)
    call(blas, "dgbmv", "N", 5, 6, 1, 2, one, some(34), 6, some(6), 1, zero, some(5), 1)
    call(blas, "dspmv", "L", 5, one, some(15), some(5), 1, zero, some(5), 1)
    call(blas, "zscal", 3, some(2), some(10), 2)
    row_major, no, double = 101, 111, ctypes.c_double
    blas.cblas_dgemv(row_major, no, 3, 5, double(1), some(21), 8, some(5), 1, double(0), some(3), 1)
    blas.cblas_dgbmv(row_major, no, 5, 6, 1, 2, double(1), some(28), 6, some(6), 1, double(0), some(5), 1)


def lapacke():
    row_major, library = 101, ctypes.CDLL("liblapacke.so.3")
    a, b, pivots = vector([1.0] * 11), vector([1.0] * 12), with_secret([1, 2, 3], "i")
    library.LAPACKE_dgetrs(row_major, ctypes.c_char(b"N"), 3, 2, a, 4, pivots, b, 5)


def wide():
    """Integers of 64 bits."""
    lapack, number = ctypes.CDLL("liblapack64.so.3"), lambda n: ctypes.byref(ctypes.c_int64(n))
    a, b, pivots = vector([1.0] * 11), vector([1.0] * 8), with_secret([1, 2, 3], "q")
    lapack.dgetrs_(b"N", number(3), number(2), a, number(4), pivots, b, number(5), number(0), ctypes.c_size_t(1))


def query(lapack):
    call(lapack, "dgeqrf", 5, 3, vector([0.5] * 15), 5, vector([0.0] * 3), vector([0.0]), -1, ctypes.byref(ctypes.c_int32()))


def step(blas, name):
    values = [0.5 + i for i in range(30)]
    if name == "dot":
        blas.ddot_.restype = ctypes.c_double
        assert call(blas, "ddot", 3, vector(values), 2, vector(values), 1) == 0.5 * 0.5 + 2.5 * 1.5 + 4.5 * 2.5
    elif name == "gemv":
        y = vector([7.0] * 5)
        call(blas, "dgemv", "N", 5, 3, vector([1.0]), vector(values), 8, vector([1.0, 2.0, 3.0]), 1, vector([0.0]), y, 1)
    elif name == "end":
        call(blas, "dscal", 5, vector([2.0]), at_the_end(values[:5]), 1)
    elif name == "nowhere":
        call(blas, "dscal", 0, vector([2.0]), ctypes.c_void_p(16), 1)
    elif name == "many":
        for n in range(1, 400):
            call(blas, "dscal", n, vector([1.0]), vector([1.0] * n), 1)
    elif name == "threads":
        crew = [threading.Thread(target=lambda: [step(blas, "dot") for _ in range(50)]) for _ in range(4)]
        [t.start() for t in crew]
        [t.join() for t in crew]
    elif name == "fork":
        if os.fork() == 0:
            step(blas, "dot")
            sys.exit(0)
        os.wait()
    elif name == "forms":
        forms(blas)
    elif name == "lapacke":
        lapacke()
    elif name == "wide":
        wide()
    elif name == "query":
        query(blas)
    elif name.startswith("steqr"):
        steqr(blas, 300, float(name[5:]))


def symbols(process):
    found = {}
    with open(os.path.join(process, "definitions"), encoding="ascii") as file:
        for line in file:
            field = line.rstrip("\n").split("\t")
            if field[0] == "entry":
                found[int(field[1])] = field[2]
    return found


def show(path):
    for name in sorted(glob.glob(path + "/p*/o*"), key=lambda n: int(re.sub(r".*/o", "", n))):
        with open(name, "rb") as file:
            data = file.read()
        magic, _, _, _, at, _, entry, arg_bytes, operands, _, _ = struct.unpack_from("<8sIHHIIIIIIQ", data)
        assert magic == b"ktsnap1\n", name
        texts = []
        for i in range(operands):
            _, _, _, asked, stored, begin = struct.unpack_from("<IIQQQQ", data, at + arg_bytes + 40 * i)
            assert stored <= asked and begin % 8 == 0 and begin + stored <= len(data)
            texts.append(f"{stored}:" + ",".join(f"{x:g}" for x in struct.unpack_from(f"<{min(6, stored // 8)}d", data, begin)))
        print(symbols(os.path.dirname(name))[entry], *texts)


if sys.argv[1] == "show":
    show(sys.argv[2])
else:
    library = ctypes.CDLL("libblas.so.3")
    lapack = ctypes.CDLL("liblapack.so.3")
    for which in sys.argv[2:]:
        step(lapack if which.startswith(("steqr", "query")) else library, which)
