# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 90 s
# The context `sequence`: calls in a context that is known, calls inside LAPACK, libraries that misbehave. Bounds on times
# are wide, as other users of the machine can slow a part of a test by half; make bench-sequence tells how near it comes.
. tests/lib.sh
export KTRACE_NESTED=all # leaves are played
kt=$B/ktrace
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
[ -x "$B/tests/bench/known" ] || { skip "sequence" "tests/bench/known is not built"; exit 0; }

# CONTEXT over in situ of the shape with that routine and size: of the medians of the rounds the least, as a round can be
# slow as a whole.
ratio() { "$PYTHON" -c 'import json, sys
context, routine, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
rounds = [s for f in sys.argv[4:] for s in json.load(open(f))["shapes"] if s["routine"] == routine and n in s["args"].values()]
print(round(min(s["contexts"][context]["median"] for s in rounds) / min(s["insitu"]["median"] for s in rounds), 2))' "$@" "$T"/known[1-4].json; }
for i in 1 2 3 4; do
    rm -rf "$T/known"
    traced known "$B/tests/bench/known" 60 2>/dev/null
    "$kt" replay --json --context warm,sequence --budget 4 "$T/known" >"$T/known$i.json" 2>"$T/err" || not_ok "replay" "$(<"$T/err")"
done
is() { if "$PYTHON" -c "import sys; sys.exit(not ($2))"; then ok "$1: $2"; else not_ok "$1" "$2"; fi; }
# Where the clock of a virtual machine was lower in one of both they differ by as much, 1.8 times; contexts of one replay are
# compared with each other.
for kind in "dgemv 300" "ddot 4001" "dgemm 48" "dgemv 200"; do
    # shellcheck disable=SC2086
    is "$kind: the sequence is near the time in the program" "0.5 < $(ratio sequence $kind) < 2"
done
for kind in "dgemv 300" "ddot 4001"; do
    # shellcheck disable=SC2086
    is "$kind comes from memory, which warm does not know" "$(ratio warm $kind) < 0.7 * $(ratio sequence $kind)"
done
is "dgemv 200 was in cache" "0.5 < $(ratio sequence dgemv 200) / $(ratio warm dgemv 200) < 2"
is "what only the program knows is not made up" "$(ratio sequence dgemv 220) < 0.6"

q() { query "d['sequence']$1" <"$T/known1.json"; }
same "all calls are played" "$(query 'sum(s["calls"] for s in d["shapes"])' <"$T/known1.json")" "$(q '["counted"]')"
same "... in one window" 1 "$(q '["windows"]')"
same "... on one thread" 1 "$(q '["threads"]')"
same "... none left out" 0 "$(q '["left_out"]')"
has "... at addresses that tell the same" 'as recorded|moved as a whole' "$(q '["layout"]')"
true_that "a total for the context" query 'd["totals"]["sequence"] > 0 or 1/0' <"$T/known1.json"
has "the table has a column" 'in situ +sequence' "$("$kt" replay --context sequence --budget 1 "$T/known" 2>/dev/null)"

for routine in dgeqrf dpotrf dgetrf; do
    for i in 1 2 3; do # program and replay take turns; the median of the three ratios counts
        rm -rf "${T:?}/$routine"
        traced "$routine" "$B/tests/bench/leaves" "$routine" 200 10
        "$kt" replay --json --level leaves --context sequence --budget 1 "$T/$routine" >"$T/leaves.json" 2>/dev/null
        query 'round(d["sequence"]["typical"], 2)' <"$T/leaves.json"
    done | sort -n >"$T/typical"
    same "$routine: no call meets denormal numbers or overflows" "[0, 0, 0]" \
         "$(query '[d["sequence"][k] for k in ("denormal", "overflowed", "left_out")]' <"$T/leaves.json")"
    is "... few need fresh inputs" "$(query 'd["sequence"]["refilled"] + d["sequence"]["strange"]' <"$T/leaves.json") < $(query 'd["sequence"]["counted"] / 20' <"$T/leaves.json")"
    is "... and times are near those in the program" "0.6 < $(sed -n 2p "$T/typical") < 1.6"
done

# More calls than the budget is for: windows, in which each shape that matters is met.
traced long "$B/tests/bench/known" 4000 2>/dev/null
"$kt" replay --json --context sequence --budget 3 "$T/long" >"$T/long.json" 2>/dev/null
is "a long trace: a part of the calls" "1 < $(query 'd["sequence"]["windows"]' <"$T/long.json") and $(query 'd["sequence"]["counted"] / d["sequence"]["calls"]' <"$T/long.json") < 0.9"
same "... each shape is met" True "$(query 'all(s["contexts"]["sequence"]["n"] >= 1 for s in d["shapes"])' <"$T/long.json")"

for gaps in none idle traffic code; do
    "$kt" replay --json --context sequence --gaps $gaps --budget 1 "$T/known" >"$T/gaps.json" 2>/dev/null
    same "gaps filled: $gaps" "$gaps" "$(query 'd["sequence"]["gaps"]' <"$T/gaps.json")"
    if [ $gaps = none ]; then is "... which takes no time" "$(query 'd["sequence"]["gap_seconds"]' <"$T/gaps.json") == 0"
    else is "... which takes time" "$(query 'd["sequence"]["seconds_spent"] / d["sequence"]["passes"]' <"$T/gaps.json") > $(query 'd["sequence"]["gap_seconds"]' <"$T/gaps.json") > 0.01"
    fi
done
"$kt" replay --gaps wide "$T/known" 2>"$T/err"
same "gaps of another kind: usage" 2 $?

# Calls within a program's parallel regions are played within such.
cat >"$T/team.c" <<'END'
#include <omp.h>
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *, const int *,
            const double *, const int *, const double *, double *, const int *);
static double a[2][40 * 40], b[2][40 * 40], c[2][40 * 40];
static void multiply(int n, int of)
{
    const double one = 1, none = 0;
    dgemm_("N", "N", &n, &n, &n, &one, a[of], &n, b[of], &n, &none, c[of], &n);
}
int main(void)
{
    for (int i = 0; i < 50; i++) {
        multiply(40, 0);
#pragma omp parallel num_threads(2)
        multiply(24, omp_get_thread_num());
    }
    return 0;
}
END
cat >"$T/inside.c" <<'END'
#include <omp.h>
#include <stdlib.h>
void dgemm_(const char *ta, const char *tb, const int *m)
{
    (void)ta, (void)tb;
    if (omp_in_parallel() != (*m == 24))
        abort();
}
END
# With this library calls of a region run at the same time, for certain; with another they may.
cat >"$T/slow.c" <<'END'
#include <time.h>
void dgemm_(void) { nanosleep(&(struct timespec){0, 1000000}, NULL); }
END
inside_and_outside() { # name trace
    "$kt" replay --json --context sequence --blas "$T/libinside.so" --budget 1 "$2" >"$T/inside.json" 2>/dev/null
    same "$1" "0 ['dgemm']" \
         "$(query 'str(d["sequence"]["left_out"]) + " " + str(sorted({s["routine"] for s in d["shapes"] if s["contexts"]["sequence"]["n"]}))' <"$T/inside.json")"
}
if ${CC:-gcc} -fopenmp -o "$T/team" "$T/team.c" -lblas && ${CC:-gcc} -fopenmp -shared -fPIC -o "$T/libinside.so" "$T/inside.c"; then
    traced team_trace "$T/team"
    same "calls within parallel regions" "[(24, True), (40, False)]" \
         "$(calls team_trace 'sorted({(c["args"]["m"], c["in_parallel"]) for c in d})')"
    inside_and_outside "... are played within regions, others outside" "$T/team_trace"
    ${CC:-gcc} -shared -fPIC -o "$T/libslow.so" "$T/slow.c"
    ${CC:-gcc} -fopenmp -o "$T/together" "$T/team.c" "$T/libslow.so"
    traced together_trace "$T/together"
    inside_and_outside "... at the same time, too" "$T/together_trace"
    is "... by as many threads" "$(query 'd["sequence"]["seats"]' <"$T/inside.json") == 2"
else
    skip "calls within parallel regions" "no OpenMP here"
fi

# A library without most routines; of those that it has two end the process.
cat >"$T/bad.c" <<'END'
#include <stdlib.h>
void dgemv_(void) { abort(); }
void dcopy_(void) { _Exit(3); }
double ddot_(void) { return 1; }
END
${CC:-gcc} -shared -fPIC -o "$T/libbad.so" "$T/bad.c" 2>/dev/null
"$kt" replay --json --context sequence --blas "$T/libbad.so" --budget 1 "$T/known" >"$T/bad.json" 2>/dev/null
same "a library that dies: what can be played is" "['ddot']" \
     "$(query 'sorted({s["routine"] for s in d["shapes"] if s["contexts"]["sequence"]["n"]})' <"$T/bad.json")"
is "... what it does not have, or dies of, is left out" "$(query 'd["sequence"]["left_out"]' <"$T/bad.json") > 100"
has "... with the reason" "ended the process" "$(query '[n["why"] for n in d["not_replayed"]]' <"$T/bad.json")"

# Libraries are compared in the sequence; what one of them cannot play there is timed on its own.
in_contexts() { query 'sorted({(s["routine"], s["context"]) for s in d["shapes"] if s["calls"] >= 5})' <"$T/compared.json" | tr -d "(),'"; }
"$kt" compare --json --budget 4 --blas openblas-serial --blas reference "$T/known" >"$T/compared.json" 2>/dev/null
same "compare, in sequence" "[dcopy sequence ddot sequence dgemm sequence dgemv sequence]" "$(in_contexts)"
is "... in rounds of passes" "$(query 'min(l["seconds"]["n"] for s in d["shapes"] for l in s["libraries"])' <"$T/compared.json") >= 6"
"$kt" compare --json --budget 4 --check no --blas openblas-serial --blas "$T/libbad.so" "$T/known" >"$T/compared.json" 2>/dev/null
same "compare with a library that dies: what that cannot play is tracked" \
     "[dcopy tracked ddot sequence dgemm tracked dgemv tracked]" "$(in_contexts)"
exit $((failures != 0))
