#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Predictions of compare beside what real programs then take on each library, with one thread and with two.
# Usage: tests/bench/verify.sh [RUNS] [BUDGET] [PROGRAM...]
# of NumPy SciPy Octave R HPL CHOLMOD CP2K CP2K-18 eigenvalues, and of those of make ablation; LIBRARIES="reference blis" and THREADS="1" choose.
. tests/bench/lib.sh
runs=${1:-10} budget=${2:-60}
shift $(($# < 2 ? $# : 2))
"$PYTHON" tests/bench/verify.py "$(realpath "$B")/ktrace" "$dir" "$runs" "$budget" "$@"
