# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 5 s
# KTRACE_SNAPSHOT: contents are those of the operands, limits hold, memory that is not there and disks that are full
# disturb nobody, and replay uses them.
. tests/lib.sh
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
calls() { rm -rf "$T/t"; KTRACE_SNAPSHOT=$1 traced t "$PYTHON" tests/modes/snapshot.py calls "${@:2}"; }
show() { "$PYTHON" tests/modes/snapshot.py show "$T/t"; }
snapshots() { info "${1:-t}" 'd["snapshots"]["count"]'; }

# --- contents and limits
calls 1 dot gemv; same "a program with snapshots ends as usual" 0 $?
same "contents are those of the operands" "ddot_ 40:0.5,1.5,2.5,3.5,4.5 24:0.5,1.5,2.5" "$(show | head -1)"
same "... of a matrix and a vector, whatever is not read left out" "dgemv_ 168:0.5,1.5,2.5,3.5,4.5,5.5 24:1,2,3" "$(show | sed -n 2p)"
same "info counts them" "2 0 0" "$(snapshots) $(info t 'd["snapshots"]["missing"]') $(info t 'd["snapshots"]["damaged"]')"
has "... as text" 'snapshots +2 of ' "$("$B/ktrace" info "$T/t")"
calls 1 dot dot dot gemv gemv; same "the first call of each shape" 2 "$(snapshots)"
calls 2 dot dot dot gemv gemv; same "the first two" 4 "$(snapshots)"
calls 1,80 gemv; same "of each operand no more than asked for" "80 24" "$(show | sed 's/[^ ]* //' | sed 's/:[^ ]*//g' | cut -d' ' -f1,2)"
calls 1,1k many; true_that "... and of all 64 times that" test "$(info t 'd["snapshots"]["bytes"]')" -le 64000
true_that "... what is beyond is counted" test "$(info t 'd["snapshots"]["missing"] + d["snapshots"]["count"]')" = 399
calls "" dot; same "none unless asked for" 0 "$(snapshots)"
for wrong in 0 x 1, 1,x 1,0 1,2,3; do
    calls $wrong dot; same "KTRACE_SNAPSHOT=$wrong: none" "0 0" "$? $(snapshots)"
done
has "... and it says so" 'KTRACE_SNAPSHOT=1,x: expected' "$(KTRACE_QUIET=0 KTRACE_SNAPSHOT=1,x traced w "$PYTHON" tests/modes/snapshot.py calls dot 2>&1)"
calls 1 threads; same "four threads, one shape: one snapshot" 1 "$(snapshots)"
calls 1 dot fork; same "a forked child has its own" "2 0" "$(snapshots) $(info t 'd["snapshots"]["missing"]')"
rm -rf "$T/t"; KTRACE_MODE=profile KTRACE_SNAPSHOT=1 traced t "$PYTHON" tests/modes/snapshot.py calls dot; same "profile mode: none" "0 0" "$? $(snapshots)"

# --- where operands end
sizes() { show | sed 's/:[^ ]*//g'; }
calls 1 forms; same "operands of all forms end with their last elements" \
"ddot_ 80 32
dgemv_ 168 40 24
dtrsv_ 176 32
dgbmv_ 256 48
dspmv_ 120 40
zscal_ 80
cblas_dgemv 168 40
cblas_dgbmv 216 48" "$(sizes)"
cat "$T"/t/p*/o* >"$T/kept"
calls 1 lapacke; same "... of LAPACKE, matrices by rows and integers" "LAPACKE_dgetrs 88 12 96" "$(sizes)"
cat "$T"/t/p*/o* >>"$T/kept"
if ls /usr/lib/*/liblapack64.so.3 >/dev/null 2>&1; then
    calls 1 wide; same "... of a library with 64-bit integers" "dgetrs_ 88 24 64" "$(sizes)"
    cat "$T"/t/p*/o* >>"$T/kept"
else
    skip "operands of a library with 64-bit integers" "needs liblapack64-3"
fi
calls 1 dot gemv steqr0; cat "$T"/t/p*/o* >>"$T/kept"
same "nothing of what lies behind them is kept" 0 "$(grep -c TOPSECRET "$T/kept")"
calls 1 query; same "who asks for the size of a workspace has no snapshot" "" "$(sizes)"

# --- what may be wrong
calls 1 end; same "an operand at the end of memory: the call returns" 0 $?
same "... and is kept" "40:0.5,1.5,2.5,3.5,4.5" "$(show | cut -d' ' -f2)"
calls 1 nowhere; same "an address where nothing is: the call returns" "0 0" "$? $(show | cut -d' ' -f2 | cut -d: -f1)"
(trap '' XFSZ; ulimit -f 40; calls 1,1M steqr1 dot; same "files that may not grow: the program ends as usual" 0 $?)
if mkdir "$T/disk" && mount -t tmpfs -o size=6m ktrace-test "$T/disk" 2>/dev/null; then
    KTRACE_OUT=$T/disk/t KTRACE_SNAPSHOT=2000,1M LD_PRELOAD=$PWD/$B/libktrace.so "$PYTHON" tests/modes/snapshot.py calls many many many many gemv
    same "a full disk: the program ends as usual" 0 $?
    true_that "... what had no room is counted" test "$("$B/ktrace" info --json "$T/disk/t" | query 'd["snapshots"]["missing"]')" -gt 0
    same "... and no call was lost for it" 0 "$("$B/ktrace" info --json "$T/disk/t" | query 'len(d["lost"])')"
    same "... no unfinished file stays" 0 "$("$B/ktrace" info --json "$T/disk/t" | query 'd["snapshots"]["damaged"]')"
    umount "$T/disk"
else
    skip "a full disk" "cannot mount a file system here"
fi
calls 1 dot gemv
for file in "$T"/t/p*/o1; do truncate -s 200 "$file"; done
same "a snapshot that was cut off is damaged, the other one is not" "1 1" "$(snapshots) $(info t 'd["snapshots"]["damaged"]')"

# --- replay: a tridiagonal matrix that is diagonal already takes no iterations
replay() { "$B/ktrace" replay --json --store none --context warm --budget 0.3 "$1" >"$T/r.json" 2>/dev/null; }
best() { query 'next(s["contexts"]["warm"]["best"] for s in d["shapes"] if s["routine"] == "dsteqr")' <"$T/r.json"; }
calls 1 steqr0; replay "$T/t"
same "replay says where contents are from" recorded "$(query 'd["shapes"][0]["contents"]' <"$T/r.json")"
with=$(best)
has "... as text" 'Operands of 1 of 1 shape held' "$("$B/ktrace" replay --store none --context warm --budget 0.1 "$T/t" 2>/dev/null)"
"$B/ktrace" pack "$T/t" >/dev/null; replay "$T/t.tar.zst"
same "... of a packed trace, too" "recorded 1" "$(query 'd["shapes"][0]["contents"]' <"$T/r.json") $(snapshots t.tar.zst)"
calls "" steqr0; replay "$T/t"
same "without snapshots they are made" made "$(query 'd["shapes"][0]["contents"]' <"$T/r.json")"
true_that "... which takes many times longer here: $with s, $(best) s" "$PYTHON" -c "assert 10 * $with < $(best)"
calls 1,64 steqr0; replay "$T/t"
same "a snapshot that has not all is not used" made "$(query 'd["shapes"][0]["contents"]' <"$T/r.json")"

# --- repro: the contents of a call that never returns make another one that does not
lapack=$(ls /usr/lib/*/lapack/liblapack.so.3 2>/dev/null | head -n 1)
blas=$(ls /usr/lib/*/blas/libblas.so.3 2>/dev/null | head -n 1)
cat >"$T/svd.py" <<'END'
import ctypes, sys
ctypes.CDLL(sys.argv[2], mode=ctypes.RTLD_GLOBAL)
lapack = ctypes.CDLL(sys.argv[3])
array = lambda n: (ctypes.c_double * n)()
a = (ctypes.c_double * 9)(float(sys.argv[1]), 1, 1, 1, 1, 1, 1, 1, 1)
n, work = ctypes.byref(ctypes.c_int(3)), ctypes.byref(ctypes.c_int(500))
lapack.dgesdd_(b"A", n, n, a, n, array(3), array(9), n, array(9), n, array(500), work, (ctypes.c_int * 24)(), ctypes.byref(ctypes.c_int()), 1)
END
# made NAME FIRST: a program that makes the call dgesdd of a matrix with that first element, in at most two seconds
made() {
    KTRACE_QUIET=1 KTRACE_SNAPSHOT=1 timeout 2 "$B/ktrace" run -o "$T/$1" -- "$PYTHON" "$T/svd.py" "$2" "$blas" "$lapack"
    "$B/ktrace" repro --call 0 --at-most 2 "$T/$1" >"$T/$1.c" 2>/dev/null
    gcc -Wall -Wextra -Werror -O1 -o "$T/$1.made" "$T/$1.c" "$lapack" "$blas" "-Wl,-rpath,${lapack%/*}:${blas%/*}" -lm
}
if [ -n "$lapack" ] && [ -n "$blas" ]; then
    made ends 5; out=$("$T/ends.made"); same "repro with recorded contents: info" 0 $?
    has "... and the right singular values" '^s +sum 7, of magnitudes 7;' "$out"
    made hangs inf
    out=$("$T/hangs.made"); same "... of a call that never returns: it fails in time" "1 not done after 2 s" "$? $out"
else
    skip "repro with recorded contents" "needs the reference LAPACK"
fi
exit $((failures != 0))
