# SPDX-License-Identifier: BSD-3-Clause
# check: never
# The test programs of BLAS and LAPACK with all inputs that come with them, on the reference libraries and on OpenBLAS.
# They report residuals, so they see what a routine returned, and error exits, so they see what arrived.
. tests/transparency/alike.sh
is_there "test programs of BLAS and LAPACK" "$system/blas/xblat1d" "$system/lapack/xlintstd" || exit 0

installed=$(find "$system/blas" "$system/lapack" -name 'x*' -o -name '*.in' -o -name '?in[23]')
same "every program and every input is used" "$(sed 's,.*/,,' <<<"$installed" | sort -u)" \
     "$(netlib_runs | tr ' ' '\n' | grep -vx -- - | sort -u)"
for library in reference openblas; do netlib "$library" .; done
exit $((failures != 0))
