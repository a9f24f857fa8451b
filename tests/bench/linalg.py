# SPDX-License-Identifier: BSD-3-Clause
"""A SciPy program of small and medium matrices: factors, solves and decomposes. Prints a checksum. linalg.py [TIMES]"""
import sys

import numpy as np
from scipy import linalg

ORDERS = {8: 300, 16: 200, 32: 100, 64: 30, 100: 10}  # and how often


def figures(a, b):
    """One number from each of what is computed of a well-conditioned matrix and a vector."""
    symmetric = a + a.T
    q, r = linalg.qr(a)
    yield abs(np.diag(r)).sum()
    yield abs(linalg.lu_factor(a)[0]).sum()
    yield linalg.solve(a, b).sum()
    yield linalg.lstsq(a[:, : len(b) // 2], b)[0].sum()
    yield linalg.cholesky(a @ a.T).sum()
    yield linalg.eigh(symmetric, eigvals_only=True).sum()
    yield linalg.svdvals(a).sum()


def main(times=1):
    generator = np.random.default_rng(1)
    total = 0.0
    for n, repetitions in ORDERS.items():
        a = generator.standard_normal((n, n)) + 2 * n * np.eye(n)
        b = generator.standard_normal(n)
        for _ in range(repetitions * times):
            total += sum(figures(a, b))
    print(f"{total:.6g}")


main(*map(int, sys.argv[1:]))
