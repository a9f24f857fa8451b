# SPDX-License-Identifier: BSD-3-Clause
"""Calls of many shapes, some of them often."""
import numpy as np

rng = np.random.default_rng(1)
for n in (8, 16, 24, 32, 48, 64, 96, 128):
    a, b, x = rng.random((n, n)), rng.random((n, n)), rng.random(n)
    for _ in range(2000 // n + 4):
        a @ b
        a @ x
        x @ x
for n in (10, 20, 30, 40, 50, 60):
    np.linalg.solve(rng.random((n, n)) + n * np.eye(n), rng.random(n))
    np.linalg.cholesky(np.eye(n) * n)
for n in (100, 1000, 10000):
    x = rng.random(n).astype(np.float32)
    for _ in range(10):
        x @ x
