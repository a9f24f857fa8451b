# SPDX-License-Identifier: BSD-3-Clause
# Linear and generalised linear models: QR by columns, as LINPACK has it, crossproducts, systems.
set.seed(13)
x <- matrix(rnorm(3000 * 40), 3000)
data <- data.frame(y = drop(x %*% rnorm(40)) + rnorm(3000), x)
for (i in 1:8) {
  m <- lm(y ~ ., data)
  v <- vcov(m)
  p <- predict(m, data)
  r <- solve(crossprod(x) + i * diag(40), crossprod(x, data$y))
  f <- glm((y > 0) ~ ., binomial, data)
}
