# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 10 s
# Jobs of many ranks, made of a few real ones: a slow node is found, and reading them takes memory and time in proportion to
# what there is to read.
. tests/lib.sh
kt=$PWD/$B/ktrace
counts=$PWD/$B/tests/profile/counts
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
for r in 0 1; do # the second one makes twice as many calls, of more shapes
    for mode in full profile; do
        OMPI_COMM_WORLD_RANK=$r OMPI_COMM_WORLD_SIZE=2 KTRACE_MODE=$mode traced "real.$mode" "$counts" shapes $((20 + 10 * r)) 20 >/dev/null
    done
done
job() { "$PYTHON" tests/scale/job.py "$T/$1" "$2" "$T/real.${1%%.*}" "${@:3}"; } # MODE.NAME RANKS OPTION...
cost() { "$PYTHON" tests/scale/cost.py "$@"; }                                      # COMMAND...: KiB and seconds of the processor

# --- who is slow ----------------------------------------------------------------------------------------------------
for mode in full profile; do
    job $mode.slow 160 --node 16 --slow 7
    "$kt" report --json "$T/$mode.slow" >"$T/report.json"; valid "$mode: what report prints" "$T/report.json" report
    same "$mode: nodes, and the slow one first" "10 node7 16 True" "$(query '"%d %s %d %s" % (len(d["nodes"]), d["nodes"][0]["host"], d["nodes"][0]["ranks"], d["nodes"][0]["slow"])' <"$T/report.json")"
    same "$mode: ... no other" 1 "$(query 'sum(n["slow"] for n in d["nodes"])' <"$T/report.json")"
    same "$mode: ... by how much" True "$(query '1.25 < d["nodes"][0]["ratio"] < 1.35 or d["nodes"][0]["ratio"]' <"$T/report.json")"
    same "$mode: ranks by their shapes" "[(0, 80), (1, 80)]" "$(query '[(g["first_rank"], g["ranks"]) for g in d["rank_groups"]]' <"$T/report.json")"
    same "$mode: ... each in its group" True "$(query 'all(d["rank_groups"][r["group"]]["first_rank"] == r["rank"] % 2 for r in d["ranks"])' <"$T/report.json")"
    same "$mode: quartiles" True "$(query '(lambda s, v: s["n"] == 160 and (s["min"], s["max"]) == (v[0], v[-1]) and v[39] <= s["q1"] <= v[40] and v[79] <= s["median"] <= v[80] and v[119] <= s["q3"] <= v[120])(d["rank_spread"]["seconds_blas"], sorted(r["seconds_blas"] for r in d["ranks"]))' <"$T/report.json")"
    has "$mode: said in the short report" '^- node7 is slow: its 16 ranks take 1\.[23][0-9] times as long as others' "$("$kt" report "$T/$mode.slow")"
    "$kt" report --by node --top 20 "$T/$mode.slow" >"$T/out"
    same "$mode: by node" "node7 10" "$(awk '/^node/ && NF > 4 { if (!n++) first = $1 } END { print first, n }' <(sed '/is slow/d' "$T/out"))"
    same "$mode: ... in 80 columns" 0 "$(grep -cE '.{81}' "$T/out")"
    same "$mode: ... as CSV" "host 10" "$("$kt" report --by node --csv "$T/$mode.slow" | awk -F, 'NR == 1 { print $1 } END { print NR - 1 }' | xargs)"
    same "$mode: ... and ranks in 80 columns" 0 "$("$kt" report --by rank "$T/$mode.slow" | grep -cE '.{81}')"
done
job full.even 64 --node 16
same "none is slow: none is named" "0 0" "$("$kt" report --json "$T/full.even" | query '"%d %d" % (sum(n["slow"] for n in d["nodes"]), sum(r["slow"] for r in d["ranks"]))')"
job full.few 48 --node 16 --slow 1
same "of three nodes nobody can tell" 0 "$("$kt" report --json "$T/full.few" | query 'sum(n["slow"] for n in d["nodes"])')"
same "no ranks: no nodes" "[] [] None" "$(traced plain "$counts" shapes 2 2 >/dev/null; "$kt" report --json "$T/plain" | query 'str(d["nodes"]) + " " + str(d["rank_groups"]) + " " + str(d["rank_spread"])')"
has "... said" '^No process was started as a rank' "$("$kt" report --by node "$T/plain")"

# --- what it takes --------------------------------------------------------------------------------------------------
# Ten times as many ranks: what a process of the trace takes in memory, and not more than in proportion of the time.
for mode in full profile; do
    job $mode.100 100 --node 16; job $mode.1000 1000 --node 16
    for verb in report info diff merge; do
        extra=(); [ $verb = merge ] && extra=(-o "$T/merged")
        read -r few few_seconds < <(cost "$kt" $verb "${extra[@]}" "$T/$mode.100" $([ $verb = diff ] && echo "$T/$mode.100")); rm -rf "$T/merged"
        read -r many many_seconds < <(cost "$kt" $verb "${extra[@]}" "$T/$mode.1000" $([ $verb = diff ] && echo "$T/$mode.1000")); rm -rf "$T/merged"
        true_that "$mode: $verb: $few and $many KiB, of each rank less than 48 beside its streams" test "$many" -le $((few + 900 * 48 + 2 * 65536))
        true_that "$mode: $verb: $few_seconds and $many_seconds s, in proportion" "$PYTHON" -c "import sys; sys.exit($many_seconds > 20 * ($few_seconds + 0.05))"
    done
done
exit $((failures != 0))
