#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Do the ways to flush operands agree, do the timers for one and for many calls, and what difference do paired comparisons
# find? BLAS= another library; ROUNDS=, TRIALS=.
. tests/bench/lib.sh
"$tools/flush_methods" "${BLAS:-openblas-serial}" "${ROUNDS:-25}"
"$tools/one_percent" "${BLAS:-openblas-serial}" "${TRIALS:-20}"
