# SPDX-License-Identifier: BSD-3-Clause
"""Fits of scikit-learn: principal components, ridge regression over a grid, clusters, a Gaussian process, discriminants."""
import numpy as np
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.linear_model import LinearRegression, RidgeCV

g = np.random.default_rng(11)
X = g.standard_normal((2000, 20)) @ g.standard_normal((20, 80)) + 0.1 * g.standard_normal((2000, 80))
y = X @ g.standard_normal(80) + g.standard_normal(2000)
labels = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)
for _ in range(4):
    reduced = PCA(n_components=20).fit_transform(X)
    LinearRegression().fit(X, y)
    RidgeCV(alphas=np.logspace(-2, 2, 9)).fit(X, y)
    LinearDiscriminantAnalysis().fit(reduced, labels).predict(reduced)
KMeans(n_clusters=8, n_init=2, random_state=0).fit(reduced)
GaussianProcessRegressor(RBF(5.0) + WhiteKernel(1.0)).fit(reduced[:250, :5], y[:250])
