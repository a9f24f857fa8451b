# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 30 s
# ktrace compare --workloads: many workloads on the same libraries in one table; one that is damaged stops no other.
. tests/lib.sh
kt=$PWD/$B/ktrace
slower=$PWD/$B/tests/diff/slower.so # of dgemm, where m is SLOW_M; otherwise the reference library
reference=$(ldd "$slower" | awk '/libblas/ { print $3 }')
export KTRACE_QUIET=1 SLOW_M=64 SLOW_PERCENT=0
cp -L "$reference" "$T/same.so"
mkdir "$T/two" "$T/three" "$T/none"
# One has the calls that are made slower, the other has none.
KTRACE_OUT=$T/all LD_PRELOAD=$PWD/$B/libktrace.so "$B/tests/diff/rounds" 60
KTRACE_ROUTINES=dgemv KTRACE_OUT=$T/part LD_PRELOAD=$PWD/$B/libktrace.so "$B/tests/diff/rounds" 200
"$kt" distill -o "$T/two/products.ktw" "$T/all" >/dev/null
"$kt" distill -o "$T/two/vectors.ktw" "$T/part" >/dev/null
cp "$T/two/"*.ktw "$T/three"
head -c 1000 "$T/two/products.ktw" >"$T/three/damaged.ktw"
echo "no workload" >"$T/three/README.md"
# compared DIRECTORY OPTION...: what is said is in $T/out
compared() { "$kt" compare --check no --workloads "$T/$1" "${@:2}" >"$T/out" 2>"$T/err"; }
said() { query "$1" <"$T/out"; }

compared two --blas "$T/same.so" --blas "$slower" --budget 8 --fail-above 40% --json; same "equal libraries" 0 $?
same "... both workloads, by name" "2 ['products', 'vectors']" "$(said '"%d %s" % (d["compared"], [w["workload"] for w in d["workloads"]])')"
same "... the first library is the baseline" "same.so ['same.so', 'slower.so']" "$(said '"%s %s" % (d["baseline"], [l["label"] for l in d["libraries"]])')"
same "... which share the budget" 4.0 "$(said 'd["budget"]')"
same "... nothing fails" "[False, False]" "$(said '[w["limit"]["fails"] for w in d["workloads"]]')"
same "... nothing is left beside them" 2 "$(find "$T/two" -type f | wc -l)"
near='lambda a, b: abs(a - b) < 1e-9 * b'
same "the mean is geometric, over the workloads" True "$(said "($near)(d['libraries'][1]['ratio']['value'] ** 2, d['workloads'][0]['libraries'][1]['ratio']['value'] * d['workloads'][1]['libraries'][1]['ratio']['value'])")"
same "... and nearer known than each of them by itself" True "$(said '(lambda width: width(d["libraries"][1]["ratio"]) < max(width(w["libraries"][1]["ratio"]) for w in d["workloads"]))(lambda r: r["hi"] / r["lo"])')"
ratios='[w["libraries"][1]["ratio"]["value"] for w in d["workloads"]]'
first=$(said "$ratios")
compared two --blas "$T/same.so" --blas "$slower" --budget 8 --json; same "once more" 0 $?
same "... what is in the store is not measured again" "[True, True] $first" "$(said '[w["reused"] for w in d["workloads"]]') $(said "$ratios")"
"$kt" compare --check no --baseline "$T/same.so" --blas "$slower" --budget 4 --keep no --json "$T/two/products.ktw" >"$T/alone" 2>/dev/null
same "... the ratio is that of this workload compared by itself" "True $(said "$ratios[0]")" "$(query '"%s %s" % (d["store"]["reused"], d["libraries"][1]["ratio_replayed"]["value"])' <"$T/alone")"

export SLOW_PERCENT=400 # shows on any machine
compared three --baseline "$T/same.so" --blas "$slower" --fresh --budget 15 --fail-above 40% --json; same "one is damaged, something is slower: the larger status" 3 $?
same "... the damaged one has one line" 1 "$(grep -c damaged.ktw "$T/err")"
same "... the others go on" "2 ['damaged', 'products', 'vectors'] [3, 1, 0]" "$(said '"%d %s %s" % (d["compared"], [w["workload"] for w in d["workloads"]], [w["status"] for w in d["workloads"]])')"
has "... why is told" 'damaged\.ktw: .*damaged or cut off' "$(said 'd["workloads"][0]["why"]')"
same "... what is slower is found" "[('slower.so', 'dgemm 64x64x64')]" "$(said '[(b["library"], b["what"]) for w in d["workloads"][1:] for b in w["limit"]["beyond"] if "x" in b["what"]]')"
compared two --baseline "$T/same.so" --blas "$slower" --budget 8 --fail-above 40%; same "on the screen, from the store: status" 1 $?
has "... which it says" ', as measured before$' "$(head -n 1 "$T/out")"
has "... a row for each" '^products +[0-9.]+ ms ' "$(<"$T/out")"
has "... and the mean" '^geometric mean +1 ' "$(<"$T/out")"
has "... what fails" '^- Fails in 1 of 2 workloads: slower than on same.so by more than 40 %$' "$(<"$T/out")"
same "... within a screen" True "$([ "$(wc -l <"$T/out")" -le 24 ] && [ "$(awk '{ if (length > 80) print }' "$T/out" | wc -l)" = 0 ] && echo True)"
compared two --baseline "$T/same.so" --blas "$slower" --budget 8 --fail-above 40% --markdown; same "as Markdown: status" 1 $?
has "... the verdict first" '^\*\*Fails in 1 of 2 ' "$(head -n 1 "$T/out")"
same "... tables of three and of four columns" "5 6" "$(grep '^|' "$T/out" | awk -F'|' '{ print NF }' | sort -u | paste -sd' ')"

compared none --blas "$T/same.so" --blas "$slower"; same "no workload in there" 3 $?
compared nowhere --blas "$T/same.so" --blas "$slower"; same "no such directory" 3 $?
same "... one line" 1 "$(wc -l <"$T/err")"
for wrong in "$T/all" --all "--shard 1/2" "--map $T/map" "--check only" "--markdown --json"; do
    # shellcheck disable=SC2086 # words
    compared two --blas "$T/same.so" --blas "$slower" $wrong; same "${wrong//$T/directory}" 2 $?
    same "... one line" 1 "$(wc -l <"$T/err")"
done
compared two --blas "$T/same.so"; same "one library only" 2 $?
exit $((failures != 0))
