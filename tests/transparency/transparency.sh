# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 36 s
# Nobody can tell that ktrace is there: the quick part of the test programs of BLAS and LAPACK. `make transparency` runs
# all of them. First, that the comparison notices what there is to notice.
. tests/transparency/alike.sh

compiled work -DMAIN tests/transparency/work.c "$system"/{lapack/liblapack,blas/libblas}.so.3
compiled bad.so -shared -fPIC tests/transparency/bad.c -ldl
notices() { BAD=$1 SHIM=$T/bad.so differ preloaded "$T/work"; }
LIBRARIES=${provider[reference]}
if notices nothing; then not_ok "an interposer that does nothing is not noticed" "$(<"$T/difference")"
else ok "an interposer that does nothing is not noticed"; fi
notices bit; has "one bit of a result is noticed" "^> +dgemm" "$(<"$T/difference")"
notices stderr; has "a line on standard error is noticed" "a library was here" "$(<"$T/difference")"
notices status; has "another exit status is noticed" "^> 3$" "$(<"$T/difference")"
notices crash; has "a crash is noticed" "^> 134$" "$(<"$T/difference")"
notices file; has "a file left behind is noticed" "^Only in preloaded: left$" "$(<"$T/difference")"

if is_there "test programs of BLAS and LAPACK" "$system/blas/xblat1d" "$system/lapack/xlintstd"; then
    netlib reference 'blat|xlintst(ds|zc|rfd)|xeigtst[dc] (nep|glm|gqr|gsv|csd|lse|.gg|.sb|.bb|.g?ba[kl])'
    netlib openblas 'xlintstd |blat3|xeigtst[sz] (glm|gsv|.gd|.bb)'
fi
exit $((failures != 0))
