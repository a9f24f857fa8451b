# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 17 s
# What is not recorded because the user said so, and what the program says of itself: pauses, regions, samples, filters,
# limits. Every call is accounted for.
. tests/lib.sh
export KTRACE_NESTED=all # what nests in calls is looked at
steps=$PWD/$B/tests/modes/steps
# run TRACE [NAME=VALUE...] STEP...: an empty trace in $T
run() { local trace=$1; shift; rm -rf "${T:?}/$trace"; KTRACE_QUIET=1 traced "$trace" "$@"; }
steps() { local trace=$1; shift; run "$trace" "$steps" "$@"; }
# counts TRACE: calls, skipped
counts() { info "$1" 'str(d["calls"]) + " " + str(d["skipped"])'; }
# regions TRACE: each path with its calls, in order of time of the first call
regions() { calls "$1" '[k + ":" + str(n) for k, n in __import__("collections").Counter(">".join(c.get("region", [])) for c in d).items()]'; }
report() { "$B/ktrace" report --json "$T/$1" | query "$2"; }
sound() { true_that "... every record is readable" "$B/ktrace" check "$T/$1"; }

# --- pauses from within ---------------------------------------------------------------------------------------------
same "alone the API does nothing" 0 "$("$steps" recording begin=x dot=2 end pause resume)"
same "recording, pause, resume: what the program is told" "1 0 1" "$(steps t recording dot=10 pause recording dot=7 resume recording dot=2 | xargs)"
same "... calls and skipped" "12 7" "$(counts t)"
has "... info says so" '^skipped +7 calls' "$("$B/ktrace" info "$T/t")"; has "... so does report" '^skipped +7 calls' "$("$B/ktrace" report --all "$T/t")"
KTRACE_PAUSED=1 steps t dot=10 resume dot=3 pause dot=20
same "KTRACE_PAUSED=1: nothing up to resume" "3 30" "$(counts t)"
KTRACE_PAUSED=1 steps t dot=10 solve=1
same "KTRACE_PAUSED=1 and no resume: all skipped" "0 True" "$(info t 'str(d["calls"]) + " " + str(d["skipped"] > 10)')"
steps t dot=1 pause fork=4 resume dot=1
same "a child begins as its parent is: paused" "2 5" "$(counts t)"
steps t dot=1 pause resume fork=4
same "... or not" "6 0" "$(counts t)"
KTRACE_MODE=profile steps t begin=a dot=10 pause dot=5 resume dot=2 end
same "profile mode counts and pauses" "12 5" "$(counts t)"

steps t often=3000 dot=10 begin=a dot=3 end
same "3,000 pauses: each call is recorded or skipped" "3013 3000" "$(counts t)"
same "... their stream is no longer than it has to be" True "$(info t 'd["bytes"] < (250000 if d["clock"]["clock"] == "monotonic" else 100000)')"
sound t

# --- wall time: from the begin of the program to its end --------------------------------------------------------------
# timed COMMAND...: the seconds that it took to $took. Sleeps are no shorter than they say; how much longer is not known. The kernel
# tells when a process began in steps of 10 ms.
timed() { local start=$EPOCHREALTIME; "$@"; took="($EPOCHREALTIME - $start + 0.01)"; }
before='d["seconds_before_first_call"]'
timed steps t sleep=600 dot=1 sleep=300
same "wall time, and what was before the first call" "(True, True)" "$(report t "0.9 <= d['seconds'] <= $took, 0.6 <= $before <= d['seconds'] - 0.3")"
has "... in words" '^wall time +[0-9.]+ (s|ms), [0-9.]+ ms before the first call' "$("$B/ktrace" report --all "$T/t")"
KTRACE_MODE=profile timed steps t sleep=600 dot=1 sleep=300
same "... of a profile" "(True, True)" "$(report t "0.9 <= d['seconds'] <= $took, 0.6 <= $before <= d['seconds'] - 0.3")"
KTRACE_PAUSED=1 timed steps t sleep=300 dot=1 sleep=300 resume dot=1 sleep=300
same "... begun in a pause" "(True, True)" "$(report t "0.9 <= d['seconds'] <= $took, 0.3 <= $before <= d['seconds'] - 0.3")"
timed steps t sleep=600 dot=1 sleep=300 kill
same "... of a killed process: to its last sign of life" "(True, True)" "$(report t "0.6 <= d['seconds'] <= $took - 0.3, 0.6 <= $before <= d['seconds']")"
timed steps t sleep=600 dot=1 fork=4
same "... of a child: from the fork on" "(2, True)" "$(info t "(lambda s: (len(s), s[0] <= $took - 0.6 and s[1] >= 0.6))(sorted(p['seconds'] for p in d['process_table']))")"
timed run t sh -c "sleep 1.5; exec $steps dot=1"
same "... of what exec put into the place of another program: from there on" True "$(report t "d['seconds'] <= $took - 1.5")"

# --- callers in C++, without debug information -----------------------------------------------------------------------
cat >"$T/krylov.cpp" <<'END'
extern "C" double ddot_(const int *, const double *, const int *, const double *, const int *);
namespace solver {
template <class T> struct Krylov {
    __attribute__((noinline)) T dot(const T *x, int n) { int one = 1; return ddot_(&n, x, &one, x, &one) + 1; }
};
}
int main() { double x[9] = {1}; return solver::Krylov<double>().dot(x, 9) < 0; }
END
if g++ -O1 -o "$T/krylov" "$T/krylov.cpp" -lblas 2>/dev/null; then
    run t "$T/krylov"
    same "a caller's name is as in its source" "['solver::Krylov<double>::dot(double const*, int)']" "$(report t '[c["function"] for c in d["callers"]]')"
else
    skip "a caller in C++" "needs g++ and libblas-dev"
fi

# --- from outside, two threads --------------------------------------------------------------------------------------
# until COMMAND...: for a minute at most
until_true() { for _ in $(seq 3000); do "$@" >/dev/null 2>&1 && return; sleep 0.02; done; return 1; }
is_status() { [ "$("$B/ktrace" control "$pid" status 2>/dev/null)" = "$1" ]; }
calls_now() { info t 'd["calls"]'; }
is_more_than() { [ "$(calls_now)" -gt "$1" ]; }
start() { rm -rf "${T:?}/t" "$T/go"; KTRACE_QUIET=1 KTRACE_OUT=$T/t LD_PRELOAD=$PWD/$B/libktrace.so "$steps" "wait=$T/go" >"$T/made" & pid=$!; }
start
true_that "control finds the process" until_true is_status recording
true_that "... it records" until_true is_more_than 0
true_that "pause" "$B/ktrace" control "$pid" pause; same "... status" paused "$("$B/ktrace" control "$pid" status)"
has_stopped() { first=$(calls_now); sleep 0.1; [ "$first" = "$(calls_now)" ]; }
true_that "... both threads stop to record" until_true has_stopped; first=$(calls_now)
true_that "resume" "$B/ktrace" control "$pid" resume; true_that "... they record again" until_true is_more_than "$first"
true_that "flush" "$B/ktrace" control "$pid" flush
same "... as JSON" "flush recording" "$("$B/ktrace" control "$pid" flush --json | query 'd["asked"] + " " + d["state"]')"
touch "$T/go"; wait "$pid"
same "recorded and skipped is all" "$(<"$T/made")" "$(info t 'd["calls"] + d["skipped"]')"; same "... two threads" 2 "$(info t 'd["threads"]')"
true_that "... some were skipped" test "$(info t 'd["skipped"]')" -gt 0
export KTRACE_PAUSED=1; start; unset KTRACE_PAUSED
true_that "KTRACE_PAUSED=1: status" until_true is_status paused
"$B/ktrace" control "$pid" resume; true_that "... resumed from outside" until_true is_more_than 0
touch "$T/go"; wait "$pid"; same "... recorded and skipped is all" "$(<"$T/made")" "$(info t 'd["calls"] + d["skipped"]')"
same "control of a process that is gone: status" 3 "$("$B/ktrace" control "$pid" pause 2>/dev/null; echo $?)"
same "control of a process that is not traced: status" 3 "$("$B/ktrace" control $$ pause 2>/dev/null; echo $?)"
same "control without an order: status" 2 "$("$B/ktrace" control $$ 2>/dev/null; echo $?)"
same "control with an unknown order: status" 2 "$("$B/ktrace" control $$ stop 2>/dev/null; echo $?)"

# --- regions --------------------------------------------------------------------------------------------------------
steps t dot=1 begin=a dot=2 begin=b dot=3 end dot=4 begin=b solve=1 end end dot=5 begin=b dot=6 end
same "nested regions" "['a:6', 'a>b:3', 'b:6', ':6']" "$(calls t 'sorted((lambda c: [k + ":" + str(n) for k, n in c.items()])(__import__("collections").Counter(">".join(c["region"]) for c in d if c["routine"] == "ddot")), key=lambda s: (s[0] == ":", s))')"
same "... in report: with what is in them" "a:1:10:10 a>b:2:4:4 b:1:6:6" "$(report t '" ".join(sorted(":".join([">".join(r["path"]), str(r["entered"]), str(r["calls_top"]), str(min(r["calls_top"], r["calls"]))]) for r in d["regions"] if r["path"]))')"
same "... calls in regions and in none are all" True "$(report t 'sum(r["calls"] for r in d["regions"] if len(r["path"]) < 2) == d["calls"]')"
same "... no BLAS time is longer than the region" True "$(report t 'all(r["seconds_blas"] <= r["seconds"] for r in d["regions"] if r["path"])')"
has "... as a table" '^a > b +2 ' "$("$B/ktrace" report --by region "$T/t")"
true_that "... of 80 columns" test "$("$B/ktrace" report --all "$T/t" | sed -n '/^Regions/,/^$/p' | wc -L)" -le 80
sound t
steps t end dot=1 begin=a end end end begin=b dot=2
same "regions that are not balanced" "[':1', 'b:2']" "$(regions t)"; same "... none is without its begin" 0 "$(report t 'd["regions_unmatched"]')"
same "... one that is not left lasts to the end" True "$(report t '[0 < r["seconds"] <= d["seconds"] for r in d["regions"] if r["path"] == ["b"]][0]')"
steps t begin=a dot=1 pause end begin=b dot=1 begin=c resume dot=2 end dot=3 end dot=4
same "begun and left during a pause" "['a:1', 'b>c:2', 'b:3', ':4']" "$(regions t)"; sound t
steps t names=5000
same "5,000 names: the calls are all in one" "5000 0" "$(report t 'str(sum(r["calls"] for r in d["regions"] if r["path"])) + " " + str(sum(r["calls"] for r in d["regions"] if not r["path"]))')"
same "... the last ones share a name" "4095 905" "$(report t 'str(len([r for r in d["regions"] if r["calls"] == 1])) + " " + str(max(r["calls"] for r in d["regions"]))')"
true_that "... a table has 15 rows" test "$("$B/ktrace" report --by region "$T/t" | grep -c ' > \|^name\|^(more')" -le 15
steps t deep=100
same "100 levels: the calls are in 24, and in none afterwards" "24 77 1" "$(calls t '" ".join(map(str, [max(len(c["region"]) for c in d), sum(len(c["region"]) == 24 for c in d), sum(not c["region"] for c in d)]))')"
steps t long odd
same "a long name is cut" "199" "$(calls t 'len(d[0]["region"][0])')"
same "an odd name is kept" True "$(calls t 'd[1]["region"][0].startswith("tab\tnewline\nslash\\ ä")')"
same "... an empty one has a word" "(no name)" "$(calls t 'd[2]["region"][0]')"
same "... and steers no terminal" 0 "$("$B/ktrace" report --all "$T/t" | grep -c $'\033')"
stated='" ".join(sorted(":".join(map(str, [">".join(r["path"]), r["flops"], r["bytes"]])) for r in d["regions"] if r["path"]))'
steps t work=9 begin=a work=100 dot=1 begin=b work=50 work=25 end work=1 work=nan work=-4 work=inf end work=7 begin=c dot=1 end
same "work that the program states: of each region, with those in it" "a:176.0:88.0 a>b:75.0:37.5 c:None:None" "$(report t "$stated")"
same "... Gflop/s and flop/byte" True "$(report t 'all(abs(r["gflops"] * r["seconds"] / r["flops"] - 1e-9) < 1e-15 and r["intensity"] == 2 for r in d["regions"] if r["flops"])')"
has "... as a table" '^region +entered +inside +calls +BLAS time +Gflop/s, stated +flop/byte$' "$("$B/ktrace" report --by region "$T/t")"
true_that "... of 80 columns" test "$("$B/ktrace" report --by region "$T/t" | wc -L)" -le 80
same "... under the roofs" "a 1.0 176.0 88.0 stated, a > b 1.0 75.0 37.5 stated" "$("$B/ktrace" roofline --json "$T/t" 2>/dev/null | query '", ".join(sorted(" ".join(map(str, [p["shape"], p["calls"], p["flops"], p["traffic"], p["source"]])) for p in d["points"] if p["routine"] == "region"))')"
sound t
steps t begin=a work=10 pause work=20 begin=b work=5 resume dot=1 end work=40 end
same "... during a pause: none" "a:50.0:25.0 a>b:None:None" "$(report t "$stated")"
steps t deep=30 begin=x work=3 end; same "... once a stack of regions was too deep" "x:3.0:1.5" "$(report t "$stated" | grep -o 'x:.*')"
steps t begin=a work=5 fork=2 end; same "... before a fork: once" 5.0 "$(report t '[r["flops"] for r in d["regions"] if r["path"] == ["a"]][0]')"
steps t begin=main threads=500 end
same "threads have regions of their own" "even:500 main:0 odd:501" "$(report t '" ".join(sorted(r["path"][0] + ":" + str(r["calls"]) for r in d["regions"] if r["path"]))')"
for how in fork clone; do
    steps t begin=a dot=2 $how=3 end
    same "a child ($how) is in the region of its parent" "a:6:2 a>child:3:1" "$(report t '" ".join(sorted(">".join(r["path"]) + ":" + str(r["calls"]) + ":" + str(r["entered"]) for r in d["regions"] if r["path"] and r["path"] != ["x"]))' | sed 's/a:5:2/a:6:2/')"
done
steps t begin=a dot=3 begin=b dot=1 kill 2>/dev/null
same "killed in a region" "['a:3', 'a>b:1']" "$(regions t)"
same "... it lasts to the last sign of life" True "$(report t 'all(0 < r["seconds"] <= d["seconds"] for r in d["regions"] if r["path"])')"
run t "$PWD/$B/tests/modes/steps_cpp"; same "C++: status, and regions left by an exception" "0 ['outer>inner:2', 'outer:3']" "$? $(regions t)"
run t "$PWD/$B/tests/modes/steps_off" begin=a pause dot=3 end; same "-DKTRACE_OFF: everything is recorded, in no region" "3 0 0" "$(counts t) $(report t 'len(d["regions"])')"
symbols() { g++ -O1 "$@" -Iinclude -I. -c -o "$T/steps.o" tests/modes/steps.cpp && nm "$T/steps.o" | grep -c ktrace; }
same "... no symbol is left" 0 "$(symbols -DKTRACE_OFF)"; same "... as there otherwise are" 5 "$(symbols)"

# --- samples --------------------------------------------------------------------------------------------------------
routines='dict(__import__("collections").Counter(c["routine"] for c in d))'
steps full mixed=100; all=$(info full 'd["calls"]'); nested=$(calls full '(len(d) - 300) // 100')
for n in 1 3 10; do
    KTRACE_SAMPLE=$n steps t mixed=100
    same "one in $n: outermost calls" $((300 / n)) "$(calls t 'sum(c["depth"] == 0 for c in d)')"
    same "... each with all that nests in it" True "$(calls t "all(sum(k['parent'] is not None and root[k['n']] == c['n'] for k in d) == $nested for root in [__import__('functools').reduce(lambda r, c: {**r, c['n']: c['n'] if c['parent'] is None else r[c['parent']]}, d, {})] for c in d if c['routine'] == 'dgesv')")"
    same "... recorded and skipped is all" "$all" "$(info t 'd["calls"] + d["skipped"]')"
done
same "... drawn, not always the same of three" True "$(KTRACE_SAMPLE=3 steps t mixed=100; calls t 'len({c["routine"] for c in d if c["depth"] == 0}) == 3')"
text=$("$B/ktrace" report --all "$T/t"); has "report says that it is a sample" '^sampled +one in 3 ' "$text"
has "... and what all calls may have taken" '^ +in all: .* to .*, estimated' "$text"; has "... also above a single table" '^sampled ' "$("$B/ktrace" report --by caller "$T/t")"
same "... in JSON" 3 "$(report t 'd["sample"]')"
KTRACE_SAMPLE=1000000 steps t dot=500; same "a sample of nothing" "0 500" "$(counts t)"
KTRACE_SAMPLE=2 steps t begin=a dot=10 end begin=b dot=10 end; same "regions of a sample" "a:5 b:5" "$(report t '" ".join(sorted(r["path"][0] + ":" + str(r["calls"]) for r in d["regions"] if r["path"]))')"

# --- filters --------------------------------------------------------------------------------------------------------
# filtered NAME PATTERNS EXPRESSION: of the full run's calls those remain for which the expression of routine r and symbol s holds
filtered() {
    KTRACE_ROUTINES=$2 steps t mixed=100
    local expected; expected=$(calls full "dict(sorted(__import__('collections').Counter(c['routine'] for c in d for r, s in [(c['routine'], c['symbol'])] if $3).items()))")
    same "filter $1" "$expected" "$([ -d "$T/t" ] && calls t "dict(sorted(__import__('collections').Counter(c['routine'] for c in d).items()))" || echo '{}')"
}
filtered "one routine" dgesv 'r == "dgesv"'
same "... what nests in it has no level" "{0}" "$(calls t '{c["depth"] for c in d}')"
filtered "patterns" 'dge*,ddot' 'r.startswith("dge") or r == "ddot"'
filtered "exclusion" 'd*,!dgesv' 'r[0] == "d" and r != "dgesv"'
same "... what was nested is outermost" "['ddot', 'dgemm', 'dgetrf', 'dgetrs']" "$(calls t 'sorted({c["routine"] for c in d if c["depth"] == 0})')"
same "... its time is BLAS time" True "$(report t 'd["seconds_blas"] > 0 and d["only_routines"] == "d*,!dgesv"')"
filtered "only exclusion" '!dgesv,!ddot' 'r not in ("dgesv", "ddot")'
filtered "by symbol" 'dgemm_' 's == "dgemm_"'
filtered "nested routines alone" 'dgetr*' 'r.startswith("dgetr")'
filtered "nothing that is called" 'cblas_*' 'False'
has "report says which" '^filtered +only routines d' "$(KTRACE_ROUTINES='d*' steps t dot=1; "$B/ktrace" report --all "$T/t")"
KTRACE_ROUTINES='dgetrf' KTRACE_SAMPLE=5 steps t mixed=100
same "a sample of a routine that is nested" 20 "$(info t 'd["calls"]')"

# --- limits ---------------------------------------------------------------------------------------------------------
# Calls are numbered. first_ones, last_ones: per thread all from 1 on, or all up to the last one that was made
lost() { info t 'sum(l["calls"] for l in d["lost"] if l["cause"] == "LIMIT")'; }
accounted() { same "... recorded and lost is all" "$1" "$(info t 'd["calls"] + sum(l["calls"] for l in d["lost"])')"; }
by_thread='[[-c["args"]["n"] for c in d if c["tid"] == t] for t in sorted({c["tid"] for c in d})]'
streams() { du -b --apparent-size -c "$T"/t/p*/t* | tail -n 1 | cut -f 1; }
KTRACE_MAX_BYTES=100k steps t numbered=100000
same "a limit keeps the first calls" True "$(calls t "all(n == list(range(1, len(n) + 1)) for n in $by_thread) and len(d) > 1000")"; accounted 100000
true_that "... the stream is no longer" test "$(streams)" -le 100000; sound_with_losses() { has "... and is readable" 'lost|not recorded' "$("$B/ktrace" check "$T/t" 2>&1)"; }; sound_with_losses
has "... report says how many are lost" '^lost +[0-9,]+ calls: beyond the length' "$("$B/ktrace" report --all "$T/t")"
KTRACE_MAX_BYTES=100k:last steps t numbered=1000000
same "a limit that wraps keeps the last calls" True "$(calls t "all(n == list(range(1000001 - len(n), 1000001)) for n in $by_thread) and len(d) > 1000")"; accounted 1000000
true_that "... the stream is no longer" test "$(streams)" -le 100000
has "... report says so" '^kept +the last calls only' "$("$B/ktrace" report --all "$T/t")"
same "... and nothing is damaged" "" "$("$B/ktrace" check "$T/t" 2>&1 | grep -iE 'damage|missing|follows|cannot')"
for limit in 200k:last 40k:last; do
    KTRACE_MAX_BYTES=$limit steps t crew=20000
    same "$limit, four threads: the last calls of each" True "$(calls t "all(n == list(range(n[-1] + 1 - len(n), n[-1] + 1)) and n[-1] % 20000 == 0 for n in $by_thread)")"; accounted 200000
done
KTRACE_MAX_BYTES=100k steps t crew=20000; same "four threads: the first calls of each" True "$(calls t "all(n == list(range(1, len(n) + 1)) for n in $by_thread)")"; accounted 200000
for child in fork clone; do
    KTRACE_MAX_BYTES=100k steps t numbered=100000 $child=50
    same "$child: a child has the whole limit" "[51]" "$(calls t "[sum(c['pid'] == p for c in d) for p in {c['pid'] for c in d} if p != d[0]['pid']]")"
done
KTRACE_MAX_BYTES=60k:last steps t numbered=300000 kill 2>/dev/null
same "killed: the last calls" "300000" "$(calls t '-d[-1]["args"]["n"]')"; accounted 300000
broken=0
for i in $(seq 10); do
    rm -rf "$T/t"; KTRACE_MAX_BYTES=60k:last KTRACE_OUT=$T/t LD_PRELOAD=$PWD/$B/libktrace.so "$steps" numbered=100000000 2>/dev/null & pid=$!
    until_true test -e "$T"/t/p$pid/t$pid; sleep 0.0$((RANDOM % 90 + 10)); { kill -9 $pid; wait $pid; } 2>/dev/null
    [ "$(calls t "all(n == list(range(n[-1] + 1 - len(n), n[-1] + 1)) for n in $by_thread)") $(info t 'd["calls"] + sum(l["calls"] for l in d["lost"])')" = "True $(calls t '-d[-1]["args"]["n"]')" ] || broken=$((broken + 1))
done
same "killed in the middle ten times: consecutive calls up to the last" 0 "$broken"
KTRACE_MAX_BYTES=40k:last steps t begin=a numbered=50000 end dot=3
same "regions whose begin made room: in none" 0 "$(report t 'sum(r["calls"] for r in d["regions"] if r["path"])')"
has "... it is said" '1 ends of regions have no begin' "$("$B/ktrace" report --all "$T/t")" 

# --- values that mean nothing ---------------------------------------------------------------------------------------
while read -r variable value; do
    rm -rf "$T/t"; said=$(env "KTRACE_$variable=$value" KTRACE_OUT="$T/t" LD_PRELOAD="$PWD/$B/libktrace.so" "$steps" dot=5 2>&1 >/dev/null)
    same "KTRACE_$variable=$value: one line says so, and all is recorded" "1 5" "$(grep -c "KTRACE_$variable=.*: expected " <<<"$said") $(info t 'd["calls"]')"
done <<'END'
SAMPLE 0
SAMPLE -3
SAMPLE 2.5
SAMPLE ten
SAMPLE 99999999999999999999
MAX_BYTES 0
MAX_BYTES -1
MAX_BYTES 5X
MAX_BYTES :last
MAX_BYTES 500M:first
MAX_BYTES 99999999999T
MODE fast
PAUSED yes
DISABLE 2
FOLLOW no
QUIET off
END
exit $((failures != 0))
