# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 60 s
# explain: the program's output once, its exit status, runs beside the replay, programs that cannot be run again, a page of
# 24 lines. What the numbers are is tests/unit/test_paired.c's affair.
. tests/lib.sh
kt=$PWD/$B/ktrace
cd "$T" || exit 1
export XDG_CACHE_HOME=$T/cache

cat >library.c <<'END'
double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy)
{
    double sum = 0;
    for (int i = 0; i < *n; i++)
        sum += x[i * *incx] * y[i * *incy];
    return sum;
}
END
"${CC:-gcc}" -shared -fPIC -O1 -Wl,-soname,libblas.so.3 -o libblas.so.3 library.c
cat >program.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
static double x[100000];
static int one = 1;
__attribute__((noinline)) static double elsewhere(int n, int times)
{
    double sum = 0;
    for (int i = 0; i < times; i++)
        sum += ddot_(&n, x, &one, x, &one);
    return sum;
}
/* program HOW: notes in the file "ran" that it ran; "fails" the second time, makes "other" calls then, "reads" a number,
 * "varies": calls from another function, too, some of them every other time */
int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "plain";
    int n = 100000, status = 0, again = access("ran", F_OK) == 0;
    FILE *ran = fopen("ran", "a");
    fprintf(ran, "%s\n", how);
    int odd = ftell(ran) / (strlen(how) + 1) % 2;
    fclose(ran);
    printf("hello\n");
    if (!strcmp(how, "fails") && again)
        return 3;
    if (!strcmp(how, "other") && again)
        n = 50000;
    if (!strcmp(how, "reads") && scanf("%d", &n) != 1)
        return 4;
    if (!strcmp(how, "status"))
        status = 5;
    double sum = 0;
    for (int i = 0; i < 50; i++)
        sum += ddot_(&n, x, &one, x, &one);
    sum += !strcmp(how, "varies") ? elsewhere(n, 25) + (odd ? elsewhere(90000, 4) : 0) : 0;
    return sum != 0 ? 1 : status;
}
END
"${CC:-gcc}" -O1 -o program program.c -L. -l:libblas.so.3 -Wl,-rpath,"$T"

# explain NAME ARGUMENTS...: its page in $out, what else it says in $said, its exit status in $status
explain() {
    local name=$1
    shift
    rm -f ran
    out=$("$kt" explain -o "$name" --budget 2 --runs 6 "$@" 2>said)
    status=$?
    said=$(<said)
}
explain plain -- ./program
same "the program's output is shown once" 1 "$(grep -c hello <<<"$out")"
same "the exit status of what went well" 0 "$status"
same "the program ran once and six times more" 7 "$(wc -l <ran)"
has "how long that takes is told beforehand" 'run 6 more times .* about [0-9]+ s' "$said"
has "how often it ran" 'run 6 more times' "$out"
has "where the time goes" '^main in program +ddot 100000 +50 ' "$out"
has "what is next" '^Next: ktrace (compare|report) plain$' "$out"
page=$(grep -v hello <<<"$out")
true_that "at most 24 lines" test "$(wc -l <<<"$page")" -le 24
same "of at most 80 columns" "" "$(grep -E '.{81}' <<<"$page")"
true_that "the trace stays, and its replay" "$kt" report plain
true_that "... with the runs beside it" test "$(query 'len(d["again"]["runs"])' <plain/replay.json)" = 6

has "which runs the times are of" ': times and parts are their medians$' "$out"
has "... and of which a report's are" '^recorded run \(ktrace explain has medians of 6 more\): \./program$' "$("$kt" report plain)"
legends() { grep -hE '^  [#=~.:*&+][a-z-]+( |$)' <<<"$1" | tr -s ' ' '\n' | grep . | sort; }
same "a mark means the same on the pages of explain and report" "" \
     "$(sort -u <(legends "$out") <(legends "$("$kt" report plain)") | cut -c1 | uniq -d)"
same "... and a page has the legend of its bars" 1 "$(grep -cE '^  [#=~.:*&+][a-z-]+( |$)' <<<"$out")"

# --- one sum of shares, of all lines that call ---
explain varies --json -- ./program varies
same "calls of one shape from two functions are two places" "[('elsewhere', 29, 2), ('main', 50, 1)]" \
     "$(query 'sorted((p["place"]["function"], p["calls"], p["shapes"]) for p in d["places"])' <<<"$out")"
same "... as in the report" "[('elsewhere', 29), ('main', 50)]" \
     "$("$kt" report --json varies | query 'sorted((p["place"]["function"], p["calls"]) for p in d["summary"]["places"])')"
same "shares add up to all, also of calls that are not made each time" True "$(query 'abs(sum(p["seconds"] for p in d["places"]) / d["seconds_blas"] - 1) < 1e-9' <<<"$out")"
rm -f ran
has "times of several processes are added, as is said" '^[0-9.]+ m?s in 2 processes, BLAS and LAPACK [0-9.]+ m?s \(' \
    "$("$kt" explain -o processes --budget 1 --runs 0 -- sh -c './program; ./program' 2>said)"

# --- a profile has no single calls ---
KTRACE_MODE=profile explain profile --json -- ./program
same "a profile: pairs are there, and tell what they can" "(6, None, None, True)" \
     "$(query '(lambda p: (p["pairs"], p["cache"]["share"]["value"], p["residual"]["share"]["value"], abs(sum(p[k]["share"]["value"] for k in ("bound", "library", "unsplit", "uneven")) - 1) < 1e-9))(d["decomposition"])' <<<"$out")"
same "... nothing is said to be missing that is there" 6 "$(query 'd["places"][0]["parts"]["pairs"]' <<<"$out")"
same "... what cannot be told, why, what to do" "cannot tell: cache, rest. A profile has no single calls to play in their order: record without profile mode." \
     "$(query '[f for f in d["findings"] if "cannot tell" in f and "cache" in f][0]' <<<"$out")"

explain status -- ./program status
same "the exit status is the program's" 5 "$status"
same "... which is not run again" 1 "$(wc -l <ran)"
has "... as is said" 'ended with status 5, and is not run again' "$said"
has "... on the page too, and why" '^run once, as it ended with another status than 0: ' "$out"
has "... which cannot tell what one run does not" 'cannot tell: .*rest' "$out"

explain fails -- ./program fails
has "a program that fails the second time ran once" '^run once, as run again, .*ended with status 3' "$out"
same "... and no third time" 2 "$(wc -l <ran)"
explain other -- ./program other
has "a program that makes other calls the second time ran once" '^run once, as it makes other calls each time' "$out"
explain pipe -- ./program reads < <(echo 100000)
has "a program that reads what cannot be read twice ran once" '^run once, as run again, .*ended with status 4' "$out"
echo 100000 >number
explain file -- ./program reads <number
has "a file on its input is read again" '^run 6 more times' "$out"

"$kt" explain --json -o json --budget 2 --runs 6 -- ./program >json.out 2>said
same "JSON has its schema" '["schema"] ktrace.explain/1' "$(query '[k for k in d][:1].__repr__().replace(chr(39), chr(34)) + " " + d["schema"]' <json.out)"
same "... and all that was agreed" True "$(query 'all(k in d for k in ("report", "replay", "advice", "states"))' <json.out)"
same "... and the runs" 6 "$(query 'd["states"]["pairs"]' <json.out)"
same "... and parts that add up to the time" True \
     "$(query 'abs(sum(d["decomposition"][p]["share"]["value"] for p in ("bound", "library", "cache", "residual", "unsplit", "uneven")) - 1) < 1e-9' <json.out)"

out=$("$kt" explain -o slow --budget 2 -- "${kt%/*}/tests/modes/steps" sleep=1000 dot=100 2>said)
has "a budget that is too short for seven runs: told beforehand" 'no time to run the program, which takes 1[0-9.]* s, 7 times more: --budget 1[0-9] would do$' "$(<said)"
has "... and what to do" '^Next: ktrace explain --again --budget 1[0-9] slow$' "$out"

# Advice: a program that calls the unblocked routine itself.
lapack=$(ls -d /usr/lib/*/lapack/liblapack.so.3 2>/dev/null | head -n 1)
if [ -n "$lapack" ] && "$PYTHON" -c 'import numpy' 2>/dev/null; then
    cat >unblocked.py <<'END'
import ctypes, sys
import numpy as np
lapack = ctypes.CDLL(sys.argv[1])
n, info = ctypes.c_int(500), ctypes.c_int()
for i in range(20):
    a = np.eye(500) * 500 + 1
    lapack.dpotf2_(b"L", ctypes.byref(n), a.ctypes.data_as(ctypes.c_void_p), ctypes.byref(n), ctypes.byref(info), ctypes.c_size_t(1))
END
    OPENBLAS_NUM_THREADS=1 KTRACE_QUIET=1 "$kt" run -o unblocked -- "$PYTHON" unblocked.py "$lapack"
    "$kt" explain --json --budget 20 unblocked >explained.json 2>said
    same "advice: the change is tried" 1 "$(query 'd["changes_tried"]' <explained.json)"
    # Whether that is advised depends on how quiet the machine is.
    first=$(query 'd["findings"][0]' <explained.json)
    case $(query '[(a["rule"], a["routine"], a["changed_to"], a["calls"], a["file"].split("/")[-1], a["line"]) for a in d["advice"]]' <explained.json) in
        "[('blocked', 'dpotf2', 'dpotrf', 20, 'unblocked.py', 7)]")
            has "... and said first" '^dpotf2 -> dpotrf \(blocked\) in unblocked.py:7 would save [0-9.]+ % of the program: ktrace advise tells how$' "$first"
            next=advise ;;
        "[]") same "... and nothing is said that is not advised" "" "$(grep 'would save' <<<"$first")"; next='explain --again' ;;
        *) not_ok "advice of another kind" "$(query 'd["advice"]' <explained.json)" ;;
    esac
    has "... and the next verb" "^$next$" "$(query 'd["next"]' <explained.json)"
fi

rm -f ran
mkdir elsewhere
out=$(cd elsewhere && "$kt" explain --budget 2 ../plain 2>&1)
has "a trace is not run again unasked" '^run once' "$out"
same "... not at all" no "$([ -e ran ] && echo yes || echo no)"
out=$(cd elsewhere && "$kt" explain --budget 2 --runs 6 --again ../plain 2>&1)
has "a trace is run again where it was recorded" '^run 6 more times' "$out"
same "... there" 6 "$(wc -l <ran)"
has "a trace: what would tell more" '^Next: ktrace explain --again \.\./plain$' "$(cd elsewhere && "$kt" explain --budget 2 ../plain 2>&1)"
said=$("$kt" explain --runs 3 plain 2>&1); same "runs of a trace without leave: a usage error" 2 $?
has "... that names the option" '--again' "$said"
printf '#!/bin/sh\n' >program; chmod +x program
said=$("$kt" explain ./program 2>&1); same "a program in the place of a trace is a usage error" 2 $?
has "... which says what to type" 'ktrace explain -- \./program' "$said"
same "neither trace nor command is a usage error" 2 "$("$kt" explain >/dev/null 2>&1; echo $?)"
same "a program that cannot be found" 127 "$("$kt" explain -o nothing -- ./no_such_program >/dev/null 2>&1; echo $?)"
exit $((failures > 0))
