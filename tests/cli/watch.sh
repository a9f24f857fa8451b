# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 10 s
# ktrace watch: what was called since the look before, of a program that runs and of one that has ended.
. tests/lib.sh
kt=$PWD/$B/ktrace
steps=$PWD/$B/tests/modes/steps
export KTRACE_QUIET=1
looks() { "$PYTHON" -c 'import json, sys
d = [json.loads(line) for line in sys.stdin]
print(eval(sys.argv[1]))' "$1"; }
calls_of() { "$kt" watch --once --json "$1" 2>/dev/null | looks 'd[0]["all"]["calls"]'; }

# A program that sleeps in the middle of its calls; it is looked at when the first of them are there.
KTRACE_OUT=$T/t LD_PRELOAD=$PWD/$B/libktrace.so "$steps" sleep=20 dot=100 sleep=8000 dot=50 &
program=$!
for ((i = 0; i < 60; i++)); do
    [ "$(calls_of "$T/t")" = 100 ] && break
    sleep 0.1
done
"$kt" watch --once --json "$T/t" >"$T/once"; same "one look: status" 0 $?
valid "... is as its schema says" "$T/once" watch
same "... while it runs: what was called so far" "True 100 100 ddot" "$(looks '" ".join(map(str, (d[0]["running"], d[0]["all"]["calls"], d[0]["all"]["all_calls"], d[0]["routines"][0]["routine"])))' <"$T/once")"
same "... by process id, the same calls" 100 "$(calls_of $program)"
"$kt" watch --json --interval 0.5 "$T/t" >"$T/looks"; same "until the program ends: status" 0 $?
wait $program
same "looks follow each other" True "$(looks 'len(d) >= 2 and [x["running"] for x in d] == [True] * (len(d) - 1) + [False]' <"$T/looks")"
same "... each has what is new" "150 150" "$(looks 'str(sum(x["all"]["calls"] for x in d)) + " " + str(d[-1]["all"]["all_calls"])' <"$T/looks")"
same "... nothing, while it sleeps" True "$(looks 'all(x["all"]["calls"] in (0, 50) for x in d[1:])' <"$T/looks")"
same "... times are those of the report" True "$("$kt" report --json "$T/t" | query "abs(d['seconds_blas'] / $(looks 'd[-1]["all"]["all_seconds"]' <"$T/looks") - 1) < 1e-6")"
same "... of each routine and line the times add up to that" True "$(looks 'all(abs(sum(r["all_seconds"] for r in d[-1][k]) / d[-1]["all"]["all_seconds"] - 1) < 1e-6 for k in ("routines", "lines"))' <"$T/looks")"

text=$("$kt" watch "$T/t"); same "a program that has ended, as text: status" 0 $?
has "... it has ended" '^.*t: ended, ' "$text"
has "... how much of wall time" '^in the last .*: 150 calls, .* % of wall time, .* Gflop/s$' "$text"
has "... a table of routines" '^ddot +150 ' "$text"
same "... 80 columns, no cursor in a pipe" "" "$(grep -E ".{81}|$(printf '\033')" <<<"$text")"
same "--top: so many rows" 1 "$("$kt" watch --top 1 "$T/t" | sed -n '/^routine/,/^$/p' | grep -cE '^[a-z]+ +[0-9]')"

# A recording that is paused: from the start before the first call, by the program, and from outside.
paused() { "$kt" watch --once "$1" 2>/dev/null | sed -n '2s/control [0-9]* resume/control PID resume/p'; }
told="recording is paused; 'ktrace control PID resume' goes on"
KTRACE_PAUSED=1 KTRACE_OUT=$T/late LD_PRELOAD=$PWD/$B/libktrace.so "$steps" sleep=60000 dot=5 &
program=$!
for ((i = 0; i < 600; i++)); do grep -q libktrace.so /proc/$program/maps && break; sleep 0.1; done
"$kt" watch --once $program >"$T/out" 2>"$T/err"; same "paused before the first call: status" 3 $?
same "... is told" "ktrace: watch: process $program has made no call that is recorded, and its recording is paused (KTRACE_PAUSED=1)" "$(<"$T/err")"
kill $program
"$kt" watch --once $$ >"$T/out" 2>"$T/err"; same "a process without the recorder: status" 3 $?
same "... is told apart" "ktrace: watch: process $$ is not being traced: it runs without libktrace.so" "$(<"$T/err")"
KTRACE_OUT=$T/pauses LD_PRELOAD=$PWD/$B/libktrace.so "$steps" dot=100 pause dot=7 sleep=60000 &
program=$!
for ((i = 0; i < 600; i++)); do [ -n "$(paused "$T/pauses")" ] && break; sleep 0.1; done
same "paused by the program: is told" "$told" "$(paused "$T/pauses")"
same "... by its id, too" "$told" "$(paused $program)"
same "... in JSON, with the calls before that" "1 100" "$("$kt" watch --once --json $program | looks 'str(d[0]["paused"]) + " " + str(d[0]["all"]["calls"])')"
"$kt" control $program resume >/dev/null; same "resumed: nothing is told" "" "$(paused $program | grep paused)"
same "... nor in JSON" 0 "$("$kt" watch --once --json $program | looks 'd[0]["paused"]')"
"$kt" control $program pause >/dev/null; same "paused from outside: is told" "$told" "$(paused $program)"
kill $program; wait $program 2>/dev/null
same "... of a program that has ended nothing" "0 False" "$("$kt" watch --once --json "$T/pauses" | looks 'str(d[0]["paused"]) + " " + str(d[0]["running"])')"

# Functions without lines whose names begin with the same hundred letters.
long=$(printf 'a%.0s' {1..110})
for which in one two; do
    echo "double ddot_(); __attribute__((noinline)) double ${long}_$which(int n) { int one = 1; double x = 1, s = 0; while (n--) s += ddot_(&one, &x, &one, &x, &one); return s; }"
done >"$T/long.c"
echo "int main(void) { ${long}_one(5); ${long}_two(7); return 0; }" >>"$T/long.c"
"${CC:-gcc}" -w -O0 -o "$T/long" "$T/long.c" "$PWD/$B/tests/abi/libfake1.so" -Wl,-rpath,"$PWD/$B/tests/abi"
traced named "$T/long"
same "names that are the same as far as they are shown are one row" "[12]" "$("$kt" watch --once --json "$T/named" | looks '[x["all_calls"] for x in d[0]["lines"]]')"

"$kt" watch "$T/nothing" >"$T/out" 2>"$T/err"; same "no such trace: status" 3 $?
"$kt" watch 999999999 >"$T/out" 2>"$T/err"; same "no such process: status" 3 $?
"$kt" watch >"$T/out" 2>"$T/err"; same "neither: status" 2 $?
"$kt" watch --interval 0 "$T/t" >"$T/out" 2>"$T/err"; same "no interval: status" 2 $?
"$kt" watch --top x "$T/t" >"$T/out" 2>"$T/err"; same "no number of rows: status" 2 $?
exit $((failures != 0))
