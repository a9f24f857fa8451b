#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# How good models of kernels are at points that they have not seen, beside what two measurements of these points differ
# by, for several numbers of samples (the accuracy-against-samples curve, figure 5 of Peise & Bientinesi).
# BUDGET=60 seconds for each step, HI=1024 the largest size, LIBRARIES, STEPS: bounds in %. The curve: OUT/models.svg, .csv.
. tests/bench/lib.sh
budget=${BUDGET:-60} hi=${HI:-1024} libraries=${LIBRARIES:-openblas-serial blis-serial} steps=${STEPS:-20 10 5 3 2} out=${OUT:-$B/bench}
mkdir -p "$out"
cat >"$dir/kernels.py" <<'END'
import numpy as np
from scipy.linalg import blas
def f(m, n): return np.asfortranarray(np.random.rand(m, n) + m * np.eye(m, n))
for n in (8, 256):
    blas.dtrsm(1.0, f(n, n), f(n, n), side=0, lower=1)
    blas.dtrmm(1.0, f(n, n), f(n, n), side=0, lower=1)
    blas.dgemm(1.0, f(n, n), f(n, n), beta=1.0, c=f(n, n))
    blas.dsyrk(-1.0, f(n, n), beta=1.0, c=f(n, n), lower=1)
    blas.dgemv(1.0, f(n, n), np.ones(n), beta=1.0, y=np.ones(n))
END
OPENBLAS_NUM_THREADS=1 "$B/ktrace" run -o "$dir/trace" -- "$PYTHON" "$dir/kernels.py" >/dev/null 2>&1 || exit 1
echo "library,routine,context,bound,samples,grid,error,max,floor,n" >"$out/models.csv"

# build LIBRARY ROUTINES HI BOUND: one step of refinement of what there is; sizes of 1 are inside
build() {
    "$B/ktrace" model build "$dir/trace" --blas "$1" --models "$dir/$1.json" --routine "$2" --domain "1:$3" --budget "$budget" \
        --samples "bound=$4,heldout=12" --json >"$dir/built.json" 2>/dev/null
    "$PYTHON" - "$dir/built.json" "$1" "$4" "$2" >>"$out/models.csv" <<'END'
import fnmatch, json, sys
d = json.load(open(sys.argv[1]))
for m in d["models"]:
    if m["routine"] not in sys.argv[4].split(","): continue
    grid = 1
    for lo, hi in m["domain"].values(): grid *= (hi - lo) // 8 + 1
    e = m["error"]
    print(sys.argv[2], m["routine"], m["context"], sys.argv[3], m["samples"], grid, e["avg"], e["max"], e["floor"], e["n"], sep=",")
END
}

for library in $libraries; do
    "$B/ktrace" info --libraries | grep -q "^$library " || { echo "$library is not here"; continue; }
    for bound in $steps; do
        build "$library" dgemv,dsyrk,dtrmm,dtrsm "$hi" "$bound"
        build "$library" dgemm $((hi / 2)) "$bound"
    done
    echo "$library, errors at points that the models have not seen:"
    "$B/tests/bench/model_errors" "$dir/$library.json" "$dir/trace" "$library" 24 8 "$hi" dgemv,dsyrk,dtrmm,dtrsm
    "$B/tests/bench/model_errors" "$dir/$library.json" "$dir/trace" "$library" 24 8 $((hi / 2)) dgemm
    # 8 x 4096 and its like, each from models of such sizes
    for long in dgemv,dsyrk,dtrmm,dtrsm:4:16,4:4096:1 dgemv,dsyrk,dtrmm,dtrsm:4:4096,4:16:0 \
        dgemm:4:4096,4:16:0 dgemm:4:16,4:4096,4:16:1 dgemm:4:16,4:16,4:4096:2; do
        routines=${long%%:*} axis=${long##*:} domain=${long#*:}
        "$B/ktrace" model build "$dir/trace" --blas "$library" --models "$dir/$library-long.json" --fresh --routine "$routines" \
            --domain "${domain%:*}" --budget "$budget" >/dev/null 2>&1
        "$B/tests/bench/model_errors" "$dir/$library-long.json" "$dir/trace" "$library" 12 8 4096 "$routines" "$axis"
    done
done
cat >"$out/models.gp" <<END
set datafile separator ','
set datafile missing NaN
set logscale xy
set xlabel 'samples, % of the grid of multiples of 8'
set ylabel 'mean error at held-out points, %'
set key outside right
set grid
libraries = "$libraries"
routines = "dgemm dgemv dsyrk dtrmm dtrsm"
plot for [i=1:words(libraries)] for [j=1:words(routines)] '$out/models.csv' \
    using ((strcol(1) eq word(libraries, i) && strcol(2) eq word(routines, j) && strcol(3) eq 'warm') ? 100*\$5/\$6 : NaN):(100*\$7) \
    with linespoints lc j dt i pt 2*i+3 title word(libraries, i).' '.word(routines, j) noenhanced
END
if command -v gnuplot >/dev/null; then
    for kind in svg png; do gnuplot -e "set terminal $kind size 900,500; set output '$out/models.$kind'" "$out/models.gp"; done
    echo "accuracy against samples: $out/models.svg"
fi
