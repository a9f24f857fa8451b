#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Records programs of Debian and of this project, makes a workload of each in this folder, with its verdict, and writes
# README.md of what all of them hold.
#
#   make.sh [-v SECONDS] [NAME...]
#
# -v: time for a verdict, 60; 0: none. NAME: only these. A program that is not there is named and left out. RECORDED,
# BESIDE: libraries that programs run on and that the verdict has beside it. They use one thread.
set -euo pipefail
ktrace=$(realpath "${KTRACE:-$(dirname "$0")/../../build/ktrace}")
cd "$(dirname "$0")"
here=$PWD root=$PWD/../..
recorded=${RECORDED:-openblas-serial} beside=${BESIDE:-blis-serial} seconds=60
export PYTHON=${PYTHON:-/usr/bin/python3} OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 KTRACE_QUIET=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
verify=$root/tests/bench/verify

# name|what it does|packages|command, run in a folder of its own
programs() {
    cat <<LIST
cholmod|CHOLMOD: sparse Cholesky factors|libsuitesparse-dev|cc -O1 -I/usr/include/suitesparse -o factor '$verify/sparse_cholesky.c' -lcholmod && exec ./factor
cp2k|CP2K: four molecules of water|cp2k cp2k-data|exec cp2k -i '$verify/water.inp'
eigenvalues|LAPACK's eigenvalue drivers|python3-scipy|exec '$PYTHON' '$here/eigen.py'
elements|finite elements: plane elasticity|python3-scipy|exec '$PYTHON' '$here/elements.py'
hpl|HPL of order 1500|hpcc|cp '$here/hpccinf.txt' . && exec hpcc
kalman|Kalman filter of 16 states|python3-numpy|exec '$PYTHON' '$verify/kalman.py'
least-squares|alternating least squares|python3-numpy|exec '$PYTHON' '$verify/least_squares.py'
numpy-demo|the NumPy demo|python3-numpy|exec '$PYTHON' '$root/examples/demo.py'
octave-riccati|Octave: Riccati equations|octave|exec octave-cli --norc --no-history '$verify/riccati.m'
r-components|R: prcomp|r-base-core|exec Rscript --vanilla '$verify/components.R'
r-linear|R: lm, glm|r-base-core|exec Rscript --vanilla '$here/linear.R'
r-mixed|R: lme|r-cran-nlme|exec Rscript --vanilla '$here/mixed.R'
scikit-learn|scikit-learn: PCA, ridge, clusters, Gaussian process|python3-sklearn|exec '$PYTHON' '$here/fit.py'
scipy-process|SciPy: fit of a Gaussian process|python3-scipy|exec '$PYTHON' '$verify/gaussian_process.py'
LIST
}

# installed PACKAGE...
installed() { [ "$(dpkg-query -W -f '${db:Status-Status} ' "$@" 2>/dev/null | tr ' ' '\n' | grep -c '^installed$')" = $# ]; }

# record NAME COMMAND: NAME.trace and NAME.ktw in the folder of the work
record() {
    mkdir "$work/run"
    (cd "$work/run" && "$ktrace" run -o "$work/$1.trace" --nested none --blas "$recorded" -- sh -c "$2") >"$work/output" 2>&1 || {
        echo "make.sh: $1 ended with status $?:" >&2
        tail -n 3 "$work/output" >&2
        rm -rf "$work/run"
        return 1
    }
    rm -rf "$work/run"
    "$ktrace" distill "$work/$1.trace" -o "$work/$1.ktw"
}

# keep NAME: with its verdict
keep() {
    [ "$seconds" = 0 ] || "$ktrace" distill --verify "$work/$1.trace" "$work/$1.ktw" --blas "$beside" --budget "$seconds" || return 1
    mv "$work/$1.ktw" "$here/$1.ktw"
}

while getopts v: option; do
    case $option in
    v) seconds=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0 made=()
# All are recorded first: a machine that is quiet for some minutes is enough.
while IFS='|' read -r name _ packages command; do
    [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
    # shellcheck disable=SC2086 # words
    installed $packages || { echo "make.sh: $name is left out: it needs the packages $packages" >&2; continue; }
    if record "$name" "$command" </dev/null; then made+=("$name"); else status=1; fi
done < <(programs)
for name in "${made[@]}"; do
    keep "$name" </dev/null || status=1
done
programs | "$PYTHON" table.py "$ktrace" >"$work/README.md" && mv "$work/README.md" README.md
exit "$status"
