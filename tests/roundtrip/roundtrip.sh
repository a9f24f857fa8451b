# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 25 s
# Every symbol of the table, under each of its names, records what programs in C and Fortran passed to it.
. tests/lib.sh
tools=$B/tests
blas=$(ls /usr/lib/*/blas/libblas.so.3 | head -n 1)
lapack=$(ls /usr/lib/*/lapack/liblapack.so.3 | head -n 1)
# What nests in the calls is a hundred times as much, and nothing that is compared here.
export KTRACE_NESTED=none KTRACE_QUIET=1 LD_LIBRARY_PATH=$(dirname "$blas"):$(dirname "$lapack")

# agrees INTERFACE: its trace with what the program said
agrees() {
    local out
    "$B/ktrace" dump --json "$T/$1.trace" 2>"$T/$1.damage" | grep -F '"depth":0,' >"$T/$1.found"
    out=$("$PYTHON" tests/roundtrip/roundtrip_check.py "$T/$1.expected" "$T/$1.found" 2>&1)
    if [ $? = 0 ]; then ok "arguments as passed, $1: $(tail -n 1 <<<"$out")"; else not_ok "arguments as passed, $1" "$out"; fi
    rm -r "$T/$1.trace"
}
calls_of() { traced "$1.trace" "$tools/roundtrip_$1" >"$T/$1.expected" 2>"$T/$1.err" </dev/null; agrees "$1"; }
# A call may end the program: the next one begins with the call behind it.
calls_of_f() {
    local calls made
    calls=$(grep -c 'if (first <=' "$tools/roundtrip_f.f90")
    : >"$T/f.expected"
    for ((run = 0; run < 50; run++)); do
        made=$(wc -l <"$T/f.expected")
        if [ "$made" -ge "$calls" ]; then break; fi
        traced f.trace "$tools/roundtrip_f" $((made + 1)) >>"$T/f.expected" 2>"$T/f.err" </dev/null
    done
    same "calls of the Fortran program" "$calls" "$(wc -l <"$T/f.expected")"
    agrees f
}
# Reading the traces takes longest: two at a time.
{ calls_of c; calls_of cblas; calls_of_f; } >"$T/one" &
{ calls_of lapacke; calls_of lapacke_work; } >"$T/two"
wait
cat "$T/one" "$T/two"
! grep -q '^not ok' "$T/one" "$T/two"
