# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 10 s
# Many shapes: a replay keeps to its budget, measures what takes most of the time, and tells what it left out. Many
# calls: what reads them needs no more memory than for few.
. tests/lib.sh
counts=$PWD/$B/tests/profile/counts
kt=$PWD/$B/ktrace
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
traced shapes "$counts" shapes 4000 2 >/dev/null

# replay OUT OPTION...: of 4,000 shapes; the seconds that the command took, and had the processor for, to $T/OUT.took
replay() {
    local out=$1 TIMEFORMAT='%R %U %S'; shift
    { time "$kt" replay --json --context warm,cold --store "$T/store.sqlite" "$@" "$T/shapes" >"$T/$out.json" 2>"$T/$out.err" || not_ok "replay" "$(<"$T/$out.err")"; } 2>"$T/$out.took"
}
# both OUT EXPRESSION: of a replay d and the report r
both() { "$PYTHON" -c 'import json, sys
d, r = (json.load(open(sys.argv[1] + n)) for n in (sys.argv[2], "/report.json"))
print(eval(sys.argv[3]))' "$T" "/$1.json" "$2"; }

replay first --budget 2
"$kt" report --json "$T/shapes" >"$T/report.json"
# All of them once would take 8 s. What is added is for the fifty that are measured in any case. Seconds are those of the
# processor: for the rest others had it.
read -r wall user system <"$T/first.took"
same "seconds of measuring: those of the budget, a fifth more, and some for the heaviest" True "$(both first "d['seconds_spent'] * ($user + $system) / $wall <= 1.2 * 2 + 2 or (d['seconds_spent'], $wall, $user, $system)")"
true_that "... the command takes little else: $user s and $system s" "$PYTHON" -c "import sys; sys.exit($user + $system > 1.2 * 2 + 12)"
same "shapes are measured or left out" "True 4000" "$(both first 'str(50 <= len(d["shapes"]) < 4000) + " " + str(len(d["shapes"]) + d["left_out"]["shapes"])')"
same "... none is refused" "[]" "$(both first 'd["not_replayed"]')"
same "... and so are calls" 8000 "$(both first 'sum(s["calls"] for s in d["shapes"]) + d["left_out"]["calls"]')"
same "... and the time, of which the share is" "True True" \
     "$(both first 'str(abs(d["totals"]["insitu"] + d["left_out"]["seconds"] - r["seconds_blas"]) < 1e-9) + " " + str(abs(d["left_out"]["share"] * r["seconds_blas"] - d["left_out"]["seconds"]) < 1e-9)')"
same "those measured are the heaviest" True \
     "$(both first 'sorted((s["total"] for s in r["shapes"]), reverse=True)[:len(d["shapes"])] == [s["total"] for s in d["shapes"]]')"
same "each of them in all contexts" True "$(both first 'all(c["n"] > 0 for s in d["shapes"] for c in s["contexts"].values())')"
same "what is kept with the trace is what was measured" True "$(both first 'json.load(open(sys.argv[1] + "/shapes/replay.json"))["shapes"] == d["shapes"]')"
same "the report says why it knows nothing of the others" "['left out of the replay for want of time (more --budget)'] True" \
     "$(both first 'str([w["why"] for w in r["decomposition"]["not_replayed"]["reasons"]]) + " " + str(abs(r["decomposition"]["not_replayed"]["share"] - d["left_out"]["share"]) < 1e-6)')"

replay second --budget 2
same "another replay goes on from there" "True True" \
     "$(both second 'str(d["store"]["series_reused"] >= 100) + " " + str(len(d["shapes"]) > len(json.load(open(sys.argv[1] + "/first.json"))["shapes"]))')"
has "as text, in one line" '^Left out for want of time: the [0-9],[0-9]+ lightest shapes, +[0-9.]+ % of the recorded time; more --budget' \
    "$("$kt" replay --context warm --budget 0.2 --store none "$T/shapes" 2>/dev/null)"

# --- calls
most() { "$PYTHON" -c 'import os, sys
null = os.open("/dev/null", os.O_WRONLY)
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
status, usage = os.wait4(pid, 0)[1:]
print(usage.ru_maxrss if status == 0 else "failed")' "$@"; } # COMMAND...: KiB of memory that it had at most
traced few "$counts" fixed 250000 >/dev/null
traced many "$counts" fixed 2500000 >/dev/null
true_that "the trace of many calls is ten times as long" test "$(info many 'd["bytes"] // 1000000')" -ge 18
for verb in report check; do
    few=$(most "$kt" $verb "$T/few") many=$(most "$kt" $verb "$T/many")
    true_that "$verb of ten times as many calls takes no more memory: $few and $many KiB" test "$many" -le $((few + 4096))
done
same "... and misses none" "2500000 2500000" "$("$kt" report --json "$T/many" | query 'str(d["calls"]) + " " + str(d["shapes"][0]["calls"])')"
