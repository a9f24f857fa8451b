# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 17 s
# ktrace model calls, predict, tune and rank; run --block-size. What algorithms say is what LAPACK does: the same kernels
# with the same sizes at the same places, whatever the block size. Nothing here depends on how long anything takes.
. tests/lib.sh
kt=$PWD/$B/ktrace
root=$PWD
lapack=$(ls /usr/lib/*/lapack/liblapack.so.3 /usr/lib64/lapack/liblapack.so.3 2>/dev/null | head -n 1)
blas=$(ls /usr/lib/*/blas/libblas.so.3 /usr/lib64/blas/libblas.so.3 2>/dev/null | head -n 1)
openblas=$(ls /usr/lib/*/openblas-serial/libopenblas.so.0 2>/dev/null | head -n 1)
export KTRACE_QUIET=1 XDG_CACHE_HOME=$T/cache
mkdir -p "$XDG_CACHE_HOME"
cd "$T" || exit 1

# record DIR ROUTINE N [OPTIONS...]: reference LAPACK on reference BLAS
record() {
    local out=$1 routine=$2 n=$3
    shift 3
    LD_LIBRARY_PATH=${blas%/*} "$kt" run -o "$out" "$@" -- "$PYTHON" "$root/tests/predict/lapack_calls.py" "$lapack" "$routine" "$n" &&
        "$kt" dump --json "$out" >"$out.jsonl"
}
compare() { "$PYTHON" "$root/tests/predict/compare_calls.py" "$@"; }

# --- sequences
for routine in dpotrf dgetrf dgeqrf dtrtri dlauum; do
    for block in 24 32; do
        record "$routine$block" "$routine" 150 --block-size "$routine=$block:20"
        rest=""
        [ $routine = dgeqrf ] && rest="--set nx=20"
        "$kt" model calls "$routine" --n 150 --b $block $rest --json >written.jsonl
        true_that "$routine, blocks of $block: the calls that LAPACK makes" compare "$routine$block.jsonl" written.jsonl
    done
done
"$kt" model calls qr_right --n 150 --b 24 --set nx=20 --json >written.jsonl
true_that "dgeqrf down to the calls of dlarfb" compare dgeqrf24.jsonl written.jsonl dlarfb
same "another block size, other calls" "1" "$(cmp -s dgeqrf24.jsonl dgeqrf32.jsonl; echo $?)"
record plain dgeqrf 150
"$kt" model calls dgeqrf --n 150 --b 32 --json >written.jsonl
true_that "without --block-size LAPACK's own" compare plain.jsonl written.jsonl
record others dgeqrf 150 --block-size dpotrf=8,sgeqrf=8
true_that "... and with that of other routines" compare others.jsonl written.jsonl
same "the trace tells what was set" "dpotrf=8,sgeqrf=8" "$("$kt" info --json others | query 'd["options"]["KTRACE_BLOCK_SIZE"]')"
same "libktrace.so itself has no ilaenv" "" "$(nm -D --defined-only "$root/$B/libktrace.so" | grep -i ilaenv)"
for bad in dgeqrf dgeqrf= dgeqrf=0 dgeqrf=8:x dgeqrf=8, =8 dgeqrf=8:1:2; do
    "$kt" run --block-size "$bad" -- true 2>/dev/null; same "--block-size $bad: status" 2 $?
done
for file in "$root"/examples/algorithms/*.kta; do
    true_that "${file##*/} runs" "$kt" model calls "$file" --n 70 --b 16
done

# --- models of small sizes, built in seconds; how good they are does not matter
"$kt" model build --blas reference --algorithm cholesky --n 16:64:16 --b 16,32 --budget 4 --samples rounds=2,processes=1 >build 2>&1
same "build --algorithm: status" 0 $?
of="--blas reference --cache 1M"
"$kt" model predict $of --algorithm cholesky_right --n 64 --b 16 --json >p.json; same "predict: status" 0 $?
same "... all calls are known" "0 10" "$(query 'str(d["calls_not_predicted"]) + " " + str(d["calls_total"])' <p.json)"
same "... between the sums that know nothing of caches" True \
    "$(query 'min(d["warm"], d["cold"]) * 0.999 <= d["predicted"]["seconds"] <= max(d["warm"], d["cold"]) * 1.001' <p.json)"
same "... the sum of its calls" True \
    "$(query 'abs(sum(c["predicted"]["seconds"] for c in d["calls"]) / d["predicted"]["seconds"] - 1) < 1e-9' <p.json)"
same "... an interval around it" True "$(query 'd["predicted"]["lo"] <= d["predicted"]["seconds"] <= d["predicted"]["hi"]' <p.json)"
"$kt" model predict $of --algorithm cholesky_right --n 32,64 --b 16 --measure --rounds 3 --json >m.json
same "predict --measure" "True 2" "$(query 'str(d["measured"] > 0 and abs((d["predicted"]["seconds"] / d["measured"] - 1) - d["error"]) < 1e-9) + " " + str(len(d["curve"]))' <m.json)"
same "... at the pace of its kernels meanwhile" True \
    "$(query 'all(p["pace"]["n"] == p["at_pace"]["n"] > 0 and p["pace"]["median"] > 0 and abs(p["error_at_pace"] - (p["at_pace"]["median"] - 1)) < 1e-9 for p in d["curve"])' <m.json)"
for seconds in 2 8 30; do # until some rounds fit, however busy the machine is
    timeout --preserve-status -k 20 -s TERM $seconds "$kt" model predict $of --algorithm cholesky_right --n 64 --b 16 --measure --rounds 100000 --budget 60 --json >cut.json 2>err
    status=$?
    [ "$(query 'd["measured_stat"]["n"] >= 3' <cut.json 2>&1)" != True ] || break
done
same "... interrupted: status" 143 $status
same "... what was measured is told, without complaint" "True " "$(query 'd["measured"] > 0 and d["measured_stat"]["n"] >= 3' <cut.json) $(<err)"
same "... in as many rounds" "[3, 3]" "$(query '[p["measured_stat"]["n"] for p in d["curve"]]' <m.json)"
"$kt" model predict $of --algorithm cholesky_right --n 64 >text; has "text: the sums" "if all operands were always in cache" "$(<text)"
same "text: 80 columns" "" "$(head -n 6 text | grep -E '.{81}')"
"$kt" model predict $of --combine level --algorithm cholesky_right --n 64 --json >l.json; same "by level" level "$(query 'd["combination"]' <l.json)"
"$kt" model predict $of --algorithm cholesky_right --n 900 --b 300 --json >far.json
same "far outside: no numbers" "True" "$(query 'd["calls_not_predicted"] > 0' <far.json)"
has "... and said so" "no model   for" "$("$kt" model predict $of --algorithm cholesky_right --n 900 --b 300)"

record small dpotrf 60 --block-size dpotrf=16
"$kt" model predict $of --level leaves --json small >t.json; same "predict a trace: status" 0 $?
"$kt" model predict $of --level leaves --pace --rounds 4 --json small >pace.json; same "... at the pace of now: status" 0 $?
same "... one reading a round, the same prediction" "4 True" \
    "$(query 'str(d["pace"]["n"]) + " " + str(abs(d["pace"]["median"] * d["predicted"]["seconds"] / d["measured_of_predicted"] - 1 - d["error_at_pace"]) < 1e-9)' <pace.json)"
has "... and in words" "pace       its kernels, timed again, take " "$("$kt" model predict $of --level leaves --pace --rounds 3 small)"
same "... measured beside it" True "$(query 'd["measured"] > 0 and d["calls_total"] > 0 and 0 <= d["missing_share"] <= 1' <t.json)"

"$kt" model tune dpotrf $of --n 48,64 --b 16,32 --json >tune.json; same "tune: status" 0 $?
"$kt" model tune dpotrf $of --n 2000,48 --b 16 --json >some.json 2>err; same "tune, a size without models" 0 $?
same "... the others are told" "[48.0] [2000]" "$(query 'str([c["n"] for c in d["curves"]]) + " " + str(d["not_predicted"])' <some.json)"
has "... and that one is named" "n = 2000: no block size can be predicted" "$(<err)"
"$kt" model tune dpotrf $of --n 2000,3000 --b 16 --json >some.json 2>err; same "tune, only such sizes" 3 $?
same "... each is named" "n = 2000 n = 3000" "$(grep -oE 'n = [0-9]+' err | tr '\n' ' ' | sed 's/ $//')"
same "... a curve of 1 and those given" "[1.0, 16.0, 32.0]" "$(query '[c["value"] for c in d["curve"]]' <tune.json)"
same "... the least of them is the best" True \
    "$(query 'd["best"] == min((c for c in d["curve"] if c["predicted"]), key=lambda c: c["predicted"]["seconds"])["value"]' <tune.json)"
same "... and for each size" 2 "$(query 'len(d["curves"])' <tune.json)"
same "reference LAPACK asks for block sizes" yes "$(query 'd["block_size_matters"]' <tune.json)"
has "text: how to apply it" "ktrace run --block-size dpotrf=" "$("$kt" model tune dpotrf $of --n 48 --b 16,32)"
if command -v gnuplot >/dev/null; then
    # drawn NAME COMMAND...: NAME.svg is a picture, drawn without complaint of a script and data that lie beside it
    drawn() {
        "$kt" model "${@:2}" $of --plot "$1.svg" >/dev/null 2>err; same "picture $1: status" 0 $?
        has "... drawn" "</svg>" "$(<"$1.svg")"
        same "... without complaint" "" "$(gnuplot "$1.gp" 2>&1)"
    }
    ask() { "$PYTHON" "$root/tests/predict/pictures.py" "$@"; }
    drawn tuned tune dpotrf --n 48,64 --b 16,32 --measure --rounds 3
    same "tune: a panel for each size, block sizes with their intervals, as the data have them" "2 True" "$(ask tuned)"
    has "... the best is marked" "set label 'best as predicted: (1|16|32)' at (1|16|32)," "$(<tuned.gp)"
    sed 's/ b=[0-9]*/ b=16/' "$root/examples/algorithms/cholesky_right.kta" >sixteen.kta
    drawn default tune dpotrf --algorithm sixteen.kta --n 64 --b 16,32
    has "... of an algorithm with a default of 16" "^set label '(default|best as predicted, and default): 16' at 16," "$(<default.gp)"
    drawn ordered rank cholesky --n 64 --b 16
    same "rank, one size: bars in the order of the algorithms" "5 True" "$(ask ordered)"
    drawn ranked rank cholesky --n 48,64 --b 16 --measure --rounds 3
    same "rank, several: each algorithm over the first, predicted and measured" "10 True" "$(ask ranked)"
    drawn curve predict --algorithm dpotrf --n 32,48,64 --b 16 --measure --rounds 3
    same "predict, several sizes: within the interval, all sizes, also measured" "3 3 True" "$(ask curve)"
    drawn routines predict --algorithm cholesky_right --n 64 --b 16 --measure --rounds 3
    same "predict, one size: routines add up to all calls" True "$(ask routines)"
    drawn recorded predict --level leaves small
    same "predict, a trace: the same, beside what was measured" "True True" "$(ask routines recorded.csv) $(awk -F, 'NR > 1 && !($(NF-2) > 0) { bad = 1 } END { print bad ? "False" : "True" }' recorded.csv)"
    has "... whose program is named" "^set title '[^']*python[^']* [^']*lapack_calls.py[^']* predicted [^']* measured'" "$(<recorded.gp)"
    "$kt" model predict $of --algorithm cholesky_right --n 900 --b 300 --plot far.svg >/dev/null 2>&1; same "what has no model: status" 0 $?
    has "... has a row that says so" "^set label 'no model'" "$(<far.gp)"
    sed 's/"library": *"[^"]*"/"library": "libblas.so.3-0123abcd-2-threads"/' cache/ktrace/models/*.json >named.json
    "$kt" model tune dpotrf $of --models named.json --force --n 48 --b 16,32 -o named.png >/dev/null 2>err
    has "a picture names a library without what only tells files of models apart, and how many samples there are" \
        "^set multiplot .*models of libblas.so.3-2-threads from [1-9][0-9]* samples; [^;]" "$(<named.gp)"
    same "... -o is the same, and .png another format" PNG "$(head -c 4 named.png | tail -c 3)"
fi
for bad in "tune dpotrf --n 48" "rank cholesky --n 48" "predict --algorithm dpotrf --n 48"; do
    "$kt" model $bad $of --plot x.txt 2>err; same "model $bad, a picture of no kind: status" 2 $?
    has "... said so" "x.txt: expected a name that ends in .svg, .png or .pdf" "$(<err)"
done
if [ -n "$openblas" ]; then
    "$kt" model tune dpotrf --blas "$openblas" --models "$(ls cache/ktrace/models/*)" --force --n 48 --b 16,32 >own
    has "OpenBLAS's own dpotrf" "no effect" "$(<own)"
fi

"$kt" model tune dpotrf $of --n 48,64 --b 16,32 --measure --rounds 4 --json >measured.json; same "tune --measure" 0 $?
same "... the fastest, and its time over that of the best" "True True" \
    "$(query '" ".join(str(all(c[k] for c in d["curves"])) for k in ("fastest", "fastest_over_best"))' <measured.json)"
for seconds in 3 9 30; do # until the first size is through
    timeout --preserve-status -k 20 -s TERM $seconds "$kt" model tune dpotrf $of --n 48:64 --b 16,32 --measure --rounds 100000 --budget 2 --json >cut.json 2>err
    status=$?
    [ "$(query '"fastest" in d["curves"][0]' <cut.json 2>&1)" != True ] || break
done
same "... interrupted: status" 143 $status
same "... what was measured is told" "True True " "$(query 'str("fastest" in d["curves"][0]) + " " + str(d["interrupted"])' <cut.json) $(<err)"
"$kt" model rank cholesky $of --n 48,64 --b 16,32 --json >rank.json; same "rank: status" 0 $?
same "... all five, in the order of their times" True \
    "$(query 'len(d["order"]) == 5 and [o["predicted"]["seconds"] for o in d["order"] if o["predicted"]] == sorted(o["predicted"]["seconds"] for o in d["order"] if o["predicted"])' <rank.json)"
same "... of each size" "[48.0, 64.0]" "$(query '[o["n"] for o in d["orders"]]' <rank.json)"
cp "$root/examples/algorithms/cholesky_right.kta" same.kta
sed -i 's/^algorithm .*/algorithm the_same/' same.kta
same "the same algorithm twice is a tie" "False True 1 1" \
    "$("$kt" model rank $of --n 64 --b 16 --algorithm same.kta cholesky_right --json | query '" ".join(str(o[k]) for k in ("tied", "rank") for o in d["order"])')"

# --- what is wrong
printf 'algorithm x\nparameters n=3\nmatrix A(n,n)\ndpotf2(L, n+1, A)\n' >wrong.kta
out=$("$kt" model calls wrong.kta 2>&1); same "a wrong algorithm: status" 3 $?
has "... file and line" "wrong.kta:4: the operand a of dpotf2, 4 x 4, reaches beyond A" "$out"
"$kt" model predict $of 2>/dev/null; same "neither trace nor algorithm: status" 2 $?
"$kt" model tune dgesv $of --n 10 2>/dev/null; same "a routine without blocks: status" 2 $?
"$kt" model tune dpotrf $of 2>/dev/null; same "no size: status" 2 $?
"$kt" model tune dpotrf $of --n 48 --set b=16 2>/dev/null; same "the block size set: status" 2 $?
"$kt" model tune dpotrf $of --n 48 --budget 3 2>/dev/null; same "--budget without --measure: status" 2 $?
"$kt" model tune dgeqrf $of --n 48 --algorithm dpotrf 2>/dev/null; same "another routine's algorithm: status" 2 $?
"$kt" model predict $of --algorithm dpotrf --n 48 --level leaves 2>/dev/null; same "levels of an algorithm: status" 2 $?
"$kt" model calls dpotrf --n 48 --m 1,2 2>/dev/null; same "calls of two sizes: status" 2 $?
out=$("$kt" model build --blas reference --algorithm dpotrf --n 48 --b 16 --force 2>&1); same "building into others' models: status" 2 $?
has "... there is no such option" "force" "$out"
"$kt" model predict $of --algorithm dpotrf --pace 2>/dev/null; same "--pace of an algorithm: status" 2 $?
"$kt" model predict $of --budget 3 small 2>/dev/null; same "--budget without --pace: status" 2 $?
"$kt" model predict $of --algorithm dpotrf --b 8,16 2>/dev/null; same "two block sizes: status" 2 $?
"$kt" model tune dpotrf $of --n 5x 2>/dev/null; same "a wrong size: status" 2 $?
"$kt" model calls nothing 2>/dev/null; same "an unknown algorithm: status" 3 $?
"$kt" model predict $of --algorithm dpotrf --set nx=3 2>/dev/null; same "a parameter that it lacks: status" 2 $?
XDG_CACHE_HOME=$T/empty "$kt" model rank cholesky $of --n 64 2>err; same "no models: status" 3 $?
has "... what to do" "model build" "$(<err)"
if [ -n "$openblas" ]; then
    # A LAPACK needs a BLAS of the system; that of the same build, whichever the system prefers.
    names=$(export LD_LIBRARY_PATH=${openblas%/*}; for name in openblas openblas-serial "$openblas" "$openblas,$lapack"; do
        XDG_CACHE_HOME=$T/empty "$kt" model rank cholesky --blas "$name" --n 64 2>&1 | grep -o '/models/[^/]*json'; done | uniq | wc -l)
    same "models belong to files, whatever a user calls them" 2 "$names"
fi
exit $((failures != 0))
