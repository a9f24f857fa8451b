# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 51 s
# The store of results: what is known is not measured again, what is new is; whatever is wrong with it, the replay goes
# on; Ctrl-C keeps what was measured. And the decomposition that a report makes of it.
. tests/lib.sh
kt=$PWD/$B/ktrace
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
store=$XDG_CACHE_HOME/ktrace/store.sqlite
program='import numpy as np, sys
g = np.random.default_rng(1)
x, a, b = (g.standard_normal(n) for n in (2000, (200, 200), (100, 100)))
for i in range(20): x @ x[::-1].copy(), a @ x[:200], b @ b
if sys.argv[1] == "more": np.ones((700, 700)) @ np.full((700, 700), 2.0)'
trace() { "$kt" run -o "$T/$1" -- "$PYTHON" -c "$program" $2 >/dev/null 2>&1; }
replay() { local out=$1; shift; "$kt" replay --json --context warm,cold --budget 1.5 "$@" >"$T/$out.json" 2>"$T/$out.err"; }
in_json() { query "$2" <"$T/$1.json"; }
lines() { grep -c . "$T/$1.err"; }
trace small less; trace again less; trace larger more

# --- known, new, fresh
replay first "$T/small"; same "a first replay" 0 $?
same "... knows nothing" 0 "$(in_json first 'd["store"]["series_reused"]')"
TIMEFORMAT='%U %S'
{ time replay second "$T/small"; status=$?; } 2>"$T/processor"
same "a second one" 0 $status
true_that "... takes less than a second of the processor: $(<"$T/processor")" awk '{ exit !($1 + $2 < 1) }' "$T/processor"
same "... measures nothing" "0 True" "$(in_json second '(d["rounds"], d["store"]["series_reused"] == 2 * len(d["shapes"]))' | tr -d '(),')"
same "... and has the same numbers" "" "$("$PYTHON" -c 'import json, sys
a, b = (json.load(open(sys.argv[1] + n)) for n in ("/first.json", "/second.json"))
print(*[k for k in ("shapes", "totals", "peaks", "library", "not_replayed") if a[k] != b[k]])' "$T")"
has "... and says so" 'series from earlier replays' "$("$kt" replay --context warm,cold --budget 1.5 "$T/small" 2>/dev/null)"
replay other "$T/again"
same "a replay of another run of the program measures nothing" 0 "$(in_json other 'd["rounds"]')"
replay larger "$T/larger"
same "a replay of a larger one measures what is new" "2 True" \
     "$(in_json larger '(2 * len(d["shapes"]) - d["store"]["series_reused"], d["rounds"] > 0)' | tr -d '(),')"
replay precise "$T/small" --budget 3
same "more time than before: known samples are added to" "0 True" "$(in_json precise '(d["store"]["series_reused"], d["rounds"] > 0)' | tr -d '(),')"
same "... every series has more" True "$("$PYTHON" -c 'import json, sys
a, b = (json.load(open(sys.argv[1] + n)) for n in ("/first.json", "/precise.json"))
print(all(b["shapes"][i]["contexts"][c]["n"] > s["contexts"][c]["n"] for i, s in enumerate(a["shapes"]) for c in s["contexts"]))' "$T")"
replay fresh "$T/small" --fresh
same "--fresh measures all" "0 True" "$(in_json fresh '(d["store"]["series_reused"], d["rounds"] > 0)' | tr -d '(),')"
replay afterwards "$T/small"
same "... and is what is known afterwards" True "$("$PYTHON" -c 'import json, sys
a, b = (json.load(open(sys.argv[1] + n)) for n in ("/fresh.json", "/afterwards.json"))
print(a["shapes"] == b["shapes"])' "$T")"
replay reference "$T/small" --blas reference
same "another library is another matter" 0 "$(in_json reference 'd["store"]["series_reused"]')"
OPENBLAS_CORETYPE=Nehalem replay core "$T/small"
same "... and so are other kernels of it" 0 "$(in_json core 'd["store"]["series_reused"]')"
replay one "$T/small" --context warm
same "a context that is known" 0 "$(in_json one 'd["rounds"]')"

# --- where operands were is found once
tracked() { "$kt" replay --json --context warm,tracked --budget 1.5 "$T/small" "${@:2}" >"$T/$1.json" 2>"$T/$1.err"; }
placings() { "$PYTHON" -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM fact WHERE name GLOB ?", ("placements *",)).fetchone()[0])' "$store"; }
tracked tracked1; tracked tracked2
same "tracked: the second replay has the same numbers" True "$("$PYTHON" -c 'import json, sys
a, b = (json.load(open(sys.argv[1] + n)) for n in ("/tracked1.json", "/tracked2.json"))
print(a["shapes"] == b["shapes"] and b["rounds"] == 0)' "$T")"
same "... and the store has the placements" 1 "$(placings)"
"$kt" pack -o "$T/small.tar.zst" "$T/small" >/dev/null 2>&1
"$kt" replay --json --context warm,tracked --budget 1.5 "$T/small.tar.zst" >"$T/packed.json" 2>/dev/null
same "... which are those of the packed trace, too" "1 0" "$(placings) $(in_json packed 'd["rounds"]')"

# --- where it is
replay file "$T/small" --store "$T/new/place/x.sqlite"
true_that "--store FILE makes the file" test -s "$T/new/place/x.sqlite"
replay none "$T/small" --store none
same "--store none knows nothing" "None 0" "$(in_json none '(d["store"]["path"], d["store"]["series_reused"])' | tr -d '(),')"

# --- what may be wrong with it: NAME PATTERN STORE
goes_on() {
    replay wrong "$T/small" --store "$3"; same "a store that is $1: the replay goes on" 0 $?
    has "... says so" "$2" "$(<"$T/wrong.err")"
    same "... once" 1 "$(lines wrong)"
    same "... and has all results" "$(in_json first 'len(d["shapes"])')" "$(in_json wrong 'len(d["shapes"])')"
}
echo "rubbish, much longer than a header of a database: $(seq 200)" >"$T/rubbish"
goes_on "rubbish" "not a database" "$T/rubbish"
same "... which stays as it was" rubbish "$(head -c 7 "$T/rubbish")"
goes_on "a folder" "store of results is not used" "$T"
goes_on "nowhere" "store of results is not used" /proc/none/x.sqlite
cp "$store" "$T/locked"
"$PYTHON" -c 'import sqlite3, sys, time
c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute("BEGIN EXCLUSIVE"); open(sys.argv[1] + ".is", "w"); time.sleep(60)' "$T/locked" &
holder=$!
until [ -e "$T/locked.is" ]; do sleep 0.1; done
goes_on "locked" "locked" "$T/locked"
kill $holder
cp "$store" "$T/damaged"; dd if=/dev/zero of="$T/damaged" bs=1024 seek=8 count=400 conv=notrunc 2>/dev/null
replay damaged "$T/small" --store "$T/damaged"; same "a store that is damaged inside: the replay goes on" 0 $?
same "... with all results" "$(in_json first 'len(d["shapes"])')" "$(in_json damaged 'len(d["shapes"])')"
(unset HOME XDG_CACHE_HOME; replay homeless "$T/small"); same "without a home: the replay goes on" 0 $?
has "... says so" "HOME" "$(<"$T/homeless.err")"
# Files that cannot grow, as on a full disk; the trace's own result is small.
(trap '' XFSZ; ulimit -f 24; replay full "$T/small" --store "$T/full.sqlite"); same "no room: the replay goes on" 0 $?
has "... says so" "full.sqlite" "$(<"$T/full.err")"
mkdir "$T/shut"; cp "$store" "$T/shut/x.sqlite"; chmod a-w "$T/shut/x.sqlite" "$T/shut"; chmod a+rx "$T" "$T/shut"; chmod -R a+rX "$T/small" "$T/larger" # traces are private
as=; [ "$(id -u)" = 0 ] && as="setpriv --reuid=65534 --clear-groups"
$as "$kt" replay --json --context warm,cold --budget 1.5 --store "$T/shut/x.sqlite" "$T/small" >"$T/shut.json" 2>"$T/shut.err"
same "a store that is read-only is read" "0 0" "$? $(in_json shut 'd["rounds"]')"
$as "$kt" replay --json --context warm,cold --budget 1.5 --store "$T/shut/x.sqlite" "$T/larger" --fresh >"$T/shut.json" 2>"$T/shut.err"
same "... and not written: the replay goes on" 0 $?
has "... says so" "not kept.*readonly" "$(grep store "$T/shut.err"; grep kept "$T/shut.err")"

# --- two at once
rm "$store"
replay one "$T/small" & first=$!
replay two "$T/larger" & second=$!
wait $first; same "two at once: one" 0 $?
wait $second; same "... and the other" 0 $?
same "... without a word" "" "$(cat "$T/one.err" "$T/two.err")"
same "... the store is sound" ok "$("$PYTHON" -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute("PRAGMA integrity_check").fetchone()[0])' "$store")"
replay three "$T/larger"
same "... and has what both measured" 0 "$(in_json three 'd["rounds"]')"

# --- interrupted
# interrupt NAME SIGNAL SECONDS ARGUMENTS...: exit status, as shells have it
interrupt() {
    "$PYTHON" - "$kt" "$T/$1" "$2" "$3" "${@:4}" <<'END'
import signal, subprocess, sys, time
kt, out, name, seconds, *arguments = sys.argv[1:]
p = subprocess.Popen([kt, "replay", *arguments], stdout=open(out + ".json", "w"), stderr=open(out + ".err", "w"))
time.sleep(float(seconds)); p.send_signal(getattr(signal, "SIG" + name)); p.wait()
print(p.returncode)
END
}
rm -f "$store" "$T/small/replay.json"
for seconds in 2 8 30; do # until something was measured, however busy the machine is
    status=$(interrupt stopped INT $seconds --json --budget 60 "$T/small")
    [ "$(in_json stopped 'len(d["shapes"]) > 0' 2>&1)" != True ] || break
done
same "Ctrl-C: exit status" 130 "$status"
has "... says so" 'interrupted' "$(<"$T/stopped.err")"
same "... prints what was measured" "True True" "$(in_json stopped '(d["interrupted"], len(d["shapes"]) > 0)' | tr -d '(),')"
has "... leaves it in the trace" '"interrupted": true' "$(<"$T/small/replay.json")"
has "... which the report says" 'interrupted' "$("$kt" report --all "$T/small")"
measured='sum(c["n"] + c.get("disturbances", {}).get("left_out", 0) for s in d["shapes"] for c in s["contexts"].values())'
known=$(in_json stopped "$measured")
replay goes_on "$T/small"
same "... the next one goes on with it" True "$(in_json goes_on "$measured >= $known > 0")" # the same, if all were steady by then
same "... and takes its place" False "$(query 'd["interrupted"]' <"$T/small/replay.json")"
for seconds in 1 4 16; do # until it listens
    status=$(interrupt ended TERM $seconds --json --budget 30 "$T/small")
    [ "$status" = -15 ] || break
done
same "SIGTERM: exit status" 143 "$status"
same "... a result that is complete stays" False "$(query 'd["interrupted"]' <"$T/small/replay.json")"
rm -f "$store"
# Killed when there are 200 samples in the store, which it writes every few seconds; all of them stay.
samples() { "$PYTHON" -c 'import sqlite3, sys; print(sum(n for n, in sqlite3.connect(sys.argv[1]).execute("SELECT length(sample) / 8 FROM series")))' "$store" 2>/dev/null || echo 0; }
"$kt" replay --json --budget 300 "$T/larger" >"$T/killed.json" 2>"$T/killed.err" & killed=$!
until [ "$(samples)" -gt 200 ] || ! kill -0 $killed 2>/dev/null; do sleep 0.2; done
known=$(samples)
kill -KILL $killed; wait $killed 2>/dev/null
same "SIGKILL, while it measures" 137 $?
replay rest "$T/small" --store "$store" --budget 0.01
true_that "... what was measured up to some seconds before is known" test "$(samples)" -ge "$known" -a "$known" -gt 200
has "on a terminal: how far it is and how long it takes" '%  [0-9]+ s left' \
    "$(script -qec "$kt replay --fresh --context warm,cold --budget 3 $T/small" /dev/null 2>&1 | tr '\r' '\n')"

# --- decomposition
"$kt" report --json "$T/small" >"$T/report.json"
parts() { in_json report "$1"; }
same "report: parts add up" True "$(parts '(lambda p: abs(p["bound"] + p["library"] + (p["cache"] or 0) + (p["residual"] or 0) + p["unsplit"] - p["insitu"]) < 1e-9)(d["decomposition"])')"
same "... of routines, callers and shapes, too" "True True True" "$(parts '[all(abs(p["bound"] + p["library"] + p["unsplit"] - p["insitu"]) < 1e-9 for p in g) and
    abs(sum(p["insitu"] for p in g) - d["decomposition"]["insitu"]) < 1e-9 for g in (d["decomposition"]["routines"], d["decomposition"]["callers"], [s["parts"] for s in d["shapes"]])]' | tr -d '[],')"
same "... without a tracked replay cache is not guessed" "None None" "$(parts '(d["decomposition"]["cache"], d["decomposition"]["residual"])' | tr -d '(),')"
same "... library parts are not negative" True "$(parts 'all(s["parts"]["library"] >= 0 and s["parts"]["bound"] > 0 for s in d["shapes"])')"
same "... intervals enclose values" True "$(parts 'all(lo <= d["decomposition"][k] <= hi for k, (lo, hi) in d["decomposition"]["intervals"].items() if lo is not None)')"
same "... advice names routines and parts" True "$(parts 'len(d["decomposition"]["advice"]) > 0 and all(a["routine"] in ("sdot", "ddot", "dgemv", "dgemm") and a["routine"] in a["text"] for a in d["decomposition"]["advice"])')"
# As a replay that knows tracked times would leave it.
"$PYTHON" - "$T/small/replay.json" <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
for s in d["shapes"]:
    w = s["contexts"]["warm"]
    s["contexts"]["tracked"] = {k: 1.5 * w[k] if k in ("best", "min", "median", "lo", "hi") else w[k] for k in w}
refused = d["shapes"].pop()
d["not_replayed"].append({"routine": refused["routine"], "symbol": refused["symbol"], "args": refused["args"], "calls": refused["calls"], "seconds": 1, "why": "it hangs"})
json.dump(d, open(sys.argv[1], "w"))
END
"$kt" report --json "$T/small" >"$T/report.json"
same "with a tracked replay: cache is tracked - warm" True "$(parts 'abs(d["decomposition"]["cache"] / d["decomposition"]["warm"] - 0.5) < 1e-6 and d["decomposition"]["unsplit"] == 0 and d["decomposition"]["tracked"]')"
same "... what was not replayed is told with its reason" "['it hangs'] True" "$(parts '[r["why"] for r in d["decomposition"]["not_replayed"]["reasons"]], 0 < d["decomposition"]["not_replayed"]["share"] < 1' | tr -d '()' | sed 's/], /] /')"
text=$("$kt" report --by part "$T/small")
has "... as text" 'cache .*tracked - warm' "$text"
has "... and the reason" 'it hangs' "$text"
has "... and what dominates" 'What dominates' "$text"
exit $((failures != 0))
