# SPDX-License-Identifier: BSD-3-Clause
# R's linear algebra and its fits: the largest value of each result, and all bytes of all results in a file.
# Two runs on one machine with one thread write the same; whatever changes a single bit of a result shows.
#
#     ktrace run -- Rscript examples/r_linalg.R [FILE]
arguments <- commandArgs(trailingOnly = TRUE)
out <- if (length(arguments)) file(arguments[1], "wb") else NULL

# Evaluates EXPRESSION, which may fail: what goes wrong is part of the behaviour.
show <- function(name, expression) {
  result <- tryCatch(unlist(expression), error = conditionMessage)
  if (is.character(result)) {
    cat(sprintf("%-20s %s\n", name, result))
  } else {
    if (!is.null(out)) writeBin(c(Re(result), Im(result)), out)
    cat(sprintf("%-20s %6d values, largest %a\n", name, length(result), max(Mod(result))))
  }
}

set.seed(3)
n <- 40
a <- matrix(rnorm(n * n), n)
b <- matrix(rnorm(n * 4), n)
tall <- matrix(rnorm(2 * n * n), 2 * n)
z <- a + 1i * t(a)
spd <- crossprod(a) + n * diag(n)
y <- rnorm(2 * n)

show("%*%", a %*% b)
show("%*%, complex", z %*% z)
show("%*%, vector", a %*% b[, 1])
show("crossprod", crossprod(tall))
show("tcrossprod", tcrossprod(a, tall))
show("outer", outer(b[, 1], b[, 2]))
show("kronecker", kronecker(a[1:5, 1:5], b[1:5, ]))
show("solve", solve(a, b))
show("solve, complex", solve(z, z[, 1:3]))
show("inverse", solve(a))
show("singular", solve(matrix(0, 3, 3)))
show("qr", qr(tall)[c("qr", "qraux")])
show("qr, LAPACK", qr(tall, LAPACK = TRUE)[c("qr", "qraux", "pivot")])
show("qr.solve", qr.solve(tall, y))
show("qr.Q", qr.Q(qr(tall, LAPACK = TRUE), complete = TRUE))
show("qr.coef, complex", qr.coef(qr(z), z[, 1]))
show("chol", chol(spd))
show("chol, pivoted", suppressWarnings(chol(crossprod(a[1:5, ]), pivot = TRUE)))
show("chol, not definite", chol(-spd))
show("chol2inv", chol2inv(chol(spd)))
show("backsolve", backsolve(chol(spd), b))
show("forwardsolve", forwardsolve(t(chol(spd)), b))
show("svd", svd(tall))
show("svd, complex", svd(z))
show("La.svd", La.svd(a, nu = 0))
show("eigen", eigen(a))
show("eigen, symmetric", eigen(spd))
show("eigen, complex", eigen(z))
show("eigen, Hermitian", eigen(z %*% Conj(t(z)), symmetric = TRUE))
show("determinant", unlist(determinant(a)))
show("rcond", c(rcond(a), rcond(z), rcond(a, "I")))
show("kappa", kappa(a, exact = TRUE))
show("norm", c(norm(a), norm(a, "F"), norm(a, "2"), norm(a, "I")))
show("lm", {
  data <- data.frame(y = y, tall[, 1:8])
  fit <- lm(y ~ ., data)
  c(coef(fit), residuals(fit), vcov(fit), hatvalues(fit))
})
show("glm", coef(glm((y > 0) ~ tall[, 1:4], family = binomial)))
show("loess", predict(loess(y ~ tall[, 1])))
show("smooth.spline", predict(smooth.spline(tall[, 1], y), 0)$y)
show("prcomp", prcomp(tall)[c("sdev", "rotation")])
show("princomp", princomp(tall)$sdev)
show("factanal", factanal(tall[, 1:8], 2)$uniquenesses)
show("cancor", cancor(tall[, 1:4], tall[, 5:9])$cor)
show("cmdscale", cmdscale(dist(a)))
show("mahalanobis", mahalanobis(a[, 1:6], rep(0, 6), diag(6)))
show("arima", coef(arima(y, order = c(2, 0, 0))))
show("ar", ar(y, order.max = 3, aic = FALSE)$ar)
show("optim", optim(rep(1, 5), function(x) sum((spd[1:5, 1:5] %*% x - 1)^2), method = "BFGS")$par)
show("nlm", nlm(function(x) sum((a[1:5, 1:5] %*% x - 1)^2), rep(0, 5))$estimate)
show("kmeans", kmeans(tall[, 1:3], 4)$centers)
show("polyroot", polyroot(y[1:12]))
if (!is.null(out)) close(out)
