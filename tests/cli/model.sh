# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 12 s
# ktrace model build and show: models of what a trace holds, kept, gone on with, refused where they do not belong.
. tests/lib.sh
kt=$PWD/$B/ktrace
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 KTRACE_QUIET=1
cat >"$T/program.py" <<'END'
import numpy as np
rng = np.random.default_rng(1)
for n in (3, 16, 40, 64):
    a = np.asfortranarray(rng.standard_normal((n, n)))
    for i in range(20):
        b = a @ a.T[:, : n // 2 + 1]
        c = a @ b[:, 0]
END
traced trace "$PYTHON" "$T/program.py" || { skip "model" "no NumPy"; exit 0; }
cd "$T" || exit 1
build() { "$kt" model build trace --blas reference --models m.json --budget 8 --routine dgemm,dgemv --samples rounds=2,processes=1,heldout=3 "$@"; }

build --json >build.json 2>build.err; same "build: status" 0 $?
same "it says what it built" True "$(query '(all(k in m for m in d["models"] for k in ("routine","options","context","regions","samples","error")) and
    {m["routine"] for m in d["models"]} >= {"dgemm", "dgemv"})' <build.json)"
same "the first samples made regions" True "$(query 'any(m["regions"] > 0 and m["samples"] > 3 for m in d["models"])' <build.json)"
same "an error is that of held-out points, or not known" True "$(query 'all((m["error"]["avg"] is None) == (m["error"]["n"] == 0) for m in d["models"])' <build.json)"
same "two contexts" "['cold', 'warm']" "$(query 'sorted({m["context"] for m in d["models"]})' <build.json)"
same "sizes of a row-major product in column-major order" True "$(query '[m["domain"]["n"][1] for m in d["models"] if m["routine"] == "dgemm"][0] == 64' <build.json)"
"$kt" model show --blas reference --models m.json >show 2>show.err; same "show: status" 0 $?
has "show: a line for each model" "dgemm +[NT]{2} +1 0 +(warm|cold)" "$(<show)"
same "show: 80 columns" "" "$(grep -E '.{81}' show)"
"$kt" model show --blas reference --models m.json --json | query 'len(d["models"])' >count
same "show: all models in JSON" "$(query 'len(d["models"])' <build.json)" "$(<count)"

build --json >again.json 2>again.err; same "again: status" 0 $?
same "... it goes on from there" True "$(query 'sum(m["samples"] + m["held_out"] for m in d["models"]) == d["samples"] + '"$(query 'd["samples"]' <build.json)" <again.json)"

# Where most of the recorded time passed, there samples are taken.
for cpu in $("$PYTHON" -c 'import os; print(*sorted(os.sched_getaffinity(0))[:2])'); do
    taskset -c "$cpu" "$kt" run -o "on$cpu" -- "$PYTHON" "$T/program.py" >out 2>&1
    "$kt" model build "on$cpu" --blas reference --models "on$cpu.json" --budget 0.5 --routine dgemv --json >out 2>err
    same "calls recorded and models built on processor $cpu" "$cpu" "$(query 'd["processor"]' <out)"
done

# Another build in the folder: what both find would not be kept.
flock . timeout 300 sh -c 'touch held; until [ -e waiting ]; do sleep 0.1; done' &
until [ -e held ]; do sleep 0.1; done
"$kt" model build trace --blas reference --models m.json --budget 0.1 --routine dgemv --json \
    2> >(tee waits.err | { grep -m 1 'waits for' >/dev/null; touch waiting; cat >/dev/null; }) >waits.json
same "a second build in a folder" 0 $?
wait
has "... waits for the first, and says so" "waits for another 'ktrace model build'" "$(<waits.err)"

refused() {
    "$kt" model show --blas reference --models "$2" >out 2>err; same "$1: status" "${4:-3}" $?
    has "$1: one clear error" "^ktrace: model show: .*$3" "$(<err)"
    same "... of one line" 1 "$(wc -l <err)"
}
head -c 2000 m.json >short.json; refused "a truncated file" short.json "short.json"
echo '{"ktrace_models": 1}' >strange.json; refused "a file of something else" strange.json "damaged"
sed 's/"context":"warm"/"context":"tepid"/; s/"context": "warm"/"context": "tepid"/' m.json >odd.json; refused "an unknown context" odd.json "odd.json"
refused "no file" none.json "model build"
"$PYTHON" -c 'import json; d = json.load(open("m.json")); d["machine"] = "another"; json.dump(d, open("moved.json", "w"))'
refused "another machine" moved.json "another machine"
"$kt" model show --blas reference --models moved.json --force >out 2>&1; same "... unless forced" 0 $?
"$PYTHON" -c 'import json; d = json.load(open("m.json")); d["build"] += "!"; json.dump(d, open("built.json", "w"))'
refused "another build of the library" built.json "another build"
cp built.json before.json
"$kt" model build trace --blas reference --models built.json --budget 1 >out 2>err; same "... is not added to either" 3 $?
same "... and stays as it is" "" "$(cmp built.json before.json)"

for wrong in "build" "build trace --budget 0" "build trace --samples degree=99" "build trace --samples x=1" "build trace --context tracked" \
    "build trace --domain 5" "build trace --level all" "show x" "show --plot a.txt --blas reference --models m.json" "fetch" "build trace --routine nothing"; do
    "$kt" model $wrong >out 2>err; same "model $wrong: usage" 2 $?
done
"$kt" help model >out; has "help lists the parts" "^ktrace model build" "$(<out)"

if command -v gnuplot >/dev/null; then
    "$kt" model show --blas reference --models m.json --routine dgemv --plot plot.svg >out 2>err; same "plot: status" 0 $?
    has "plot: a picture" "<svg" "$(head -n 5 plot.svg)"
    same "plot: no points of size 0, which some readers of SVG refuse" 0 "$(grep -c 'scale(0.00)' plot.svg)"
    has "plot: its data" "^dgemv,.*,warm,region," "$(<plot.csv)"
else
    skip "plot" "no gnuplot"
fi

"$kt" model build trace --blas reference --models late.json --budget 600 --samples rounds=200,heldout=500 >out 2>err &
pid=$!
for i in $(seq 3000); do [ -s late.json ] && break; sleep 0.1; done
kill -TERM $pid; wait $pid; status=$?
has "an interrupt keeps what is there" "^143 yes$" "$status $([ -s late.json ] && echo yes)"
exit $((failures != 0))
