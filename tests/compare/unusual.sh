# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 40 s
# ktrace compare --check only: what libraries do with contents that are no ordinary numbers, as they do it when they are
# called directly, told as information beside the reference library and never as wrong.
. tests/lib.sh
kt=$PWD/$B/ktrace
calls=$PWD/$B/tests/right/unusual
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
"$kt" run -o "$T/calls" -- "$calls" >/dev/null || not_ok "the calls are recorded"

# tries OUT LIBRARY...: as JSON; the status in $status
tries() { local l out=$1 list=(); shift; for l; do list+=(--blas "$l"); done; "$kt" compare --check only --store none --json "${list[@]}" "$T/calls" >"$T/$out" 2>"$T/err"; status=$?; }
# of LIBRARY EXPRESSION of u, its object, and f(routine, contents), what it gives and what the reference gives
of() {
    "$PYTHON" -c '
import json, sys
l = next(l for l in json.load(open(sys.argv[1]))["libraries"] if sys.argv[2] in l["label"])
u = l["unusual_contents"]
f = lambda routine, contents: next(((x["gives"], x["reference"]) for x in u["findings"] if x["routine"] == routine and x["contents"] == contents), None)
print(eval(sys.argv[3]))' "$T/out" "$@"
}

# What a library does, called directly: one value of each call.
cat >"$T/direct.py" <<'END'
import ctypes, itertools, math, sys
blas = ctypes.CDLL(sys.argv[1])
array = lambda *x: (ctypes.c_double * len(x))(*x)
real = lambda x: ctypes.byref(ctypes.c_double(x))
def text(x): return "NaN" if math.isnan(x) else "Inf" if x == math.inf else "-Inf" if x == -math.inf else "0" if x == 0 else "number"
n, one = ctypes.byref(ctypes.c_int(5)), ctypes.byref(ctypes.c_int(1))
for value in (math.nan, math.inf):
    x = array(*[value] * 5); blas.dscal_(n, real(0), x, one); print(text(x[0]))
x = array(*[0] * 5); blas.dtrsv_(b"U", b"N", b"N", n, array(*[0] * 25), n, x, one, 1, 1, 1); print(text(x[0]))
a = array(*[0.5] * 25); blas.dger_(n, n, real(0.5), array(*[0] * 5), one, array(math.inf, 1, 1, 1, 1), one, a, n); print(text(a[0]))
a = array(*[0.5] * 25); blas.dger_(n, n, real(0.5), array(math.inf, 1, 1, 1, 1), one, array(*[0] * 5), one, a, n); print(text(a[0]))
blas.dnrm2_.restype = ctypes.c_double
print(text(blas.dnrm2_(n, array(math.inf, 1, 1, 1, -math.inf), one)))
numbers = [p[:k] + (math.nan,) + p[k:] for p in itertools.permutations((.1, .2, .3, .4)) for k in (0, 2, 4)]
print(*[blas.idamax_(n, array(*x), one) for x in numbers])
END
kinds=("dscal:alpha=0, all of x NaN" "dscal:alpha=0, all of x Inf" "dtrsv:all 0" "dger:x 0, first of y Inf" "dger:y 0, first of x Inf" "dnrm2:ends of x Inf, -Inf")

# agrees LIBRARY FILE: is what it gives what it gives when called directly? Where both do the same nothing is told.
agrees() {
    local i there here told
    mapfile -t there < <("$PYTHON" "$T/direct.py" "$reference"); mapfile -t here < <("$PYTHON" "$T/direct.py" "$2")
    for i in "${!kinds[@]}"; do
        told=$(of "$1" "[t.split(' = ')[1] for t in f('${kinds[i]%%:*}', '${kinds[i]#*:}') or ()]")
        told=$(sed -E "s/-?[0-9]*\.[0-9e+-]+/number/g" <<<"$told")
        if [ "${here[i]}" = "${there[i]}" ]; then same "$1, ${kinds[i]}: as the reference" "[]" "$told"
        else same "$1, ${kinds[i]}" "['${here[i]}', '${there[i]}']" "$told"; fi
    done
    i=${#kinds[@]}
    same "$1, idamax of NaN: another place if it has another" "$([ "${here[i]}" = "${there[i]}" ] && echo False || echo True)" \
        "$(of "$1" "any(x['routine'] == 'idamax' and x['kind'] == 'not finite' and 'NaN' in x['contents'] for x in u['findings'])")"
}
reference=$(ls /usr/lib/*/blas/libblas.so.3 2>/dev/null | head -n 1)
lapack=$(ls /usr/lib/*/lapack/liblapack.so.3 2>/dev/null | head -n 1)
if [ -z "$reference" ] || [ -z "$lapack" ]; then skip "unusual contents" "needs the reference BLAS and LAPACK"; exit 0; fi
libraries=()
for l in openblas-serial blis-serial; do "$kt" info --libraries "$l" >/dev/null 2>&1 && libraries+=("$l"); done
tries out reference "${libraries[@]}"
same "what is no ordinary number is not wrong" "0 []" "$status $(query "[w for l in d['libraries'] for w in l['wrong']]" <"$T/out")"
same "... the reference library does as it does" "[]" "$(of reference "u['findings']")"
true_that "... in hundreds of calls, of which none was left" test "$(of reference "u['calls']")" -gt 300 -a "$(of reference "u['groups_left']")" = 0
for l in "${libraries[@]}"; do agrees "$l" "$(ls "${reference%/blas/*}/$l"/libblas.so.3)"; done
cp "$T/out" "$T/before"; tries out reference "${libraries[@]}"
same "the same another time" "$(query "[l['unusual_contents'] for l in d['libraries']]" <"$T/before")" "$(query "[l['unusual_contents'] for l in d['libraries']]" <"$T/out")"

# A call that the reference library never returns from costs a second; the others like it are not made.
cat >"$T/svd.py" <<'END'
import ctypes, sys
ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
lapack = ctypes.CDLL(sys.argv[2])
array = lambda n: (ctypes.c_double * n)()
n, work = ctypes.byref(ctypes.c_int(5)), ctypes.byref(ctypes.c_int(500))
a = (ctypes.c_double * 25)(float("inf"), *[((i * 7) % 11 + 1) / 12 for i in range(24)])
lapack.dgesdd_(b"A", n, n, a, n, array(5), array(25), n, array(25), n, array(500), work, (ctypes.c_int * 40)(), ctypes.byref(ctypes.c_int()), 1)
END
timeout 10 "$PYTHON" "$T/svd.py" "$reference" "$lapack"
same "dgesdd of Inf never returns: as the library has it" "$([ $? = 124 ] && echo True || echo False)" "$(of reference "u['given_up'] > 0")"

# A library that hangs and crashes where others do not.
fault=$PWD/$B/tests/right/fault10.so
tries out "$fault"
same "a library that never returns from NaN: not wrong for it" "0 []" "$status $(query "[w for l in d['libraries'] for w in l['wrong']]" <"$T/out")"
same "... told so" "('never returned in 1 s', 'returned')" "$(of fault10 "f('dscal', 'first of x NaN')")"
has "... and the crash" "crashed: died of signal" "$(of fault10 "f('dscal', 'alpha=0, all of x Inf')")"
"$kt" compare --check only --store none --blas "$fault" "$T/calls" >"$T/text" 2>"$T/err"
has "as text" 'dscal .*first of x NaN +never returned in 1 s returned' "$(<"$T/text")"
has "... the reference in one line" '^reference: as the reference library in all [0-9]+ calls' "$(<"$T/text")"
same "... in 80 columns" 0 "$(awk 'length > 80' "$T/text" | wc -l)"

# A comparison of times does not try them.
"$kt" compare --store none --json --budget 1 --routine dscal --blas "$fault" "$T/calls" >"$T/out" 2>"$T/err"
same "no part of a comparison of times" None "$(of fault10 u)"
exit $((failures != 0))
