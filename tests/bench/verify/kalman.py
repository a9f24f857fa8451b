# SPDX-License-Identifier: BSD-3-Clause
"""Kalman filter of 16 states and 4 measurements, 6,000 steps: products of small matrices, small systems."""
import numpy as np

g = np.random.default_rng(3)
n, m = 16, 4
F = np.eye(n) + 0.02 * g.standard_normal((n, n))
F /= np.abs(np.linalg.eigvals(F)).max()
H = g.standard_normal((m, n))
Q, R = 0.01 * np.eye(n), 0.1 * np.eye(m)
x, P = np.zeros(n), np.eye(n)
for z in g.standard_normal((6000, m)):
    x, P = F @ x, F @ P @ F.T + Q
    S = H @ P @ H.T + R
    K = np.linalg.solve(S, H @ P).T
    x, P = x + K @ (z - H @ x), P - K @ H @ P
