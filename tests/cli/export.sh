# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 7 s
# ktrace export: what other tools read is what dump says; a file is there whole or not at all.
. tests/lib.sh
kt=$PWD/$B/ktrace
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
traced demo "$PYTHON" -c '
import numpy as np
a = np.eye(40) + np.ones((40, 40))
for i in range(30): np.linalg.solve(a, a); a @ a.T; np.linalg.cholesky(a); a[0] @ a[1]' >/dev/null
lapack=$(ls /usr/lib/*/lapack/liblapack.so.3 2>/dev/null | head -n 1)
cat >"$T/nested.py" <<END
import ctypes, sys
lapack = ctypes.CDLL("$lapack", mode=ctypes.RTLD_GLOBAL)
n, info = 200, ctypes.c_int()
a = (ctypes.c_double * (n * n))(*[float(n if i % (n + 1) == 0 else 1) for i in range(n * n)])
lapack.dpotrf_(ctypes.c_char_p(b"L"), ctypes.byref(ctypes.c_int(n)), a, ctypes.byref(ctypes.c_int(n)), ctypes.byref(info), 1)
alpha = ctypes.c_double(0.1234567890123456)
lapack.dscal_(ctypes.byref(ctypes.c_int(9)), ctypes.byref(alpha), a, ctypes.byref(ctypes.c_int(1)))
END
traced nested "$PYTHON" "$T/nested.py"
KTRACE_MODE=profile traced prof "$PYTHON" -c 'import numpy as np; np.eye(9) @ np.eye(9)'
traced second "$PWD/$B/tests/abi/life" calls100 threads2 >/dev/null
cd "$T" || exit 1
"$kt" dump --json demo >dump.json

read_csv() { "$PYTHON" -c '
import csv, json, sys
d = list(csv.DictReader(open(sys.argv[2], newline="")))
print(eval(sys.argv[1]))' "$1" "$2"; }
read_dump() { "$PYTHON" -c '
import json, sys
d = [json.loads(l) for l in open("dump.json")]
print(eval(sys.argv[1]))' "$1"; }
read_sql() { "$PYTHON" -c '
import sqlite3, sys
print(sqlite3.connect(sys.argv[2]).execute(sys.argv[1]).fetchall())' "$1" "$2"; }

"$kt" export demo >demo.csv 2>err; same "CSV on standard output" "0 " "$? $(<err)"
(mkdir dash && cd dash && "$kt" export ../demo --format csv -o - >../dash.csv)
same "... also by its name -" "$(md5sum <demo.csv) " "$(md5sum <dash.csv) $(ls dash)"
calls=$(read_dump 'len(d)')
same "... a row for each call" "$calls" "$(read_csv 'len(d)' demo.csv)"
for key in n routine symbol tid depth; do
    same "... $key" "$(read_dump "[str(c['$key']) for c in d]" | md5sum)" "$(read_csv "[c['$key'] for c in d]" demo.csv | md5sum)"
done
same "... arguments as JSON" "$(read_dump '[c["args"] for c in d][:50]')" "$(read_csv '[json.loads(c["args"]) for c in d][:50]' demo.csv)"
same "... scalars to the last digit" "[0.1234567890123456]" "$("$kt" export nested -o nested.csv >/dev/null; read_csv '[json.loads(c["args"])["alpha"] for c in d if c["routine"] == "dscal" and c["depth"] == "0"]' nested.csv)"
same "... time" True "$(read_csv "abs(sum(float(c['dt']) for c in d) / $(read_dump 'sum(c["dt"] for c in d)') - 1) < 1e-9" demo.csv)"
same "... lines end as RFC 4180 says" "$((calls + 1))" "$(grep -c $'\r$' demo.csv)"
"$kt" export demo -o named.csv >out; same "a file by its name" "$(md5sum <demo.csv)" "$(md5sum <named.csv)"
has "... and what is in it" "calls, .*B, in named.csv" "$(<out)"
same "several traces" "$((calls + $("$kt" dump --json second | wc -l)))" "$("$kt" export --json demo second -o both.csv | query 'd["calls"]')"
of_choice='c["depth"] in (0, "0") and (c["routine"] == "dgemm" or c["routine"].endswith("gesv"))'
few=$(read_dump "sum($of_choice for c in d)")
same "a choice of routines, outermost calls" "$few $few $few" "$("$kt" export --json --outermost --routine 'dgemm,*gesv' demo -o few.csv | query 'd["calls"]') $(read_csv 'len(d)' few.csv) $(read_csv "sum($of_choice for c in d)" few.csv)"
"$kt" pack demo -o demo.tar.zst >/dev/null; same "a packed trace" "$(md5sum <demo.csv)" "$("$kt" export demo.tar.zst | md5sum)"

same "a database" "0 sqlite" "$("$kt" export --json demo -o demo.sqlite >json; echo $? "$(query 'd["format"]' <json)")"
same "... of all calls" "[($calls,)]" "$(read_sql 'select count(*) from calls' demo.sqlite)"
same "... sums" "$(read_dump 'round(sum(c["dt"] for c in d if c["depth"] == 0), 9)')" \
    "$(read_sql 'select round(sum(dt), 9) from calls where depth = 0' demo.sqlite | tr -d '[](),')"
same "... operands are numbers" "$(read_dump 'sum(int(o["hi"], 16) - int(o["lo"], 16) for c in d for o in c["operands"])')" \
    "$(read_sql 'select sum(hi - lo) from operands' demo.sqlite | tr -d '[](),')"
same "... arguments can be asked for" "$(read_dump 'sum(c["args"].get("n", 0) for c in d)')" \
    "$(read_sql "select sum(json_extract(args, '\$.n')) from calls" demo.sqlite | tr -d '[](),')"
same "... and what info says" "$("$kt" info --json demo | query 'd["state"]')" \
    "$(read_sql "select json_extract(value, '\$') from trace where key = 'state'" demo.sqlite | tr -d "[](),'")"

"$kt" export demo -o demo.json >/dev/null; same "a time line" 0 $?
same "... a slice for each call" "$calls" "$(query 'sum(e["ph"] == "X" for e in d["traceEvents"])' <demo.json)"
same "... of the call's time" True "$(query "abs(sum(e['args']['dt'] for e in d['traceEvents'] if e['ph'] == 'X') / $(read_dump 'sum(c["dt"] for c in d)') - 1) < 1e-9" <demo.json)"
"$kt" export nested -o nested.json >/dev/null
"$PYTHON" - nested.json >inside <<'END'
import json, sys
events = sorted((e for e in json.load(open(sys.argv[1]))["traceEvents"] if e["ph"] == "X"), key=lambda e: (e["ts"], -e["dur"]))
inside, apart, open_ones = 0, True, []
for e in events:
    while open_ones and open_ones[-1] <= e["ts"] + 1e-4:
        open_ones.pop()
    inside += bool(open_ones)
    apart &= not open_ones or e["ts"] + e["dur"] <= open_ones[-1] + 1e-3
    open_ones.append(e["ts"] + e["dur"])
print(apart, inside > 0)
END
same "... and nested calls lie within theirs" "True True" "$(<inside)"
same "... processes have names" True "$(query 'any(e["name"] == "process_name" and e["args"]["name"] for e in d["traceEvents"])' <demo.json)"
cp -r demo again; sed -i 's/^boot_id\t.*/boot_id\telsewhere/' again/p*/meta
same "... those of equal number have rows of their own" 2 "$("$kt" export --format perfetto demo again | query 'len({e["pid"] for e in d["traceEvents"]})')"
same "... and are told apart in tables" "{'0', '1'}" "$("$kt" export demo again -o again.csv >/dev/null; read_csv '"{" + str(sorted({c["process"] for c in d}))[1:-1] + "}"' again.csv)"
printf 'rank\t\377\033[2J\n' >>"$(echo again/p*/meta)"
same "... whatever the rank is called" True "$("$kt" export --format perfetto again | query 'len(d["traceEvents"]) > 5')"

# OTF2, read by its own tool: "E time location region" and "L time location region", and what an entered call says of itself.
cat >otf2.py <<'END'
import re, subprocess, sys
open_calls, last, entered, left, inside, seconds = {}, {}, 0, 0, 0, 0.0
for line in subprocess.run(["otf2-print", sys.argv[1] + "/traces.otf2"], capture_output=True, text=True, check=True).stdout.splitlines():
    event = re.match(r'(ENTER|LEAVE) +(\d+) +(\d+) +Region: "([^"]*)"', line)
    seconds += sum(map(float, re.findall(r'"dt" <\d+>; DOUBLE; ([^)]+)\)', line)))
    if not event:
        continue
    kind, location, time, region = event.groups()
    assert int(time) >= last.get(location, 0), line
    last[location] = int(time)
    stack = open_calls.setdefault(location, [])
    if kind == "ENTER":
        inside += bool(stack)
        entered += 1
        stack.append(region)
    else:
        assert stack.pop() == region, line
        left += 1
print(entered, left, not any(open_calls.values()), inside > 0, f"{seconds:.2e}", len(last))
END
"$kt" export --json demo -o demo.otf2 >json; same "OTF2" "0 otf2 $calls True" "$? $(query '"%s %d %s" % (d["format"], d["calls"], d["bytes"] > 1000)' <json)"
same "... each call is entered and left, in the order of time" \
    "$calls $calls True $(read_dump 'any(c["depth"] for c in d)') $(read_dump '"%.2e" % sum(c["dt"] for c in d)') 1" "$("$PYTHON" otf2.py demo.otf2 2>&1)"
"$kt" export nested -o nested.otf2 >/dev/null
has "... nested calls within theirs" " True True " "$("$PYTHON" otf2.py nested.otf2 2>&1)"
first=$(otf2-print demo.otf2/traces.otf2 | grep -m 1 'cblas_dgemm\|ADDITIONAL')
has "... with arguments and the place that made it" '"args" <4>; STRING; "{.*"file" <6>' "$first"
"$kt" export again second demo -o jobs.otf2 >/dev/null
same "... a location for each thread, in a group for each process" "$("$kt" info --json again second demo | query '"%d %d" % (d["threads"], d["processes"])')" \
    "$(otf2-print -G jobs.otf2/traces.otf2 | grep -c '^LOCATION ') $(otf2-print -G jobs.otf2/traces.otf2 | grep -c '^LOCATION_GROUP ')"
"$kt" export again -o again.otf2 >/dev/null
same "... without what steers terminals" "" "$(otf2-print -G again.otf2/traces.otf2 | LC_ALL=C tr -d '\n\t -~\200-\377')"

refuses() { # NAME STATUS PATTERN ARGS...: one line that matches, the status, and no new file
    local name=$1 status=$2 pattern=$3 code before; shift 3; before=$(ls -A)
    "$kt" export "$@" >out.text 2>err; code=$?
    same "$name: status" "$status" "$code"
    has "$name: one line" "$pattern" "$(<err)"; same "$name: not more" "1 0" "$(wc -l <err) $(wc -c <out.text)"
    same "$name: leaves nothing behind" "$before" "$(ls -A)"
}
touch err out.text
refuses "no trace" 2 "which trace"
refuses "a format that is none" 2 "csv, sqlite, perfetto, folded, speedscope, pprof or otf2, not xml" --format xml demo
refuses "a name that says nothing" 2 "which format" -o calls.txt demo
refuses "a database on standard output" 2 "sqlite needs a name: -o FILE.sqlite" --format sqlite demo
refuses "OTF2 on standard output" 2 "otf2 needs a name: -o FILE.otf2" --format otf2 demo
refuses "a file that is there" 2 "exists already" -o demo.csv demo
refuses "a folder that is there" 2 "exists already" -o demo.otf2 demo
refuses "what is no trace" 3 "nothing" nothing
refuses "a folder that is not there" 4 "nowhere/x.csv.*cannot be written" -o nowhere/x.csv demo
refuses "OTF2 in a folder that is not there" 4 "nowhere/x.otf2.*cannot be written" -o nowhere/x.otf2 demo
refuses "a database in a folder that is not there" 4 "nowhere/x.db.*cannot be written" -o nowhere/x.db demo
refuses "a profile" 3 "no single calls" prof
trap '' XFSZ
for file in full.csv full.json full.sqlite full.otf2; do
    (ulimit -f 8; "$kt" export -o $file demo >/dev/null 2>err); same "a full disk, $file: status" 4 $?
    has "... said" "$file.*cannot be written" "$(<err)"
    same "... nothing is left" "" "$(ls full* 2>/dev/null)"
done
"$kt" export demo >/dev/full 2>err; same "standard output that is full" 4 $?

# A disk that is full once the first files are written, users who want no more: nothing is left of a file that is not whole.
KTRACE_OUT=many LD_PRELOAD="${kt%/*}/libktrace.so" "${kt%/*}/tests/modes/steps" dot=100000
mkdir none
if [ -d demo.otf2 ]; then
    (ulimit -f 200; "$kt" export --format otf2 -o none/full.otf2 many >/dev/null 2>err); same "otf2, no room later: status" 4 $?
    has "... why" 'full.otf2: cannot be written: ' "$(<err)"
    "$kt" export --format otf2 --routine dgemm -o none/empty.otf2 many >/dev/null 2>err; same "otf2 without a call: status" 3 $?
fi
for format in sqlite otf2; do timeout -s INT 0.3 "$kt" export --format $format -o none/cut.$format many >/dev/null 2>&1; rm -rf none/cut.$format; done
same "... nothing is left behind" "" "$(ls none)"
exit $((failures != 0))
