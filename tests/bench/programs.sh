#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Slowdown of whole programs by recording, in its default way, in profile mode and with all nested calls: HPL, the NumPy
# example, scripts of SciPy, Octave and R (linalg.*), CHOLMOD (cholesky.c), a program of millions of small calls, and ddot.
# Usage: tests/bench/programs.sh [PAIRS [full|profile|nested]... [hpl|demo|scipy|octave|r|cholmod|small|calls]...]
. tests/bench/lib.sh
"$PYTHON" tests/bench/programs.py "$B" "$dir" "$(reference_blas)" "${@:-10}"
