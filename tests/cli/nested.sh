# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 10 s
# Nested calls that are not all recorded (KTRACE_NESTED): what info, check, dump, export, pack and merge say of them.
. tests/lib.sh
kt=$PWD/$B/ktrace
root=$PWD
export KTRACE_QUIET=1
lapack=$(ls /usr/lib/*/lapack/liblapack.so.3 2>/dev/null | head -n 1)
cat >"$T/program.py" <<END
import ctypes
lapack = ctypes.CDLL("$lapack", mode=ctypes.RTLD_GLOBAL)
n, info, one = ctypes.c_int(200), ctypes.c_int(), ctypes.c_int(1)
start = (ctypes.c_double * 40000)(*[200.0 if j % 201 == 0 else 1.0 for j in range(40000)])
for i in range(60):
    a = type(start).from_buffer_copy(start)
    lapack.dpotrf_(ctypes.c_char_p(b"L"), ctypes.byref(n), a, ctypes.byref(n), ctypes.byref(info), 1)
    lapack.dscal_(ctypes.byref(n), ctypes.byref(ctypes.c_double(2)), a, ctypes.byref(one))
END
for mode in all sample none; do KTRACE_NESTED=$mode traced $mode "$PYTHON" "$T/program.py"; done
cd "$T" || exit 1
for mode in all sample none; do "$kt" dump --json $mode >$mode.json; done
dumped() { "$PYTHON" -c 'import json,sys; d=[json.loads(l) for l in open(sys.argv[2])]; print(eval(sys.argv[1]))' "$2" "$1.json"; }
told() { "$kt" info --json "$1" | query 'd["nested"]'; }
keys='sum(c["passed"] for c in d if c["depth"] == 0), sum(c["depth"] == 0 for c in d), sum(c.get("inside", False) for c in d)'

each=$(dumped all '{c["nested"] for c in d if c["routine"] == "dpotrf"}')
true_that "calls nest in dpotrf" test "$each" != "{0}"
for mode in all sample none; do
    same "$mode: recorded and passed on make up all" "$each" "$(dumped $mode '{c["nested"] + c["passed"] for c in d if c["routine"] == "dpotrf"}')"
    same "$mode: nothing nests in dscal" "{(0, 0)}" "$(dumped $mode '{(c["nested"], c["passed"]) for c in d if c["routine"] == "dscal" and c["depth"] == 0}')"
    same "$mode: info counts as the calls do" "$(told $mode)" "$(dumped $mode "dict(zip(('mode', 'passed', 'outermost', 'outermost_inside'), ('$mode', $keys)))")"
    same "$mode: nested calls tell nothing" "{0}" "$(dumped $mode '{len({"inside", "weight", "passed"} & c.keys()) for c in d if c["depth"]} or {0}')"
    same "$mode: what is in a call is recorded, or weighs nothing" True "$(dumped $mode 'all(c["inside"] == (c["weight"] > 0) and (c["inside"] or c["nested"] == 0) for c in d if c["depth"] == 0)')"
    "$kt" check $mode >check.text; same "$mode: check is content" 0 $?
    same "$mode: an independent decoder reads the same" "$(wc -l <$mode.json) calls" "$("$PYTHON" "$root/tests/decoder/decoder_check.py" $mode $mode.json 2>&1)"
    "$kt" pack -o $mode.tar.zst $mode >/dev/null; same "$mode: packed" "$(told $mode)" "$(told $mode.tar.zst)"
done
same "all: every call stands for itself" "{(True, 1.0, 0)}" "$(dumped all '{(c["inside"], c["weight"], c["passed"]) for c in d if c["depth"] == 0}')"
same "sample: the first call of an entry is recorded" "[(True, 1.0, 0)]" "$(dumped sample '[(c["inside"], c["weight"], c["passed"]) for c in d if c["routine"] == "dpotrf"][:1]')"
same "none: outermost calls only" "{0}" "$(dumped none '{c["depth"] for c in d}')"

has "info in text" "nested recorded in 0 of 120 outermost calls; [0-9,.]+k? nested calls were passed on" "$("$kt" info none | tr -s ' \n' ' ')"
same "... says nothing where all is recorded" "" "$("$kt" info all | grep '^nested')"
has "dump in text" "dpotrf_\(.*\) passed=[0-9]+$" "$("$kt" dump none)"
"$kt" export none -o none.csv >/dev/null; "$kt" export none -o none.sqlite >/dev/null
same "export as CSV" "$(dumped none 'sum(c["passed"] for c in d)')" "$("$PYTHON" -c 'import csv; print(sum(int(c["passed"]) for c in csv.DictReader(open("none.csv", newline="")) if (c["inside"], c["weight"]) == ("0", "0.0")))')"
same "export as a database" "[('$(dumped none 'sum(c["passed"] for c in d)')', 0, 0.0)]" "$("$PYTHON" -c 'import sqlite3; print(sqlite3.connect("none.sqlite").execute("select cast(sum(passed) as text), max(inside), max(weight) from calls").fetchall())')"
"$kt" merge -o both all none >/dev/null
same "a merged trace: sums, and the mode that has not all" "none $(dumped none 'sum(c["passed"] for c in d)') 240 120" "$("$kt" info --json both | query '" ".join(str(d["nested"][k]) for k in ("mode", "passed", "outermost", "outermost_inside"))')"

# A workspace query comes before the work, and tells nothing of it.
cat >query.py <<END
import ctypes
lapack = ctypes.CDLL("$lapack", mode=ctypes.RTLD_GLOBAL)
n, info = ctypes.c_int(60), ctypes.c_int()
a, w, work = ((ctypes.c_double * 3600)(*[1.0 / (1 + i) for i in range(3600)]) for _ in range(3))
for lwork in (-1, 3600, -1, 3600):
    lapack.dsyev_(b"V", b"L", ctypes.byref(n), a, ctypes.byref(n), w, work, ctypes.byref(ctypes.c_int(lwork)), ctypes.byref(info), 1, 1)
END
(cd "$root" && KTRACE_NESTED=sample traced query "$PYTHON" "$T/query.py"); "$kt" dump --json query >query.json
same "the first call that works is recorded, no query before it" "[(-1, False), (3600, True)]" "$(dumped query '[(c["args"]["lwork"], c["inside"]) for c in d if c["depth"] == 0][:2]')"
same "... report: of calls that work" "[(2, True)]" "$("$kt" report --json query | query '[(i["calls"], i["sampled"] >= 1) for i in d["inside"] if i["routine"] == "dsyev"]')"
same "... what nests in them, not in queries, is what all may have" True "$("$kt" report --json query | query 'all(2 <= r["calls"] <= 3 for r in d["routines"] if r["routine"] in ("dsytrd", "dorgtr"))')"

cp -r none wrong; sed -i 's/^passed\t/passed\t9/' wrong/p*/end
"$kt" check wrong >check.text; same "an end file that counts more of them: status" 1 $?
has "... and what is wrong" "the streams tell of [0-9]+ of 9[0-9,]+ nested calls that were passed on" "$(<check.text)"
cp -r none killed; rm killed/p*/end
same "without an end file the streams tell" "$(told none)" "$(told killed)"
cp -r none older; sed -i '/^option\tNESTED\t/d' older/p*/meta
same "without the option everything is recorded" "{(True, 1.0, 0)}" "$("$kt" dump --json older | "$PYTHON" -c 'import json,sys; print({(c["inside"], c["weight"], c["passed"]) for c in map(json.loads, sys.stdin)})')"
exit $((failures != 0))
