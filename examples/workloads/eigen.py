# SPDX-License-Identifier: BSD-3-Clause
"""Eigenvalues of dense matrices by each of LAPACK's drivers: symmetric (QR iteration, divide and conquer, relatively robust
representations, bisection), Hermitian, generalised, and general ones; orders 20 to 200."""
import numpy as np
import scipy.linalg as la

g = np.random.default_rng(14)
for n in (20, 50, 100, 200):
    a = g.standard_normal((n, n))
    s, spd = a + a.T, a @ a.T + n * np.eye(n)
    h = s + 1j * (a - a.T)
    for driver in ("ev", "evd", "evr", "evx"):
        for _ in range(200 // n):
            la.eigh(s, driver=driver)
        la.eigh(h, driver=driver)
    for driver in ("gv", "gvd", "gvx"):
        la.eigh(s, spd, driver=driver)
    la.eigh(s, subset_by_index=[0, 4])
    la.eig(a)
    la.schur(a)
