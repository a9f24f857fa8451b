#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# How good predictions are: algorithms, block sizes, rankings, on points that no model has seen (make bench-predict).
# Truth and prediction of each comparison are of the same run; candidates take turns (model/algorithm/execution.h).
#
#     BLAS=      library: files joined by commas; default reference LAPACK on OpenBLAS
#     BUDGET=    seconds for the models of each operation; default 300
#     LARGEST=   n; default 3000
#     TUNED=     largest n of which all block sizes are run; default half of LARGEST
#     MEASURE=   seconds for measuring each point; default 20
cd "$(dirname "$0")/../.." || exit 1
kt=${B:-build}/ktrace
blas=$(ls /usr/lib/*/openblas-serial/libblas.so.3 | head -n 1),$(ls /usr/lib/*/lapack/liblapack.so.3 | head -n 1)
BLAS=${BLAS:-$blas} BUDGET=${BUDGET:-300} LARGEST=${LARGEST:-3000} MEASURE=${MEASURE:-20}
TUNED=${TUNED:-$((LARGEST / 2))}
export OUT=${OUT:-$(mktemp -d)} OPENBLAS_NUM_THREADS=1
export XDG_CACHE_HOME=$OUT/cache # no models of earlier runs
"$kt" probe --show >/dev/null 2>&1 || "$kt" probe --quick >/dev/null || exit 1
echo "results in $OUT, load $(cut -d' ' -f1 /proc/loadavg)"

step=$((LARGEST / 12))
for operation in cholesky qr lu trinv dlauum; do
    "$kt" model build --blas "$BLAS" --algorithm $operation --n "40,88,96,200,$((64 + step)):$LARGEST:$step,$LARGEST" --b 8,16,24,32,48,64,96,128,256 --budget "$BUDGET" --json \
        >"$OUT/models-$operation.json" || exit 1
done
"$kt" model build --blas "$BLAS" --algorithm dgeqrf --m 4000 --n 100,300,600,1000 --b 8,24,40,64,96,128,256 --budget "$BUDGET" --json \
    >"$OUT/models-tall.json" || exit 1

# 3: predicted times over n and b, against both sums that know nothing of caches
for routine in dgeqrf dpotrf; do
    for b in 8 24 40 64 104 160 256; do
        "$kt" model predict --blas "$BLAS" --algorithm $routine --n "100:$LARGEST:$((LARGEST / 7))" --b $b --measure \
            --combine level --budget "$MEASURE" --json >"$OUT/predict-$routine-$b.json"
        "$kt" model predict --blas "$BLAS" --algorithm $routine --n "100:$LARGEST:$((LARGEST / 7))" --b $b --json \
            >"$OUT/paper-$routine-$b.json"
    done
done
# 4: block sizes; also tall and skinny
for routine in dgeqrf dpotrf dgetrf dtrtri dlauum; do
    "$kt" model tune $routine --blas "$BLAS" --combine level --n "40,88,200,$((TUNED / 5)):$TUNED:$((TUNED / 5))" --b 8:64:8,80:256:16 --measure \
        --budget "$MEASURE" -o "$OUT/tune-$routine" --json >"$OUT/tune-$routine.json"
done
"$kt" model tune dgeqrf --blas "$BLAS" --combine level --m 4000 --n 100,300,600,1000 --b 8:64:8,80:256:16 --measure --budget "$MEASURE" \
    --json >"$OUT/tune-dgeqrf-tall.json"
# 5: rankings
for operation in cholesky lu trinv qr; do
    "$kt" model rank $operation --blas "$BLAS" --combine level --n "96,200,400,$((LARGEST / 3)),$LARGEST" --b 24,64,128,256 --measure \
        --budget "$MEASURE" --json >"$OUT/rank-$operation.json"
done
"${PYTHON:-/usr/bin/python3}" tests/bench/predict_summary.py "$OUT"
