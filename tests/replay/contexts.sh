# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 40 s
# Contexts of replay: times grow from warm to l1, l2, cold and allcold; cold operands cost in proportion to their bytes;
# alignment on request. Figures are ratios of the least times of three replays.
. tests/lib.sh
kt=$B/ktrace
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
"$kt" run -o "$T/t" -- "$PYTHON" -c 'import numpy as np
g = np.random.default_rng(1)
x, y, v, a, s, b = (g.standard_normal(n) for n in (800, 800, 200, (200, 200), (24, 24), (400, 400)))
for i in range(20): x @ y, a @ v, s @ s.copy()
b @ b.copy()' >/dev/null
# time ROUTINE N CONTEXT: microseconds
time_of() { query "[round(s['contexts']['$3']['best'] * 1e6, 3) for s in d['shapes'] if s['routine'] == '$1' and s['args'].get('N') == $2][0]" <"$T/r.json"; }
is_so() { "$PYTHON" -c "import sys; sys.exit(not ($1))"; }
holds() { if is_so "$2"; then ok "$1: $2"; else not_ok "$1: $2"; fi; }
# replay OPTION...: three replays; each shape has its least times in $T/r.json
replay() {
    : >"$T/err"
    for round in 1 2 3; do
        "$kt" replay --json --store none --budget 4 --blas openblas-serial "$@" "$T/t" >"$T/r$round.json" 2>>"$T/err" || not_ok "replay" "$(<"$T/err")"
    done
    "$PYTHON" tests/replay/least.py "$T"/r[123].json >"$T/r.json"
}
replay --context warm,l1,l2,cold,allcold
ordered() { # ROUTINE N: each context at least as slow as the one before it, 5 % for chance
    local last context t
    last=$(time_of "$1" "$2" warm)
    for context in l1 l2 cold; do
        t=$(time_of "$1" "$2" $context)
        holds "$1 n=$2, $context" "$t >= 0.95 * $last"
        last=$t
    done
}
if grep -q 'not reliable' "$T/err"; then skip "warm, l1, l2, cold in order" "$(<"$T/err")"
else
    ordered ddot 800
    ordered dgemv 200
    holds "ddot n=800, evicted from L2 and from L1" "$(time_of ddot 800 l2) >= 1.15 * $(time_of ddot 800 l1)"
fi
holds "ddot n=800, cold and warm" "$(time_of ddot 800 cold) >= 3 * $(time_of ddot 800 warm)"
holds "ddot n=800, code cold too" "$(time_of ddot 800 allcold) >= 1.2 * $(time_of ddot 800 cold)"
holds "dgemm n=24, code cold too" "$(time_of dgemm 24 allcold) >= 1.2 * $(time_of dgemm 24 cold)"
holds "dgemm n=400 does not care" "$(time_of dgemm 400 l1) <= 1.15 * $(time_of dgemm 400 warm)"
same "evictions are told" "[1, 2]" "$(query '[c["level"] for c in d["caches"] if c["evicted_by"]]' <"$T/r.json")"
same "each says how much it read, or why it is doubted" True "$(query 'all(e["read_bytes"] > 0 and (e["reliable"] or e["doubt"]) for e in (c["evicted_by"] for c in d["caches"]) if e)' <"$T/r.json")"

# By operand: of dgemv the matrix is 99 % of the bytes, of ddot each vector is half of them.
replay --context warm --context A=cold --context X=cold --context x=cold,y=warm --context cold
same "contexts keep their names" "['warm', 'A=cold', 'X=cold', 'x=cold,y=warm', 'cold']" "$(query 'd["contexts"]' <"$T/r.json")"
share() { echo "($(time_of "$1" "$2" "$3") - $(time_of "$1" "$2" warm)) / ($(time_of "$1" "$2" cold) - $(time_of "$1" "$2" warm))"; }
holds "dgemv: its matrix is what is cold" "$(share dgemv 200 A=cold) >= 0.75"
holds "dgemv: its vector is not" "$(share dgemv 200 X=cold) <= 0.25"
holds "ddot: one vector is about half of it" "0.25 <= $(share ddot 800 X=cold) <= 0.8"
holds "ddot: the same in other words" "0.7 <= $(time_of ddot 800 x=cold,y=warm) / $(time_of ddot 800 X=cold) <= 1.4"
holds "ddot has no A" "0.7 <= $(time_of ddot 800 A=cold) / $(time_of ddot 800 warm) <= 1.4"

# More than one thread: helpers read on every processor.
same "two threads" 0 "$("$kt" replay --json --budget 1 --threads 2 --blas openblas-serial --context warm,l2 "$T/t" >"$T/r.json" 2>/dev/null; echo $?)"
same "... in all contexts" True "$(query 'all(s["contexts"]["l2"]["n"] > 0 for s in d["shapes"])' <"$T/r.json")"
for options in "--pages huge" "--pages small" "--align 64" "--align 8 --misalign 16"; do
    # shellcheck disable=SC2086
    "$kt" replay --json --budget 0.5 --blas openblas-serial $options "$T/t" >"$T/r.json" 2>"$T/err"
    same "$options: exit status" 0 $?
    same "... all shapes are replayed" "[]" "$(query 'd["not_replayed"]' <"$T/r.json")"
done
exit $((failures != 0))
