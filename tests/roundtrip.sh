# SPDX-License-Identifier: BSD-3-Clause
# Every symbol of the table, under each of its names, records what programs in C and Fortran passed to it.
. tests/lib.sh
tools=$B/tests
blas=$(ls /usr/lib/*/blas/libblas.so.3 | head -n 1)
lapack=$(ls /usr/lib/*/lapack/liblapack.so.3 | head -n 1)
export KTRACE_QUIET=1 LD_LIBRARY_PATH=$(dirname "$blas"):$(dirname "$lapack")

# agrees NAME: the trace $T/trace with what the program said
agrees() {
    local out
    "$B/ktrace" dump --json "$T/trace" 2>"$T/damage" | grep -F '"depth":0,' >"$T/found"
    out=$("$PYTHON" tests/roundtrip_check.py "$T/expected" "$T/found" 2>&1)
    if [ $? = 0 ]; then ok "arguments as passed, $1: $(tail -n 1 <<<"$out")"; else not_ok "arguments as passed, $1" "$out"; fi
    rm -r "$T/trace"
}
for interface in c cblas lapacke lapacke_work; do
    traced trace "$tools/roundtrip_$interface" >"$T/expected" 2>"$T/err" </dev/null
    agrees $interface
done
# A call may end the program: the next one begins with the call behind it.
calls=$(grep -c 'if (first <=' "$tools/roundtrip_f.f90")
: >"$T/expected"
for ((run = 0; run < 50; run++)); do
    made=$(wc -l <"$T/expected")
    if [ "$made" -ge "$calls" ]; then break; fi
    traced trace "$tools/roundtrip_f" $((made + 1)) >>"$T/expected" 2>"$T/err" </dev/null
done
same "calls of the Fortran program" "$calls" "$(wc -l <"$T/expected")"
agrees Fortran
exit $((failures != 0))
