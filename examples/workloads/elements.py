# SPDX-License-Identifier: BSD-3-Clause
"""Plane elasticity by finite elements of 8 nodes: stiffness of each element by products of 3 x 16, bands of the whole,
Cholesky of bands, stresses; a plate whose material changes over several steps."""
import numpy as np
import scipy.linalg as la

WIDE, HIGH, STEPS = 40, 10, 6
NODES = [(-1, -1), (1, -1), (1, 1), (-1, 1), (0, -1), (1, 0), (0, 1), (-1, 0)]
GAUSS = [(x, y, u * v) for x, u in zip((-0.6 ** 0.5, 0, 0.6 ** 0.5), (5 / 9, 8 / 9, 5 / 9))
         for y, v in zip((-0.6 ** 0.5, 0, 0.6 ** 0.5), (5 / 9, 8 / 9, 5 / 9))]


def slopes(x, y):
    """Of the 8 shape functions, in x and y: from the monomials that they are sums of."""
    powers = np.array([[1, a, b, a * a, a * b, b * b, a * a * b, a * b * b] for a, b in NODES], float)
    in_x = np.array([0, 1, 0, 2 * x, y, 0, 2 * x * y, y * y])
    in_y = np.array([0, 0, 1, 0, x, 2 * y, x * x, 2 * x * y])
    return np.linalg.solve(powers.T, np.array([in_x, in_y]).T).T


def strain(x, y):
    d = slopes(x, y)
    B = np.zeros((3, 16))
    B[0, 0::2], B[1, 1::2], B[2, 0::2], B[2, 1::2] = d[0], d[1], d[1], d[0]
    return B


# Nodes are numbered upwards first, so that the band is narrow; those in the middle of elements are not there.
number = {}
for i in range(2 * WIDE + 1):
    for j in range(2 * HIGH + 1):
        if not (i % 2 and j % 2):
            number[i, j] = len(number)
elements = [np.array([[2 * number[2 * i + 1 + a, 2 * j + 1 + b] + k for k in (0, 1)] for a, b in NODES]).ravel()
            for i in range(WIDE) for j in range(HIGH)]
band = max(e.max() - e.min() for e in elements)
size = 2 * len(number)
B = [(strain(x, y), w) for x, y, w in GAUSS]
stiffness = np.ones(len(elements))
for _ in range(STEPS):
    K = np.zeros((band + 1, size))
    for e, E in zip(elements, stiffness):
        D = E / 0.91 * np.array([[1, 0.3, 0], [0.3, 1, 0], [0, 0, 0.35]])
        k = sum(w * (b.T @ D @ b) for b, w in B)
        rows, columns = np.meshgrid(e, e, indexing="ij")
        lower = rows >= columns
        np.add.at(K, ((rows - columns)[lower], columns[lower]), k[lower])
    K[0, :2 * (2 * HIGH + 1)] *= 1e9  # the left side is held
    load = np.zeros(size)
    load[-1] = -0.01
    u = la.solveh_banded(K, load, lower=True)
    stress = np.array([np.linalg.norm(B[4][0] @ u[e]) for e in elements])
    stiffness = 1 / (1 + 0.1 * stress / stress.max())
