# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 4 s
# The table of routines against the real thing: operand ranges in poisoned memory, the CBLAS and LAPACKE interfaces against
# headers.
. tests/lib.sh
spec=trace/routines
tools=$B/tests/table
blas=$(ls /usr/lib/*/blas/libblas.so.3 | head -n 1)
lapack=$(ls /usr/lib/*/lapack/liblapack.so.3 | head -n 1)
library_path=$(dirname "$blas"):$(dirname "$lapack")
extended=$(ls /usr/lib/*/openblas-serial/libopenblas.so.0 /usr/lib/*/blis-serial/libblis.so.4)
# What none of these libraries has yet, or only ATLAS.
nowhere='(cblas_)?(([cz]axpyc|(s|d|sc|dz)am(ax|in)|[sdcz]gemmtr|[sdcz]ger2[uc]?))_?: skipped, no library defines it'
# LAPACK's auxiliary routines cannot be called with random numbers; its test programs call them (tests/proof).
mkdir "$T/spec" && cp trace/routines/*.{spec,list} "$T/spec" && rm -f "$T"/spec/{lapack_*,matgen}.spec

footprint() { LD_LIBRARY_PATH=$library_path "$tools/footprint" "$@" "$T/spec" "$blas" "$lapack" $extended 2>&1 | grep -vxE "$nowhere"; }
# proves NAME OPTION...: footprint ends with "N passed, 0 failed, N skipped" and says nothing else
proves() {
    local name=$1 out; shift
    out=$(footprint "$@")
    if [[ $out =~ ^[1-9][0-9]*' passed, 0 failed, '[0-9]+' skipped'$ ]]; then ok "$name: $out"
    else not_ok "$name" "$(tail -n 15 <<<"$out")"; fi
}
proves "operand ranges of every symbol, reference BLAS and extensions"
proves "... with other random arguments" --seed "$$"
out=$(set -o pipefail; footprint --mutate); status=$?
if [ $status = 0 ]; then ok "a range that is one element too small is noticed: $(tail -n 1 <<<"$out")"; else not_ok "mutations" "$(tail -n 15 <<<"$out")"; fi

# agrees NAME SCRIPT ARGUMENT...: the interfaces that follow from the table with a header
agrees() {
    local name=$1 script=$2 out; shift 2
    out=$("$tools/list_symbols" $spec | "$PYTHON" "$script" "$@" 2>&1)
    if [ $? = 0 ]; then ok "$name: $(tail -n 1 <<<"$out")"; else not_ok "$name" "$out"; fi
}
lists="$spec/left_alone.list $spec/counted.list"
header=$(ls /usr/include/*/cblas-netlib.h /usr/include/cblas-netlib.h 2>/dev/null | head -n 1)
agrees "the CBLAS interface is that of its header" tests/table/cblas_header.py "$header" $lists
for header in /usr/include/*/{openblas*,blis*}/cblas.h /usr/include/*/cblas-atlas.h; do
    if [ -e "$header" ]; then agrees "... of $header" tests/table/cblas_header.py --other "$header" $lists; fi
done
agrees "the LAPACKE and Fortran interfaces are those of their headers" tests/table/lapacke_header.py /usr/include $spec/left_alone.list

# Long enough for the clock to follow from the trace alone.
KTRACE_QUIET=1 traced both "$PWD/$B/tests/abi/life" threads300 calls3000 >/dev/null
"$B/ktrace" dump --json "$T/both" >"$T/found"
out=$("$PYTHON" tests/decoder/decoder_check.py "$T/both" "$T/found" 2>&1); status=$?
if [ $status = 0 ]; then ok "an independent decoder of the format reads the same: $out"; else not_ok "independent decoder" "$out"; fi
exit $((failures != 0))
