# SPDX-License-Identifier: BSD-3-Clause
# Which line of the program: report --by line, path and caller, the lines of shapes, flame graphs and call paths in exports.
# check: fast, 25 s
. tests/lib.sh
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
kt=$PWD/$B/ktrace
shim=$PWD/$B/libktrace.so
cd "$T" || exit 1
recorded() { local out=$1; shift; KTRACE_OUT="$T/$out" LD_PRELOAD="$shim" "$@"; }
cat >app.py <<'END'
import threading
import numpy as np
a = np.random.default_rng(1).standard_normal((300, 300)) + 300 * np.eye(300)
small = np.ones((4, 4))
def product(n):
    for _ in range(n): a @ a
def solve(): np.linalg.solve(a, a)
def outer():
    product(20)
    solve()
def other(): product(10)
def little(): small @ small
outer(), other(), little()
thread = threading.Thread(target=other); thread.start(); thread.join()
END
KTRACE_STACKS=paths recorded paths "$PYTHON" app.py
KTRACE_STACKS=paths KTRACE_NESTED=all recorded all "$PYTHON" app.py
KTRACE_STACKS=paths KTRACE_MODE=profile recorded profile "$PYTHON" app.py
recorded lines "$PYTHON" app.py
cp -r paths again

# What the document says: "all" has each node of the tree by its path.
cat >tree.py <<'END'
def nodes(list, above=()):
    for n in list:
        path = above + (n.get("routine") or "%s:%s" % (n["function"].split(".")[-1], n["line"]),)
        yield path, n
        yield from nodes(n["children"], path)
def near(x, y): return abs(x - y) <= 1e-9 * max(abs(x), abs(y), 1e-9)
def is_sum(n): return n["calls"] == sum(c["calls"] for c in n["children"]) and near(n["seconds"], sum(c["seconds"] for c in n["children"]))
END
document() { "$kt" report --json "$1" | PYTHONPATH=$T "$PYTHON" -c 'import json, sys; from tree import *; d = json.load(sys.stdin); tree = dict(nodes(d["paths"])); print(eval(sys.argv[1]))' "$2"; }
for trace in paths all profile; do
    same "$trace: a tree of the calls" "[20, 10, 1, 1]" "$(document $trace '[tree[p]["calls"] for p in [("<module>:13", "outer:9", "product:6", "dgemm"),
        ("<module>:13", "other:11", "product:6", "dgemm"), ("<module>:13", "outer:10", "solve:7", "dgesv"), ("<module>:13", "little:12", "dgemm")]]')"
    same "$trace: ... of threads, too" "[10]" "$(document $trace '[n["calls"] for p, n in tree.items() if p[-3:] == ("other:11", "product:6", "dgemm") and p[0] != "<module>:13"]')"
    same "$trace: each node is the sum of what it contains" "True True" "$(document $trace 'str(len(tree) > 8) + " " + str(__import__("functools").reduce(lambda x, y: x and y, (is_sum(n) for n in tree.values() if n["children"])))')"
    same "$trace: all of them are all BLAS time" True "$(document $trace 'near(sum(n["seconds"] for n in d["paths"]), d["seconds_blas"]) and sum(n["calls"] for n in d["paths"]) == d["calls_top"]')"
    same "$trace: so are lines" "True [40]" "$(document $trace 'str(near(sum(n["seconds"] for n in d["lines"]), d["seconds_blas"])) + " " + str([l["calls"] for l in d["lines"] if l["line"] == 6])')"
    same "$trace: the largest comes first" True "$(document $trace '[n["seconds"] for n in tree[("<module>:13",)]["children"]] == sorted((n["seconds"] for n in tree[("<module>:13",)]["children"]), reverse=True)')"
    same "$trace: a shape names its line" "[(6, 'product', 1), (12, 'little', 1), (7, 'solve', 1)]" "$(document $trace '[(s["source"]["line"], s["source"]["function"], s["source"]["share"])
        for r, n in [("dgemm", 300), ("dgemm", 4), ("dgesv", 300)] for s in d["shapes"] if s["routine"] == r and n in (s["args"].get("n"), s["args"].get("N"))]' | sed 's/1\.0\b/1/g')"
done
cat >two.py <<'END'
import numpy as np
a = np.ones((200, 200))
def once(): a @ a.copy()
def often():
    for _ in range(30): a @ a.copy()
once(), often()
END
recorded two "$PYTHON" two.py
same "... the one of most of its time, with its share" "[(5, 'often', True)]" "$(document two '[(s["source"]["line"], s["source"]["function"], 0.5 < s["source"]["share"] < 1) for s in d["shapes"] if s["routine"] == "dgemm"]')"
same "diff names it" "[6]" "$("$kt" diff --json paths again | query '[s["source"]["line"] for s in d["shapes"] if s["routine"] == "dgemm" and s["args"]["N"] == 300]')"
same "compare names it" "[6]" "$("$kt" compare paths --routine dgemm --budget 1 --check no --store none --json 2>err | query '[s["source"]["line"] for s in d["shapes"] if s["args"]["N"] == 300]')"

# As text.
"$kt" report --by path paths >text
has "a tree, indented" '^ *[0-9.]+ % .*  app.py:13 <module>$' "$(<text)"
has "... what it contains is further in" '^ *[0-9.]+ % .* 20      app.py:6 product$' "$(<text)"
has "... down to the routine" '^ *[0-9.]+ % .* 20        dgemm$' "$(<text)"
same "... pruned at 1 %" "0 0" "$(grep -c little text) $(sed -n 's/^ *\([0-9.]*\) %.*/\1/p' text | awk '$1 < 1' | wc -l)"
has "... which is said" '^\.\.\. and [0-9]+ more below 1 %' "$(<text)"
has "no paths recorded: how to" 'ktrace run --stacks paths' "$("$kt" report --by path lines)"
same "... none in the document" "[]" "$(document lines 'd["paths"]')"
has "by line" '^app.py:6 +product +Python +40 ' "$("$kt" report --by line paths)"
has "by caller, the line first" '^app.py:6 +product +Python +40 ' "$("$kt" report --by caller lines)"
wide() { "$PYTHON" -c '
import fcntl, os, pty, struct, sys, termios
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, int(sys.argv[1]), 0, 0))
    os.execv(sys.argv[2], sys.argv[2:])
text = b""
try:
    while part := os.read(fd, 65536): text += part
except OSError: pass
print(text.decode())' "$1" "$kt" report --by shape lines | tr -d '\r'; }
has "shapes with their lines where there is room" ' dgemm .* app.py:6 product' "$(wide 140)"
same "... and without where there is none" "1 0" "$(wide 140 | grep -c 'Gflop/s  line') $(wide 79 | grep -c 'Gflop/s  line')"

# Native programs: the line with debug information, else the function and where in it.
cat >native.c <<'END'
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *, const int *, const double *, const int *, const double *, double *, const int *);
static double a[10000], c[10000];
__attribute__((noinline)) void multiply(int n)
{
    double one = 1;
    dgemm_("N", "N", &n, &n, &n, &one, a, &n, a, &n, &one, c, &n);
}
int main(void) { multiply(100); multiply(50); return 0; }
END
blas=$(ls /usr/lib/*/blas/libblas.so.3 | head -n 1)
for g in -g -g0; do gcc -O1 $g -o native$g native.c "$blas"; recorded trace$g ./native$g; done
has "a native line" '^native.c:6 +multiply +native-g +2 ' "$("$kt" report --by line trace-g)"
has "... without debug information" '^- +multiply\+0x[0-9a-f]+ +native-g0 +2 ' "$("$kt" report --by line trace-g0)"
has "... collapsed" '^multiply \(native.c:6\);dgemm [0-9]+$' "$("$kt" export --format folded trace-g)"
"$kt" export trace-g -o native.sqlite >out
same "... in a database" "[('native.c', 6, 'multiply', None)]" "$("$PYTHON" -c '
import os, sqlite3
print([(os.path.basename(f), l, n, p) for f, l, n, p in sqlite3.connect("native.sqlite").execute("select distinct file, line, function, path from calls")])')"

# Collapsed stacks: as much time of each routine as report says.
cat >folded.py <<'END'
import collections, json, re, subprocess, sys
from tree import nodes
kt, trace = sys.argv[1:]
run = lambda *words: subprocess.run([kt, *words, trace], capture_output=True, text=True, check=True).stdout
lines, report = run("export", "--format", "folded").splitlines(), json.loads(run("report", "--json"))
found, expected, stacks = collections.Counter(), collections.Counter(), collections.Counter()
for line in lines:
    assert re.fullmatch(r"([^;]+ \([^;()]*\);)+[a-z0-9_]+ [1-9][0-9]*", line), line
    stack, ns = line.rsplit(" ", 1)
    found[stack.split(";")[-1]] += int(ns)
    stacks[stack.split(";")[-1]] += 1
for path, node in nodes(report["paths"]):
    if "routine" in node:
        expected[node["routine"]] += 1e9 * node["seconds"]
for r in report["routines"]: # those that only the program calls
    if r["calls"] == r["calls_top"]:
        expected[r["routine"]] = 1e9 * r["seconds"]
assert found.keys() == expected.keys(), (found, expected)
for r in found:
    assert abs(found[r] - expected[r]) <= 0.5 * stacks[r] + 0.1, (r, found[r], expected[r])
assert len(lines) == len({l.rsplit(" ", 1)[0] for l in lines})
print("<module> (app.py:13);outer (app.py:9);product (app.py:6);dgemm" in {l.rsplit(" ", 1)[0] for l in lines}, len(found) > 1)
END
for trace in paths all profile; do same "$trace, collapsed: the report's time of each routine" "True True" "$("$PYTHON" folded.py "$kt" $trace 2>&1)"; done

# speedscope: its schema, and what its importer asks for: whole numbers, as many samples as weights, whose sum is the length.
cat >speedscope.py <<'END'
import collections, json, sys
d = json.load(open(sys.argv[1]))
calls = [json.loads(l) for l in open(sys.argv[2])]
assert d["$schema"] == "https://www.speedscope.app/file-format-schema.json" and set(d) <= {"$schema", "exporter", "name", "activeProfileIndex", "profiles", "shared"}
frames = d["shared"]["frames"]
for f in frames:
    assert set(f) <= {"name", "file", "line", "col"} and type(f["name"]) is str and type(f.get("file", "")) is str and type(f.get("line", 1)) is int, f
assert len({json.dumps(f) for f in frames}) == len(frames)
ns = collections.Counter()
for p in d["profiles"]:
    assert set(p) == {"type", "name", "unit", "startValue", "endValue", "samples", "weights"} and p["type"] == "sampled" and p["unit"] == "nanoseconds"
    assert all(type(w) is int and w > 0 for w in p["weights"]) and len(p["weights"]) == len(p["samples"])
    assert type(p["startValue"]) is int and p["endValue"] - p["startValue"] == sum(p["weights"])
    assert all(type(i) is int and 0 <= i < len(frames) for s in p["samples"] for i in s)
    for s, w in zip(p["samples"], p["weights"]):
        if s: ns[frames[s[-1]]["name"]] += w
top = [c for c in calls if c["depth"] == 0 and c["complete"]]
assert set(ns) == {c["routine"] for c in top}
for r in ns:
    mine = [1e9 * c["dt"] for c in top if c["routine"] == r]
    assert abs(ns[r] - sum(mine)) <= 0.5 * len(mine) + 0.1, (r, ns[r], sum(mine))
assert len(d["profiles"]) == len({(c["pid"], c["tid"]) for c in top}) == 2, len(d["profiles"])
start = min(c["t"] for c in top if c["tid"] == top[0]["tid"])
assert abs(d["profiles"][0]["startValue"] - 1e9 * start) < 1
print([[(frames[i]["name"], frames[i].get("line")) for i in s] for s in d["profiles"][0]["samples"] if len(s) == 4][0])
END
"$kt" export paths -o paths.speedscope.json >out
"$kt" dump --json paths >dump.json
same "speedscope takes it" "[('<module>', 13), ('outer', 9), ('product', 6), ('dgemm', None)]" "$("$PYTHON" speedscope.py paths.speedscope.json dump.json 2>&1)"
inner="<module> (app.py:13);outer (app.py:9);product (app.py:6)"
"$kt" export paths -o paths.sqlite >out
same "a database has paths" "[(20, 6, 'product')]" "$("$PYTHON" -c '
import sqlite3, sys
print(sqlite3.connect("paths.sqlite").execute("select count(*), line, function from calls where path = ?", sys.argv[1:]).fetchall())' "$inner")"
same "a time line has them" 20 "$("$kt" export --format perfetto paths | query "sum(e.get('args', {}).get('path') == '$inner' for e in d['traceEvents'])")"
# pprof: the fields of its format, as wire types and numbers say; the same stacks as collapsed.
cat >pprof.py <<'END'
import collections, os, sys
def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]; at += 1; value |= (byte & 127) << shift; shift += 7
        if byte < 128: return value, at
def packed(data):
    at, out = 0, []
    while at < len(data): value, at = varint(data, at); out.append(value)
    return out
def message(data):
    at, fields = 0, collections.defaultdict(list)
    while at < len(data):
        key, at = varint(data, at)
        assert key & 7 in (0, 2), key
        value, at = varint(data, at)
        if key & 7 == 2: value, at = data[at:at + value], at + value
        fields[key >> 3].append(value)
    return fields
one = lambda fields, number: (fields[number] or [0])[0]
profile = message(open(sys.argv[1], "rb").read())
text = [t.decode() for t in profile[6]]
assert text[0] == ""
types = [tuple(text[one(message(t), n)] for n in (1, 2)) for t in profile[1]]
functions = {one(f, 1): (text[one(f, 2)], os.path.basename(text[one(f, 4)])) for f in map(message, profile[5])}
places = {}
for location in map(message, profile[4]):
    line = message(one(location, 4))
    name, file = functions[one(line, 1)]
    places[one(location, 1)] = "%s (%s)" % (name, "%s:%d" % (file, one(line, 2)) if one(line, 2) else file) if file else name
assert 0 not in places and len(places) == len(profile[4])
stacks, calls = collections.Counter(), 0
for sample in map(message, profile[2]):
    number, ns = packed(one(sample, 2))
    stacks[";".join(places[l] for l in reversed(packed(one(sample, 1))))] += ns
    calls += number
collapsed = {l.rsplit(" ", 1)[0]: int(l.rsplit(" ", 1)[1]) for l in open(sys.argv[2])}
assert stacks.keys() == collapsed.keys(), (stacks, collapsed)
assert all(abs(stacks[s] - collapsed[s]) <= 2 for s in stacks), (stacks, collapsed)
print(types, calls)
END
for trace in paths profile; do
    "$kt" export $trace -o $trace.pprof >out; "$kt" export $trace -o $trace.folded >out
    same "$trace: pprof has the same stacks" "[('calls', 'count'), ('time', 'nanoseconds')] $("$kt" report --json $trace | query 'd["calls_top"]')" "$("$PYTHON" pprof.py $trace.pprof $trace.folded 2>&1)"
done
"$kt" export profile -o no.speedscope.json >out 2>err; same "speedscope of a profile: refused" "3 0" "$? $(ls no.* 2>/dev/null | wc -l)"
exit $((failures != 0))
