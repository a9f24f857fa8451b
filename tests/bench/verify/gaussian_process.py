# SPDX-License-Identifier: BSD-3-Clause
"""Length scale of a Gaussian process of 600 points by its marginal likelihood and gradient: Cholesky factors, triangular
solves, products."""
import numpy as np
import scipy.linalg as la
import scipy.optimize as so

g = np.random.default_rng(4)
X = g.uniform(0, 5, (600, 3))
y = np.sin(X).sum(axis=1) + 0.1 * g.standard_normal(600)
D = ((X[:, None] - X[None]) ** 2).sum(axis=2)


def likelihood(theta):
    scale, noise = np.exp(theta)
    E = np.exp(-D / (2 * scale ** 2))
    L = la.cholesky(E + noise * np.eye(600), lower=True)
    alpha = la.cho_solve((L, True), y)
    inverse = la.cho_solve((L, True), np.eye(600))
    slopes = [E * D / scale ** 2, noise * np.eye(600)]
    value = y @ alpha / 2 + np.log(np.diag(L)).sum()
    return value, [(np.trace(inverse @ s) - alpha @ s @ alpha) / 2 for s in slopes]


so.minimize(likelihood, np.log([1.0, 0.1]), jac=True, method="L-BFGS-B", options={"maxiter": 12})
