# SPDX-License-Identifier: BSD-3-Clause
"""Calls one routine of LAPACK through ctypes: lapack_calls.py LIBRARY ROUTINE N. Numbers are legal, nothing else matters."""
import ctypes
import random
import sys

library, routine, n = ctypes.CDLL(sys.argv[1]), sys.argv[2], int(sys.argv[3])
random.seed(1)
matrix = (ctypes.c_double * (n * n))(*[random.random() + (n if i % (n + 1) == 0 else 0) for i in range(n * n)])
vector, pivots = (ctypes.c_double * n)(), (ctypes.c_int * n)()
work = (ctypes.c_double * (256 * n))()
size, lwork, info = ctypes.byref(ctypes.c_int(n)), ctypes.byref(ctypes.c_int(256 * n)), ctypes.c_int(-1)
letter, length, out = ctypes.c_char_p, ctypes.c_size_t(1), ctypes.byref(info)
arguments = {
    "dpotrf": [letter(b"L"), size, matrix, size, out, length],
    "dgetrf": [size, size, matrix, size, pivots, out],
    "dgeqrf": [size, size, matrix, size, vector, work, lwork, out],
    "dtrtri": [letter(b"L"), letter(b"N"), size, matrix, size, out, length, length],
    "dlauum": [letter(b"L"), size, matrix, size, out, length],
}[routine]
getattr(library, routine + "_")(*arguments)
sys.exit(info.value)
