# SPDX-License-Identifier: BSD-3-Clause
# Replay: the effect of context that Whaley & Castaldo found, comparison of libraries, libraries that misbehave. How well
# repeated replays agree depends on the machine's other users: make bench measures that.
. tests/lib.sh
kt=$B/ktrace
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1
"$kt" run -o "$T/context" -- "$PYTHON" -c 'import numpy as np
g = np.random.default_rng(1)
x, y, v, a, b = (g.standard_normal(n) for n in (2000, 20000, 200, (200, 200), (1000, 1000)))
for i in range(20): x @ x[::-1].copy(), y @ y[::-1].copy(), a @ v
b @ b' >/dev/null
# Ratio cold/warm of the shape with that routine and size, as COMPARISON says.
"$kt" replay --json --blas openblas-serial "$T/context" >"$T/replay.json" 2>"$T/err" || not_ok "replay" "$(<"$T/err")"
effect() { # ROUTINE N COMPARISON
    local ratio
    ratio=$(query "[round(s['contexts']['cold']['best'] / s['contexts']['warm']['best'], 2) for s in d['shapes'] if s['routine'] == '$1' and s['args'].get('N') == $2][0]" <"$T/replay.json")
    if "$PYTHON" -c "import sys; sys.exit(not ($ratio $3))"; then ok "$1 n=$2: cold/warm $ratio $3"; else not_ok "$1 n=$2: cold/warm $ratio, expected $3"; fi
}
effect ddot 2000 ">= 5"
effect ddot 20000 ">= 3"
effect dgemv 200 ">= 2.5"
effect dgemm 1000 "<= 1.15"

"$kt" run -o "$T/demo" -- "$PYTHON" examples/demo.py >/dev/null 2>&1
"$kt" replay --json --budget 8 "$T/demo" >"$T/two.json" 2>/dev/null
same "everything is replayed" "[]" "$(query 'd["not_replayed"]' <"$T/two.json")"
has "the report shows the contexts" 'warm +cold +index' "$("$kt" report "$T/demo")"
has "... and the decomposition" 'residual' "$("$kt" report "$T/demo")"
same "... as JSON too" "['bound', 'cache', 'insitu', 'library', 'residual']" \
     "$("$kt" report --json "$T/demo" | query 'sorted(k for k in d["decomposition"] if k in ("insitu", "bound", "library", "cache", "residual"))')"

"$kt" compare "$T/context" --budget 15 --blas openblas-serial --blas reference --blas blis --json >"$T/compare.json" 2>"$T/err"
same "compare: exit status" 0 $?
same "... the reference library is slower" True "$(query '[l["ratio"]["lo"] > 1.5 for l in d["libraries"] if l["name"] == "reference"][0]' <"$T/compare.json")"
has "... as a table" 'reference' "$("$kt" compare "$T/context" --blas openblas-serial --blas reference --budget 3)"

cp "$T/demo/replay.json" "$T/earlier.json"
has "a replay on another library is not stored with the trace" 'only a replay on the recorded library' "$("$kt" replay --blas reference --budget 0.2 --context warm --store none "$T/demo" 2>&1)"
true_that "... what is there stays" cmp -s "$T/demo/replay.json" "$T/earlier.json"

# A library without most routines, and one whose routine ends the process.
"$kt" replay --json --blas "$PWD/$B/tests/abi/libfake1.so" "$T/demo" >"$T/fake.json" 2>/dev/null
has "a library that lacks routines: each is named" 'libfake1' "$(query 'd["not_replayed"][0]["why"]' <"$T/fake.json")"
true_that "nothing was written into the trace by --json alone but replay.json" test "$(ls "$T/demo" | grep -cvE '^(README|p[0-9]+|replay\.json)$')" = 0
exit $((failures != 0))
