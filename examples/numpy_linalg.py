#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every function of numpy.linalg, and the products, in four types, also by threads and forked processes.

Prints one line each with a digest of all result bytes.

Two runs on one machine with one thread print the same text; whatever changes a single bit of a result shows.

    ktrace run -- python3 examples/numpy_linalg.py
"""
import concurrent.futures
import hashlib
import multiprocessing
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy loads its BLAS

import numpy as np  # noqa: E402
from numpy import linalg  # noqa: E402

N = 60


class Data:
    """General, symmetric positive definite and singular matrices and right-hand sides of one type."""

    def __init__(self, dtype):
        self.rng = np.random.default_rng(1)
        self.dtype = np.dtype(dtype)
        self.a, self.tall, self.rhs, self.x, self.y = map(self.random, ((N, N), (2 * N, N), (N, 5), (N,), (N,)))
        self.spd = self.a @ self.a.conj().T + N * np.eye(N, dtype=dtype)
        self.stack = self.random((7, 12, 12))
        self.singular = self.random((N, 3)) @ self.random((3, N))
        self.tensor = self.random((4, 6, 8, 3))

    def random(self, shape):
        values = self.rng.standard_normal(shape)
        if self.dtype.kind == "c":
            values = values + 1j * self.rng.standard_normal(shape)
        return values.astype(self.dtype)


LINALG = {
    "cholesky": lambda d: (linalg.cholesky(d.spd), linalg.cholesky(d.stack @ d.stack.conj().transpose(0, 2, 1))),
    "cond": lambda d: [linalg.cond(d.a, p) for p in (None, 1, -1, 2, -2, np.inf, "fro")],
    "det": lambda d: (linalg.det(d.a / 4), linalg.det(d.stack)),
    "eig": lambda d: (*linalg.eig(d.a), *linalg.eig(d.stack)),
    "eigh": lambda d: (*linalg.eigh(d.spd), *linalg.eigh(d.spd, "U")),
    "eigvals": lambda d: linalg.eigvals(d.a),
    "eigvalsh": lambda d: (linalg.eigvalsh(d.spd), linalg.eigvalsh(d.stack)),
    "inv": lambda d: (linalg.inv(d.a), linalg.inv(d.stack)),
    "lstsq": lambda d: (*linalg.lstsq(d.tall, d.random((2 * N, 3)), rcond=None),
                        *linalg.lstsq(d.singular, d.rhs, rcond=1e-3)),
    "matrix_power": lambda d: (linalg.matrix_power(d.a, 5), linalg.matrix_power(d.a, -2)),
    "matrix_rank": lambda d: (linalg.matrix_rank(d.a), linalg.matrix_rank(d.singular)),
    "multi_dot": lambda d: linalg.multi_dot([d.x, d.tall.T, d.tall, d.a, d.rhs]),
    "norm": lambda d: [linalg.norm(d.a, p) for p in (None, 1, 2, -2, "nuc", np.inf)] + [linalg.norm(d.x)],
    "pinv": lambda d: (linalg.pinv(d.tall), linalg.pinv(d.singular, rcond=1e-3)),
    "qr": lambda d: (*linalg.qr(d.tall), *linalg.qr(d.tall, "complete"), *linalg.qr(d.a, "raw"), linalg.qr(d.a, "r")),
    "slogdet": lambda d: linalg.slogdet(d.a),
    "solve": lambda d: (linalg.solve(d.a, d.rhs), linalg.solve(d.a, d.x), linalg.solve(d.stack, d.stack)),
    "svd": lambda d: (*linalg.svd(d.tall), *linalg.svd(d.singular, full_matrices=False),
                      linalg.svd(d.a, compute_uv=False)),
    "tensorinv": lambda d: linalg.tensorinv(d.tensor),
    "tensorsolve": lambda d: linalg.tensorsolve(d.tensor, d.random((4, 6))),
}
PRODUCTS = {
    "matmul": lambda d: (d.a @ d.rhs, d.a @ d.x, d.x @ d.a, d.tall.T @ d.tall, d.stack @ d.stack,
                         d.a[::2, ::3] @ d.x[::3]),
    "dot": lambda d: (np.dot(d.x, d.y), np.dot(d.x[::2], d.y[::-2]), np.dot(d.a.T, d.a), d.a.dot(d.a.T)),
    "vdot": lambda d: (np.vdot(d.x, d.y), np.vdot(d.a, d.spd)),
    "inner": lambda d: (np.inner(d.a, d.rhs.T), np.inner(d.x, d.y)),
    "outer": lambda d: np.outer(d.x, d.y),
    "tensordot": lambda d: np.tensordot(d.tensor, d.tensor, axes=([0, 3], [0, 3])),
    "einsum": lambda d: np.einsum("ij,jk,kl->il", d.a, d.spd, d.rhs, optimize=True),
    "kron": lambda d: np.kron(d.stack[0], d.stack[1]),
    "corrcoef": lambda d: np.corrcoef(d.a),
    "polyfit": lambda d: np.polyfit(np.linspace(0, 1, N), d.x, 5),
    "roots": lambda d: np.roots(d.x),
}


def by_threads(d):
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return list(pool.map(linalg.inv, [d.a, d.spd, d.stack[0], d.tall.T @ d.tall] * 4))


def by_processes(d):
    with multiprocessing.get_context("fork").Pool(2) as pool:
        return pool.map(linalg.inv, [d.a, d.spd, d.stack[0], d.tall.T @ d.tall])


CONCURRENT = {"threads": by_threads, "processes": by_processes}
# What goes wrong is part of the behaviour.
ERRORS = {
    "inv of a singular matrix": lambda d: linalg.inv(np.zeros((3, 3), d.dtype)),
    "cholesky of an indefinite matrix": lambda d: linalg.cholesky(-d.spd),
    "eig of infinities": lambda d: linalg.eig(np.full((3, 3), np.inf, d.dtype)),
    "svd of not-a-numbers": lambda d: linalg.svd(np.full((30, 30), np.nan, d.dtype)),
    "det beyond the largest number": lambda d: linalg.det(d.a * 1e6),
    "solve of nothing": lambda d: linalg.solve(np.empty((0, 0), d.dtype), np.empty((0, 2), d.dtype)),
}


def outcome(function, data):
    """Digest of all bytes of the results, or the error."""
    try:
        with np.errstate(all="raise"):
            result = function(data)
    except (linalg.LinAlgError, FloatingPointError) as error:
        return repr(error)
    digest = hashlib.sha256()
    for array in result if isinstance(result, (tuple, list)) else (result,):
        array = np.ascontiguousarray(array)
        digest.update(f"{array.dtype} {array.shape}".encode() + array.tobytes())
    return digest.hexdigest()[:32]


def main():
    public = {name for name in dir(linalg) if callable(getattr(linalg, name)) and not name.startswith("_")}
    assert public - {"LinAlgError", "test"} == set(LINALG), "not all of numpy.linalg: " + str(public ^ set(LINALG))
    for dtype in "fdFD":
        data = Data(dtype)
        for name, function in {**LINALG, **PRODUCTS, **CONCURRENT, **ERRORS}.items():
            print(f"{data.dtype.name:10} {name:34} {outcome(function, data)}")


if __name__ == "__main__":
    main()
