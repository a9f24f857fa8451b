#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A day of ordinary linear algebra in NumPy, as something to record.

Every function below is a small but real computation, from thousands of 8x8 solves in a Kalman filter to a few
products of 1000x1000 matrices. The data are seeded and the results are printed as they are, with a digest over all
their bytes: two runs on one machine print the same text, traced or not.

    ktrace run -o demo.trace -- python3 examples/demo.py [PART...]
"""
import hashlib
import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy loads its BLAS

import numpy as np  # noqa: E402


def robust_fit(rng):
    """Iteratively reweighted least squares: a line fit that outliers cannot bend."""
    a = rng.standard_normal((400, 24))
    b = a @ np.linspace(-1.0, 1.0, 24) + 0.01 * rng.standard_normal(400)
    b[::25] += 5.0
    x = np.zeros(24)
    for _ in range(200):
        weight = 1.0 / np.sqrt(1e-3 + np.abs(a @ x - b))
        x = np.linalg.lstsq(weight[:, None] * a, weight * b, rcond=None)[0]
    return x


def principal_components(rng):
    """Bootstrap of a principal component analysis by singular values."""
    factors = rng.standard_normal((300, 5)) @ rng.standard_normal((5, 60))
    data = factors + 0.1 * rng.standard_normal((300, 60))
    spectra = []
    for _ in range(100):
        sample = data[rng.integers(0, 300, 300)]
        sample = sample - sample.mean(axis=0)
        u, s, vt = np.linalg.svd(sample, full_matrices=False)
        spectra.append(s)
        reduced = (u[:, :5] * s[:5]) @ vt[:5]
    return np.array(spectra).mean(axis=0), np.abs(reduced - sample).max()


def log_likelihood(distance, y, length):
    """Of observations Y under a Gaussian process: one Cholesky factor, two solves."""
    kernel = np.exp(-0.5 * (distance / length) ** 2)
    kernel[np.diag_indices_from(kernel)] += 0.01
    factor = np.linalg.cholesky(kernel)
    alpha = np.linalg.solve(factor.T, np.linalg.solve(factor, y))
    return -0.5 * (y @ alpha) - np.log(factor.diagonal()).sum(), alpha


def gaussian_process(rng):
    """Kernel length by maximum likelihood on a part of the data, then one fit of everything."""
    t = np.sort(rng.uniform(0.0, 10.0, 800))
    y = np.sin(t) + 0.1 * rng.standard_normal(800)
    part = slice(0, 800, 4)
    distance = t[part, None] - t[None, part]
    lengths = np.linspace(0.4, 3.0, 120)
    best = max(lengths, key=lambda length: log_likelihood(distance, y[part], length)[0])
    value, alpha = log_likelihood(t[:, None] - t[None, :], y, best)
    return best, value, alpha


def vibrations(rng):
    """Eigenmodes of a chain of springs with random stiffness, damped (general) and undamped (symmetric)."""
    frequencies = []
    for _ in range(50):
        stiffness = rng.uniform(0.5, 1.5, 201)
        chain = np.diag(stiffness[:-1] + stiffness[1:])
        chain -= np.diag(stiffness[1:-1], 1) + np.diag(stiffness[1:-1], -1)
        w, mode = np.linalg.eigh(chain)
        frequencies.append(np.sqrt(w))
    modal = mode.T @ chain @ mode
    damped = np.block([[np.zeros((50, 50)), np.eye(50)], [-chain[:50, :50], -0.1 * np.eye(50)]])
    return np.mean(frequencies, axis=0), np.abs(modal - np.diag(w)).max(), np.sort_complex(np.linalg.eig(damped)[0])


def subspace_iteration(rng):
    """The 16 dominant eigenpairs of a large symmetric matrix: product and QR, again and again."""
    a = rng.standard_normal((1000, 1000)) @ rng.standard_normal((1000, 1000))
    a = (a + a.T) / 2000.0
    q = rng.standard_normal((1000, 16))
    for _ in range(200):
        q, _ = np.linalg.qr(a @ q)
    return np.linalg.eigvalsh(q.T @ (a @ q))


def conjugate_gradients(rng):
    """One matrix-vector product and a few vector operations per step, for several right-hand sides."""
    n = 1000
    a = rng.standard_normal((n, n))
    a = a.T @ a / n + 0.02 * np.eye(n)
    solutions = []
    for b in rng.standard_normal((30, n)):
        x, r, p = np.zeros(n), b, b
        rho = np.dot(r, r)
        while rho > 1e-16 * np.dot(b, b):
            v = a @ p
            step = rho / np.dot(p, v)
            x = x + step * p
            r = r - step * v
            rho, old = np.dot(r, r), rho
            p = r + (rho / old) * p
        solutions.append(x)
    return np.array(solutions)


def kalman_filter(rng):
    """Tracks 8 states through 4000 measurements of 8 values: only small matrices, the worst case for overheads."""
    n = 8
    move = np.eye(n) + 0.01 * rng.standard_normal((n, n))
    move /= 1.01 * np.abs(np.linalg.eigvals(move)).max()
    look = rng.standard_normal((n, n))
    state, p = np.zeros(n), np.eye(n)
    measured = rng.standard_normal((4000, n))
    for z in measured:
        state = move @ state
        p = move @ p @ move.T + 0.01 * np.eye(n)
        s = look @ p @ look.T + np.eye(n)
        gain = np.linalg.solve(s, look @ p).T
        state = state + gain @ (z - look @ state)
        p = p - gain @ look @ p
    return state, p


def block_systems(rng):
    """A batch of 32x32 systems, as finite elements produce them."""
    a = rng.standard_normal((800, 32, 32)) + 8.0 * np.eye(32)
    return np.linalg.solve(a, rng.standard_normal((800, 32, 4)))


def neural_network(rng):
    """Gradient descent in single precision: products with either factor transposed."""
    x = rng.standard_normal((256, 64)).astype(np.float32)
    target = np.tanh(x[:, :10] * x[:, 10:20])
    w1 = (0.1 * rng.standard_normal((64, 128))).astype(np.float32)
    w2 = (0.1 * rng.standard_normal((128, 10))).astype(np.float32)
    for _ in range(1000):
        hidden = np.maximum(x @ w1, 0)
        error = (hidden @ w2 - target) / np.float32(256)
        back = (error @ w2.T) * (hidden > 0)
        w2 -= np.float32(0.05) * (hidden.T @ error)
        w1 -= np.float32(0.05) * (x.T @ back)
    return w1, w2, np.square(error).sum()


def beamformer(rng):
    """Direction finding with 16 antennas: a Hermitian covariance, complex solves and dot products."""
    antenna = np.arange(16)
    angles = np.linspace(-1.2, 1.2, 2500)
    noise = rng.standard_normal((2, 16, 500))
    signal = np.exp(1j * np.pi * antenna * np.sin(0.3))[:, None] * rng.standard_normal(500)
    snapshots = signal + 0.1 * (noise[0] + 1j * noise[1])
    covariance = snapshots @ snapshots.conj().T / 500
    power = []
    for angle in angles:
        steer = np.exp(1j * np.pi * antenna * np.sin(angle))
        power.append(1.0 / np.vdot(steer, np.linalg.solve(covariance, steer)).real)
    return angles[np.argmax(power)], np.array(power)


PARTS = (robust_fit, principal_components, gaussian_process, vibrations, subspace_iteration, conjugate_gradients,
         kalman_filter, block_systems, neural_network, beamformer)


def main():
    total = hashlib.sha256()
    for number, part in enumerate(PARTS):
        if len(sys.argv) > 1 and part.__name__ not in sys.argv:
            continue
        result = part(np.random.default_rng(number))
        arrays = [np.ascontiguousarray(r) for r in (result if isinstance(result, tuple) else (result,))]
        for array in arrays:
            total.update(array.tobytes())
        print(f"{part.__name__:22}", "  ".join(repr(a.ravel()[0].item()) for a in arrays))
    print("sha256", total.hexdigest())


if __name__ == "__main__":
    main()
