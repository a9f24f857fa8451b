# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 81 s
# Replay: the effect of context that Whaley & Castaldo found, comparison of libraries, libraries that misbehave. How well
# repeated replays agree depends on the machine's other users: make bench measures that.
. tests/lib.sh
kt=$B/ktrace
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
"$kt" run --blas openblas-serial -o "$T/context" -- "$PYTHON" -c 'import numpy as np
g = np.random.default_rng(1)
x, y, v, a, b = (g.standard_normal(n) for n in (2000, 20000, 200, (200, 200), (1000, 1000)))
for i in range(20): x @ x[::-1].copy(), y @ y[::-1].copy(), a @ v
b @ b' >/dev/null
# of_shape ROUTINE N EXPRESSION: of the shape s with that routine and size
of_shape() { query "[round($3, 2) for s in d['shapes'] if s['routine'] == '$1' and s['args'].get('N') == $2][0]" <"$T/replay.json"; }
is() { if "$PYTHON" -c "import sys; sys.exit(not ($2))"; then ok "$1 $2"; else not_ok "$1" "$2 does not hold"; fi; }
effect() { is "$1 n=$2: cold/warm" "$(of_shape "$1" "$2" "s['contexts']['cold']['best'] / s['contexts']['warm']['best']") $3"; } # ROUTINE N COMPARISON
# Of three replays each shape has its least times.
for round in 1 2 3; do
    "$kt" replay --json --fresh --budget 4 --blas openblas-serial "$T/context" >"$T/replay$round.json" 2>"$T/err" || not_ok "replay" "$(<"$T/err")"
done
"$PYTHON" tests/replay/least.py "$T"/replay[123].json >"$T/replay.json"
effect ddot 2000 ">= 3"
effect ddot 20000 ">= 2"
effect dgemv 200 ">= 2"
effect dgemm 1000 "<= 1.15"
# How much slower than warm they are is the machine's affair. That flushed operands come from memory is not: the time is nearer
# to what memory takes for the bytes than to what the last cache takes. (Peaks may be of another hour, with other neighbours.)
from_memory() { is "$1 n=$2: cold, over the middle of what memory and the last cache take" "$(of_shape "$1" "$2" "s['contexts']['cold']['best'] * (d['peaks']['levels'][-1]['read'] * d['peaks']['levels'][-2]['read']) ** 0.5 / (8 * $3)") > 1"; } # ROUTINE N DOUBLES
from_memory dgemv 200 40000
from_memory ddot 20000 40000
from_memory ddot 2000 4000

"$kt" run --blas openblas-serial -o "$T/demo" -- "$PYTHON" examples/demo.py >/dev/null 2>&1
"$kt" replay --json --budget 8 "$T/demo" >"$T/two.json" 2>/dev/null
same "everything is replayed" "[]" "$(query 'd["not_replayed"]' <"$T/two.json")"
has "the report shows the contexts" 'warm +cold +index' "$("$kt" report --all "$T/demo")"
has "... and the decomposition" 'residual' "$("$kt" report --all "$T/demo")"
same "... as JSON too" "['bound', 'cache', 'insitu', 'library', 'residual']" \
     "$("$kt" report --json "$T/demo" | query 'sorted(k for k in d["decomposition"] if k in ("insitu", "bound", "library", "cache", "residual"))')"

"$kt" compare "$T/context" --budget 15 --blas openblas-serial --blas reference --blas blis --json >"$T/compare.json" 2>"$T/err"
same "compare: exit status" 0 $?
same "... the reference library is slower" True "$(query '[l["ratio"]["lo"] > 1.5 for l in d["libraries"] if l["name"] == "reference"][0]' <"$T/compare.json")"
has "... as a table" 'reference' "$("$kt" compare "$T/context" --blas openblas-serial --blas reference --budget 3)"

cp "$T/demo/replay.json" "$T/earlier.json"
has "a replay on another library is not stored with the trace" 'only a replay on the recorded library' "$("$kt" replay --blas reference --budget 0.2 --context warm --store none "$T/demo" 2>&1)"
true_that "... what is there stays" cmp -s "$T/demo/replay.json" "$T/earlier.json"
has "... nor one in fewer contexts" 'has more contexts' "$("$kt" replay --budget 0.2 --context warm --store none "$T/demo" 2>&1)"
has "... nor one of operands that lay otherwise" 'operands at the recorded places' "$("$kt" replay --align 4096 --budget 0.2 --store none "$T/demo" 2>&1)"
true_that "... what is there stays" cmp -s "$T/demo/replay.json" "$T/earlier.json"

# Integers of both widths in one program: each call has those of its name. BLIS calls its own Fortran names, which the other has, too.
wide=$(ls /usr/lib/*/libopenblas64.so.0 2>/dev/null | head -n 1)
blis=$(ls /usr/lib/*/blis-serial/libblas.so.3 2>/dev/null | head -n 1)
both_widths() { # NAME
    "$kt" run -o "$T/$1" -- "$PYTHON" -c 'import ctypes, sys, numpy as np
a = np.ones((60, 60)); a @ a
n, one = ctypes.byref(ctypes.c_int64(40)), ctypes.byref(ctypes.c_double(1))
x = ctypes.c_void_p(a.ctypes.data)
ctypes.CDLL(sys.argv[1]).dgemm_(b"N", b"N", n, n, n, one, x, n, x, n, one, x, n, ctypes.c_size_t(1), ctypes.c_size_t(1))' "$wide" >/dev/null 2>&1
    "$kt" replay --json --context warm,sequence --budget 1 --store none "$T/$1" >"$T/$1.json" 2>"$T/$1.err"
    query '(d["not_replayed"], sorted(s["args"].get("m", s["args"].get("M")) for s in d["shapes"] if s["routine"] == "dgemm"), d["sequence"]["left_out"])' <"$T/$1.json" | sed 's/^(//; s/)$//; s/], /] /g'
}
if [ -n "$wide" ]; then
    same "integers of two widths: all is replayed" "[] [40, 60] 0" "$(both_widths widths)"
else
    skip "integers of two widths" "no libopenblas64"
fi
if [ -n "$wide" ] && [ -n "$blis" ]; then
    mkdir "$T/links"; ln -s "$blis" "$T/links/libblas.so.3"
    same "... on BLIS, behind a link that does not say so" "[] [40, 60] 0" "$(LD_LIBRARY_PATH=$T/links both_widths linked)"
    same "... no argument is wrong" 0 "$(grep -c "On entry" "$T/linked.err")"
    same "... and it is named" "['blis', 'openblas']" "$(info linked 'sorted(l["name"] for l in d["libraries"])')"
    same "... so is what it is replayed on" "blis-serial+openblas64" "$(query 'd["library"]["name"].rsplit("-", 1)[0]' <"$T/linked.json")"
else
    skip "integers of two widths on BLIS" "no libopenblas64, or no libblis"
fi

# Where most of the recorded time passed, there it is replayed, if that may be used.
two=$("$PYTHON" -c 'import os; print(*sorted(os.sched_getaffinity(0))[:2])')
for cpu in $two; do
    taskset -c "$cpu" "$kt" run -o "$T/on$cpu" -- "$PYTHON" -c 'import numpy as np
a = np.ones((60, 60))
for i in range(20): a @ a' >/dev/null
    same "recorded and replayed on processor $cpu" "$cpu" "$("$kt" replay --json --context warm --budget 0.2 --store none "$T/on$cpu" 2>/dev/null | query 'd["processor"]')"
done
same "... unless it may not be used" "$cpu" "$(taskset -c "$cpu" "$kt" replay --json --context warm --budget 0.2 --store none "$T/on${two% *}" 2>/dev/null | query 'd["processor"]')"

# Two libraries by one soname, the system's and another: each call is replayed on the one that it went to.
second=$(ls /usr/lib/*/openblas-serial/libblas.so.3 2>/dev/null | head -n 1)
first=$(ls /usr/lib/*/blas/libblas.so.3 2>/dev/null | head -n 1)
if [ -n "$first" ] && [ -n "$second" ]; then
    "$kt" run -o "$T/twice" -- "$PYTHON" -c 'import ctypes, sys
n, one = ctypes.byref(ctypes.c_int(200)), ctypes.byref(ctypes.c_double(1))
a = (ctypes.c_double * 40000)(*[1] * 40000)
for path in sys.argv[1:]:
    library = ctypes.CDLL(path)
    for i in range(20): library.dgemm_(b"N", b"N", n, n, n, one, a, n, a, n, one, (ctypes.c_double * 40000)(), n)' "$first" "$second" >/dev/null
    "$kt" replay --json --context warm --budget 2 --store none "$T/twice" >"$T/twice.json" 2>"$T/err"
    same "two libraries of one soname: all calls are replayed" "0 [] 2" "$? $(query 'str(d["not_replayed"]) + " " + str(len(d["shapes"]))' <"$T/twice.json")"
    is "... each on its own: the reference takes longer" "$(query 'max(s["contexts"]["warm"]["best"] for s in d["shapes"]) / min(s["contexts"]["warm"]["best"] for s in d["shapes"])' <"$T/twice.json") > 2"
    printf 'no library' >"$T/libblas.so.3"
    cp -r "$T/twice" "$T/half"; sed -i "s|$second\t[0-9a-f]*|$T/libblas.so.3\t|" "$T"/half/p*/definitions
    "$kt" replay --json --context warm --budget 2 --store none "$T/half" >"$T/half.json" 2>"$T/err"
    same "... one that cannot be loaded costs its own calls" "['its library cannot be loaded']" "$(query '[n["why"][:28] for n in d["not_replayed"]]' <"$T/half.json")"
else
    skip "two libraries of one soname" "needs the reference BLAS and OpenBLAS"
fi

# A library without most routines, and one whose routine ends the process.
"$kt" replay --json --blas "$PWD/$B/tests/abi/libfake1.so" "$T/demo" >"$T/fake.json" 2>/dev/null
has "a library that lacks routines: each is named" 'libfake1' "$(query 'd["not_replayed"][0]["why"]' <"$T/fake.json")"
true_that "nothing was written into the trace by --json alone but replay.json" test "$(ls "$T/demo" | grep -cvE '^(README|p[0-9]+|replay\.json)$')" = 0
exit $((failures != 0))
