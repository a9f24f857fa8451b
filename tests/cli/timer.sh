# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 3 s
# ktrace replay --timer: every timer gives times of all shapes, what it cannot do is said, and their times are kept apart.
. tests/lib.sh
kt=$B/ktrace
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
"$kt" run -o "$T/t" -- "$PYTHON" tests/modes/snapshot.py calls dot gemv end >/dev/null
replay() { "$kt" replay --json --store "$T/store" --context warm,cold --budget 0.2 "$@" "$T/t" >"$T/r.json" 2>"$T/err"; }
of() { query "$1" <"$T/r.json"; }
for timer in wall cpu sets; do
    replay --timer $timer; same "--timer $timer" "0 $timer 3" "$? $(of 'd["timer"]') $(of 'len(d["shapes"])')"
    same "... measures for itself" "0 True" "$(of 'd["store"]["series_reused"]') $(of 'd["rounds"] > 0')"
    # By the processor's time no single short call can be timed.
    same "... has times of all" True "$(of 'all(c["n"] > 0 and c["median"] >= 0 if "'$timer'" != "cpu" or k == "warm" or s["insitu"]["median"] > 1e-5 else c["n"] == 0 for s in d["shapes"] for k, c in s["contexts"].items())')"
    replay --timer $timer; same "... and knows them afterwards" 0 "$(of 'd["rounds"]')"
done
replay --timer cpu --threads 2; same "processor time of two threads: status" 2 $?
has "... says why" 'processor time of 2 threads is not the time of a call' "$(<"$T/err")"
replay --timer cpu --context sequence; same "processor time of a sequence: status" 2 $?
has "... says why" 'a sequence has wall times' "$(<"$T/err")"
replay --pages small; same "--pages" 0 $?
same "... measures for itself, too" "0 True" "$(of 'd["store"]["series_reused"]') $(of 'd["rounds"] > 0')"
replay --pages small; same "... and knows it afterwards" 0 "$(of 'd["rounds"]')"

# A call that failed in the program is no call to be timed, whatever the timer.
"$kt" run -o "$T/failing" -- "$PYTHON" -c 'import numpy as np
for i in range(5):
    np.linalg.cholesky(np.eye(30))
    try: np.linalg.cholesky(-np.eye(20))
    except np.linalg.LinAlgError: pass' >/dev/null
for timer in wall cpu sets; do
    "$kt" replay --json --store none --context warm --budget 0.2 --timer $timer "$T/failing" >"$T/r.json" 2>/dev/null
    same "--timer $timer: calls that failed are not timed" "[30] [5]" \
         "$(of '[s["args"].get("N", s["args"].get("n")) for s in d["shapes"] if s["routine"] == "dpotrf"]') $(of '[n["calls"] for n in d["not_replayed"]]')"
done
replay --timer sun; same "no such timer: status" 2 $?
has "... says which there are" 'wall, cpu or sets' "$(<"$T/err")"
exit $((failures != 0))
