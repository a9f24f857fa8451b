# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 40 s
# ktrace distill: a workload adds up to the same as its trace, tells nothing private, and is a trace for every verb.
. tests/lib.sh
root=$PWD
kt=$PWD/$B/ktrace
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1
secret=secret-directory-of-somebody
mkdir "$T/$secret"; cd "$T/$secret" || exit 1
# Calls with their sizes and addresses in an order of their own, on data of a seed, and one LAPACK routine with nested calls.
cat >secret_program.py <<'END'
import ctypes, mmap, sys
blas, lapack = ctypes.CDLL("libblas.so.3"), ctypes.CDLL("liblapack.so.3")
seed = float(sys.argv[2])
def integer(n): return ctypes.byref(ctypes.c_int(n))
def real(x): return ctypes.byref(ctypes.c_double(x))
memory = (ctypes.c_double * 60000).from_buffer(mmap.mmap(-1, 480000)) # not from the heap, whose begin is random
memory[:] = [((i * 7919) % 1000) / 1000 + seed for i in range(60000)]
def at(i): return ctypes.byref(memory, 8 * i)
pivots = (ctypes.c_int * 100)()
for i in range(400):
    n = 10 + i % 40
    blas.daxpy_(integer(n), real(seed), at(0), integer(1), at(5), integer(1))
    blas.dgemm_(b"N", b"T", integer(n), integer(n), integer(8), real(seed), at(0), integer(60), at(9000), integer(60),
                real(0.0), at(20000), integer(60))
    if i % 10 == 0:
        lapack.dgeqrf_(integer(50), integer(50), at(30000), integer(50), at(40000), at(41000), integer(5000), pivots)
END
record() { KTRACE_OUT="$T/$1" LD_PRELOAD="${kt%/ktrace}/libktrace.so" "$PYTHON" secret_program.py secret-argument "$2"; }
SECRET_VARIABLE=secret-value record one.trace 1.2345; record two.trace 6.789; KTRACE_MODE=profile record counted.trace 1
cd "$T" || exit 1
"$kt" distill one.trace -o one.ktw --json >made.json 2>err; same "distill" 0 $?
made() { query "$1" <made.json; }
same "... says nothing else" "" "$(<err)"
same "... tells the size" "$(stat -c %s one.ktw)" "$(made 'd["bytes"]')"
same "... and all calls" 840 "$(made 'd["calls"]')"
"$kt" distill two.trace -o two.ktw >text; same "text for people" 0 $?
has "... with calls" "stands for 840 calls" "$(<text)"

# It adds up to the same.
tops='sorted((r["routine"], r["calls_top"]) for r in d["routines"] if r["calls_top"])'
"$kt" report --json one.trace >trace.json; "$kt" report --json one.ktw >workload.json
near() { query "abs(d['seconds_blas'] - $1) < 1e-3 * $1" <workload.json; }
same "time of all calls, within a thousandth" True "$(near "$(query 'd["seconds_blas"]' <trace.json)")"
same "outermost calls" "$(query 'd["calls_top"]' <trace.json)" "$(query 'd["calls_top"]' <workload.json)"
same "... by routine" "[('daxpy', 400), ('dgemm', 400), ('dgeqrf', 40)]" "$(query "$tops" <workload.json)"
same "... as in the trace" "$(query "$tops" <trace.json)" "$(query "$tops" <workload.json)"
same "it says that it is one" workload "$(query 'd["mode"]' <workload.json)"
"$kt" check one.ktw >out 2>&1; same "check finds nothing" 0 $?

# Counts of a profile keep their histogram of times: eight bins to an octave.
"$kt" distill counted.trace -o counted.ktw >out
times='{s["symbol"] + str(s["args"]["n"]): [s["insitu"][k] for k in ("min", "median", "n")] for s in d["shapes"] if s["symbol"] == "dgemm_"}'
was=$("$kt" report --json counted.trace | query "$times")
within='lambda was, now: "%d %s" % (len(was), all(abs(now[k][i] / was[k][i] - 1) < 1 / 8 for k in was for i in range(3)))'
same "a profile: shortest, median and number of times, within a bin" "40 True" "$("$kt" report --json counted.ktw | query "($within)($was, $times)")"

# Why calls are not represented: the trace does not tell their shapes, there is no room, or they are too many.
KTRACE_MODE=profile KTRACE_OUT=$T/full.trace LD_PRELOAD=$root/$B/libktrace.so "$root/$B/tests/profile/counts" shapes 100000 1 >/dev/null
untold=$("$kt" info --json full.trace | query 'd["overflow"]')
shapes=$("$kt" report --json full.trace | query 'len(d["shapes"])')
"$kt" distill full.trace -o full.ktw --bytes 1M >text
same "a full profile: calls without shape are told" "$untold" "$(sed -n 's/^ *[0-9.]* %: the trace itself counts \([0-9,]*\) calls by routine only, without their shapes$/\1/p' text | tr -d ,)"
has "... and shapes that are too many" "^ +[0-9.]+ %: shapes beyond the 8,192 heaviest" "$(<text)"
has "shapes that there is no room for" "^ +[0-9.]+ %: shapes that there is no room for \(--bytes\)$" "$("$kt" distill one.trace -o little.ktw --bytes 4K)"
"$kt" distill full.trace -o full2.ktw --bytes 100M --json >full.json
same "... at most 8,192 shapes are kept" "$((shapes < 8192 ? shapes : 8192)) $shapes" "$(query 'str(d["shapes_kept"]) + " " + str(d["shapes"])' <full.json)"
same "... in JSON, beside the others" "$untold True" "$(query 'str(d["calls_without_shape"]) + " " + str(d["calls_not_represented"] - d["calls_without_shape"] == d["shapes"] - d["shapes_kept"])' <full.json)"
same "a trace that tells all shapes" "0 0.0" "$(made 'str(d["calls_without_shape"]) + " " + str(d["seconds_without_shape"])')"

# Nothing private: not in any file of it.
mkdir open; tar -C open --zstd -xf one.ktw
for word in secret "$T" "$(basename "$T")" "$(hostname)" "$PYTHON" python "$(id -un)/" /usr /lib /home /tmp LD_PRELOAD; do
    same "no '${word//$T/directory}' in it" "" "$(grep -rlaF -- "$word" open)"
done
same "no owner, group or time" "0/0 1970-01-01" "$(tar --numeric-owner --utc --zstd -tvf one.ktw | awk '{ print $2, $4 }' | sort -u)"
same "no addresses of the program" "" "$("$kt" dump --json one.ktw | asked lines '[v for c in d for v in c["args"].values() if isinstance(v, str) and v.startswith("0x") and int(v, 16) >= 2**40] or ""' 2>/dev/null)"
calls_of() { "$kt" dump --json "$1" 2>/dev/null | asked lines '[(c["symbol"], c["tid"], c["passed"], c["args"]) for c in d]'; }
same "it has all calls of so short a program" 840 "$("$kt" dump --json one.ktw 2>/dev/null | wc -l)"
same "another seed and place give the same calls" "$(calls_of one.ktw | sha256sum)" "$(calls_of two.ktw | sha256sum)"
same "... and the same definitions" "$(tar --zstd -xOf one.ktw workload/p1/definitions | sha256sum)" "$(tar --zstd -xOf two.ktw workload/p1/definitions | sha256sum)"

# Operands lie as they did: the second of daxpy's begins five elements behind the first.
distances='sorted({int(c["args"]["y"], 16) - int(c["args"]["x"], 16) for c in d if c["symbol"] == "daxpy_"})'
same "distances of operands" "[40]" "$("$kt" dump --json one.ktw 2>/dev/null | asked lines "$distances")"
places='sorted({int(c["args"]["x"], 16) % 4096 for c in d if c["symbol"] == "daxpy_"})'
same "places in pages" "$("$kt" dump --json one.trace | asked lines "$places")" "$("$kt" dump --json one.ktw 2>/dev/null | asked lines "$places")"
same "scalars are of their class only" "[0.5]" "$("$kt" dump --json one.ktw 2>/dev/null | asked lines 'sorted({c["args"]["alpha"] for c in d if "alpha" in c["args"]})')"

# Few shapes and many calls: all shapes are kept, single calls fill what is left of the room.
KTRACE_OUT=$T/long.trace LD_PRELOAD=$root/$B/libktrace.so "$root/$B/tests/profile/counts" shapes 12 5000 >/dev/null
"$kt" distill long.trace -o long.ktw --bytes 20K --json >made.json
same "long, and little room: all shapes are kept" "12 0" "$(made 'str(d["shapes_kept"]) + " " + str(d["calls_not_represented"])')"
same "... and much of the room is used" True "$(made '10e3 < d["bytes"] <= 20480 and 100 < d["calls_single"] < 60000')"

# The budget.
"$kt" distill one.trace -o small.ktw --bytes 4K >out 2>err; same "a small one" 0 $?
true_that "... is as small as it is to be" test "$(stat -c %s small.ktw)" -le 4000
same "... and still adds up" 840 "$("$kt" report --json small.ktw | query 'd["calls_top"]')"
"$kt" distill --show --json small.ktw >show.json
same "... what is left out is named" True "$(query 'd["seconds_not_represented"] > 0 and len(d["not_represented"]) > 0' <show.json)"
cd "$root" || exit 1; valid "--show prints what its schema says" "$T/show.json" distill; cd "$T" || exit 1
has "--show is for people, too" "not represented: +[0-9.]+ % of the time" "$("$kt" distill --show small.ktw)"
"$kt" distill one.trace -o seconds.ktw --seconds 0.001 --json >seconds.json
same "--seconds keeps fewer single calls" True "$(query "d['calls_single'] < $(made 'd["calls_single"]')" <seconds.json)"

KTRACE_ROUTINES='d*,mine_secret' "$kt" run -o chosen.trace -- "$root/$B/tests/profile/counts" shapes 3 2 >/dev/null 2>&1
"$kt" distill chosen.trace -o chosen.ktw >out 2>err; same "a choice of routines is told, not which" "1 0" "$(tar --zstd -xOf chosen.ktw | grep -ac 'ROUTINES.*a choice') $(tar --zstd -xOf chosen.ktw | grep -ac secret)"
"$kt" merge -o twice one.ktw two.ktw; "$kt" distill twice -o third.ktw >out 2>err
same "one made of two stands for as many processes" 2 "$(tar --zstd -xOf third.ktw workload/p1/meta | awk '$1 == "workload" { print $3 }')"

# Every verb takes it.
takes() { "$kt" "$@" >out 2>err; same "$1${2:+ $2}" 0 $?; }
takes report --all one.ktw; takes info one.ktw; takes dump one.ktw; takes repro --call 7 one.ktw; takes repro --shape 1 one.ktw
takes repro --routine dgemm one.ktw
takes replay --budget 1 --store none one.ktw
takes advise --budget 1 --store none one.ktw
takes roofline one.ktw
takes merge -o merged one.ktw two.ktw
same "two of them as one" 1680 "$("$kt" report --json merged | query 'd["calls_top"]')"
takes model build --budget 1 --blas reference --routine dgemm --models "$T/models" one.ktw
takes model predict --blas reference --models "$T/models" one.ktw

# How true it is.
# What stands beside trace and workload is the user's.
echo mine >one.trace/compare.json; echo mine >one.ktw.compare.json; ls -A one.trace one.ktw* >before
mkdir secret; cp "$("$kt" info --libraries --json reference | query 'd["libraries"][0]["files"][0]')" secret/libmine.so
"$kt" distill --verify one.trace one.ktw --blas reference --blas openblas --blas secret/libmine.so --budget 8 --json >verdict.json 2>err; same "--verify" 0 $?
same "... nothing beside them has changed" "mine mine" "$(cat one.trace/compare.json one.ktw.compare.json | paste -sd' ')"
same "... and nothing is new" "" "$(ls -A one.trace one.ktw* | diff before - | grep '^[<>]')"
rm one.trace/compare.json one.ktw.compare.json
same "... on two libraries at least" True "$(query 'len(d["libraries"]) >= 2 and d["libraries"][1]["ratio_trace"]["value"] > 0' <verdict.json)"
same "... and by routine" "['daxpy', 'dgemm', 'dgeqrf']" "$(query 'sorted(r["routine"] for r in d["routines"])' <verdict.json)"
has "... the verdict stands in the file" "dgemm .* %" "$("$kt" distill --show one.ktw)"
same "... which does not tell the names of the user's libraries" "1 0" "$(grep -c libmine\\.so verdict.json | sed "s/[1-9][0-9]*/1/") $(tar --zstd -xOf one.ktw | grep -c 'libmine\|secret')"
same "... which is a workload as before" 840 "$("$kt" report --json one.ktw | query 'd["calls_top"]')"

# What cannot be.
refuses() { # NAME STATUS PATTERN ARGS...: one line that matches, and the status
    local name=$1 status=$2 pattern=$3 code; shift 3
    "$kt" "$@" >out 2>err; code=$?
    same "$name: status" "$status" "$code"; has "$name: says so" "$pattern" "$(<err)"; same "$name: in one line" 1 "$(wc -l <err)"
}
refuses "a file that is there" 2 "one.ktw: exists already" distill one.trace -o one.ktw
refuses "no output" 2 "where to" distill one.trace
refuses "no trace" 2 "which trace" distill -o x.ktw
refuses "no room at all" 2 "is too little" distill one.trace -o x.ktw --bytes 100
refuses "a size that is none" 2 "needs a size" distill one.trace -o x.ktw --bytes many
refuses "--blas without --verify" 2 "are for --verify" distill one.trace -o x.ktw --blas openblas
refuses "a trace is no workload" 3 "is a trace, not a workload" distill --show one.trace
same "... nothing is left behind" "" "$(ls x.ktw* 2>/dev/null)"
head -c $(($(stat -c %s two.ktw) - 10)) two.ktw >cut.ktw; refuses "cut off" 3 "damaged or cut off" report cut.ktw
cp two.ktw flip.ktw; printf '\377\377' | dd of=flip.ktw bs=1 seek=$(($(stat -c %s two.ktw) * 3 / 4)) conv=notrunc status=none
refuses "flipped bits" 3 "damaged|cut" report flip.ktw
future() { # NAME SED PATTERN
    rm -rf f; mkdir f; tar -C f --zstd -xf two.ktw; sed -i "$2" f/workload/p1/meta; tar -C f --zstd -cf future.ktw workload
    refuses "$1" 3 "$3" report future.ktw
}
future "a later version of workloads" 's/^workload\t1/workload\t2/' "workload version 2; this ktrace reads version 1"
future "a later version of traces" 's/^format\tktrace\t2/format\tktrace\t3/' "format version 3"
future "a line that is damaged" 's/^workload\t1.*/workload\tmany/' "does not hold two numbers"
exit $((failures != 0))
