# SPDX-License-Identifier: BSD-3-Clause
# The table of routines against the real thing: operand ranges on the reference library in poisoned memory, every symbol's
# recorded arguments against what programs in C, Fortran and row-major CBLAS passed, the CBLAS interface against its header.
. tests/lib.sh
spec=trace/routines
tools=$B/tests
blas=$(ls /usr/lib/*/blas/libblas.so.3 | head -n 1)
lapack=$(ls /usr/lib/*/lapack/liblapack.so.3 | head -n 1)
library_path=$(dirname "$blas"):$(dirname "$lapack")

# proves NAME COMMAND...: a program that ends with "N passed, N failed, N skipped"
proves() {
    local name=$1 out; shift
    out=$(LD_LIBRARY_PATH=$library_path "$@" 2>&1)
    if [ $? = 0 ] && grep -qE '^[1-9][0-9]* passed, 0 failed, 0 skipped' <<<"$out"; then ok "$name: $(tail -n 1 <<<"$out")"
    else not_ok "$name" "$(tail -n 15 <<<"$out")"; fi
}
proves "operand ranges of every symbol, reference library" "$tools/footprint" $spec "$blas" "$lapack"
proves "... with other random arguments" "$tools/footprint" --seed "$$" $spec "$blas" "$lapack"
out=$(LD_LIBRARY_PATH=$library_path "$tools/footprint" --mutate $spec "$blas" "$lapack" 2>&1); status=$?
if [ $status = 0 ]; then ok "a range that is one element too small is noticed: $(tail -n 1 <<<"$out")"; else not_ok "mutations" "$(tail -n 15 <<<"$out")"; fi

for language in c cblas f; do
    KTRACE_QUIET=1 LD_LIBRARY_PATH=$library_path traced "rt_$language" "$tools/roundtrip_$language" >"$T/expected" 2>"$T/err" </dev/null
    "$B/ktrace" dump --json "$T/rt_$language" >"$T/found"
    out=$("$PYTHON" tests/roundtrip_check.py "$T/expected" "$T/found" 2>&1); status=$?
    if [ $status = 0 ]; then ok "arguments as passed, $language: $(tail -n 1 <<<"$out")"; else not_ok "arguments as passed, $language" "$out"; fi
done
header=$(ls /usr/include/*/cblas-netlib.h /usr/include/cblas-netlib.h 2>/dev/null | head -n 1)
out=$("$tools/list_symbols" $spec | "$PYTHON" tests/cblas_header.py "$header" "$blas" 2>&1); status=$?
if [ $status = 0 ]; then ok "the CBLAS interface is that of its header: $(tail -n 1 <<<"$out")"; else not_ok "CBLAS header" "$out"; fi

# Long enough for the clock to follow from the trace alone.
KTRACE_QUIET=1 traced both "$PWD/$B/tests/abi/life" threads300 calls3000 >/dev/null
"$B/ktrace" dump --json "$T/both" >"$T/found"
out=$("$PYTHON" tests/decoder_check.py "$T/both" "$T/found" 2>&1); status=$?
if [ $status = 0 ]; then ok "an independent decoder of the format reads the same: $out"; else not_ok "independent decoder" "$out"; fi
exit $((failures != 0))
