# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 10 s
# The report on one screen: 24 lines of 80 columns, the heaviest places first, shares of all BLAS time, shapes in words.
. tests/lib.sh
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1
kt=$B/ktrace
cat >"$T/places.py" <<'END'
import numpy as np, threading
a, x, b = np.ones((400, 400)), np.ones(400), np.ones((300, 20))
def products():
    for _ in range(60): a @ a
def vectors():
    for _ in range(100): a @ x
def narrow(): b.T @ a[:300, :300]
def one(): x @ x
def two(): x @ x
def three(): x @ x
products(); vectors(); narrow(); one(); two(); three()
END
"$kt" run -o "$T/t" -- "$PYTHON" "$T/places.py" || exit 1
page=$("$kt" report "$T/t")
true_that "at most 24 lines" test "$(wc -l <<<"$page")" -le 24
same "... of 80 columns" "" "$(grep -E '.{81}' <<<"$page")"
has "where the products are, how many" '^places.py:4 products +dgemm 400x400x400[^ ]* .* 60 ' "$page"
has "a shape in words, with the option that differs" '^places.py:6 vectors +dgemv T 400x400 .* 100 ' "$page"
has "what else there is: two of the program's three, as NumPy calls sdot when it begins" '^2 other places +2 ' "$page"
has "the next command" "^Next: ktrace replay $T/t\$" "$page"
shares=$(sed -n '/^where/,/^- /p' <<<"$page" | grep -oE '[0-9.]+ %$' | tr -d ' %')
same "six rows of shares, the largest first" "6 True" "$("$PYTHON" -c 'import sys
s = [float(w) for w in sys.argv[1:]]
print(len(s), s[:5] == sorted(s[:5], reverse=True))' $shares)"
same "... that add up to all of BLAS time" True "$("$PYTHON" -c 'import sys
print(abs(sum(map(float, sys.argv[1:])) - 100) <= 0.3)' $shares)"
same "no colour in a pipe" 0 "$(grep -c $'\033' <<<"$page")"
true_that "a page of 60 columns" test "$(COLUMNS=60 "$kt" report "$T/t" | sed '/^Next/d' | wc -L)" -le 60
has "all tables are there for the asking" '^routine +calls' "$("$kt" report --all "$T/t")"
same "... with a number of rows, too" "$("$kt" report --all "$T/t" | head -n 30)" "$("$kt" report --top 15 "$T/t" | head -n 30)"

# A replay that was slower than the program tells no part. By more than any pause of a single call.
"$kt" replay --budget 1 --store "$T/store" "$T/t" >/dev/null 2>&1
"$PYTHON" - "$T/t/replay.json" <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
for s in d["shapes"]:
    for c in s["contexts"].values(): c.update({k: 1e6 * c[k] for k in ("best", "min", "median", "lo", "hi") if c.get(k)})
json.dump(d, open(sys.argv[1], "w"))
END
page=$("$kt" report "$T/t")
has "slower replays: it cannot be told" "^- cannot tell: " "$page"
same "... which part it is" "" "$(grep -E '[#=~.+][0-9]+%| is what the library adds' <<<"$page")"
has "... and what would tell" "^Next: ktrace explain --again $T/t\$" "$page"
true_that "... at most 24 lines" test "$(wc -l <<<"$page")" -le 24
same "... of 80 columns" "" "$(grep -E '.{81}' <<<"$page")"

# Sentences rest on places whose bar tells the part. The replays of one of two places took 1.5 times as long as its calls:
# what the library adds there would be longer than they are. Those of the other make up for it in the sum of both.
cat >"$T/longer.py" <<'END'
import numpy as np
a, b = np.ones((300, 300)), np.ones((310, 310))
def left():
    for _ in range(40): a @ a
def right():
    for _ in range(60): b @ b
left(); right()
END
"$kt" run -o "$T/longer" -- "$PYTHON" "$T/longer.py" || exit 1
"$kt" replay --budget 1 --store "$T/store" "$T/longer" >/dev/null 2>&1
"$kt" report --json "$T/longer" >"$T/longer.json"
"$PYTHON" - "$T/longer/replay.json" "$T/longer.json" <<'END'
import json, sys
d, r = (json.load(open(name)) for name in sys.argv[1:])
size = lambda s: s["args"].get("M") if s["routine"] == "dgemm" else None
left, right = (next(s["total"] for s in r["shapes"] if size(s) == m) for m in (300, 310))
times = {300: 1.5 * left / 40, 310: (right - 0.5 * left) / 60}
for s in d["shapes"]:
    s["bound"] = 0.05 * times.get(size(s), s["bound"])
    for c in s["contexts"].values() if size(s) in times else ():
        c.update({k: times[size(s)] for k in ("best", "min", "median", "lo", "hi") if c.get(k)})
        c.pop("state") # how fast the machine was is not the question
json.dump(d, open(sys.argv[1], "w"))
END
page=$("$kt" report "$T/longer")
"$kt" report --json "$T/longer" >"$T/longer.json"
of_longer() { query "$1" <"$T/longer.json"; }
library='{p["place"]["function"]: (p["parts"]["library"]["certainty"], p["parts"]["library"]["seconds"]["value"] > p["seconds"]) for p in d["summary"]["places"] if p["routine"] == "dgemm"}'
same "a part that is longer than its calls is not told" "{'left': ('cannot tell', True), 'right': ('known', False)}" "$(of_longer "dict(sorted(($library).items()))")"
has "... its bar says so" '^  \|.*\| #\? =\?' "$(grep -A 1 ' left ' <<<"$page")"
same "... no sentence names it" "" "$(of_longer '" ".join(f for f in d["summary"]["findings"] if "left" in f)')"
same "... nor adds it up" True "$(of_longer 'all(abs(float(f.split("(")[1].split(" %")[0]) - 100 * sum(p["share"] * p["parts"]["library"]["share"]["value"] for p in d["summary"]["places"] if p["parts"]["library"]["certainty"] == "known")) < 0.2 for f in d["summary"]["findings"] if "what the library adds" in f)')"
has "... which says how much is unknown" ' % unknown\) is what the library adds' "$(of_longer '" ".join(d["summary"]["findings"])')"

COLUMNS=60 "$kt" report "$T/longer" >"$T/narrow"
same "a sentence that is cut ends in two dots, the others are whole" "True True" "$("$PYTHON" - "$T/longer.json" "$T/narrow" <<'END'
import json, re, sys
said = json.load(open(sys.argv[1]))["summary"]["findings"]
printed = [" ".join(text.split()) for text in re.findall(r"^- (.*?)(?=^- |^Next)", open(sys.argv[2]).read(), re.M | re.S)]
cut = [text.endswith(" ..") for text in printed]
print(all(full.startswith(text[:-3]) if dots else text == full for text, dots, full in zip(printed, cut, said)), any(cut))
END
)"

# Where no formula counts operations a bound of bytes does not tell hardware and library apart. Both dgemms here.
"$PYTHON" - "$T/longer/replay.json" "$T/longer.json" <<'END'
import json, sys
d, r = (json.load(open(name)) for name in sys.argv[1:])
seconds = {s["args"].get("M"): s["total"] / s["calls"] for s in r["shapes"] if s["routine"] == "dgemm"}
for s in d["shapes"]:
    one = seconds.get(s["args"].get("M")) if s["routine"] == "dgemm" else None
    s.update({"flops": None, "bound": 0.05 * one} if one else {})
    for c in s["contexts"].values() if one else ():
        c.update({k: 0.9 * one for k in ("best", "min", "median", "lo", "hi") if c.get(k)})
json.dump(d, open(sys.argv[1], "w"))
END
page=$("$kt" report "$T/longer")
"$kt" report --json "$T/longer" >"$T/longer.json"
parts='sorted({(k, p["parts"][k]["certainty"]) for p in d["summary"]["places"] if p["routine"] == "dgemm" for k in ("bound", "library", "residual")})'
same "no count of operations: hardware and library are not told, the rest is" \
    "[('bound', 'cannot tell'), ('library', 'cannot tell'), ('residual', 'known')]" "$(of_longer "$parts")"
has "... by their bars" '^  \|.*\| #\? =\?' "$(grep -A 1 ' left ' <<<"$page")"
has "... nor by a sentence, which says why" '^- cannot tell hardware from library: no formula counts' "$page"
has "... and what would tell" '^Next: ktrace compare ' "$page"
has "... nor by the tables" 'of it may be bound, too: no formula' "$("$kt" report --by part "$T/longer")"

cat >"$T/threads.py" <<'END'
import numpy as np, threading
a = np.ones((500, 500))
def work():
    for _ in range(10): a @ a
threads = [threading.Thread(target=work) for _ in range(3)]
for t in threads: t.start()
for t in threads: t.join()
END
"$kt" run -o "$T/threads" -- "$PYTHON" "$T/threads.py" || exit 1
page=$("$kt" report "$T/threads")
# In outermost calls: the three threads, and NumPy's own beginning.
has "times of threads are no part of wall time" 'in calls, 4 threads added' "$page"
same "... what is, as single calls tell it" True "$("$kt" dump --json "$T/threads" | "$PYTHON" -c 'import json, re, sys
calls = sorted((c["t"], c["t"] + c["dt"]) for c in map(json.loads, sys.stdin) if c["depth"] == 0)
until = busy = 0
for begin, end in calls:
    busy, until = busy + max(0, end - max(begin, until)), max(end, until)
said = float(re.search(r"at least one thread is in a call for ([0-9.]+) % of wall time", sys.argv[1])[1])
print(abs(said - 100 * busy / float(sys.argv[2])) < 0.2 or (said, busy, sys.argv[2]))' "$page" "$("$kt" report --json "$T/threads" | query 'd["seconds"]')")"
has "... of all tables too" 'in BLAS and LAPACK, 4 threads added;$' "$("$kt" report --all "$T/threads")"
same "no part of wall time above all of it" True "$("$kt" report --json "$T/threads" | query 'd["seconds_blas"] > d["seconds_busy"] and 0 < d["share_of_wall"] <= 1')"
same "as many calls at a time as threads, beside each other" True "$("$kt" report --json "$T/threads" | query 'd["overlap"]["calls_at_once"] == 3 and all(0 <= t["others_beside"] <= 2 for t in d["threads"]) and d["shapes"][0]["others_beside"] > 0.5')"
exit $((failures != 0))
