# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 4 s
# Page faults in long calls: counted without being asked for, told apart from the rest of a call's time.
. tests/lib.sh
kt=$B/ktrace
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
cat >"$T/fresh.py" <<'END'
import ctypes, mmap, sys
import numpy as np
blas = ctypes.CDLL(sys.argv[1])
def new(n):
    m = mmap.mmap(-1, 8 * n * n, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    m.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(m).reshape(n, n)
def multiply(n, a, c):
    size, one, zero = ctypes.byref(ctypes.c_int(n)), ctypes.byref(ctypes.c_double(1)), ctypes.byref(ctypes.c_double(0))
    at, to = ctypes.c_void_p(a.ctypes.data), ctypes.c_void_p(c.ctypes.data)
    blas.dgemm_(b"N", b"N", size, size, size, one, at, size, at, size, zero, to, size, ctypes.c_size_t(1), ctypes.c_size_t(1))
a, old, kept = np.random.rand(400, 400), np.ones((400, 400)), []
multiply(400, a, old)
for i in range(4):
    kept.append(new(400))
    multiply(400, a, kept[-1])
for i in range(4): multiply(400, a, old)
for i in range(20): multiply(8, a, old)
for i in range(3):
    multiply(400, a, old)
    multiply(8, a, old)
END
library=$(ls /usr/lib/*/openblas-serial/libopenblas.so.0 2>/dev/null | head -n 1)
[ -n "$library" ] || { skip "page faults" "no serial OpenBLAS"; exit 0; }
"$kt" run -o "$T/t" -- "$PYTHON" "$T/fresh.py" "$library" >/dev/null
"$kt" dump --json "$T/t" >"$T/calls"
"$PYTHON" -c 'import json, sys
print([c["faults"] for c in map(json.loads, sys.stdin) if c["routine"] == "dgemm"])' <"$T/calls" >"$T/faults"
# 400 x 400 doubles lie in 312.5 pages
is() { if "$PYTHON" -c "import sys; f = $(<"$T/faults"); sys.exit(not ($2))"; then ok "$1"; else not_ok "$1" "$(<"$T/faults")"; fi; }
is "the first call of a routine is asked about" "f[0] is not None"
is "results in new pages" "all(312 <= n <= 330 for n in f[1:5])"
is "... and in old ones" "all(n <= 16 for n in f[5:9])"
# A short call that the processor was taken from is a long one, so which were is read from the trace: 2^19 ticks.
cat >"$T/asked.py" <<'END'
import json, sys
hz = float(sys.argv[1])
calls = [c for c in map(json.loads, sys.stdin) if c["routine"] == "dgemm"]
took_long = [round(c["dt"] * hz) >> 19 > 0 for c in calls]
size = [c["operands"][0]["rows"] for c in calls]
print([at == 0 or (any(took_long[max(at - 3, 0):at]) and size[at] >= size[at - 1] / 2) for at in range(len(calls))])
END
wanted=$("$PYTHON" "$T/asked.py" "$(info t 'd["tsc_hz"]')" <"$T/calls")
is "asked about are the three behind a long one, and none that is smaller than its last" \
   "[n is not None for n in f] == $wanted and sum(n is None for n in f[9:29]) >= 8"
is "long ones between short ones are found again" "f[31] is not None and f[33] is not None"
true_that "the trace is fine" "$kt" check "$T/t"

# Products of a program between factorisations that make many small ones.
lapack=$(ls /usr/lib/*/lapack/liblapack.so.3 2>/dev/null | head -n 1)
cat >"$T/between.py" <<'END'
import ctypes, sys
exec(open(sys.argv[3]).read().split("a, old")[0])
lapack = ctypes.CDLL(sys.argv[2])
a = np.random.rand(400, 400)
for i in range(4):
    multiply(400, a, new(400))
    lu, pivots, n, info = np.array(a), np.zeros(400, dtype="int32"), ctypes.c_int(400), ctypes.c_int()
    lapack.dgetrf_(ctypes.byref(n), ctypes.byref(n), ctypes.c_void_p(lu.ctypes.data), ctypes.byref(n), ctypes.c_void_p(pivots.ctypes.data),
                   ctypes.byref(info))
END
if [ -n "$lapack" ]; then
    "$kt" run -o "$T/between" -- "$PYTHON" "$T/between.py" "$library" "$lapack" "$T/fresh.py" >/dev/null
    "$kt" dump --json "$T/between" | "$PYTHON" -c 'import json, sys
calls = [c for c in map(json.loads, sys.stdin) if c["routine"] == "dgemm"]
print([c["faults"] for c in calls if c["depth"] == 0], ",", sum(c["depth"] > 0 for c in calls))' >"$T/outer"
    if "$PYTHON" -c "import sys; f, nested = $(<"$T/outer"); sys.exit(not (nested > 20 and len(f) == 4 and f[0] and all(n and 312 <= n <= 330 for n in f[1:])))"; then
        ok "large ones are asked about whatever is nested between them"; else not_ok "large ones between nested ones" "$(<"$T/outer")"; fi
else skip "large ones between nested ones" "no reference LAPACK"; fi

"$kt" replay --budget 2 --store none "$T/t" >/dev/null 2>&1
report=$("$kt" report --json "$T/t")
parts() { query "[r['$1'] for r in d['decomposition']['routines'] if r['routine'] == 'dgemm'][0]" <<<"$report"; }
same "the report knows how many" "$("$PYTHON" -c "print(float(sum(n or 0 for n in $(<"$T/faults"))))")" "$("$PYTHON" -c "print(float($(parts page_faults)))")"
cost=$(query 'd["page_fault"]' <"$T/t/replay.json")
if "$PYTHON" -c "import sys; sys.exit(not (2e-8 < $cost < 1e-3 and abs($(parts fault_seconds) - $cost * $(parts page_faults)) < 1e-9))"; then
    ok "... and what they take, at that of one"; else not_ok "... and what they take, at that of one" "$cost, $(parts fault_seconds)"; fi
# Calls that others delay take so long that faults are nothing beside it.
same "... and says it if that is a hundredth of the time" \
     "$(query 'int(d["decomposition"]["fault_seconds"] >= 0.01 * d["decomposition"]["insitu"])' <<<"$report")" \
     "$("$kt" report --all "$T/t" | grep -cE 'page faults, [0-9.]+ [mun]s each')"
same "other counters are wanted: faults are not counted" "[None]" \
     "$(KTRACE_EVENTS=perf::CONTEXT-SWITCHES "$kt" run -o "$T/events" -- "$PYTHON" "$T/fresh.py" "$library" >/dev/null 2>&1
        "$kt" dump --json "$T/events" | "$PYTHON" -c 'import json, sys
print(sorted({c["faults"] for c in map(json.loads, sys.stdin) if c["n"] > 2}))')"
exit $((failures != 0))
