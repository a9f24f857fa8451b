# SPDX-License-Identifier: BSD-3-Clause
# An R program: linear models, singular values and QR decompositions. Prints a checksum.
set.seed(1)
total <- 0
for (n in c(20, 60, 100, 200)) {
    x <- matrix(rnorm(n * n / 4), n)
    y <- rnorm(n)
    data <- data.frame(y = y, x[, 1:4])
    for (k in seq_len(12000 / n)) {
        total <- total + sum(coef(lm(y ~ ., data = data))) + sum(svd(x)$d)
        total <- total + sum(abs(diag(qr.R(qr(x, LAPACK = TRUE))))) + sum(solve(crossprod(x), crossprod(x, y)))
    }
}
cat(sprintf("%.6g\n", total))
