# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 6 s
# Every function that the libraries export is recorded or on the list of those left alone, with a reason.
. tests/lib.sh
list=trace/routines/left_alone.list
names() { "$PYTHON" tests/table/names.py "$@"; }

# covers NAME [--only PATTERN] PATH...: the libraries that the paths, shell patterns, lead to
covers() {
    local name=$1 only= out status path found=(); shift
    if [ "$1" = --only ]; then only=$2; shift 2; fi
    for path in "$@"; do found+=($(compgen -G "$path")); done
    if [ ${#found[@]} = 0 ]; then skip "names of $name" "not installed"; return; fi
    out=$(names --only "$only" "$B/libktrace.so" $list "${found[@]}" 2>&1); status=$?
    if [ $status = 0 ]; then ok "names of $name: $(tail -n 1 <<<"$out")"
    else not_ok "names of $name" "$out"; fi
}

for variant in openblas-serial openblas-pthread openblas-openmp openblas64-serial openblas64-pthread openblas64-openmp; do
    covers $variant "/usr/lib/*/$variant/libopenblas*.so.0"
    covers "$variant as a BLAS" "/usr/lib/*/$variant/libblas*.so.3"
    covers "$variant as a LAPACK" "/usr/lib/*/$variant/liblapack*.so.3"
done
for bits in "" 64; do
    covers "the reference BLAS$bits" "/usr/lib/*/blas$bits/libblas$bits.so.3"
    covers "the reference LAPACK$bits" "/usr/lib/*/lapack$bits/liblapack$bits.so.3"
    covers "LAPACKE$bits" "/usr/lib/*/liblapacke$bits.so.3"
    covers "BLIS$bits" "/usr/lib/*/blis$bits-*/libblis$bits.so.4"
    covers "BLIS$bits as a BLAS" "/usr/lib/*/blis$bits-*/libblas$bits.so.3"
done
covers "ATLAS as a BLAS" "/usr/lib/*/atlas/libblas.so.3"
covers "ATLAS as a LAPACK" "/usr/lib/*/atlas/liblapack.so.3"
covers "parts of ATLAS" "/usr/lib/*/lib*atlas.so.3"
covers "the CBLAS of GSL" "/usr/lib/*/libgslcblas.so.0"
# Of MKL's many families only those whose names say what they are.
for layer in rt intel_lp64 intel_ilp64 gf_lp64 gf_ilp64; do
    covers "MKL, $layer" --only 'cblas_|LAPACKE_' "/usr/lib/*/libmkl_$layer.so*" \
        "${MKLROOT:-/opt/intel/oneapi/mkl/latest}"/lib{,/intel64}"/libmkl_$layer.so*"
done

# The test notices one name that is missing, and one that is on both lists.
reference=$(compgen -G "/usr/lib/*/blas/libblas.so.3" | head -n 1)
has "a name that is not exported is noticed" "^dgemm_: is neither recorded nor left alone" \
    "$(names --without dgemm_ "$B/libktrace.so" $list "$reference" 2>&1)"
{ cat $list; echo "dge* reason"; } >"$T/list"
has "a name that is recorded and left alone is noticed" "^dgemv_: is recorded and left alone" \
    "$(names "$B/libktrace.so" "$T/list" "$reference" 2>&1)"
{ cat $list; echo "lsame"; } >"$T/list"
has "an exception without a reason is noticed" "^lsame: is left alone without a reason" \
    "$(names "$B/libktrace.so" "$T/list" "$reference" 2>&1)"
exit $((failures != 0))
