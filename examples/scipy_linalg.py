#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""All of scipy.linalg, its wrappers of single BLAS and LAPACK routines, and the users of both in the rest of SciPy.

One line each with a digest of all result bytes, in up to four types. Two runs on one machine with one thread print the
same text; whatever changes a single bit of a result shows.

    ktrace run -- python3 examples/scipy_linalg.py
"""
import hashlib
import os
import re
import warnings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy and SciPy load their BLAS

import numpy as np  # noqa: E402
import scipy.integrate  # noqa: E402
import scipy.interpolate  # noqa: E402
import scipy.optimize  # noqa: E402
import scipy.signal  # noqa: E402
import scipy.sparse.linalg  # noqa: E402
import scipy.stats  # noqa: E402
from scipy import linalg  # noqa: E402
from scipy.linalg import blas, lapack  # noqa: E402

N = 40


class Data:
    """Matrices of one type: general, tall, symmetric positive definite, upper triangular, banded, and vectors."""

    def __init__(self, dtype):
        self.rng = np.random.default_rng(2)
        self.dtype = np.dtype(dtype)
        self.a, self.b, self.tall, self.rhs = map(self.random, ((N, N), (N, N), (2 * N, N), (N, 4)))
        self.x, self.y = self.random(N), self.random(2 * N)
        self.spd = self.a @ self.a.conj().T + N * np.eye(N, dtype=dtype)
        self.upper = np.triu(self.a) + N * np.eye(N, dtype=dtype)
        self.band = self.random((5, N))
        self.band[2] += 8
        self.spd_band = np.abs(self.random((3, N))).astype(dtype)
        self.spd_band[-1] += 8
        self.small = self.a[:8, :8] / 8

    def random(self, shape):
        values = self.rng.standard_normal(shape)
        if self.dtype.kind == "c":
            values = values + 1j * self.rng.standard_normal(shape)
        return values.astype(self.dtype)


DENSE = {
    "solve": lambda d: [linalg.solve(m, d.rhs, assume_a=kind) for m, kind in
                        ((d.a, "gen"), (d.spd, "pos"), (d.a + d.a.T, "sym"), (d.a + d.a.conj().T, "her"))],
    "solve_triangular": lambda d: [linalg.solve_triangular(d.upper, d.rhs, trans=t) for t in (0, 1, 2)],
    "solve_banded": lambda d: (linalg.solve_banded((2, 2), d.band, d.rhs),
                               linalg.solve_banded((1, 1), d.band[1:4], d.x)),
    "solveh_banded": lambda d: (linalg.solveh_banded(d.spd_band, d.rhs), linalg.solveh_banded(d.spd_band[1:], d.x)),
    "solve_circulant": lambda d: linalg.solve_circulant(d.x, d.rhs),
    "solve_toeplitz": lambda d: linalg.solve_toeplitz((d.x, d.y[:N]), d.rhs),
    "matmul_toeplitz": lambda d: linalg.matmul_toeplitz((d.x, d.y[:N]), d.rhs),
    "inv": lambda d: linalg.inv(d.a),
    "det": lambda d: linalg.det(d.a),
    "lstsq": lambda d: [r for driver in ("gelsd", "gelsy", "gelss")
                        for r in linalg.lstsq(d.tall, d.y, lapack_driver=driver) if r is not None],
    "pinv": lambda d: (linalg.pinv(d.tall), linalg.pinvh(d.spd)),
    "lu": lambda d: (*linalg.lu(d.tall), *linalg.lu_factor(d.a), linalg.lu_solve(linalg.lu_factor(d.a), d.rhs, 1)),
    "ldl": lambda d: (*linalg.ldl(d.a + d.a.T, hermitian=False), *linalg.ldl(d.a + d.a.conj().T)),
    "cholesky": lambda d: (linalg.cholesky(d.spd), linalg.cho_solve(linalg.cho_factor(d.spd), d.rhs)),
    "cholesky_banded": lambda d: linalg.cho_solve_banded((linalg.cholesky_banded(d.spd_band), False), d.rhs),
    "qr": lambda d: (*linalg.qr(d.tall), *linalg.qr(d.tall, mode="economic", pivoting=True), *linalg.rq(d.a)),
    "qr_multiply": lambda d: linalg.qr_multiply(d.tall, d.tall.T, "right"),
    "qr_update": lambda d: (*linalg.qr_update(*linalg.qr(d.a), d.x, d.y[:N]), *linalg.qr_delete(*linalg.qr(d.a), 3, 2),
                            *linalg.qr_insert(*linalg.qr(d.a), d.x, 3)),
    "svd": lambda d: (*linalg.svd(d.tall), *linalg.svd(d.a, lapack_driver="gesvd"), linalg.svdvals(d.tall)),
    "eig": lambda d: (*linalg.eig(d.a, left=True), *linalg.eig(d.a, d.b), linalg.eigvals(d.a)),
    "eigh": lambda d: [r for driver in ("ev", "evd", "evr", "evx") for r in linalg.eigh(d.spd, driver=driver)],
    "eigh, generalised": lambda d: [r for driver in ("gv", "gvd", "gvx")
                                    for r in linalg.eigh(d.spd, d.spd, driver=driver)],
    "eigh, part": lambda d: (*linalg.eigh(d.spd, subset_by_index=(3, 9)), linalg.eigvalsh(d.spd)),
    "eig_banded": lambda d: (*linalg.eig_banded(d.spd_band), linalg.eigvals_banded(d.spd_band)),
    "eigh_tridiagonal": lambda d: [r for driver in ("stemr", "stebz", "stev") for r in
                                   linalg.eigh_tridiagonal(d.x.real, d.y.real[1:N], lapack_driver=driver)],
    "eigvalsh_tridiagonal": lambda d: linalg.eigvalsh_tridiagonal(d.x.real, d.y.real[1:N], lapack_driver="sterf"),
    "schur": lambda d: (*linalg.schur(d.a), *linalg.schur(d.a, "complex", sort="lhp")[:2],
                        *linalg.rsf2csf(*linalg.schur(d.a)), *linalg.cdf2rdf(*linalg.eig(d.a.real))),
    "hessenberg": lambda d: linalg.hessenberg(d.a, calc_q=True),
    "qz": lambda d: (*linalg.qz(d.a, d.b), *linalg.ordqz(d.a, d.b, sort="ouc")),
    "matrix_balance": lambda d: linalg.matrix_balance(d.a * np.logspace(-3, 3, N).astype(d.dtype)),
    "cossin": lambda d: linalg.cossin(linalg.qr(d.a)[0], p=N // 3, q=N // 2),
    "polar": lambda d: linalg.polar(d.tall),
    "orth": lambda d: (linalg.orth(d.tall), linalg.null_space(d.tall.T),
                       linalg.subspace_angles(d.tall[:, :3], d.tall[:, 5:])),
    "orthogonal_procrustes": lambda d: linalg.orthogonal_procrustes(d.tall.real, 2 * d.tall.real[::-1]),
    "expm": lambda d: (linalg.expm(d.a), *linalg.expm_frechet(d.small, d.small.T), linalg.expm_cond(d.small)),
    "logm": lambda d: (linalg.logm(d.spd, disp=False)[0], linalg.fractional_matrix_power(d.spd, 0.3)),
    "sqrtm": lambda d: (linalg.sqrtm(d.a), linalg.sqrtm(d.spd)),
    "signm": lambda d: linalg.signm(d.small),
    "cosm": lambda d: [function(d.small) for function in (linalg.cosm, linalg.sinm, linalg.tanm, linalg.coshm,
                                                          linalg.sinhm, linalg.tanhm)],
    "funm": lambda d: linalg.funm(d.small, np.exp),
    "solve_sylvester": lambda d: (linalg.solve_sylvester(d.a, d.b, d.spd), linalg.solve_continuous_lyapunov(d.a, d.spd),
                                  linalg.solve_discrete_lyapunov(d.small, d.small)),
    "solve_are": lambda d: (linalg.solve_continuous_are(d.a, d.b, np.eye(N), np.eye(N)),
                            linalg.solve_discrete_are(d.small, np.eye(8), np.eye(8), np.eye(8))),
    "norm": lambda d: [linalg.norm(d.a, p) for p in (None, 1, 2, np.inf)],
    "clarkson_woodruff_transform": lambda d: linalg.clarkson_woodruff_transform(d.tall, 20, seed=1),
    "special matrices": lambda d: [linalg.inv(m + 9 * np.eye(8)) for m in (
        linalg.hilbert(8), linalg.pascal(8), linalg.hadamard(8), linalg.dft(8), linalg.helmert(8, full=True),
        linalg.toeplitz(d.x[:8]), linalg.hankel(d.x[:8]), linalg.circulant(d.x[:8]), linalg.companion(d.x[:9]),
        linalg.leslie(d.x[:8], d.x[:7]), linalg.fiedler(np.arange(8)), linalg.invpascal(8), linalg.invhilbert(8),
        linalg.fiedler_companion(d.x[:9]), linalg.convolution_matrix(d.x[:8], 8, "same"))],
    "khatri_rao": lambda d: (linalg.khatri_rao(d.a, d.tall), linalg.block_diag(d.a, d.rhs), linalg.diagsvd(d.x, N, N)),
    "bandwidth": lambda d: (linalg.bandwidth(d.upper), linalg.issymmetric(d.spd), linalg.ishermitian(d.spd)),
}


def sparse(d):
    """A two-dimensional Laplace operator, made unsymmetric by a drift."""
    one = scipy.sparse.diags([-1.0, 2.1, -0.9], [-1, 0, 1], shape=(18, 18))
    return scipy.sparse.kronsum(one, one, format="csc").astype(d.dtype)


def symmetric(d):
    return sparse(d) + sparse(d).T


def start(d):
    return np.linspace(1, 2, 324).astype(d.dtype)


def stiff(t, y):
    return [-0.04 * y[0] + 1e4 * y[1] * y[2], 0.04 * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1] ** 2, 3e7 * y[1] ** 2]


SPARSE = {
    "splu": lambda d: (scipy.sparse.linalg.splu(sparse(d)).solve(start(d)),
                       scipy.sparse.linalg.spsolve(sparse(d), start(d))),
    "spilu": lambda d: scipy.sparse.linalg.spilu(sparse(d), 1e-2).solve(start(d)),
    "eigsh": lambda d: (*scipy.sparse.linalg.eigsh(symmetric(d), 4, v0=start(d)),
                        *scipy.sparse.linalg.eigsh(symmetric(d), 4, sigma=0.1, v0=start(d))),
    "eigs": lambda d: scipy.sparse.linalg.eigs(sparse(d), 4, v0=start(d)),
    "svds": lambda d: scipy.sparse.linalg.svds(sparse(d), 4, v0=start(d)),
    "lobpcg": lambda d: scipy.sparse.linalg.lobpcg(symmetric(d), d.rng.standard_normal((324, 4)).astype(d.dtype)),
    "krylov": lambda d: [getattr(scipy.sparse.linalg, name)(symmetric(d), start(d))[0]
                         for name in "cg cgs bicg bicgstab gmres lgmres minres qmr gcrotmk lsqr lsmr".split()],
    "expm_multiply": lambda d: scipy.sparse.linalg.expm_multiply(-sparse(d), start(d)),
}
ELSEWHERE = {
    "least_squares": lambda d: [scipy.optimize.least_squares(lambda x: d.tall @ x - d.y, np.zeros(N), method=m).x
                                for m in ("trf", "lm")],
    "minimize": lambda d: [scipy.optimize.minimize(scipy.optimize.rosen, np.linspace(-1, 1, 6), method=m).x
                           for m in ("BFGS", "L-BFGS-B", "SLSQP", "trust-constr", "COBYLA")],
    "nnls": lambda d: scipy.optimize.nnls(d.tall, d.y),
    "linprog": lambda d: scipy.optimize.linprog(np.ones(8), A_eq=d.small[:4], b_eq=d.small[:4].sum(axis=1)).x,
    "root": lambda d: [scipy.optimize.root(lambda x: d.spd @ x + x**3 - 1, np.zeros(N), method=m).x
                       for m in ("hybr", "krylov")],
    "stiff equations": lambda d: [scipy.integrate.solve_ivp(stiff, (0, 10), [1, 0, 0], method=m).y
                                  for m in ("LSODA", "BDF", "Radau")],
    "odeint": lambda d: scipy.integrate.odeint(stiff, [1, 0, 0], [0, 5], tfirst=True),
    "splines": lambda d: [scipy.interpolate.make_interp_spline(np.arange(N), d.x)(np.linspace(0, N - 1, 77)),
                          scipy.interpolate.RBFInterpolator(d.tall[:, :2], d.y)(d.a[:, :2])],
    "place_poles": lambda d: scipy.signal.place_poles(d.small, d.a[:8, :2], -np.arange(1.0, 9)).gain_matrix,
    "savgol_filter": lambda d: scipy.signal.savgol_filter(d.y, 11, 3),
    "multivariate_normal": lambda d: scipy.stats.multivariate_normal(np.zeros(N), d.spd).logpdf(d.rhs.T),
    "gaussian_kde": lambda d: scipy.stats.gaussian_kde(d.tall[:, :3].T)(d.a[:, :3].T),
}

# --- the wrappers of single routines: called with what their signatures ask for ---------------------------------

ORDER = 6
PACKED = ORDER * (ORDER + 1) // 2
NUMBERS = {"n": ORDER, "m": ORDER, "hi": ORDER - 1, "ihi": ORDER, "n1": 2, "n2": 3, "iu": ORDER, "range": 0,
           "lwork": 2000, "lrwork": 2000, "liwork": 2000, "size_iwork": 2000, "size_rwork": 2000}
LETTERS = {"norm": "1", "side": "L", "order": "E"}
# They return bytes that nobody set: the imaginary part of a real number.
UNDEFINED = {"crotg", "zrotg"}


class Sizes(dict):
    """What names in the bounds of arrays stand for if they are no arguments."""

    def __missing__(self, name):
        return PACKED if name in ("nt", "L") else ORDER


def shape_of(bounds, rank, numbers):
    """Of an array with bounds as in `n,MAX(0,n - 1)`; where they are not that simple it is long, or a square."""
    try:
        return tuple(eval(bounds.replace("/", "//") + ",", {}, Sizes(numbers, MAX=max, max=max)))
    except SyntaxError:
        return (PACKED,) if rank == 1 else (ORDER, ORDER)


def array_argument(name, dtype, shape):
    """Pivots that exchange nothing, counted from 0 in piv and from 1 elsewhere, or a diagonally dominant matrix."""
    if dtype == "i":
        return np.arange(shape[0], dtype=dtype) + (name != "piv")
    i, j = np.ogrid[:ORDER, :ORDER]
    return np.resize((i + j) % 5 + 9.0 * (i == j), shape).astype(dtype)


def argument(name, kind, numbers):
    """A legal value, as far as the documentation of the wrapper tells."""
    array = re.match(r"input rank-(\d) array\('(.)'\) with bounds `*\((.*)\)", kind)
    if array:
        return array_argument(name, array[2], shape_of(array[3], int(array[1]), numbers))
    if kind.startswith("call-back"):
        return lambda *_: 1
    scalars = {"float": 0.75, "complex": 0.75 + 0.5j, "bytes": LETTERS.get(name, "N"), "int": numbers.get(name)}
    return scalars[kind.split()[1]]


def call_wrapper(function):
    kinds = dict(re.findall(r"^(\w+) : ((?:input|call).*)$", function.__doc__, re.M))
    required = re.findall(r"\w+", re.search(r"\(([^[)]*)", function.__doc__)[1])
    numbers = {name: NUMBERS.get(name, 1) for name in required if kinds[name] == "input int"}
    return function(*(argument(name, kinds[name], numbers) for name in required))


def wrappers(module):
    return {name: function for name, function in sorted(vars(module).items())
            if type(function).__name__ == "fortran" and name not in UNDEFINED}


# ------------------------------------------------------------------------------------------------------------------


def digest(result):
    """Of all bytes of the results."""
    total = hashlib.sha256()
    for array in result if isinstance(result, (tuple, list)) else (result,):
        array = np.ascontiguousarray(array)
        array = array.astype({"g": "d", "G": "D"}.get(array.dtype.char, array.dtype))  # long doubles have padding
        total.update(f"{array.dtype} {array.shape}".encode() + array.tobytes())
    return total.hexdigest()[:32]


def outcome(function, *arguments):
    """The digest, or the error: what goes wrong is part of the behaviour."""
    try:
        return digest(function(*arguments))
    except Exception as error:  # of f2py, LAPACK or SciPy
        return f"{type(error).__name__}: {error}"


def main():
    warnings.simplefilter("ignore")  # of ill-conditioned matrices, with numbers that differ between libraries
    for types, functions in (("fdFD", DENSE), ("fdFD", SPARSE), ("d", ELSEWHERE)):
        for dtype in types:
            data = Data(dtype)
            for name, function in functions.items():
                print(f"{data.dtype.name:10} {name:28} {outcome(function, data)}")
    for name, wrapper in {**wrappers(blas), **wrappers(lapack)}.items():
        print(f"{name:39} {outcome(call_wrapper, wrapper)}")


if __name__ == "__main__":
    main()
