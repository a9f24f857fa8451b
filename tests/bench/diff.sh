#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# How often ktrace diff is wrong: two runs of one program, forty times, and a shape that is 10 % slower. Real runs, so the
# figures depend on the machine; tests/unit/test_diff.c has the same with runs that are made up.
. tests/bench/lib.sh
# run NAME M PERCENT: calls of dgemm of that order take so much longer
run() { SLOW_M=$2 SLOW_PERCENT=$3 LD_PRELOAD="$shim $(realpath "$B")/tests/diff/slow.so" KTRACE_OUT=$dir/$1 "$B/tests/diff/rounds" "${rounds:-100}"; }
compare() { "$B/ktrace" diff --json "$@" >"$dir/diff.json"; }
of_diff() { query "$1" <"$dir/diff.json"; }
changed='[(s["change"], s["routine"], s["args"].get("m", 0)) for s in d["shapes"] if s["change"] in ("slower", "faster", "new", "vanished")]'

# The same program twice, forty times. The machine may be as noisy as it wants.
alarms=0
for i in $(seq 40); do
    progress "pair $i of 40"
    run a 0 0; run b 0 0
    compare "$dir/a" "$dir/b" || { alarms=$((alarms + 1)); echo "an alarm: $(of_diff "$changed")"; }
    rm -rf "$dir/a" "$dir/b"
done
progress ""
echo "the same program twice: $alarms alarms in 40 (asked: 2 at most)"

# One shape slower by 10 %: it is named wherever the machine is calm enough, which the shape's interval and the margin tell.
calm=0; named=0; others=0; tries=0
while [ $calm -lt 20 ] && [ $tries -lt 40 ]; do
    tries=$((tries + 1))
    rounds=300 run a 0 0; rounds=300 run b 48 10
    compare "$dir/a" "$dir/b" || :
    rm -rf "$dir/a" "$dir/b"
    slowed='[s for s in d["shapes"] if s["routine"] == "dgemm" and s["args"]["m"] == 48][0]'
    [ "$(of_diff 'd["margin"] < 0.05 and (lambda s: s["hi"] - s["lo"] < 0.08)('"$slowed)")" = True ] || continue
    calm=$((calm + 1))
    [ "$(of_diff '("slower", "dgemm", 48) in '"$changed")" = True ] && named=$((named + 1)) || :
    others=$((others + $(of_diff 'sum(c != ("slower", "dgemm", 48) for c in '"$changed"')')))
done
echo "10 % slower: the machine was calm in $calm of $tries pairs, $named of these named the shape, $others others were"
