#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Slowdown of whole programs by full recording: HPL, the NumPy example, and a program of millions of small calls.
# Usage: tests/bench/programs.sh [PAIRS] [PROGRAM...]    of hpl, demo, small
. tests/bench/lib.sh
"$PYTHON" tests/bench/programs.py "$B" "$dir" "$(reference_blas)" "${@:-10}"
