# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 20 s
# The lines that the tracker says a call touches against what a simulated cache fetches for it (cachegrind): reference
# BLAS, and OpenBLAS with its AVX2 kernels. A call whose operands are in no cache must fetch each line once; the cache is
# large enough not to fetch any twice.
. tests/lib.sh
if ! command -v valgrind >/dev/null; then skip "traffic of BLAS calls" "no valgrind"; exit 0; fi
export OPENBLAS_CORETYPE=Haswell LD_BIND_NOW=1

# fetched ROUTINE 0|1: lines
fetched() {
    valgrind --tool=cachegrind --cache-sim=yes --cachegrind-out-file="$T/out" --D1=49152,12,64 --LL=8388608,16,64 \
        "$B/tests/replay/traffic" "$1" "$2" >"$T/log" 2>&1 || return 1
    awk '/^events:/ { for (i = 2; i <= NF; i++) if ($i == "DLmr" || $i == "DLmw") column[i] }
         /^summary:/ { for (i in column) sum += $i; print sum }' "$T/out"
}

# compare FOLDER ROUTINE: the last call of the trace is the measured one
compare() {
    local said with without
    export LD_LIBRARY_PATH=$1
    rm -rf "$T/trace"
    traced trace "$B/tests/replay/traffic" "$2" 1 2>"$T/log"
    said=$("$B/tests/replay/tracker" lines "$T/trace" | awk -v r="$2" '$1 == r { n = $2 } END { print n }')
    with=$(fetched "$2" 1)
    without=$(fetched "$2" 0)
    unset LD_LIBRARY_PATH
    echo "# $2 $(basename "$1"): $said lines said, $((with - without)) fetched"
    true_that "$2, $(basename "$1"): within 1 % of the simulated traffic" \
        awk -v s="$said" -v f="$((with - without))" 'BEGIN { d = f / s - 1; exit !(s > 0 && d <= 0.01 && d >= -0.01) }'
}
for folder in /usr/lib/*/blas /usr/lib/*/openblas-serial; do
    [ -e "$folder/libblas.so.3" ] || continue
    for routine in daxpy ddot dgemv dgemm dsyrk dtrsm; do compare "$folder" "$routine"; done
done
exit $((failures != 0))
