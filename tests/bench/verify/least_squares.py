# SPDX-License-Identifier: BSD-3-Clause
"""A matrix of 500 x 400 with 30 % of its entries as a product of rank 12, by alternating least squares: systems of order 12,
products of selected rows."""
import numpy as np

g = np.random.default_rng(5)
A = g.standard_normal((500, 12)) @ g.standard_normal((12, 400))
known = g.uniform(size=A.shape) < 0.3
U, V = g.standard_normal((500, 12)), g.standard_normal((400, 12))


def improve(U, V, A, known):
    for i in range(len(U)):
        W = V[known[i]]
        U[i] = np.linalg.solve(W.T @ W + 0.1 * np.eye(12), W.T @ A[i, known[i]])


for _ in range(12):
    improve(U, V, A, known)
    improve(V, U, A.T, known.T)
