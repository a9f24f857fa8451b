# SPDX-License-Identifier: BSD-3-Clause
# Mixed-effects models (lme of the package nlme): 60 groups, likelihoods of many small blocks.
library(nlme)
set.seed(12)
groups <- factor(rep(1:60, each = 20))
x <- matrix(rnorm(1200 * 4), 1200)
y <- x %*% 1:4 + rnorm(60)[groups] + x[, 1] * rnorm(60)[groups] + rnorm(1200)
data <- data.frame(y = drop(y), x = x, groups)
for (i in 1:3) m <- lme(y ~ x.1 + x.2 + x.3 + x.4, random = ~ x.1 | groups, data = data)
