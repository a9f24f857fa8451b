# SPDX-License-Identifier: BSD-3-Clause
# Many small products, made in three functions deep: tests/bench/stacks.sh. Prints the nanoseconds of one.
multiply <- function(a, times) {
  for (i in seq_len(times)) {
    a %*% a
  }
}
step <- function(times) {
  multiply(matrix(1, 4, 4), times)
}
all_steps <- function(times) {
  vapply(1:10, function(i) {
    step(times / 10)
    i
  }, 1)
}
all_steps(1000) # compiles them
all_steps(1000)
times <- as.numeric(Sys.getenv("TIMES"))
began <- Sys.time()
all_steps(times)
cat(as.numeric(Sys.time() - began, units = "secs") * 1e9 / times, "\n")
