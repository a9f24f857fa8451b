# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 20 s
# Subnormal numbers in operands: counted in snapshots, and what they cost measured by replay on recorded and made contents.
. tests/lib.sh
kt=$PWD/$B/ktrace
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
cat >"$T/calls.py" <<'END'
import ctypes, sys
blas = ctypes.CDLL("libblas.so.3")
blas.ddot_.restype = blas.dzasum_.restype = ctypes.c_double
def array(x, kind=ctypes.c_double): return (kind * len(x))(*x)
def call(name, *arguments):
    pass_on = lambda v: ctypes.c_char_p(v.encode()) if isinstance(v, str) else ctypes.byref(ctypes.c_int(v)) if isinstance(v, int) else ctypes.byref(ctypes.c_double(v)) if isinstance(v, float) else v
    getattr(blas, name + "_")(*map(pass_on, arguments))
for what in sys.argv[1:]:
    if what == "gemv": # every other number of a 5 x 3 matrix in columns of 8; what lies between, and y, does not count
        a = [1e-310] * 24
        for i in range(0, 5):
            for j in range(3): a[i + 8 * j] = -1e-310 if (i + j) % 2 else 1.0
        call("dgemv", "N", 5, 3, 1.0, array(a), 8, array([1.0, 2.0, 0.0]), 1, 0.0, array([1e-310] * 5), 1)
    elif what == "trsv": # the upper triangle of 4 x 4, of which row 1 is subnormal; the rest would be, too
        call("dtrsv", "U", "N", "N", 4, array([1.0 if i // 4 == i % 4 else 1e-310 if i % 4 == 0 or i % 4 > i // 4 else 2.0 for i in range(16)]), 4, array([1.0] * 4), 1)
    elif what == "single": # 1e-40 is subnormal here, 1e-37 is not
        blas.sswap_(ctypes.byref(ctypes.c_int(4)), array([1e-40, 0.0, 1e-37, 1e-40], ctypes.c_float), ctypes.byref(ctypes.c_int(1)), array([1.0] * 8, ctypes.c_float), ctypes.byref(ctypes.c_int(2)))
    elif what == "complex":
        call("dzasum", 3, array([1.0, 1e-310, 2.0, 0.0, 1e-320, 1e-310]), 1)
    elif what == "gemm": # products that are subnormal, of numbers that are not
        call("dgemm", "N", "N", 40, 40, 40, 1.0, array([1e-160] * 1600), 40, array([1e-150] * 1600), 40, 0.0, array([0.0] * 1600), 40)
    elif what == "inner": # the same, and their sums are not subnormal
        call("dgemm", "N", "N", 40, 40, 40, 1.0, array([1e-159] * 1600), 40, array([1e-150] * 1600), 40, -1.0, array([1e-300] * 1600), 40)
    elif what == "dot":
        for _ in range(5): call("ddot", 50, array([1e-310] * 50), 1, array([1.0] * 50), 1)
    elif what == "ordinary":
        call("ddot", 20, array([0.0] + [1.0] * 19), 1, array([2.0 ** -1022] * 20), 1)
END
# calls TRACE SNAPSHOT WHAT...
calls() { local t=$1 s=$2; shift 2; rm -rf "$T/$t"; KTRACE_SNAPSHOT=$s "$kt" run -o "$T/$t" ${blas:+--blas "$blas"} -- "$PYTHON" "$T/calls.py" "$@"; }
counted='[(s["routine"], [(o["name"], o["subnormal"], o["numbers"]) for o in s["operands"]])'
counts() { info "$1" "$counted for s in d['snapshots']['subnormal']]"; }

calls t 1 gemv; same "of a matrix what belongs to it, and nothing that is only written" "[('dgemv', [('a', 7, 15)])]" "$(counts t)"
has "... as text" 'subnormal +dgemv: 7 of 15 numbers of a$' "$("$kt" info "$T/t")"
"$kt" pack "$T/t" >/dev/null; same "... packed" "[('dgemv', [('a', 7, 15)])]" "$(counts t.tar.zst)"
calls t 1 trsv; same "of a triangle what is in it" "[('dtrsv', [('a', 3, 10)])]" "$(counts t)"
calls t 1 single; same "in single precision" "[('sswap', [('x', 2, 4)])]" "$(counts t)"
calls t 1 complex; same "both parts of complex numbers" "[('dzasum', [('x', 3, 6)])]" "$(counts t)"
calls t 1,80 dot; same "of what there is, if that is not all" "[('ddot', [('x', 10, 10)])]" "$(counts t)"
calls t 1 ordinary; same "0 and the smallest normal number are none" "[]" "$(counts t)"
true_that "... and nothing is said of them" test -z "$("$kt" info "$T/t" | grep subnormal)"

# A library that takes 2 ms longer for them: on many processors they cost little.
blas=$PWD/$B/tests/right/fault11.so
calls t 1 dot gemm inner ordinary
report() { "$kt" report --json "$T/t" | query "$1"; }
same "the report has what snapshots hold" "$(counts t)" "$(report "$counted for s in d['subnormal']]")"
has "... in words" '^ddot: 50 of 50 numbers of x\.$' "$("$kt" report --all "$T/t")"
"$kt" replay --store none --context warm --budget 2 --json "$T/t" >"$T/out" 2>"$T/err"
of() { query "[$2 for s in d['shapes'] if s['routine'] == '${1%% *}' and s['args'].get('n') == ${1#* } and s['args'].get('beta') in (None, 0) for c in [s['subnormal']]][0]" <"$T/out"; }
same "replay: the same counts" "[('x', 50, 50)] 0" "$(of 'ddot 50' "[(o['name'], o['subnormal'], o['numbers']) for o in c['operands']]") $(of 'ddot 50' "c['left']")"
true_that "... with ordinary numbers it takes 2 ms less" "$PYTHON" -c "import sys; a, b = $(of 'ddot 50' "(c['seconds'], c['seconds_ordinary'])"); assert a['best'] > 2e-3 and b['best'] < 2e-4 and min(a['n'], b['n']) >= 6, (a, b)"
same "... results of ordinary operands" "[] 1600" "$(of 'dgemm 40' "c['operands']") $(of 'dgemm 40' "c['left']")"
true_that "... are timed, too" "$PYTHON" -c "assert $(of 'dgemm 40' "min(c['seconds']['n'], c['seconds_ordinary']['n'])") >= 6"
case $(uname -m) in x86_64)
    of_inner() { query "[$1 for s in d['shapes'] if s['args'].get('beta') == -1 for c in [s['subnormal']]][0]" <"$T/out"; }
    same "... and numbers that are in no array" "[] 0 True" "$(of_inner "c['operands']") $(of_inner "c['left']") $(of_inner "c['met'] and c['seconds']['n'] >= 6")"
esac
same "... nothing where there are none" None "$(of 'ddot 20' c)"
has "... as text" '^  with ordinary numbers a call takes [0-9.]+ [nu]s instead of ([2-9]|[1-9][0-9])[0-9.]* ms \([0-9]+ samples\)' \
    "$("$kt" replay --store none --context warm --budget 2 "$T/t" 2>/dev/null)"
has "the report says the same" '^  with ordinary numbers a call takes [0-9.]+ [nu]s instead of ([2-9]|[1-9][0-9])[0-9.]* ms' "$("$kt" report --all "$T/t")"
same "... as JSON" "[True]" "$(report "[s['seconds']['best'] > 10 * s['seconds_ordinary']['best'] for s in d['subnormal'] if s['routine'] == 'ddot']")"
exit $((failures != 0))
