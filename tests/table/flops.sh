# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 44 s
# The table's operation counts of LAPACK routines against the BLAS calls that the reference LAPACK makes in them.
. tests/lib.sh
library_path=$(dirname /usr/lib/*/blas/libblas.so.3):$(dirname /usr/lib/*/lapack/liblapack.so.3)
export KTRACE_QUIET=1
KTRACE_NESTED=all LD_LIBRARY_PATH=$library_path traced flops "$PWD/$B/tests/table/flops" || not_ok "the program ends with status $?"
"$B/ktrace" report --json "$T/flops" >"$T/report"
checked=$("$B/ktrace" dump --json "$T/flops" |
    "$PYTHON" tests/table/flops_check.py "$T/report" trace/routines/blas?.spec) || failures=1
echo "$checked"
for routine in dgetrf dpotrf dgeqrf dgetri dgels; do has "$routine was called" "^ok - $routine: " "$checked"; done
exit $((failures != 0))
