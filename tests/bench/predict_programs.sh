#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# BLAS time of real programs predicted from models alone, on the library they were recorded with and on another one.
# Usage: tests/bench/predict_programs.sh [RUNS] [BUDGET] [PROGRAM...]
# of the programs of tests/bench/verify.py, NumPy HPL Octave if none is named; LIBRARIES="openblas-serial reference".
. tests/bench/lib.sh
export OPENBLAS_NUM_THREADS=1
runs=${1:-5} budget=${2:-100}
shift $(($# < 2 ? $# : 2))
"$PYTHON" tests/bench/predict_programs.py "$(realpath "$B")/ktrace" "$dir" "$runs" "$budget" "$@"
