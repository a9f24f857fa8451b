# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 15 s
# Timers on real calls: Whaley's figure in small, what is watched beside each sample. How near timers come to each other and to
# independent programs depends on the machine's other users: make bench-timers, examples/whaley.sh.
. tests/lib.sh
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1

status=0
for round in 1 2 3; do
    rm -rf "$T/figure"
    LENGTHS="800 1600 20000" ROUNDS=2 SECONDS_EACH=0.5 B="$PWD/$B" PYTHON=$PYTHON examples/whaley.sh -o "$T/figure" openblas-serial >"$T/figure.txt" 2>&1 || status=$?
    cp "$T/figure/openblas-serial.dat" "$T/figure$round.dat"
done
same "Whaley's experiment: status" 0 $status
# n, unflushed (3), program's, flushed (3), program's: rates, of which the best counts, as what else runs here only slows
same "... ddot in cache and flushed are far apart" True "$("$PYTHON" -c 'import sys
runs = [[[float(x) for x in line.split()] for line in open(path).read().splitlines()[1:]] for path in sys.argv[1:]]
rows = [[max(cells) for cells in zip(*rows)] for rows in zip(*runs, strict=True)]
print(len(rows) == 3 and all(row[1] > 1.5 * row[5] for row in rows[1:]))' "$T"/figure[123].dat 2>&1)"
has "... table" '^ *1,600 .*%' "$(<"$T/figure.txt")"
if command -v gnuplot >/dev/null; then
    true_that "... drawn" grep -q '</svg>' "$T/figure/whaley.svg"
    same "... and as pixels" "89504e47" "$(head -c 4 "$T/figure/whaley.png" | od -An -tx1 | tr -d ' \n')"
else
    skip "... drawn" "gnuplot is not there"
fi
same "a library that is not there: status" 2 "$(B="$PWD/$B" examples/whaley.sh -o "$T/none" nonesuch >/dev/null 2>&1; echo $?)"

# What was watched is said, of all samples.
"$B/ktrace" run -o "$T/calls" -- "$PYTHON" -c 'import numpy as np
x = np.ones(5000)
for i in range(20): x @ x[::-1].copy()' >/dev/null
"$B/ktrace" replay --json --context warm,cold --budget 1 "$T/calls" >"$T/replay.json" 2>/dev/null
contexts='[c for s in d["shapes"] for c in s["contexts"].values()]'
same "every sample was watched" True "$(query "all(c['disturbances']['samples'] - c['disturbances']['left_out'] == c['n'] > 0 for c in $contexts)" <"$T/replay.json")"
same "... and so was the core's clock" True "$(query "all(0.3e9 < c['core_hz'] < 8e9 and abs(c['core_cycles'] - c['median'] * c['core_hz']) <= 1e-6 * c['core_cycles'] for c in $contexts)" <"$T/replay.json")"

exit $((failures != 0))
