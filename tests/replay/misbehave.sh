# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 53 s
# What replay has to get over: libraries that crash, hang, end the process or fail, calls that cannot be laid out, little
# memory. Each such shape is named with the reason, all others are timed.
. tests/lib.sh
kt=$B/ktrace
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
cat >"$T/calls.py" <<'END'
import ctypes, numpy, sys
lapack, fake = ctypes.CDLL("liblapack.so.3"), ctypes.CDLL(sys.argv[1])
def by_reference(*values): return [v.ctypes.data_as(ctypes.c_void_p) if hasattr(v, "ctypes") else ctypes.byref(ctypes.c_int32(v)) for v in values]
x, b = numpy.ones(1000), numpy.ones(10)
blas = ctypes.CDLL("libblas.so.3")
for function in blas.ddot_, fake.ddot_: function.restype = ctypes.c_double
for n in 50, 100, 200, 300, 400, 500: blas.ddot_(*by_reference(n, x, 1, x, 1))
fake.ddot_(*by_reference(2**31 - 1, x, 2**31 - 1, x, 1))
fake.ddot_(*by_reference(2**31 - 1, x, 1, b, 1))
for n in 4, 5, 6: lapack.dgesv_(*by_reference(n, 1, numpy.eye(n), n, numpy.zeros(n, dtype="i4"), numpy.ones(n), n, 0))
END
"$kt" run -o "$T/t" -- "$PYTHON" "$T/calls.py" "$PWD/$B/tests/abi/libfake1.so" || not_ok "the calls are recorded"
"$kt" replay --json --budget 2 --blas "$PWD/$B/tests/abi/libbad.so" "$T/t" >"$T/bad.json" 2>"$T/err"
same "a library that misbehaves: exit status" 0 $?
why() { query "[s['why'] for s in d['not_replayed'] if s['routine'] == '$1' and {k.lower(): v for k, v in s['args'].items()}['n'] == $2]" <"$T/bad.json"; }
has "a crash" 'signal 11' "$(why ddot 100)"
has "a hang" 'time limit' "$(why ddot 200)"
has "an end of the process" 'status 0' "$(why ddot 300)"
has "an abort" 'signal 6' "$(why ddot 400)"
has "info < 0" 'info = -3' "$(why dgesv 5)"
has "info > 0 where the recorded call had none" 'info = 2' "$(why dgesv 6)"
has "operands larger than any memory" 'GB, more than' "$(why ddot $((2**31 - 1)))"
same "all else is timed" "[('ddot', 50), ('ddot', 500), ('dgesv', 4)]" \
     "$(query "sorted((s['routine'], {k.lower(): v for k, v in s['args'].items()}['n']) for s in d['shapes'] if all(c['n'] > 0 for c in s['contexts'].values()))" <"$T/bad.json")"

# Such a library in a comparison: it is named with its reasons, the others are compared as if it was not there.
cat >"$T/start.c" <<'END'
#include <stdlib.h>
__attribute__((constructor)) static void start(void) { END_OF_LOADING; }
double ddot_(void) { return 0; }
END
"${CC:-gcc}" -w -shared -fPIC -DEND_OF_LOADING='exit(0)' -o "$T/exits.so" "$T/start.c"
"${CC:-gcc}" -w -shared -fPIC -DEND_OF_LOADING='abort()' -o "$T/aborts.so" "$T/start.c"
bad=(--blas "$PWD/$B/tests/abi/libbad.so" --blas "$T/exits.so" --blas "$T/aborts.so" --blas reference)
"$kt" compare --json --context warm --budget 2 "${bad[@]}" "$T/t" >"$T/compare.json" 2>"$T/err"
same "compare with it: exit status" 1 $?
in_json() { query "$1" <"$T/compare.json"; }
of_bad() { in_json "[f['why'] for l in d['libraries'] if l['name'] == 'libbad.so' for f in l['failed'] if f['routine'] == '$1' and {k.lower(): v for k, v in f['args'].items()}['n'] == $2]"; }
has "... a crash" 'signal 11' "$(of_bad ddot 100)"
has "... a hang" 'time limit' "$(of_bad ddot 200)"
has "... an end of the process" 'status 0' "$(of_bad ddot 300)"
has "... another info" 'info = 2' "$(of_bad dgesv 6)"
same "... which cannot be loaded" "['aborts.so', 'exits.so']" "$(in_json 'sorted(u["name"] for u in d["unusable"])')"
has "... with the reason" 'signal 6' "$(in_json '[u["why"] for u in d["unusable"]]')"
same "... the reference library is compared in all shapes" "True 0" \
     "$(in_json '[(l["ratio"]["value"] > 0, sum("GB" not in f["why"] for f in l["failed"])) for l in d["libraries"] if l["name"] == "reference"][0]' | tr -d '(),')"
# Importing NumPy calls sdot, which is worth comparing now and then.
same "... shapes that it runs count" "['ddot', 'ddot', 'dgesv']" \
     "$(in_json 'sorted(s["routine"] for s in d["shapes"] if s["routine"] in ("ddot", "dgesv") for l in s["libraries"] if l["name"] == "libbad.so" and l["seconds"]["n"] > 0 and l["verdict"] != "failed")')"
"$kt" compare --all --context warm --budget 2 "${bad[@]}" "$T/t" >"$T/again" 2>/dev/null
same "... a second time: exit status" 1 $?
"$kt" compare --json --context warm --budget 2 "${bad[@]}" "$T/t" >"$T/compare.json" 2>/dev/null
same "... it is in the store" True "$(in_json 'd["store"]["reused"]')"
has "... which is said" 'as measured' "$(<"$T/again")"
has "... failures too" 'time limit' "$(<"$T/again")"

# Little memory: less to read, and that is said; what does not fit is refused.
"$PYTHON" - >"$T/large.py" <<'END'
print("import numpy as np\nx = np.ones(20000); x @ x[::-1].copy(); y = np.ones(40_000_000); y @ y.copy()")
END
"$kt" run -o "$T/large" -- "$PYTHON" "$T/large.py"
(ulimit -v 1000000; exec "$kt" replay --json --budget 1 --context warm,l3,cold --blas openblas-serial "$T/large") >"$T/small.json" 2>"$T/err"
same "1 GB of memory: exit status" 0 $?
if [ -e /sys/devices/system/cpu/cpu0/cache/index3 ]; then
    has "... there is less to read" 'memory for reading' "$(<"$T/err")"
else skip "... there is less to read" "no third cache"; fi
same "... what fits is timed" "[20000]" "$(query '[s["args"]["N"] for s in d["shapes"] if s["args"]["N"] > 1000]' <"$T/small.json")"
has "... what does not is named" 'half of the memory' "$(query '[s["why"] for s in d["not_replayed"]]' <"$T/small.json")"

# Calls that failed in the program end early; with made contents they would not. With what their operands held they do.
cat >"$T/fails.py" <<'END'
import ctypes, numpy
lapack = ctypes.CDLL("liblapack.so.3")
def potrf(a):
    n, info = ctypes.c_int(len(a)), ctypes.c_int()
    lapack.dpotrf_(b"L", ctypes.byref(n), a.ctypes.data_as(ctypes.c_void_p), ctypes.byref(n), ctypes.byref(info))
for i in range(3): potrf(-numpy.eye(200)); potrf(numpy.eye(100)); potrf(numpy.eye(50) if i else -numpy.eye(50))
END
# NumPy makes a call when it starts, for which a library may start its threads: with that the others are no whole sequence.
KTRACE_ROUTINES=dpotrf "$kt" run -o "$T/fails" -- "$PYTHON" "$T/fails.py"
KTRACE_ROUTINES=dpotrf KTRACE_SNAPSHOT=1 "$kt" run -o "$T/held" -- "$PYTHON" "$T/fails.py"
"$kt" replay --json --budget 6 --context warm,sequence --blas openblas-serial "$T/fails" >"$T/made.json" 2>/dev/null
"$kt" replay --json --budget 1 --context warm --blas openblas-serial "$T/held" >"$T/held.json" 2>/dev/null
sizes='sorted(s["args"]["n"] for s in d["shapes"] if s["routine"] == "dpotrf")'
same "calls that failed are not replayed with made contents" "[50, 100]" "$(query "$sizes" <"$T/made.json")"
has "... and why" 'info = 1, .*KTRACE_SNAPSHOT' "$(query '[s["why"] for s in d["not_replayed"]]' <"$T/made.json")"
same "... nor do they count in a sequence" 4 "$(query 'd["sequence"]["calls"] - d["sequence"]["counted"]' <"$T/made.json")"
same "... with what they held they are" "[100, 200]" "$(query "$sizes" <"$T/held.json")"
has "... not with what the only call held that failed" 'info = 1 on what .* most recorded calls with 0' \
    "$(query '[s["why"] for s in d["not_replayed"]]' <"$T/held.json")"

# Usage.
for wrong in "--context hot" "--context A=cold,,B=warm" "--context tracked=warm" "--pages big" "--align 24" "--align 8192" "--align 64 --misalign 32" \
             "--context nosuchoperand=cold"; do
    # shellcheck disable=SC2086
    "$kt" replay $wrong "$T/large" >/dev/null 2>"$T/err"
    same "$wrong: exit status" 2 $?
done
exit $((failures != 0))
