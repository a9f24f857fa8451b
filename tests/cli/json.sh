# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 10 s
# What --json prints is what the verb's schema says, and tables are the same as text, as JSON and as CSV.
. tests/lib.sh
kt=$B/ktrace
cat >"$T/program.py" <<'END'
import threading
import numpy
a = numpy.eye(60) + 0.01
def work():
    for _ in range(20):
        numpy.linalg.solve(a, a[0])
        numpy.linalg.eigh(a)
thread = threading.Thread(target=work)
thread.start()
work()
thread.join()
END
# rank N: as a launcher starts it
rank() { OMPI_COMM_WORLD_RANK=$1 OMPI_COMM_WORLD_SIZE=2 "$kt" run -o "$T/rank$1" -- "$PYTHON" "$T/program.py" 2>/dev/null; }
export OPENBLAS_NUM_THREADS=1
rank 0
rank 1
true_that "a replay" "$kt" replay --budget 1 --store none "$T/rank0"

# table BY LIST HEADING TRACE...
table() { same "report --by $1: text, JSON and CSV" "" "$("$PYTHON" tests/json_check.py table "$kt" "$@" 2>&1)"; }
table routine routines Routines "$T/rank0"
table shape shapes "Shapes of outermost calls" "$T/rank0"
table caller callers "Callers of outermost calls" "$T/rank0"
table line lines "Lines that make outermost calls" "$T/rank0"
table thread threads Threads "$T/rank0"
table process processes Processes "$T/rank0" "$T/rank1"
table rank ranks Ranks "$T/rank0" "$T/rank1"
table part decomposition.routines "Parts by routine, outermost calls" "$T/rank0"
# csv LIST VERB ARGUMENT...; the store has all that a second replay asks for
csv() { same "$2 --csv $1: the rows of --json" "" "$("$PYTHON" tests/json_check.py csv "$kt" "$@" 2>&1)"; }
csv process_table info "$T/rank0" "$T/rank1"
csv libraries info --libraries
csv routines score "$T/rank0"
csv shapes diff "$T/rank0" "$T/rank1"
export XDG_CACHE_HOME=$T
true_that "a replay that is stored" "$kt" replay --budget 1 --context warm,cold "$T/rank0"
csv shapes replay --budget 1 --context warm,cold "$T/rank0"
true_that "a machine that was probed" "$kt" probe --quick
csv operations probe --show
# refused LIST PATTERN VERB ARGUMENT...: one line, nothing printed, exit status 2
refused() { local list=$1 pattern=$2 verb=$3; shift 3
    out=$("$kt" "$verb" --csv "$list" "$@" 2>"$T/err"); same "$verb --csv $list: refused" "2 1 " "$? $(wc -l <"$T/err") $out"
    has "... with those that there are" "$pattern" "$(<"$T/err")"; }
refused none "no such list; there are: lost, in_flight, events, libraries, process_table" info "$T/rank0"
refused shapes "no such list; there are: places" explain "$T/rank0"
refused process_table "'ktrace info --libraries --json' has no such list; it has libraries" info --libraries
"$kt" report --json "$T/rank0" "$T/rank1" >"$T/report.json"
valid "report: a replayed trace, and ranks" "$T/report.json" report
exit $((failures != 0))
