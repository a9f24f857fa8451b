# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 6 s
# ktrace diff on real runs: what shows on any machine. How often it is wrong is measured by tests/bench/diff.sh, and with runs
# that are made up by tests/unit/test_diff.c.
. tests/lib.sh
kt=$PWD/$B/ktrace
shim=$PWD/$B/libktrace.so
export KTRACE_QUIET=1
# run NAME M PERCENT: calls of dgemm of that order take so much longer
run() { SLOW_M=$2 SLOW_PERCENT=$3 LD_PRELOAD="$shim $PWD/$B/tests/diff/slow.so" KTRACE_OUT=$T/$1 "$B/tests/diff/rounds" "${rounds:-100}"; }
compare() { "$kt" diff --json "$@" >"$T/diff.json"; }
of_diff() { query "$1" <"$T/diff.json"; }
changed='[(s["change"], s["routine"], s["args"].get("m", 0)) for s in d["shapes"] if s["change"] in ("slower", "faster", "new", "vanished")]'

# Much slower shows on any machine, and faster too.
run a 48 0; run b 48 900
compare "$T/a" "$T/b"; status=$?
same "ten times slower: the shape is named" True "$(of_diff '("slower", "dgemm", 48) in '"$changed")"
same "... exit status" 1 $status
same "... its routine has it too" True "$(of_diff '[r["shapes_changed"] for r in d["routines"] if r["routine"] == "dgemm"][0] >= 1')"
compare "$T/b" "$T/a"
same "... the other way round: faster" True "$(of_diff '("faster", "dgemm", 48) in '"$changed")"
"$kt" diff "$T/a" "$T/b" >"$T/text"
has "... in words" "^slower +dgemm +N N 48 48 48" "$(<"$T/text")"
same "... in 80 columns" 0 "$(awk 'length > 80' "$T/text" | wc -l)"
same "... an empty line before each heading but the first" "$(($(grep -c '^--' "$T/text") - 1))" "$(grep -c '^$' "$T/text")"
"$kt" diff --margin 2000 "$T/a" "$T/b" >/dev/null 2>&1; same "--margin out of range" 2 $?
"$kt" diff "$T/a" "$T/a" >/dev/null; same "a trace and itself: nothing" 0 $?

# Runs on different processors.
set -- $("$PYTHON" -c 'import os; p = sorted(os.sched_getaffinity(0)); print(p[0], p[-1])')
for cpu in "$1" "$2"; do (taskset -cp "$cpu" "$BASHPID" >/dev/null; rounds=20 run "on$cpu" 0 0); done
compare "$T/on$1" "$T/on$2"
same "the processors of the runs" "[$1, $2]" "$(of_diff 'd["processors"]')"
said=$("$kt" diff "$T/on$1" "$T/on$2" | grep -c 'The runs were on different processors')
same "... in words where they are not the same" "$(($1 != $2))" "$said"

# Other input: shapes appear and vanish. That one of the others seems slower in so short a run is another matter.
with() { echo "str(sum(s['change'] == '$1' for s in d['shapes'])) + ' ' + str(sorted({s['routine'] for s in d['shapes'] if s['change'] == '$1'})) + ' ' + str(d['changed'] >= 6)"; }
rounds=20 run few 0 0
KTRACE_ROUTINES='!ddot' rounds=20 run less 0 0
compare "$T/few" "$T/less"
same "shapes that vanish" "6 ['ddot'] True" "$(of_diff "$(with vanished)")"
compare "$T/less" "$T/few"
same "... and appear" "6 ['ddot'] True" "$(of_diff "$(with new)")"
same "a profile" 0 "$(KTRACE_MODE=profile run p 0 0; KTRACE_MODE=profile run q 0 0; "$kt" diff --margin 900 "$T/p" "$T/q" >/dev/null; echo $?)"

# What is missing from a run is told with it.
same "filtered, in JSON" "[None, '!ddot']" "$("$kt" diff --json "$T/few" "$T/less" | query '[m["only_routines"] for m in d["missing"]]')"
has "... in words" "^filtered +only routines !ddot" "$("$kt" diff "$T/few" "$T/less")"
cp -r "$T/few" "$T/damaged"; for stream in "$T"/damaged/p*/t*; do printf 'rubbish..rubbish' >>"$stream"; done
has "damaged" " damage .*skipped" "$("$kt" diff "$T/few" "$T/damaged" | tr -s " \n" " ")"
same "... in JSON" "[False, True]" "$("$kt" diff --json "$T/few" "$T/damaged" | query '[len(m["damage"]) > 0 for m in d["missing"]]')"
has "routines beyond --top are told" "^\.\.\. and [0-9]+ more" "$("$kt" diff --top 1 "$T/few" "$T/less" | sed -n '/^Routines/,/^Result/p')"

# Another library is no drift.
"$kt" run -o "$T/ref" --blas reference -- "$B/tests/diff/rounds" 50 2>/dev/null
if "$kt" run -o "$T/blis" --blas blis -- "$B/tests/diff/rounds" 50 2>/dev/null; then
    has "libraries that differ: nothing is taken out" "not taken out" "$("$kt" diff "$T/ref" "$T/blis")"
    has "... for that reason" "the libraries differ" "$("$kt" diff "$T/ref" "$T/blis")"
else
    skip "libraries that differ" "BLIS is not installed"
fi
"$kt" diff "$T/few" >/dev/null 2>&1; same "one trace is not enough" 2 $?
"$kt" diff "$T/few" /nowhere >/dev/null 2>&1; same "a trace that is not there" 3 $?
exit $((failures != 0))
