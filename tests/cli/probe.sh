# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 8 s
# ktrace probe: what it writes, keeps and shows; with little memory, on one processor, without permission to pin.
. tests/lib.sh
export XDG_CACHE_HOME=$T/cache
probe="$B/ktrace probe"

out=$($probe --show 2>&1)
same "nothing to show before the first probe: status" 3 "$($probe --show >/dev/null 2>&1; echo $?)"
has "and it says what to do" "ktrace probe" "$out"
same "an unknown option is refused" 2 "$($probe --nonsense >/dev/null 2>&1; echo $?)"
same "so is an argument" 2 "$($probe trace >/dev/null 2>&1; echo $?)"

$probe --quick --json >"$T/quick.json" 2>"$T/err"
same "a quick probe ends well" 0 $?
has "it says where the result is kept" "kept in $XDG_CACHE_HOME/ktrace/machine-[0-9a-f]*.json" "$(cat "$T/err")"
ask() { query "$1" <"$T/quick.json"; }
same "keys that others rely on are there" "[]" \
    "$(ask '[k for k in ("tsc_hz","core_hz","line_bytes","caches","operations","fma","peak","bandwidth","seconds_spent") if k not in d]')"
same "clocks are those of a processor" True "$(ask '1e8 < d["core_hz"] < 1e10 and 1e6 < d["tsc_hz"] < 1e10')"
same "an integer addition takes a cycle" True \
    "$(ask 'all(round(o["latency_cycles"]) == 1 for o in d["operations"] if o["name"]=="add" and o["type"]=="int64")')"
same "the first cache is faster than memory" True "$(ask 'not d["caches"] or d["caches"][0]["latency_cycles"] < d["memory"]["latency_cycles"]')"
same "sizes of caches ascend" True "$(ask '(lambda s: s==sorted(s))([c["bytes"] for c in d["caches"] if c["bytes"]])')"
same "what has no size has a reason" True \
    "$(ask 'all(c["bytes"] or any(n["what"]=="size of cache level %d" % c["level"] for n in d["not_determined"]) for c in d["caches"])')"
same "every cache has a confidence from 0 to 1" True "$(ask 'all(0 <= c["confidence"] <= 1 for c in d["caches"])')"
same "peaks of wider registers are higher" True \
    "$(ask '(lambda p: p.get("mul double x2", 9) > p.get("mul double", 0))({p["name"]: p["flops_per_cycle"] for p in d["peak"]})')"
same "curves are kept, as long in x as in y" True "$(ask 'len(d["curves"]) > 20 and all(len(c["x"])==len(c["y"]) for c in d["curves"].values())')"

text=$($probe --show)
has "the summary names clock and caches" "^clock +core" "$text"
same "it fits 80 columns" "" "$(awk 'length > 80' <<<"$text")"
same "what is shown is what was kept" "$(ask 'd["core_hz"]')" "$($probe --show --json | query 'd["core_hz"]')"

if command -v gnuplot >/dev/null; then
    $probe --show -o "$T/plots" >/dev/null
    same "an index page, with all of them" "$(ask 'len(d["curves"])')" "$(grep -c '<img src="[A-Za-z0-9_]*.svg"' "$T/plots/index.html")"
    same "a plot of each curve in two formats" "$(ask '2*len(d["curves"])')" "$(ls "$T"/plots/*.svg "$T"/plots/*.png | wc -l)"
else
    $probe --show -o "$T/plots" >/dev/null 2>"$T/err"
    same "without gnuplot plots are a reasoned failure" 4 $?
    has "that names the package" "gnuplot-nox" "$(cat "$T/err")"
    true_that "the scripts are there" test -s "$T/plots/latency.gp"
fi

XDG_CACHE_HOME=$T/none/such prlimit --as=$((300 << 20)) taskset -c 0 $probe --quick --json >"$T/quick.json" 2>"$T/err"
same "with 300 MiB of address space on one processor it ends well" 0 $?
same "and has clocks and operations" True "$(ask 'd["core_hz"] > 0 and len(d["operations"]) > 20')"
XDG_CACHE_HOME= HOME= prlimit --as=$((64 << 20)) $probe --quick --json >"$T/quick.json" 2>"$T/err"
same "with 64 MiB it ends well" 0 $?
same "and says that memory could not be measured" True "$(ask 'any("memory" in n["what"] or "bandwidth" in n["what"] for n in d["not_determined"])')"
has "a result with no place to be kept is said" "not kept" "$(cat "$T/err")"
exit $((failures != 0))
