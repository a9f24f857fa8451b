# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 40 s
# A comparison by several processes: each measures its share, whoever finds all measured prints the whole; a share that is
# missing is told and made up for; hosts of unlike kinds are not put together.
. tests/lib.sh
kt=$PWD/$B/ktrace
counts=$PWD/$B/tests/profile/counts
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# For more than a millisecond: of shorter ones each reader finds out anew how fast the clock ticked, to some digits.
traced job "$counts" shapes 12 3000 >/dev/null
options=(--blas reference --blas openblas-serial --context warm --budget 2)
# compare NAME OPTION...: with a store of that name; what is printed goes to $T/out, what is said to $T/said
compare() { local name=$1; shift; "$kt" compare "${options[@]}" --store "$T/$name.store" --json "$@" "$T/job" >"$T/out" 2>"$T/said"; }
# Until the store of that name has times of some shape.
until_measured() {
    local i
    for i in $(seq 300); do
        "$PYTHON" -c 'import sqlite3, sys; sys.exit(not sqlite3.connect(sys.argv[1], 30).execute("SELECT count(*) FROM series").fetchone()[0])' "$T/$1.store" 2>/dev/null && return
        sleep 0.1
    done
}
of_out() { query "$1" <"$T/out"; }
shapes='sorted(s["symbol"] + str(s["args"]) for s in d["shapes"])'

# --- all that there is ------------------------------------------------------------------------------------------------
compare one; cp "$T/out" "$T/one"
compare two --shard 1/2; same "the first share: status" 0 $?
has "... the missing one is named" 'share 1 of 2 is kept in .*; of this kind of node 1 is missing: 2 ' "$(<"$T/said")"
same "... and there is no result yet" "0 no" "$(stat -c %s "$T/out") $([ -e "$T/job/compare.json" ] && rm "$T/job/compare.json" && echo no)"
compare two --shard 2/2; same "the second share: status" 0 $?
cp "$T/out" "$T/two"
same "the second one finds all shapes, each once" "2 12 True" "$(of_out '"%d %d %s" % (d["shards"], len(d["shapes"]), len(set('"$shapes"')) == 12)')"
same "... those of a comparison by one process" "$(query "$shapes" <"$T/one")" "$(of_out "$shapes")"
same "... which are checked" "[(12, 0)]" "$(of_out '[*{(l["shapes_checked"], len(l["wrong"])) for l in d["libraries"]}]')"
same "... and sums are over all" True "$(of_out 'all(abs(sum(s["calls"] * s["libraries"][i]["seconds"]["best"] for s in d["shapes"]) - l["seconds_replayed"]) < 1e-9 for i, l in enumerate(d["libraries"]))')"
same "... the trace keeps it" 2 "$(query 'd["shards"]' <"$T/job/compare.json")"
valid "... it is what the schema says" "$T/out" compare
# Two comparisons on a busy machine differ; most shapes do not by much.
same "times are as those of one process" True "$("$PYTHON" -c 'import json, statistics, sys
a, b = ({s["symbol"] + str(s["args"]): s["libraries"] for s in json.load(open(n))["shapes"]} for n in sys.argv[1:3])
ratios = [y["seconds"]["median"] / x["seconds"]["median"] for s in a for x, y in zip(a[s], b[s])]
print(0.67 < statistics.median(ratios) < 1.5 or ratios)' "$T/one" "$T/two")"
compare two --shard 1/1; same "another run, of one share, measures nothing again" "1 0 True" "$(of_out '"%d %d %s" % (d["shards"], d["rounds"], d["store"]["reused"])')"
same "... and has the same times" True "$("$PYTHON" -c 'import json, sys
a, b = (json.load(open(n)) for n in sys.argv[1:3])
print(a["shapes"] == b["shapes"] and a["routines"] == b["routines"])' "$T/two" "$T/out")"

# --- one is killed, one interrupted -----------------------------------------------------------------------------------
"$kt" compare "${options[@]}" --budget 200 --store "$T/killed.store" --shard 2/2 "$T/job" >/dev/null 2>&1 & other=$!
until_measured killed; kill -9 $other; wait $other 2>/dev/null
"$kt" compare "${options[@]}" --store "$T/killed.store" --shard 1/2 "$T/job" >"$T/out" 2>"$T/said"
has "the share of one that was killed is missing" '1 is missing: 2 ' "$(<"$T/said")"
compare killed --shard 2/2; same "another run completes it" "2 12" "$(of_out '"%d %d" % (d["shards"], len(d["shapes"]))')"
"$kt" compare "${options[@]}" --budget 200 --store "$T/stopped.store" --shard 1/2 "$T/job" >"$T/out" 2>"$T/said" & other=$!
until_measured stopped; kill -TERM $other; wait $other; same "one that is interrupted" "143 0" "$? $(stat -c %s "$T/out")"
has "... goes on another time" 'a comparison goes on where this one ended' "$(<"$T/said")"

# --- ranks, hosts, kinds ----------------------------------------------------------------------------------------------
if command -v mpirun >/dev/null && mpirun --oversubscribe -n 2 true 2>/dev/null; then
    mpirun --oversubscribe --mca btl self,vader -n 2 "$kt" compare "${options[@]}" --store "$T/mpi.store" --json "$T/job" >"$T/out" 2>"$T/said"
else # as it would
    : >"$T/all.said"
    for r in 0 1; do OMPI_COMM_WORLD_RANK=$r OMPI_COMM_WORLD_SIZE=2 compare ranks; cat "$T/said" >>"$T/all.said"; done
    mv "$T/all.said" "$T/said"
fi
same "two ranks of a job: one prints the whole" "2 12" "$(of_out '"%d %d" % (d["shards"], len(d["shapes"]))')"
has "... and both say what they do" 'rank 0 of 2 compares its share' "$(<"$T/said")"
has "... and both say what they do" 'rank 1 of 2 compares its share' "$(<"$T/said")"
compare kinds --shard 1/2
# Without a common directory: each its store, and these merged.
cp "$T/kinds.store" "$T/apart1.store"; compare apart2 --shard 2/2
true_that "merge of stores" "$kt" merge -o "$T/merged.store" "$T/apart1.store" "$T/apart2.store"
compare merged --shard 1/1; same "... has all, and nothing is measured again" "12 0 True" "$(of_out '"%d %d %s" % (len(d["shapes"]), d["rounds"], d["store"]["reused"])')"
"$kt" merge -o "$T/merged.store" "$T/apart1.store" >/dev/null 2>&1; same "... into a file that is there" 2 $?
"$kt" merge -o "$T/mixed.store" "$T/apart1.store" "$T/job" >/dev/null 2>&1; same "... a store and a trace" 2 $?
"$PYTHON" -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute("CREATE TABLE series (setting)")' "$T/foreign.store"
"$kt" merge -o "$T/mixed.store" "$T/apart1.store" "$T/foreign.store" >/dev/null 2>"$T/said"; same "... a data base of something else" "3 no" "$? $([ -e "$T/mixed.store" ] && echo yes || echo no)"
if unshare --uts sh -c 'hostname elsewhere' 2>/dev/null; then
    cp "$T/kinds.store" "$T/hosts.store"
    unshare --uts sh -c 'hostname elsewhere; exec "$@"' sh "$kt" compare "${options[@]}" --store "$T/hosts.store" --json --shard 2/2 "$T/job" >"$T/out" 2>"$T/said"
    same "hosts of one kind are put together" "2 12" "$(of_out '"%d %d" % (d["shards"], len(d["shapes"]))')"
else
    skip "hosts of one kind" "namespaces for host names are not permitted here"
fi
"$PYTHON" -c 'import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as store: store.execute("UPDATE setting SET text = replace(text, \"caches\", \"another processor caches\")")' "$T/kinds.store"
compare kinds --shard 2/2
has "hosts of another kind are not" 'share 2 of 2 is kept in .*; of this kind of node 1 is missing: 1 ' "$(<"$T/said")"
has "... which is said" 'there are shares of 1 other kind of node' "$(<"$T/said")"
same "... there is no result" 0 "$(stat -c %s "$T/out")"

# --- results that are wrong -------------------------------------------------------------------------------------------
traced wrong "$PWD/$B/tests/right/calls" >/dev/null 2>&1
for i in 1 2 1; do
    "$kt" compare --blas reference --blas "$PWD/$B/tests/right/fault1.so" --routine '*trsm,dgemm' --context warm --budget 2 --store "$T/wrong.store" --json --shard $i/2 "$T/wrong" \
        >"$T/wrong.$i" 2>/dev/null
    echo $? >>"$T/statuses"
done
found="sorted((w['routine'], w['args'].get('n')) for l in d['libraries'] if 'fault' in l['name'] for w in l['wrong'])"
same "what is wrong is in the whole, whichever share found it" "[('dtrsm', 37)] [('dtrsm', 37)]" "$(query "$found" <"$T/wrong.1") $(query "$found" <"$T/wrong.2")"
same "... and is a finding of the one that prints it" "0 1 1" "$(xargs <"$T/statuses")"

# --- wrong options ------------------------------------------------------------------------------------------------------------
for wrong in "--shard 0/2" "--shard 1" "--shard 1/2 --fresh" "--shard 1/2 --store none" "--shard 1/2 --context sequence" "--shard 1/2 --check only"; do
    "$kt" compare $wrong "$T/job" >/dev/null 2>&1; same "$wrong" 2 $?
done
"$kt" compare --shard 1/2 --verify "$T/job" -- true >/dev/null 2>&1; same "--shard 1/2 --verify" 2 $?
mkdir "$T/directory.store"; compare directory --shard 1/2; same "a store that cannot be used" 4 $?
exit $((failures != 0))
