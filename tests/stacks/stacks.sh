# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 10 s
# Call paths of compiled programs (KTRACE_STACKS=paths): each call has the path that gdb's backtrace shows, with functions
# that were inlined; whatever stack a call is made on, the program runs as without us; nothing of its data is kept.
. tests/lib.sh
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1
unset DEBUGINFOD_URLS
CC=${CC:-gcc}
for tool in gdb gfortran g++; do
    command -v $tool >/dev/null || { skip "call paths" "no $tool"; exit 0; }
done

# asked PROGRAM: what gdb says of each call, in $T/PROGRAM.log
gdb_asked() { ROUTINE=ddot_ LOG="$T/$1.log" gdb -nx -batch -x tests/stacks/unwind.gdb.py "$T/$1" >"$T/gdb" 2>&1 || cat "$T/gdb"; }
# compared LOG TRACE: of a program, calls and how many differ
compared() {
    rm -f "$T/csv"
    "$B/ktrace" dump --json "$T/$2" >"$T/dump"; "$B/ktrace" export --format csv -o "$T/csv" "$T/$2" >/dev/null 2>&1
    "$PYTHON" tests/stacks/compare.py "$T/$1.log" "$T/dump" "$T/csv" 2>&1
}
kept() { KTRACE_STACKS=${3:-paths} "$B/ktrace" run -o "$T/$1" -- "$T/$2"; }

# of each line of main(): calls
roots() { "$B/ktrace" report --json "$T/$1" | query 'sorted((p["line"], p["calls"]) for p in d["paths"])'; }

# compiled NAME COMPILER... : and compared
compiled() {
    local name=$1; shift
    if ! "$@" -o "$T/$name" -lblas 2>"$T/said"; then not_ok "$name" "$(cat "$T/said")"; return; fi
    gdb_asked "$name"; kept "$name.t" "$name"
    has "$name: as gdb's backtrace" '^1[0-9]{2} calls, 0 differ, ([3-9]|[0-9]{2}) paths$' "$(compared "$name" "$name.t")"
}
compiled c-O0 "$CC" -g -O0 tests/stacks/calls.c
compiled c-O2 "$CC" -g -O2 tests/stacks/calls.c
compiled c-O2-fomit-frame-pointer "$CC" -g -O2 -fomit-frame-pointer tests/stacks/calls.c
for flags in -O0 -O2; do
    compiled "fortran$flags" gfortran -g $flags -J "$T" tests/stacks/calls.f90
    # gdb prefers the lines of statements, which may be others than that of the call
    compiled "c++$flags" g++ -g $flags -gno-statement-frontiers tests/stacks/calls.cc
    compiled "openmp$flags" "$CC" -g $flags -fopenmp tests/stacks/teams.c
done

# Without debug information or symbols: the same return addresses.
mkdir "$T/stripped"; cp "$T/c-O2" "$T/stripped"; strip "$T/stripped/c-O2"
kept stripped.t stripped/c-O2
"$B/ktrace" dump --json "$T/stripped.t" >"$T/dump"
calls=$(wc -l <"$T/c-O2.log")
same "stripped: return addresses as gdb's" "$calls of $calls" "$("$PYTHON" - "$T/c-O2.log" "$T/dump" <<'END'
import json, os, sys
theirs = [[(f[3], f[4]) for f in json.loads(line) if not f[5]] for line in open(sys.argv[1])]
ours = [[(os.path.basename(os.path.realpath(f["object"])), int(f["offset"], 16)) for f in json.loads(line)["stack"]] for line in open(sys.argv[2])]
print(sum(a == b[:len(a)] for a, b in zip(theirs, ours)), "of", len(ours))
END
)"
has "... in the report, which has no names" '^ .* \+0x[0-9a-f]+ in c-O2$' "$("$B/ktrace" report --by path "$T/stripped.t")"

same "the tree has all calls, of each line of main() as many as there were" "$("$PYTHON" -c 'import collections, json, sys
print(sorted(collections.Counter(json.loads(line)[-1][2] for line in open(sys.argv[1])).items()))' "$T/c-O2.log")" \
    "$(roots c-O2.t)"
"$B/ktrace" export --format folded -o "$T/folded" "$T/c-O2.t" >/dev/null
has "collapsed stacks have inlined functions" '^main \(calls.c:66\);twice \(calls.c:25\);inlined \(calls.c:19\);ddot [0-9]+$' "$(cat "$T/folded")"

# After the run the trace has return addresses; without `ktrace run` the report finds them, and pack.
same "a run leaves return addresses" "0 paths" "$(grep -c '^stack' "$T/c-O2.t"/p*/definitions) $(grep -q '^path' "$T/c-O2.t"/p*/definitions && echo paths)"
KTRACE_STACKS=paths traced raw "$T/c-O2"
same "LD_PRELOAD alone: the report finds them" "$(roots c-O2.t)" \
    "$(roots raw)"
has "... where they are kept as words of the stack" '^stack' "$(cat "$T/raw"/p*/definitions)"
"$B/ktrace" pack "$T/raw" >/dev/null
same "pack finds them" "0" "$(grep -c '^stack' "$T/raw"/p*/definitions)"
has "the independent decoder says the same" "^$calls calls$" \
    "$("$B/ktrace" dump --json "$T/raw" >"$T/dump"; "$PYTHON" tests/decoder/decoder_check.py "$T/raw" "$T/dump" 2>&1)"

KTRACE_STACKS=paths KTRACE_MODE=profile traced profile "$T/c-O2"
same "a profile has the same calls of each path" "$(roots raw)" \
    "$(roots profile)"

kept lines.t c-O2 lines
same "lines: nothing is kept of stacks, and lines are those of the calls" "0 [('inlined', 19), ('leaf', 13)]" \
    "$(grep -c '^stack\|^path' "$T/lines.t"/p*/definitions) $("$B/ktrace" report --json "$T/lines.t" | query 'sorted((l["function"], l["line"]) for l in d["lines"])')"

# What is no address of code or of the stack stays in the program.
cat >"$T/secret.c" <<'END'
double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
int main(void)
{
    volatile unsigned long secret[100];
    const int one = 1;
    for (int i = 0; i < 100; i++)
        secret[i] = 0x5ec2e75ec2e75ec2;
    const double x = 1;
    return ddot_(&one, &x, &one, &x, &one) + secret[3] == 0;
}
END
"$CC" -g "$T/secret.c" -o "$T/secret" -lblas
KTRACE_STACKS=paths traced secret.t "$T/secret"
same "data on the stack is not kept" "1 0" "$(grep -c '^stack' "$T/secret.t"/p*/definitions) $(grep -rc 5ec2e75ec2e7 "$T/secret.t"/p*/definitions)"

# Stacks that nothing is known of.
"$CC" -g -O1 -pthread tests/stacks/odd.c -o "$T/odd" -lblas
# On small stacks there is no room for the thread-local variables of OpenBLAS with threads.
LD_LIBRARY_PATH=$(dirname /usr/lib/*/blas/libblas.so.3); export LD_LIBRARY_PATH
same "coroutines, signals, small stacks, forks, odd registers: the program runs as it did" "$("$T/odd")" "$(kept odd.t odd)"
same "... and each call is recorded" "757 fine" "$("$B/ktrace" check "$T/odd.t" | sed -E 's/^(fine): ([0-9]+) calls.*/\2 \1/')"
cat >"$T/calls.py" <<'END'
import json, sys
calls = {}
def add(node):
    calls[node.get("function")] = calls.get(node.get("function"), 0) + node["calls"]
    for child in node["children"]:
        add(child)
for root in json.load(sys.stdin)["paths"]:
    add(root)
print([calls.get(name) for name in sys.argv[1:]])
END
same "... with paths" "[50, 50, 600, 6, 50, 25, 32, 757]" "$("$B/ktrace" report --json "$T/odd.t" |
    "$PYTHON" "$T/calls.py" coroutine handler thread forks with_registers signals main call)"

unset LD_LIBRARY_PATH

# Lines that were damaged cost what they tell.
process=$(ls -d "$T/raw"/p*)
printf 'stack\t1\t1\t1\t1\t1\tzz\t\nstack\t2\t1\t1\t1\t1\t10\t 20:1\npath\t3\tx\npath\t99999999\t1\n' >>"$process/definitions"
same "damaged lines are told, and the rest is read" "4 $calls" \
    "$("$B/ktrace" check "$T/raw" | grep -c 'the line is ignored') $("$B/ktrace" dump --json "$T/raw" 2>/dev/null | wc -l)"
exit $((failures != 0))
