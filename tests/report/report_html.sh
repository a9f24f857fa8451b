# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 120 s
# report --html: one file that loads nothing, with the numbers of report --json, whatever names a trace has; in Chromium, if
# it is installed, tables sort and filter, figures zoom, and nothing is said on the console.
. tests/lib.sh
kt=$PWD/$B/ktrace
steps=$PWD/$B/tests/modes/steps # with sleep=20: of processes below 1 ms each reading measures the clock
export KTRACE_QUIET=1
page() { "$PYTHON" tests/report/report_html.py "$@"; }
# html NAME TRACE...: $T/NAME.html
html() { local name=$1; shift; "$kt" report --html "$T/$name.html" "$@" >"$T/out" 2>"$T/err"; }

same "colours can be read on each other: light, dark, print" "" "$(page contrast model/html/page.css 2>&1)"

# --- without d3 -----------------------------------------------------------------------------------------------------
traced plain "$steps" sleep=20 dot=20 solve=3 dot=1000 || not_ok "the program ends with status $?"
mkdir "$T/bare"; cp "$kt" "$T/bare/ktrace"
"$T/bare/ktrace" report --html "$T/none.html" "$T/plain" >"$T/out" 2>"$T/err"
same "without the page: status" 4 $?
has "... the package is named" 'node-d3' "$(<"$T/err")"
same "... and no file is made" "" "$(ls "$T/none.html" 2>/dev/null)"
if [ ! -e "$B/report.html" ]; then skip "pages" "d3 is not installed (apt: node-d3)"; exit $((failures != 0)); fi
printf 'no page' >"$T/bare/report.html"
"$T/bare/ktrace" report --html "$T/none.html" "$T/plain" >"$T/out" 2>"$T/err"
same "a page that is none: status" 4 $?
"$kt" report --html "$T/no/where.html" "$T/plain" >"$T/out" 2>"$T/err"
same "a folder that is not there: status" 4 $?
"$kt" report --html "$T/x.html" "$T/nothing" >"$T/out" 2>"$T/err"
same "a trace that is not there: status" 3 $?

# --- the data -------------------------------------------------------------------------------------------------------
# The same of report --json, as far as it is there; and what is not there is told. Of one reading: without an end of the
# process the clock's rate is measured each time.
agree() { "$kt" report --json --html "$T/$1.html" "${@:2}" >"$T/report.json" 2>"$T/err"; same "$1: as report --json" "" "$(page sums "$T/$1.html" "$T/report.json")"; }
html plain "$T/plain"; same "a page: status" 0 $?
same "... standard output is empty" "" "$(<"$T/out")"
same "... it loads nothing" "" "$(page alone "$T/plain.html")"
agree plain "$T/plain"
same "... times of single calls: as many as there were" True "$(page value "$T/plain.html" 'all(sum(t["counts"]) == s["insitu"]["n"] for t, s in zip(d["times"], d["report"]["shapes"]))')"
same "... the time line: each bin of each thread" True "$(page value "$T/plain.html" 'all(len(l["busy"]) == len(l["routine"]) == d["timeline"]["bins"] for l in d["timeline"]["lanes"])')"
same "... as busy as the calls took, by a bin for each" True "$(page value "$T/plain.html" '(lambda t: abs(sum("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".index(c) for c in t["lanes"][0]["busy"]) / 63 / t["bins"] * t["seconds"] - d["report"]["seconds_blas"]) <= t["seconds"] * sum(c != "A" for c in t["lanes"][0]["busy"]) / 63 / t["bins"])(d["timeline"])')"

"$kt" replay --budget 1 --context warm,cold --store none "$T/plain" >/dev/null 2>"$T/err" || not_ok "replay ends with status $?" "$(<"$T/err")"
html plain "$T/plain"; agree plain "$T/plain"
same "... replayed: roofs of the replay" True "$(page value "$T/plain.html" 'd["roofs"] is not None and all(r["per_second"] > 0 for r in d["roofs"] if r["main"])')"

"$kt" explain --runs 0 --budget 1 --json --html "$T/explain.html" "$T/plain" >"$T/explain.json" 2>"$T/err"; same "explain --html: status" 0 $?
same "... it loads nothing" "" "$(page alone "$T/explain.html")"
same "... its places are those of explain --json" "$(query '[(p["words"], p["calls"]) for p in d["places"]]' <"$T/explain.json")" "$(page value "$T/explain.html" '[(p["words"], p["calls"]) for p in d["explain"]["places"]]')"

# --- what other verbs found -------------------------------------------------------------------------------------------
same "explain --html: its findings are those of explain --json" "$(query 'd["findings"]' <"$T/explain.json")" "$(page value "$T/explain.html" 'd["explain"]["findings"]')"
html plain "$T/plain" # explain replayed it anew
same "report --html: its findings are those of the page of one screen" True "$("$PYTHON" -c 'import sys
screen = " ".join(sys.argv[1].split())
print(all(" ".join(f.split())[:100] in screen for f in eval(sys.argv[2])))' "$("$kt" report "$T/plain" | sed 's/^[- ] //')" "$(page value "$T/plain.html" 'd["report"]["summary"]["findings"]')")"
same "... what is told of a part: as far as its interval goes" True "$(page value "$T/plain.html" 'all((p["certainty"] == "cannot tell") >= (max(p["share"]["hi"] - p["share"]["value"], p["share"]["value"] - p["share"]["lo"]) > 0.25) for p in d["report"]["summary"]["parts"].values() if p["share"]["lo"] is not None)')"
same "no comparison: null" None "$(page value "$T/plain.html" 'd["comparison"]')"
cp -r "$T/plain" "$T/compared"
"$kt" compare --budget 2 --check no --store none --json "$T/compared" >"$T/compare.json" 2>"$T/err" || not_ok "compare ends with status $?" "$(<"$T/err")"
html compared "$T/compared"; same "a trace whose libraries were compared: status" 0 $?
same "... the ratios of compare --json" "$(query '[(l["label"], l["ratio"]["value"]) for l in d["libraries"]]' <"$T/compare.json" | sed -E 's/([0-9.]{7})[0-9]*/\1/g')" "$(page value "$T/compared.html" '[(l["label"], l["ratio"]["value"]) for l in d["comparison"]["libraries"]]' | sed -E 's/([0-9.]{7})[0-9]*/\1/g')"
"$PYTHON" - "$T/compared/compare.json" <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
d["libraries"][1]["unfinished"] = [{"words": "dpotrf L 37", "args": {}, "calls": 3, "routine": "dpotrf", "why": "not finished within 5.00 s"}]
json.dump(d, open(sys.argv[1], "w"))
END
html unfinished "$T/compared"
printf '{"libraries": [{"label": 3}], "shapes": 7}' >"$T/compared/compare.json"
html odd "$T/compared"; same "a comparison that is none: status" 0 $?
printf '{"libraries": ' >"$T/compared/compare.json"
html odd "$T/compared"; same "a comparison that is no JSON: status" 3 $?
traced again "$steps" sleep=20 dot=20 solve=5 dot=2000
"$kt" diff --html "$T/changed.html" --json "$T/plain" "$T/again" >"$T/diff.json" 2>"$T/err"
true_that "diff --html: status" [ $? -le 1 ]
same "... its shapes are those of diff --json" "$(query '[(s["shape"], s["change"]) for s in d["shapes"]]' <"$T/diff.json")" "$(page value "$T/changed.html" '[(s["shape"], s["change"]) for s in d["diff"]["shapes"]]')"
same "... it reports on the run after" "$T/again" "$(page value "$T/changed.html" 'd["trace"][0]')"

OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 PMIX_NAMESPACE=7 traced rank0 "$steps" sleep=20 dot=5
OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 PMIX_NAMESPACE=7 traced rank1 "$steps" sleep=20 dot=9
html job "$T/rank0" "$T/rank1"; agree job "$T/rank0" "$T/rank1"
same "... of a job: a lane for each rank" "['0', '1']" "$(page value "$T/job.html" 'sorted(l["rank"] for l in d["timeline"]["lanes"])')"
KTRACE_MODE=profile traced profile "$steps" sleep=20 dot=5
html profile "$T/profile"; agree profile "$T/profile"
same "... of a profile: no time line" None "$(page value "$T/profile.html" 'd["timeline"]')"

"$kt" report --html "$T/plain.html" --json "$T/plain" 2>"$T/err" >"$T/report.json"
same "--html and --json: both" "" "$(page sums "$T/plain.html" "$T/report.json")"

# --- names of somebody else -------------------------------------------------------------------------------------------
folder="$T/<script>alert(1)<"; mkdir "$folder"; cp "$steps" "$folder/script>"
bad=$'a"b\'c\n\033[31m`x` <!--<script></script><img src=x onerror=alert(2)>'
traced hostile "$folder/script>" sleep=20 begin="$bad" dot=3 end
html hostile "$T/hostile"; same "hostile names: status" 0 $?
same "... no element of theirs" "" "$(page alone "$T/hostile.html")"
agree hostile "$T/hostile"
same "... the program is there as text" True "$(page value "$T/hostile.html" '"<script>alert(1)</script>" in d["info"]["program"]')"
same "... no < in the data" 0 "$(sed -n 's/.*id="data">\(.*\)<\/script>$/\1/p' "$T/hostile.html" | grep -c '<')"

# --- empty, damaged, large ---------------------------------------------------------------------------------------------
KTRACE_PAUSED=1 traced empty "$steps" sleep=20 dot=3
html empty "$T/empty"; same "no calls: status" 0 $?
agree empty "$T/empty"
traced damaged "$steps" sleep=20 dot=5000
stream=$(find "$T/damaged" -name 't[0-9]*' -size +50k | head -n 1)
printf 'garbage of some length' | dd of="$stream" bs=1 seek=40000 conv=notrunc 2>/dev/null
html damaged "$T/damaged"; same "a damaged trace: status" 0 $?
agree damaged "$T/damaged"
same "... it is said" True "$(page value "$T/damaged.html" 'len(d["report"]["damage"]) > 0')"
# 2,000 shapes, 10^6 calls.
traced large "$steps" sleep=20 numbered=2000 dot=1000000
html large "$T/large"; agree large "$T/large"
size=$(stat -c %s "$T/large.html")
same "... 300 of more than 2,000 shapes, which is told" "300 [300]" "$(page value "$T/large.html" 'str(len(d["report"]["shapes"])) + " " + str([l["rows"] for l in d["left_out"] if l["list"] == "shapes" and l["of"] > 2000])')"
true_that "10^6 calls: $size bytes, at most 3 MB" [ "$size" -le 3000000 ]

# --- in a browser -------------------------------------------------------------------------------------------------------
browser=$(command -v chromium || command -v google-chrome)
if [ -z "$browser" ]; then skip "pages in a browser" "chromium is not installed"; exit $((failures != 0)); fi
# dom NAME [OPTION...]: what the page has become after its own test, in $T/dom; what was said on the console, on standard output
dom() {
    timeout 300 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$T/chromium" --virtual-time-budget=5000 --enable-logging=stderr --v=0 \
        "${@:2}" --dump-dom "file://$T/$1.html#selftest" 2>"$T/err" >"$T/dom"
    grep -o 'CONSOLE.*' "$T/err"
}
tested() { same "... $1" "$2" "$(page selftest "$T/dom" "$3")"; }
same "Chromium: nothing on the console" "" "$(dom plain)"
tested "figures" True '{"icicle", "waterfall", "roofs", "distribution", "timeline-figure", "size-map"} <= set(d["figures"]) and all(n > 0 for n in d["marks"].values())'
tested "words of the glossary" True 'd["words"] > 5'
tested "a head sorts, largest first" True 'len(d["descending"]) > 1 and d["descending"] == sorted(d["descending"], reverse=True)'
tested "... and the other way" True 'd["ascending"] == sorted(d["ascending"])'
tested "a word filters" True 'd["cells"] == len(d["filtered"]) > 0 and len(set(d["filtered"])) == 1 and len(d["filtered"]) < len(d["ascending"])'
tested "a click zooms the icicle" 1 'd["zoomed"]'
tested "hovering tells numbers" True '"of the BLAS time" in d["tip"]'
tested "searching adds up" True '0 < d["matched"] <= d["total"] * (1 + 1e-9)'
tested "the time line zooms" 0.5 'd["window"]'
dom compared >"$T/console"
tested "a figure of libraries" True 'd["marks"]["libraries"] > 2 and "runs" not in d["figures"]'
dom unfinished >"$T/console"
has "a call that was not finished: beside its library" '[(]not finished: 1 shape[)]' "$(<"$T/dom")"
has "... which, and within what time" '>dpotrf L 37<.*>not finished<.*>not finished within 5.00 s<' "$(<"$T/dom")"
dom changed >"$T/console"
tested "a figure of two runs" True 'd["marks"]["runs"] > 0'
for name in explain compared changed job profile hostile empty damaged large; do
    same "Chromium, $name: nothing on the console" "" "$(dom $name)"
    tested "rows as in the data" "$(page value "$T/$name.html" '{k: len(d["report"][k]) for k in ("lines", "threads") if d["report"][k]}')" '{k: d["rows"][k] for k in ("lines", "threads") if k in d["rows"]}'
done
# axe-core, in copies of pages: what somebody who cannot see or has no mouse would miss.
if [ -e node_modules/axe-core/axe.min.js ]; then axe=node_modules/axe-core/axe.min.js
elif npm install --silent --no-save --prefix "$T/npm" axe-core >/dev/null 2>&1; then axe=$T/npm/node_modules/axe-core/axe.min.js
else axe=; skip "axe-core" "npm cannot install it"; fi
for name in ${axe:+plain changed}; do
    for theme in light dark; do
        { sed '/<\/body>/,$d' "$T/$name.html"; echo "<script>"; cat "$axe"; echo "</script><script>axe.run().then((r) => { const pre = document.createElement('pre'); pre.id = 'selftest'; pre.textContent = JSON.stringify(r.violations.map((v) => [v.impact, v.id, v.nodes[0].html])); document.body.append(pre); });</script></body></html>"; } >"$T/axe.html"
        timeout 300 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$T/chromium" --virtual-time-budget=20000 --dump-dom "file://$T/axe.html#$theme" 2>/dev/null >"$T/dom"
        same "axe-core, $name, $theme: finds nothing" "[]" "$(page selftest "$T/dom" d)"
    done
done
same "Chromium, 390 px: nothing on the console" "" "$(dom plain --window-size=390,800)"
tested "nothing is wider than the window" True 'd["wide"] <= 0'
exit $((failures != 0))
