# SPDX-License-Identifier: BSD-3-Clause
# check: never
# Octave and R, whose scripts in examples/ go through their linear algebra, on two libraries; NumPy on a library with
# threads, which gives the same bits as long as their number is the same; and what NumPy and SciPy test themselves.
. tests/transparency/alike.sh
octave=$(command -v octave-cli || echo octave-cli) R=$(command -v Rscript || echo Rscript)
for library in reference openblas; do
    LIBRARIES=${provider[$library]}
    if is_there "Octave, $library" "$octave"; then
        alike "Octave, $library" "$octave" --norc --no-history "$root/examples/octave_linalg.m"
    fi
    if is_there "R, $library" "$R"; then alike "R, $library" "$R" "$root/examples/r_linalg.R" results; fi
done
LIBRARIES=$system/openblas-pthread
if is_there "NumPy, two threads" "$LIBRARIES/libopenblas.so.0"; then
    OPENBLAS_NUM_THREADS=2 alike "NumPy, two threads" "$PYTHON" "$root/examples/numpy_linalg.py"
fi

# Each test is a dot, or a letter if it failed or was skipped.
LIBRARIES=${provider[openblas]} LIMIT=$((256 << 10)) PATIENCE=1800
for package in numpy.linalg scipy.linalg; do
    if "$PYTHON" -c "import pytest, hypothesis, $package" 2>/dev/null; then
        alike "tests of $package" "$PYTHON" -m pytest -q --no-header -p no:cacheprovider --pyargs $package
    else skip "tests of $package" "it, python3-pytest or python3-hypothesis is not installed"; fi
done
exit $((failures != 0))
