# SPDX-License-Identifier: BSD-3-Clause
# Principal components, a linear model with many columns, leave-one-out by its hat matrix, distances by crossprod.
set.seed(6)
x <- matrix(rnorm(1500 * 120), 1500)
y <- x %*% rnorm(120) + rnorm(1500)
for (i in 1:6) {
    p <- prcomp(x, scale. = TRUE)
    m <- lm.fit(p$x[, 1:60], y)
    q <- qr.Q(qr(x))
    h <- rowSums(q^2)
    s <- tcrossprod(x[1:500, ])
    b <- solve(crossprod(x) + diag(120), crossprod(x, y))
}
