# SPDX-License-Identifier: BSD-3-Clause
"""Products of matrices as paper 002 makes them, from calls of BLAS: loops.py triple N, a ddot for each element; or
loops.py blocked N NB, a dgemm for each three blocks, with blocks of C in the outer loops. Rows lie one behind the other."""
import ctypes, sys

import numpy as np

blas = ctypes.CDLL("libblas.so.3")
n = int(sys.argv[2])
memory = np.ones(3 * n * n + 8)
pa = (memory.ctypes.data + 63) // 64 * 64  # rows begin at lines
pb, pc = pa + 8 * n * n, pa + 16 * n * n
blas.cblas_ddot.restype = ctypes.c_double
blas.cblas_ddot.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
blas.cblas_dgemm.argtypes = [ctypes.c_int] * 6 + [ctypes.c_double, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_int,
                                                  ctypes.c_double, ctypes.c_void_p, ctypes.c_int]
if sys.argv[1] == "triple":
    for i in range(n):
        for j in range(n):
            blas.cblas_ddot(n, pa + 8 * n * i, 1, pb + 8 * j, n)
else:
    nb = int(sys.argv[3])
    for i in range(0, n, nb):
        for j in range(0, n, nb):
            for k in range(0, n, nb):
                blas.cblas_dgemm(101, 111, 111, nb, nb, nb, 1.0, pa + 8 * (n * i + k), n, pb + 8 * (n * k + j), n, 1.0,
                                 pc + 8 * (n * i + j), n)
