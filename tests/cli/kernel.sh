# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 30 s
# ktrace kernel: the examples under the roofs of a machine file, with the intensities of theory and the effects of caches;
# and kernels that crash, hang or are not what they say, beside one that goes on.
. tests/lib.sh
kt=$PWD/$B/ktrace
machine=$PWD/tests/roofline/machine.json
export XDG_CACHE_HOME=$T/cache
make -s kernels O="$B" >"$T/make" 2>&1 || not_ok "kernels are built" "$(<"$T/make")"
examples=("$B"/kernels/{wht,triple,blocked}.so)
fft=$B/kernels/fft.so
[ -f "$fft" ] && examples+=("$fft") || skip "FFTW" "libfftw3-dev is not installed"

kernel() { "$kt" kernel --machine "$machine" "$@"; }
bad() { cc -O1 -shared -fPIC -Iinclude "-DBAD_$1" -o "$T/$1.so" tests/kernels/bad.c 2>&1; }

# --- sound ones -------------------------------------------------------------------------------------------------------
kernel "${examples[@]}" --n 16:512:6 --budget 12 --json >"$T/json" 2>"$T/err"; same "examples: status" 0 $?
same "... nothing is said against them" "" "$(<"$T/err")"
valid "JSON: as its schema says" "$T/json" kernel
# Operations, bytes loaded and bytes stored as textbooks have them; of these, the cache of the machine file keeps 1 MiB.
cat >"$T/theory.py" <<'END'
import json, math, sys
THEORY = {
    "wht": lambda n: (n * math.log2(n), 8 * n, 8 * n),
    "fft": lambda n: (5 * n * math.log2(n), 32 * n, 16 * n),
    "triple": lambda n: (2 * n**3, 24 * n**2, 8 * n**2),
    "blocked": lambda n: (2 * n**3, 24 * n**2, 8 * n**2),
}
for point in json.load(sys.stdin)["points"]:
    flops, loaded, stored = THEORY[point["routine"]](point["args"]["n"])
    expected = flops / (loaded + max(0, stored - 2**20))
    if abs(point["intensity"] / expected - 1) > 0.05:
        print(point["routine"], point["shape"], point["intensity"], expected)
END
same "intensities are those of theory within 5 %" "" "$("$PYTHON" "$T/theory.py" <"$T/json" 2>&1)"
same "all sizes of all kernels, warm and cold, have a time" "$((12 * ${#examples[@]})) True" \
    "$(query '"%d %s" % (len(d["points"]), all(p["calls"] >= 3 and p["flops_per_cycle"] > 0 for p in d["points"]))' <"$T/json")"
best='(lambda k, c, n: [p["flops_per_cycle"] for p in d["points"] if (p["routine"], p["context"], p["args"]["n"]) == (k, c, n)][0])'
same "cold data cost a small transform more than half of its rate" True "$(query "$best('wht', 'cold', 16) < 0.5 * $best('wht', 'warm', 16)" <"$T/json")"
same "... and one of 512 far less" True "$(query "$best('wht', 'cold', 512) / $best('wht', 'warm', 512) > 2 * $best('wht', 'cold', 16) / $best('wht', 'warm', 16)" <"$T/json")"
same "three loops lose half of their rate where columns leave the cache" True "$(query "$best('triple', 'warm', 512) < 0.5 * $best('triple', 'warm', 32)" <"$T/json")"
same "... blocks lose far less" True "$(query "$best('blocked', 'warm', 512) / $best('blocked', 'warm', 32) > 3 * $best('triple', 'warm', 512) / $best('triple', 'warm', 32)" <"$T/json")"
same "blocks are faster at 512" True "$(query "$best('blocked', 'warm', 512) > 2 * $best('triple', 'warm', 512)" <"$T/json")"

kernel "$B/kernels/blocked.so" --routine dgemm --blas reference --n 16:64:3 --states all --budget 3 -o "$T/k.svg" >"$T/text" 2>"$T/err"; same "beside a routine: status" 0 $?
has "a picture" "<svg" "$(head -c 400 "$T/k.svg")"
same "no link between kernels" 18 "$(sed -n '/^\$links/,/^EOD/p' "$T/k.gp" | grep -c '^[0-9]')"
has "text: what the columns are" "^5  data and code warm, reference$" "$(<"$T/text")"
has "text: both intensities" "^64 +5.33 +5.33$" "$(<"$T/text")"
same "text: 80 columns" "" "$(grep -E '.{81}' "$T/text")"
kernel "$B/kernels/wht.so" --n 16:64:3 --budget 1 --plot boxes -o "$T/b.svg" >/dev/null 2>&1; same "boxes: status" 0 $?
same "an n that it does not take is left out" "16 64" "$(kernel "$B/kernels/wht.so" --n 16:64:4 --budget 1 --json | query '" ".join(str(n) for n in sorted({p["args"]["n"] for p in d["points"]}))')"
for code in warm coldcode; do
    kernel "$B/kernels/blocked.so" --n 16 --budget 1 --states $code --csv points >"$T/csv" 2>"$T/err"
    has "CSV: $code" "$code" "$(sed -n 2p "$T/csv")"
done

cc -O1 -shared -fPIC -Iinclude -o "$T/exact.so" tests/kernels/exact.c 2>"$T/err" || not_ok "a kernel that looks at what it gets" "$(<"$T/err")"
kernel "$T/exact.so" --n 15:3000:4 --states all,l1,l2,l3 --budget 3 --json >"$T/json" 2>"$T/err"
same "contents, alignments and what was prepared are as the interface says, in each call" "" "$(<"$T/err")"
same "the bytes that a kernel states are its traffic, and its roof is that of its precision" "[(15, 0.01, 0.04), (3000, 0.01, 0.04)] 28" \
    "$(query '"%s %d" % (sorted({(p["args"]["n"], round(p["intensity"], 9), p["limit"]) for p in d["points"] if p["args"]["n"] in (15, 3000)}), len(d["points"]))' <"$T/json")"
same "states are contexts" "allcold cold coldcode l1 l2 l3 warm" "$(query '" ".join(sorted({p["context"] for p in d["points"]}))' <"$T/json")"

# --- others -----------------------------------------------------------------------------------------------------------
# named NAME STATUS WHY: in one line, with exit status
named() {
    local found
    bad "$1" >"$T/cc" || not_ok "$1 is built" "$(<"$T/cc")"
    kernel "$T/$1.so" --n 16:64:3 --budget 1 --limit 2 --json >"$T/json" 2>"$T/err"; found=$?
    if [ $found = "$2" ] && [ "$(wc -l <"$T/err")" = 1 ] && grep -qE -- "^ktrace kernel: $T/$1.so(, n=[0-9]+)?: $3" "$T/err"; then ok "named: $1"
    else not_ok "named: $1" "status $found, expected $2" "$(<"$T/err")"; fi
}
named CRASH 3 'in run it died of signal 11 .*; it fails for 3 of these n$'
named EXIT 3 'in run it ended the process with status 7; it fails for 3'
named BEHIND 3 'in run it uses memory behind its buffer y of 128 bytes'
named FAR_BEHIND 3 'in run it uses memory behind its buffer y of 128 bytes'
named BEFORE 3 'in run it uses memory before its buffer y of 128 bytes'
named INPUT 3 'in run it writes to its buffer x, which it says it only reads'
named OUTPUT 3 'in run it leaves its buffer y as it was, which it says it writes'
named SIZE 3 'buffer x has 129 bytes, which is no number of its numbers of 8 bytes'
named MEMORY 3 'its buffers take .* GiB'
named FLOPS 3 'it says that it does -16 operations'
named ASKED 3 'asked for sizes and counts it died of signal 11'
named PREPARE 3 'its prepare returns nothing'
named NONE 3 'has no ktrace_kernel'
same "JSON: no kernel fails for no n" "[None] 0" "$(query '"%s %d" % ([f["n"] for f in d["failures"]], len(d["points"]))' <"$T/json")"
named VERSION 3 'its ktrace_kernel is of version 2 of the interface, not 1'
named NUMBER 3 'numbers of 3 bytes: expected 4 or 8'
named NAME 3 'its ktrace_kernel lacks a name, run or flops'
named BUFFERS 3 'it has no buffers'
named ALIGNMENT 3 'buffer y: alignment 48 is no power of two up to 4096'
named LARGE_CRASH 1 'in run it died of signal 6 .*; it fails for 2 of these n$'
same "JSON: the other n is timed, the failures are listed" "[16] [32, 64]" \
    "$(query '"%s %s" % (sorted({p["args"]["n"] for p in d["points"]}), [f["n"] for f in d["failures"]])' <"$T/json")"
named LATE 1 'died of signal 6'
same "JSON: one that fails when it is timed, too" "[16, 64] [32]" \
    "$(query '"%s %s" % (sorted({p["args"]["n"] for p in d["points"]} - {32}), [f["n"] for f in d["failures"]])' <"$T/json")"
named HANG 1 'in run it did not return within the time limit of 2.00 s$'
kernel "$T/HANG.so" "$T/CRASH.so" "$B/kernels/wht.so" "$T/no.so" --n 16:64:3 --limit 1 --budget 2 --json >"$T/json" 2>"$T/err"; same "one that hangs, one that crashes, one that is not there, and a sound one: status" 1 $?
same "... a line for each" "HANG CRASH no" "$(sed -n 's/^ktrace kernel: .*\/\([A-Za-z]*\)\.so.*/\1/p' "$T/err" | paste -sd ' ')"
same "... the sound one is timed at all sizes" "[16, 32, 64]" "$(query 'sorted({p["args"]["n"] for p in d["points"] if p["routine"] == "wht"})' <"$T/json")"
valid "... JSON: as its schema says" "$T/json" kernel
timeout --preserve-status -s INT 2 "$kt" kernel --machine "$machine" "$T/HANG.so" --n 32 --limit 60 >"$T/text" 2>"$T/err"; same "interrupted while one hangs: status" 130 $?
same "... it is not said to fail" "" "$(<"$T/err")"

# What ktrace itself needs to make buffers is not the kernel's time: they take longer than the limit.
cc -O1 -shared -fPIC -Iinclude -o "$T/large.so" tests/kernels/large.c
kernel "$T/large.so" --n 16777216 --states warm --budget 1 --limit 0.25 --json >"$T/json" 2>"$T/err"; found=$?
if "$PYTHON" -c 'import sys; sys.exit(float(sys.argv[1]) <= 0.25)' "$(sed -n 's/^made in \(.*\) s$/\1/p' "$T/err" | head -n 1)"; then
    same "--limit: a quick kernel with large buffers is timed" "0 [16777216] []" "$found $(query '"%s %s" % ([p["args"]["n"] for p in d["points"]], d["failures"])' <"$T/json")"
else
    skip "--limit and large buffers" "they are made in less than the limit"
fi

# fails NAME PATTERN ARGUMENTS...: one clear line on standard error, status 2
fails() {
    local name=$1 pattern=$2 found
    shift 2
    "$kt" kernel "$@" >"$T/out" 2>"$T/err"; found=$?
    if [ $found = 2 ] && [ "$(wc -l <"$T/err")" = 1 ] && grep -qE -- "$pattern" "$T/err"; then ok "$name"
    else not_ok "$name" "status $found, expected 2" "$(<"$T/err")"; fi
}
fails "no kernel" "which kernel"
fails "a bad size" "--n 5:2" --n 5:2 x.so
fails "a bad limit" "--limit -1" --limit -1 x.so
fails "a library without a routine" "--blas goes with --routine" --blas reference x.so
fails "too many curves" "more than 8 curves: 4 states of 3 kernels" --states all x.so y.so z.so
fails "boxes without a picture" "--plot goes with -o" --plot boxes x.so
exit $((failures != 0))
