# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 50 s
# A replay by several processes: each measures its share, the last one puts all together, and a share that is missing is told
# and made up for.
. tests/lib.sh
kt=$PWD/$B/ktrace
counts=$PWD/$B/tests/profile/counts
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
traced job "$counts" shapes 24 30 >/dev/null
whole=(--store none --context warm,cold --budget 4)
fresh() { rm -rf "$T/$1"; cp -r "$T/job" "$T/$1"; } # NAME: a trace without results
stored() { query "$2" <"$T/$1/replay.json"; }       # NAME EXPRESSION
shapes='sorted(s["symbol"] + str(s["args"]) for s in d["shapes"])'

fresh one; "$kt" replay "${whole[@]}" "$T/one" >/dev/null 2>&1
for n in 1 2 4; do
    fresh of$n
    for i in $(seq $n); do
        "$kt" replay "${whole[@]}" --shard $i/$n --json "$T/of$n" >"$T/share.$i" 2>"$T/err"
        same "share $i of $n: status" 0 $?
        [ $i = $n ] || same "... what is missing is said" "$(seq -s ', ' $((i + 1)) $n)" "$(sed -n 's/.* missing: \([0-9, ]*\) (.*/\1/p' "$T/err")"
        [ $i = $n ] || same "... and there is no result yet" no "$([ -e "$T/of$n/replay.json" ] && echo yes || echo no)"
    done
    same "$n shares: the same shapes as of one replay" "$(stored one "$shapes")" "$(stored of$n "$shapes")"
    same "... no shape twice" True "$(stored of$n "len(set($shapes)) == len(d['shapes']) == 24")"
    same "... as many shares as there were" $n "$(stored of$n 'len(d["shards"])')"
    same "... totals are sums" True "$(stored of$n 'abs(d["totals"]["insitu"] - sum(s["total"] for s in d["shapes"])) < 1e-9 and abs(d["totals"]["warm"] - sum(s["calls"] * s["contexts"]["warm"]["best"] for s in d["shapes"])) < 1e-9')"
    # Two replays of a busy machine differ; most shapes do not by much.
    same "... times as those of one replay" True "$("$PYTHON" -c 'import json, statistics, sys
a, b = ({s["symbol"] + str(s["args"]): s["contexts"] for s in json.load(open(sys.argv[1] + n + "/replay.json"))["shapes"]} for n in ("one", sys.argv[2]))
ratios = [b[s][c]["median"] / a[s][c]["median"] for s in a for c in ("warm", "cold")]
print(0.67 < statistics.median(ratios) < 1.5 or ratios)' "$T/" of$n)"
    true_that "... report takes it" "$kt" report --all "$T/of$n"
done
# What is printed names its schema; what is stored has the same keys.
"$PYTHON" -c 'import json, sys
print(json.dumps({"schema": json.load(open(sys.argv[1]))["schema"], **json.load(open(sys.argv[2]))}))' "$T/share.4" "$T/of4/replay.json" >"$T/whole"
valid "what is stored is what the schema says" "$T/whole" replay

# --- one is killed, one interrupted -----------------------------------------------------------------------------------
fresh killed
"$kt" replay "${whole[@]}" --shard 2/2 "$T/killed" >/dev/null 2>&1 & other=$!
sleep 1.2; kill -9 $other; wait $other 2>/dev/null
"$kt" replay "${whole[@]}" --shard 1/2 "$T/killed" >/dev/null 2>"$T/err"
has "the share of one that was killed is missing" 'share 1 of 2 is kept; of this kind of node 1 is missing: 2 ' "$(<"$T/err")"
"$kt" replay "${whole[@]}" --shard 2/2 "$T/killed" >/dev/null 2>&1
same "another run completes it" "24 2" "$(stored killed 'str(len(d["shapes"])) + " " + str(len(d["shards"]))')"
fresh stopped
"$kt" replay --store none --budget 200 --shard 1/2 "$T/stopped" >/dev/null 2>&1 & other=$!
sleep 3; kill -TERM $other; wait $other; same "one that is interrupted" 143 $?
same "... leaves no share" 0 "$(ls "$T/stopped" | grep -c replay)"

# --- brought together by hand -----------------------------------------------------------------------------------------
for i in 1 2 3; do fresh apart$i; "$kt" replay "${whole[@]}" --shard $i/3 "$T/apart$i" >/dev/null 2>&1; done
traced another "$counts" shapes 3 5 >/dev/null
"$kt" merge -o "$T/some" "$T/apart1" "$T/apart2" >/dev/null 2>"$T/err"; same "merge of traces with shares: status" 0 $?
has "... the missing share is named" 'of 3 shares of a replay on one kind of node 1 is missing: 3$' "$(<"$T/err")"
same "... there is no result" no "$([ -e "$T/some/replay.json" ] && echo yes || echo no)"
"$kt" merge -o "$T/whole.trace" "$T/some" "$T/apart3" >/dev/null 2>"$T/err"
has "... a further merge puts them together" '3 shares of a replay are put together in .*replay.json' "$(<"$T/err")"
same "... into one result" "24 3" "$(stored whole.trace 'str(len(d["shapes"])) + " " + str(len(d["shards"]))')"
true_that "... report takes it" "$kt" report --all "$T/whole.trace"
"$kt" pack -o "$T/packed.tar.zst" "$T/apart2" >/dev/null 2>&1; cp "$T"/apart2/replay.*.2-of-3.json "$T/"
(cd "$T" && for f in replay.*.2-of-3.json; do mv "$f" "packed.tar.zst.$f"; done)
"$kt" merge -o "$T/unpacked" "$T/apart1" "$T/packed.tar.zst" "$T/apart3" >/dev/null 2>&1
same "shares beside a packed trace, too" 24 "$(stored unpacked 'len(d["shapes"])')"
"$kt" merge -o "$T/more" "$T/apart1" "$T/apart2" "$T/apart3" "$T/another" >/dev/null 2>&1
same "with other calls merged in it would not be a replay of all" 0 "$(ls "$T/more" | grep -c replay)"

# --- ranks, nodes -----------------------------------------------------------------------------------------------------
fresh ranks
for r in 0 1; do OMPI_COMM_WORLD_RANK=$r OMPI_COMM_WORLD_SIZE=2 "$kt" replay "${whole[@]}" "$T/ranks" >/dev/null 2>>"$T/said"; done
same "ranks of a job share" "24 2" "$(stored ranks 'str(len(d["shapes"])) + " " + str(len(d["shards"]))')"
has "... and say so" 'rank 1 of 2 replays its share' "$(<"$T/said")"
if command -v mpirun >/dev/null && mpirun --oversubscribe -n 2 true 2>/dev/null; then
    fresh mpi; mpirun --oversubscribe --mca btl self,vader -n 2 "$kt" replay "${whole[@]}" "$T/mpi" >/dev/null 2>"$T/err"
    same "mpirun -n 2: both shares" "24 2" "$(stored mpi 'str(len(d["shapes"])) + " " + str(len(d["shards"]))')"
    cores=$(lscpu -p=CACHE 2>/dev/null | grep -v '^#' | sed 's/.*://' | sort -u | grep -c .)
    if [ "${cores:-0}" -le 1 ]; then
        has "... one after the other, where they share a cache" 'waits: another share is measured' "$(<"$T/err")"
    else
        skip "... one after the other" "there are several caches"
    fi
else
    skip "mpirun -n 2" "mpirun is not installed, or cannot run here"
fi
fresh kinds
"$kt" replay "${whole[@]}" --shard 1/2 "$T/kinds" >/dev/null 2>&1
(cd "$T/kinds" && for f in replay.*.1-of-2.json; do mv "$f" replay.0123abcd.1-of-2.json; done)
"$kt" replay "${whole[@]}" --shard 2/2 "$T/kinds" >/dev/null 2>"$T/err"
has "shares of unlike nodes are not put together" '1 share is from nodes, libraries or contexts of another kind' "$(<"$T/err")"
same "... there is no result" no "$([ -e "$T/kinds/replay.json" ] && echo yes || echo no)"

# --- wrong ------------------------------------------------------------------------------------------------------------
for wrong in 0/2 3/2 1 1/0 a/b; do "$kt" replay --shard $wrong "$T/job" >/dev/null 2>&1; same "--shard $wrong" 2 $?; done
"$kt" replay --shard 1/2 --context sequence "$T/job" >/dev/null 2>&1; same "a sequence is not shared out" 2 $?
"$kt" replay --shard 1/2 --runs 2 "$T/job" >/dev/null 2>&1; same "nor are runs of the program" 2 $?
exit $((failures != 0))
