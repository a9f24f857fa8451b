# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 18 s
# ktrace roofline: points, picture and data of real traces under the roofs of a machine file, counted calls, kernels of
# chosen sizes, and whatever cannot be drawn.
. tests/lib.sh
kt=$PWD/$B/ktrace
root=$PWD
machine=$PWD/tests/roofline/machine.json
export KTRACE_QUIET=1 XDG_CACHE_HOME=$T/cache OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1

roofline() { "$kt" roofline --machine "$machine" "$@"; }
points() { roofline --json "$1" | query "$2"; }
# fails NAME STATUS PATTERN COMMAND...: one clear line on standard error
fails() {
    local name=$1 status=$2 pattern=$3 found
    shift 3
    "$@" >"$T/out" 2>"$T/err"
    found=$?
    if [ $found = "$status" ] && [ "$(wc -l <"$T/err")" = 1 ] && grep -qE -- "$pattern" "$T/err"; then ok "$name"
    else not_ok "$name" "status $found, expected $status" "$(<"$T/err")"; fi
}

# --- a trace, replayed ----------------------------------------------------------------------------------------------
# Calls whose inside is recorded take longer and are left out of boxes: of which library it is depends whether there are any.
KTRACE_NESTED=none traced t "$PYTHON" tests/roofline/calls.py || exit 1
"$kt" replay --budget 1 --store none "$T/t" >/dev/null 2>"$T/err" || not_ok "replay" "$(<"$T/err")"
"$kt" dump --json "$T/t" >"$T/calls"
roofline "$T/t" -o "$T/x.svg" >"$T/text" 2>"$T/err"; same "status" 0 $?
has "what was drawn is told" "x.svg, drawn by .*x.gp; data in .*x.csv" "$(<"$T/err")"
has "the picture is there" "<svg" "$(head -c 400 "$T/x.svg")"
same "gnuplot has nothing to say" "" "$(cd "$T" && gnuplot x.gp 2>&1 | grep -v 'Skipping data file')"
parsed() { "$PYTHON" tests/roofline/plot.py "$@" 2>"$T/err" || not_ok "a plot that can be parsed: $1" "$(<"$T/err")"; }
parsed "$T/x.gp" "$T/x.csv" "$T/calls" "$machine"
# titled NAME SCRIPT SUBJECT: the title says what is drawn of which program, the line below who made the calls, and when
recorded=$(date -d "@$(awk -F'\t' '$1 == "anchor" { print int($4 / 1e9) }' "$T"/t/*/meta | head -n 1)" '+%F %T')
outermost=$("$PYTHON" -c 'import sys; print(f"{int(sys.argv[1]):,}")' "$(grep -c '"depth": *0' "$T/calls")")
titled() {
    has "$1: what is drawn" "'$3 of [^']*python[^']* tests/roofline/calls.py" "$(<"$2")"
    has "$1: of which trace, library, machine, when and how much" "'t; [^';]+, 1 thread; [^';]+; recorded $recorded; $outermost calls'" "$(<"$2")"
}
titled "title" "$T/x.gp" Roofline
has "text: the ridge" "^ridge +4 flop/byte" "$(<"$T/text")"
same "text: 80 columns" "" "$(grep -E '.{81}' "$T/text")"
roofline --json "$T/t" >"$T/json"
same "JSON: roofs" "['bytes', 'flops'] fma double x4 16.0 flop/cycle" \
    "$(query '"%s %s %s %s" % (sorted({r["kind"] for r in d["roofs"]}), *[(r["name"], r["value"], r["unit"]) for r in d["roofs"] if r["value"] == 16][0])' <"$T/json")"
same "JSON: what programs rely on" "" "$(query '" ".join(k for p in d["points"] for k in ("routine","args","calls","series","intensity","flops_per_cycle","source","share") if k not in p)' <"$T/json")"
same "JSON: shares add up" True "$(query 'abs(sum(p["share"] for p in d["points"] if p["context"] == "in situ") - 1) < 1e-6' <"$T/json")"
same "JSON: intensity is flops over traffic" True \
    "$(query 'all(abs(p["intensity"] * p["traffic"] / p["flops"] - 1) < 1e-9 for p in d["points"] if p["intensity"] and p["flops"])' <"$T/json")"
same "JSON: dgemm of 64 moves three matrices, which need not begin at a line" True \
    "$(query '98304 <= [p["traffic"] for p in d["points"] if p["routine"] == "dgemm" and p["args"] and p["args"]["M"] == 64 and p["context"] == "in situ"][0] <= 98304 + 3 * 64' <"$T/json")"
same "JSON: without counters nothing is counted" "modelled None" \
    "$(query '" ".join(sorted({str(p["source"]) for p in d["points"]} | {str(p["traffic_counted"]) for p in d["points"]}, reverse=True))' <"$T/json")"
same "JSON: warm and cold replays" "cold in situ warm" "$(query '" ".join(sorted({p["context"] for p in d["points"] if p["number"]}))' <"$T/json")"
same "JSON: whose each point is" "True True 1 1 median" \
    "$(query '" ".join(str(x) for x in (bool(d["points"][0]["library"]), "library" in d["points"][-1], *(d["points"][0][k] for k in ("threads", "series_number", "statistic"))))' <"$T/json")"
same "JSON: clock and ridge" "1 2e+09 [{'cores': 1, 'flops_per_byte': 4.0}]" \
    "$(query '"%d %g %s" % (len(d["machines"]), d["machines"][0]["hz"], d["machines"][0]["ridges"])' <"$T/json")"
same "JSON: limits say on how many cores" "[1]" "$(query 'sorted({p["limit_cores"] for p in d["points"] if p["limit"]})' <"$T/json")"
same "three shapes if asked for" "3" "$(roofline --json --top 3 "$T/t" | query 'len({p["number"] for p in d["points"] if p["number"]})')"
same "what comes from memory is at most all of it, and less of what was just used" True \
    "$(roofline --json --tracked "$T/t" | query 'all(p["traffic_tracked"] <= p["traffic"] + 1024 for p in d["points"] if p["args"] and p["context"] == "in situ") and [p["traffic_tracked"] < 0.3 * p["traffic"] for p in d["points"] if p["context"] == "in situ" and p["routine"] == "dgemm" and p["args"] and p["args"]["M"] == 64][0]')"
same "without the cache model it is not known" None "$(query 'd["points"][0]["traffic_tracked"]' <"$T/json")"
for plot in boxes waterfall; do
    roofline --plot $plot "$T/t" -o "$T/$plot.png" >/dev/null 2>"$T/err"; same "$plot: status" 0 $?
    same "$plot: a PNG" "PNG" "$(head -c 4 "$T/$plot.png" | tail -c 3)"
done
titled "boxes, title" "$T/boxes.gp" "Times of the calls"
titled "waterfall, title" "$T/waterfall.gp" Time
# Boxes need no count of operations.
cat >"$T/eigen.py" <<'END'
import numpy as np
a = np.random.default_rng(1).random((60, 60))
for i in range(10):
    np.linalg.eigh(a + a.T)
END
traced eigen "$PYTHON" "$T/eigen.py"
roofline --plot boxes "$T/eigen" -o "$T/eigen.svg" --json >"$T/json" 2>"$T/err"; same "boxes of a routine whose operations nobody knows: status" 0 $?
same "... it has a number" "[('dsyevd', 1, None)]" "$(query '[(p["routine"], p["number"], p["flops"]) for p in d["points"] if p["number"] == 1]' <"$T/json")"
same "... and is not told to be left out" False "$(query 'any("not known" in l["reason"] for l in d["left_out"])' <"$T/json")"
# drawn FILE BLOCK: the lines of a data block
drawn() { sed -n "/^\$$2 << EOD/,/^EOD/p" "$1" | grep -v EOD; }
has "... its row has a name" "^set ytics add \('dsyevd V L 60" "$(<"$T/eigen.gp")"
same "... and a box" True "$("$PYTHON" -c 'import sys; m, y, q1, q3 = map(float, sys.argv[1].split()[:4]); print(0 < q1 <= m <= q3 and -1.5 < y < -0.5)' "$(drawn "$T/eigen.gp" boxes | head -n 1)")"
same "without --plot boxes it is left out, as said" "[None] True" "$(points "$T/eigen" '"%s %s" % (sorted({p["number"] for p in d["points"] if p["routine"] == "dsyevd"}, key=str), "not known" in d["left_out"][0]["reason"])')"
same "... in lines of at most 80 columns" "1 0" "$(roofline "$T/eigen" 2>/dev/null | awk '/^Left out/ { n++; is_said = 1 } is_said && length > 80 { wide++ } END { print (n > 0), wide + 0 }')"
same "the waterfall's parts add up to the time in situ" True "$("$PYTHON" -c '
import csv, sys
rows = [r for r in csv.DictReader(open(sys.argv[1])) if r["routine"] == "all calls"]
total = [float(r["seconds"]) for r in rows if r["part"] == "in situ"][0]
print(abs(sum(float(r["seconds"]) for r in rows if r["part"] != "in situ") / total - 1) < 1e-4)' "$T/waterfall.csv")"
cp -r "$T/t" "$T/t2"
sed -i 's/^pid.*/pid\t1/' "$T"/t2/*/meta
roofline "$T/t" "$T/t2" -o "$T/two.pdf" >/dev/null 2>"$T/err"; same "two traces: status" 0 $?
same "two traces: a PDF" "%PDF" "$(head -c 4 "$T/two.pdf")"
parsed "$T/two.gp" "$T/two.csv" - "$machine"
has "two traces: the title says so" "'Roofline of 2 runs of [^']*python" "$(<"$T/two.gp")"

mkdir -p "$T/run1" "$T/run2"
cp -r "$T/t" "$T/run1/t"; cp -r "$T/t2" "$T/run2/t"
same "names of traces tell them apart" "1 run1/t, 2 run2/t" \
    "$(roofline --json "$T/run1/t" "$T/run2/t/" | query '", ".join(sorted({"%d %s" % (p["series_number"], p["series"]) for p in d["points"]}))')"

# --- several threads ------------------------------------------------------------------------------------------------
# with_threads TRACE COPY N CPUS: as if the library had used N on a machine of CPUS
with_threads() {
    cp -r "$T/$1" "$T/$2"
    sed -i -E "s/^(cpus)\t.*/\1\t$4/" "$T/$2"/*/meta
    sed -i -E "s/^(library(\t[^\t]*){4}\t)[0-9]+/\1$3/" "$T/$2"/*/definitions
}
with_threads t many 4 8
roofline "$T/many" >"$T/text"; roofline --json "$T/many" >"$T/json"
same "roofs of one core are no limit of four" "[None] [None]" \
    "$(query '"%s %s" % (*(sorted({p[k] for p in d["points"]}, key=str) for k in ("limit", "limit_cores")),)' <"$T/json")"
has "... which is told" "^Roofs of 4 cores are not known" "$(<"$T/text")"
same "... and no point is above them" "" "$(grep 'Above every' "$T/text")"
cpus=$(getconf _NPROCESSORS_ONLN)
if [ "$cpus" -gt 1 ] && [ "$(nproc)" = "$cpus" ]; then
    with_threads t all $((cpus + 1)) "$cpus"
    "$kt" roofline --json "$T/t" "$T/all" >"$T/json" 2>"$T/err"
    same "all cores are measured for a trace of so many threads: $(<"$T/err")" "1 [1, $cpus]" \
        "$(query '"%d %s" % (len(d["machines"]), sorted({p["limit_cores"] for p in d["points"] if p["limit"]}))' <"$T/json")"
else
    skip "all cores are measured for a trace of so many threads" "one processor, or not all of them"
fi

# --- loops of the paper ---------------------------------------------------------------------------------------------
# intensity TRACE BYTES: of all its calls, what the cache model says came from memory, with a last cache of so many bytes
intensity() {
    sed "s/1048576/$2/g" "$machine" >"$T/machine.json"
    "$kt" roofline --machine "$T/machine.json" --json --tracked "$T/$1" | query '(lambda p: sum(x["flops"] * x["calls"] for x in p) / sum(x["traffic_tracked"] * x["calls"] for x in p))([x for x in d["points"] if x["context"] == "in situ" and x["calls"] > 100])'
}
# about NAME EXPECTED FOUND: within 5 %
about() { true_that "$1: $3" awk -v e="$2" -v f="$3" 'BEGIN { exit !(f > 0.95 * e && f < 1.05 * e) }'; }
# On one processor: what is in the caches of another is not here.
cpu=$("$PYTHON" -c "import os; print(min(os.sched_getaffinity(0)))")
KTRACE_ROUTINES=ddot,dgemm traced triple taskset -c "$cpu" "$PYTHON" tests/roofline/loops.py triple 256
KTRACE_ROUTINES=ddot,dgemm traced blocked taskset -c "$cpu" "$PYTHON" tests/roofline/loops.py blocked 1024 32
about "triple loop, B in no cache: 1/4" 0.25 "$(intensity triple 131072)"
about "triple loop, all in cache: n/12" 21.33 "$(intensity triple 4194304)"
about "blocks, each of A and B loaded anew: Nb/8" 4 "$(intensity blocked 131072)"
about "blocks, a row of A stays: Nb/4, less C and A: 7.53" 7.53 "$(intensity blocked 4194304)"

# --- counters -------------------------------------------------------------------------------------------------------
zen=amd64_fam19h_zen4::
fills=${zen}ANY_DATA_CACHE_FILLS_FROM_SYSTEM
# counts NAME WORDS: a trace of 100 calls on the made-up counters of tests/events/fake.c, which the shim's own system calls
# would pass by
counts() {
    FAKE=$2 LIBPFM_ENCODE_INACTIVE=1 KTRACE_EVENTS="${zen}RETIRED_SSE_AVX_FLOPS:ANY,$fills:DRAM_IO_NEAR,$fills:DRAM_IO_FAR" \
        KTRACE_OUT=$T/$1 LD_PRELOAD="$PWD/$B/tests/events/fake.so $PWD/$B/tests/events/libktrace.so" "$B/tests/abi/life" calls100 >/dev/null
    points "$T/$1" '" ".join(str(d["points"][0][k]) for k in ("source", "intensity", "flops", "flops_counted", "traffic", "traffic_counted"))'
}
same "counted beside modelled" "counted 0.003125 3.0 10.0 64.0 3200.0" "$(counts counted '')"
same "counters that others had for half of the time" "counted 0.003125 3.0 20.0 64.0 6400.0" "$(counts shared share=2)"
same "counters that never counted: n/a, not 0" "modelled 0.046875 3.0 None 64.0 None" "$(counts starved starve)"
same "counters that count nothing: modelled" "modelled 0.046875 3.0 0.0 64.0 0.0" "$(counts zero zero)"
with_threads counted counted4 4 8
same "counters of one thread of four: not taken" "modelled None None" "$(points "$T/counted4" '" ".join(str(d["points"][0][k]) for k in ("source", "flops_counted", "traffic_counted"))')"
has "... which is told" "^Counts are left out: .* one of 4" "$(roofline "$T/counted4")"
has "text: counted" " counted$" "$(roofline "$T/counted")"
has "text: beside modelled" "^1  ddot 2 +3 +10 +3.33 +64 +3200 +50$" "$(roofline "$T/counted")"
has "what this machine counts" "^memory traffic, bytes: " "$("$kt" roofline --events)"
same "... in JSON" "4" "$("$kt" roofline --events --json | query 'len(d["quantities"])')"

# --- kernels --------------------------------------------------------------------------------------------------------
roofline --kernel dgemm --n 8:32:3 --states all --budget 1 -o "$T/k.svg" --json >"$T/json" 2>"$T/err"; same "kernel: status" 0 $?
same "kernel: three sizes from four states" "3 4" "$(query '"%d %d" % (len({p["args"]["n"] for p in d["points"]}), len({p["series"] for p in d["points"]}))' <"$T/json")"
same "kernel: states are contexts, and points have a library" "allcold cold coldcode warm, True, lower quartile" \
    "$(query '"%s, %s, %s" % (" ".join(sorted({p["context"] for p in d["points"]})), all(p["library"] for p in d["points"]), d["points"][0]["statistic"])' <"$T/json")"
for seconds in 2 8 32; do # until something was timed, however busy the machine is
    timeout --preserve-status -s INT $seconds "$kt" roofline --machine "$machine" --kernel dgemm --n 100:2000:20 --states warm,cold --budget 60 --json >"$T/json" 2>"$T/err"
    status=$?
    [ "$(query 'len(d["points"]) > 0' <"$T/json" 2>&1)" != True ] || break
done
same "kernel: interrupted, status" 130 $status
true_that "... what was timed is shown" test "$(query 'len(d["points"])' <"$T/json")" -gt 0
same "kernel: the median is not known" "None" "$(query 'd["points"][0]["time"]["median"]' <"$T/json")"
same "kernel: curves" "4" "$("$PYTHON" -c '
import re, sys
text = open(sys.argv[1]).read()
print(len(re.search(r"\$curves << EOD\n(.*?)^EOD", text, re.S | re.M).group(1).strip().split("\n\n")))' "$T/k.gp")"
same "kernel: each point has a box of its visits, which reaches up to it, within whiskers" "True True" "$("$PYTHON" - "$T/k.gp" <<'END'
import re, sys
script = open(sys.argv[1], encoding="utf8").read()
blocks = [re.search(rf"^\${name} << EOD\n(.*?)^EOD$", script, re.S | re.M).group(1) for name in ("boxes", "whiskers", "discs")]
boxes, whiskers, discs = ([[float(x) for x in line.split("0x")[0].split()] for line in block.splitlines()] for block in blocks)
print(0 < len(boxes) <= len(discs) == 12 and len(boxes) == len(whiskers),
      all(w[4] <= b[4] <= b[5] <= w[5] and abs(b[5] / b[1] - 1) < 1e-4 for b, w in zip(boxes, whiskers)))
END
)"
has "kernel: the title says what was timed, and how often" "'[^';]+, 1 thread; [^';]+; timed 20[0-9 :-]+; [0-9]+ to [0-9]+ calls of each size'" "$(<"$T/k.gp")"

roofline --plot boxes --kernel dgemm --n 8:32:3 --states warm,cold --budget 1 -o "$T/kboxes.svg" >/dev/null 2>"$T/err"; same "boxes of a kernel: status" 0 $?
same "... one for each size and state, around the median" "6 True" "$(drawn "$T/kboxes.gp" boxes | "$PYTHON" -c '
import sys
rows = [[float(x) for x in line.split()[:4]] for line in sys.stdin]
print(len(rows), all(0 < q1 <= m <= q3 for m, y, q1, q3 in rows))')"
serial=$(ls /usr/lib/*/openblas-serial/libopenblas.so.0 2>/dev/null | head -n 1)
if [ -n "$serial" ]; then
    mkdir -p "$T/mine" "$T/theirs"; cp "$serial" "$T/mine/libblas.so.3"; cp "$serial" "$T/theirs/libblas.so.3"
    roofline --kernel dgemm --n 16:32:2 --states warm,cold --budget 1 --blas reference --blas "$serial" --blas "$T/mine/libblas.so.3" --blas "$T/theirs/libblas.so.3" \
        -o "$T/names.svg" >/dev/null 2>"$T/err"
    same "each curve names its library: short, or by what tells its path from the others" "reference reference openblas-serial openblas-serial mine/libblas.so.3 mine/libblas.so.3 theirs/libblas.so.3 theirs/libblas.so.3" \
        "$(grep -oE "^set label 'data [^']*" "$T/names.gp" | sed 's/.*(\(.*\))/\1/' | tr '\n' ' ' | sed 's/ $//')"
    LD_LIBRARY_PATH=${serial%/*} "$kt" run -o "$T/named" -- "$PYTHON" tests/roofline/calls.py >/dev/null
    roofline "$T/named" -o "$T/named.svg" >/dev/null 2>"$T/err"
    has "a trace's library by its short name" "^set label 'named; openblas-serial, 1 thread; " "$(<"$T/named.gp")"
else
    skip "names of libraries in pictures" "no openblas-serial"
fi

# --- kernels of known bytes and operations ---------------------------------------------------------------------------
roofline --validate -o "$T/v.svg" --json >"$T/json" 2>"$T/err"; same "validation: status" 0 $?
same "... what was found is the least of its samples" True \
    "$(query 'all(r["seconds_spread"]["n"] == d["k"] and r["seconds_found"] == r["seconds_spread"]["least"] <= r["seconds_spread"]["q1"] <= r["seconds_spread"]["median"] <= r["seconds_spread"]["q3"] <= r["seconds_spread"]["most"] for r in d["rows"])' <"$T/json")"
has "... drawn" "</svg>" "$(<"$T/v.svg")"
same "... a box for each kernel, size and number of threads that a roof is known for" "True" "$("$PYTHON" - "$T/v.gp" "$T/json" <<'END'
import json, re, sys
script = open(sys.argv[1], encoding="utf8").read()
rows = [r for r in json.load(open(sys.argv[2]))["rows"] if r["seconds_expected"]]
drawn = [tuple(float(x) for x in line.split()[1:6]) for block in re.findall(r"^\$threads\d << EOD\n(.*?)^EOD$", script, re.S | re.M)
         for line in block.splitlines() if not line.startswith("NaN")]
known = [tuple(r["seconds_spread"][key] / r["seconds_expected"] for key in ("median", "least", "q1", "q3", "most")) for r in rows]
print(len(known) > 0 and all(any(all(abs(a - b) < 1e-4 * b for a, b in zip(box, other)) for other in drawn) for box in known))
END
)"
fails "boxes of a validation" 2 "go alone" roofline --validate --plot boxes -o "$T/v.svg"
fails "a picture of events" 2 "go alone" roofline --events -o "$T/v.svg"

# --- what cannot be -------------------------------------------------------------------------------------------------
fails "which trace" 2 "which trace" roofline
fails "no such trace" 3 "nowhere" roofline "$T/nowhere"
fails "a picture of no kind" 2 "svg, .png or .pdf" roofline "$T/t" -o "$T/x.bmp"
fails "a bad --top" 2 "--top 0" roofline --top 0 "$T/t"
fails "a bad size" 2 "--n 5:2" roofline --kernel dgemm --n 5:2
fails "a bad state" 2 "--states hot" roofline --kernel dgemm --states hot
fails "no kernel" 2 "dgemmm" roofline --kernel dgemmm
fails "a kernel and a trace" 2 "without a trace" roofline --kernel dgemm "$T/t"
fails "events and a trace" 2 "go alone" roofline --events "$T/t"
fails "no machine file" 3 "nothere" "$kt" roofline --machine "$T/nothere" "$T/t"
echo '{"tsc_hz": 1e9, "core_hz": 1e9}' >"$T/empty.json"
fails "a machine file without roofs" 3 "no peak" "$kt" roofline --machine "$T/empty.json" "$T/t"
fails "a folder that is not there" 4 "cannot be written" roofline "$T/t" -o "$T/no/x.svg"
printf 'import numpy as np\nfrom scipy.linalg import blas\nx = np.ones(9)\nfor i in range(5): blas.dcopy(x, x.copy())\n' >"$T/copies.py"
KTRACE_ROUTINES=dcopy traced copies "$PYTHON" "$T/copies.py"
fails "no call computes" 3 "operations can be counted" roofline "$T/copies"
cp -r "$T/t" "$T/other"
sed -i 's/^cpu_model.*/cpu_model\tOther 9000/; s/^host.*/host\tfar/' "$T"/other/p*/meta "$T"/other/*/meta 2>/dev/null
fails "a trace of another machine" 3 "another machine \(Other 9000.*--machine" "$kt" roofline "$T/other"
roofline "$T/other" >/dev/null 2>&1; same "... whose roofs are named" 0 $?
sed -i 's/"cpu": *"[^"]*"/"cpu":"Other 9000"/' "$T/other/replay.json"
has "... or which was replayed there" "^roofs +double " "$("$kt" roofline "$T/other")"
fails "no waterfall without a replay" 3 "replay" roofline --plot waterfall "$T/counted" -o "$T/w.svg"
mkdir "$T/bin"; for tool in sh; do ln -s "$(command -v $tool)" "$T/bin/"; done
rm -f "$T/y.svg"
PATH=$T/bin "$kt" roofline --machine "$machine" "$T/t" -o "$T/y.svg" >/dev/null 2>"$T/err"; same "without gnuplot: status" 0 $?
has "... one line says how to draw" "'gnuplot .*y.gp' draws" "$(<"$T/err")"
same "... data and script are there, the picture is not" "y.csv y.gp" "$(cd "$T" && ls y.* | xargs)"
cd "$root" || exit 1
exit $((failures != 0))
