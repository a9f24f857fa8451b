# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 55 s
# ktrace compare: the document and the tables, contexts, numbers of threads, routines that a library lacks, the store of
# results, the plot, and really running the program. What the times are depends on the machine: make bench-verify.
. tests/lib.sh
kt=$PWD/$B/ktrace
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
files_of() { "$kt" info --libraries --json "$1" 2>/dev/null | query 'd["libraries"][0]["files"][0]' 2>/dev/null; }
# Whichever library the system prefers, programs are linked with this one.
serial=$(files_of openblas-serial)
export LD_LIBRARY_PATH=${serial%/*}
cat >"$T/app.py" <<'END'
import numpy as np
g = np.random.default_rng(1)
x, a, b = (g.standard_normal(n) for n in (2000, (200, 200), (60, 60)))
for i in range(20): x @ x[::-1].copy(), a @ x[:200], b @ b, np.linalg.solve(a, x[:200])
print("this must not be in our output")
END
"$kt" run -o "$T/t" -- "$PYTHON" "$T/app.py" >/dev/null 2>&1
compare() { local out=$1; shift; "$kt" compare --json --budget "${budget:-1}" "$@" >"$T/$out.json" 2>"$T/$out.err"; }
in_json() { query "$2" <"$T/$1.json" | tr -d "(),'"; }
# differences A B: of two documents, which parts are not the same
differences() {
    "$PYTHON" -c 'import json, sys
a, b = (json.load(open(n)) for n in sys.argv[1:3])
print(*[k for k in ("libraries", "routines", "shapes", "best", "application") if a[k] != b[k]])' "$T/$1.json" "$T/$2.json"
}
blis=$(files_of blis-serial)

# --- the document
# So much that windows hold the whole program, also where it was recorded slowly: then every call is in its sequence.
budget=3 compare first "$T/t" --blas reference --blas openblas-serial; same "compare" 0 $?
same "the recorded library is the baseline" "openblas-serial True" "$(in_json first 'd["baseline"], d["baseline_is_recorded"]')"
same "calls are in their sequence" "sequence [sequence]" "$(in_json first 'd["context"], sorted({s["context"] for s in d["shapes"]})')"
compare tracked "$T/t" --blas reference --blas openblas-serial --context tracked
same "... or alone, operands tracked" "tracked [tracked]" "$(in_json tracked 'd["context"], sorted({s["context"] for s in d["shapes"]})')"
same "every library has its keys" "[]" \
     "$(in_json first '[k for l in d["libraries"] for k in ("path", "name", "version", "seconds", "ratio", "worst_residual", "failed") if k not in l]')"
same "intervals hold their values" True \
     "$(in_json first 'all(l["ratio"]["lo"] <= l["ratio"]["value"] <= l["ratio"]["hi"] and l["seconds_replayed_interval"][0] < l["seconds_replayed_interval"][1] for l in d["libraries"][1:])')"
same "routines add up to the library" True \
     "$(in_json first 'all(abs(sum(r["libraries"][i]["seconds_replayed"] for r in d["routines"]) - l["seconds_replayed"]) < 1e-9 for i, l in enumerate(d["libraries"]))')"
same "... shapes too" True \
     "$(in_json first 'all(abs(sum(s["calls"] * s["libraries"][i]["seconds"]["best"] for s in d["shapes"]) - l["seconds_replayed"]) < 1e-9 for i, l in enumerate(d["libraries"]))')"
same "only outermost calls" "[dcopy ddot dgemm dgemv dgesv]" "$(in_json first 'sorted({s["routine"] for s in d["shapes"] if s["calls"] >= 20})')"
same "the best of each is no slower than the best" "True True" "$(in_json first 'd["best"]["mix_ratio"] <= 1, d["best"]["library"] in [l["name"] for l in d["libraries"]]')"
same "the program changes by what BLAS does" True \
     "$(in_json first 'abs(d["libraries"][1]["seconds_application"] - d["application"]["seconds"] - d["libraries"][1]["seconds"] + d["libraries"][0]["seconds"]) < 1e-6')"

# --- a program that called two libraries: itself as it was, and all on one of them
"$kt" run --blas reference -o "$T/r" -- "$PYTHON" "$T/app.py" >/dev/null 2>&1
"$kt" merge -o "$T/two" "$T/t" "$T/r" >/dev/null
compare two "$T/two" --blas reference --blas openblas-serial --context warm --check no
same "calls on two libraries: the baseline is both" "recorded True [recorded reference openblas-serial]" \
     "$(in_json two 'd["baseline"], d["baseline_is_recorded"], [l["name"] for l in d["libraries"]]')"
compare two "$T/two" --blas reference --context warm --check no
same "... also if one of them is named" "[recorded reference]" "$(in_json two '[l["name"] for l in d["libraries"]]')"

# --- the store
TIMEFORMAT='%U %S'
{ time budget=3 compare second "$T/t" --blas reference --blas openblas-serial; status=$?; } 2>"$T/processor"
same "a second time" 0 $status
true_that "... takes less than 5 s of the processor: $(<"$T/processor")" awk '{ exit !($1 + $2 < 5) }' "$T/processor"
same "... measures nothing" "0 True" "$(in_json second 'd["rounds"], d["store"]["reused"]')"
same "... and has the same numbers" "" "$(differences first second)"
without() { in_json first "[w['ratio'] for c in d['corrections'] if c['name'] == '$1' for w in c['without']]"; }
budget=3 compare plain "$T/t" --blas reference --blas openblas-serial --without waiting
same "without a correction: nothing is measured" "0 True [False]" \
     "$(in_json plain 'd["rounds"], d["store"]["reused"], [c["made"] for c in d["corrections"] if c["name"] == "waiting"]')"
same "... what was said to come out without it" "$(without waiting)" "$(in_json plain '[l["ratio"] for l in d["libraries"]]')"
budget=3 compare plain "$T/t" --blas reference --blas openblas-serial --without all
same "... without any: the ratio of what was measured" "True True" \
     "$(in_json plain 'd["store"]["reused"], all(abs(l["ratio"]["value"] - l["ratio_replayed"]["value"]) < 1e-9 for l in d["libraries"])')"
compare fresh "$T/t" --blas reference --blas openblas-serial --fresh
same "--fresh measures again" "True False" "$(in_json fresh 'd["rounds"] > 0, d["store"]["reused"]')"
compare more "$T/t" --blas reference --blas openblas-serial --budget 6
same "more time: more samples" True "$("$PYTHON" -c 'import json, sys
a, b = (json.load(open(sys.argv[1] + n)) for n in ("/fresh.json", "/more.json"))
samples = lambda d: sum(l["seconds"]["n"] for s in d["shapes"] for l in s["libraries"])
print(samples(b) > samples(a) or samples(b) == samples(a) and b["seconds_spent"] > 6) # the fewest rounds may take that long' "$T")"

# --- a library that sets itself up when it is first called, which a short program pays for once
cat >"$T/starts.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>
double cblas_ddot(int n, const double *x, int incx, const double *y, int incy)
{
    static double (*next)(int, const double *, int, const double *, int);
    if (!next)
        usleep(20000);
    next = dlsym(RTLD_NEXT, "cblas_ddot");
    return next(n, x, incx, y, incy);
}
END
cc -shared -fPIC -o "$T/starts.so" "$T/starts.c" -ldl -Wl,--no-as-needed "$serial"
compare starts "$T/t" --check no --budget 3 --blas openblas-serial --blas "$T/starts.so"
same "what first calls take is told" "True True" "$(in_json starts '(lambda a, b: (b > 0.019, b - a > 0.015))(*(l["seconds_first_calls"] for l in d["libraries"]))')"
same "... and is in the prediction" True "$(in_json starts '(lambda a, b: b["seconds"] - a["seconds"] > 0.9 * (b["seconds_first_calls"] - a["seconds_first_calls"]) + b["seconds_replayed"] - a["seconds_replayed"] - 0.01)(*d["libraries"])')"
compare again "$T/t" --check no --budget 3 --blas openblas-serial --blas "$T/starts.so"
same "... and in the store" "" "$(differences starts again)"
true_that "... and is said" sh -c '"$0" compare --all --check no --budget 3 --blas openblas-serial --blas "$1" "$2" | grep -q "first calls"' "$kt" "$T/starts.so" "$T/t"

# --- more shapes than there is time for
cat >"$T/many.py" <<'END'
import numpy as np
for n in range(2, 302): np.ones((n, n)) @ np.ones(n)
END
"$kt" run -o "$T/many" -- "$PYTHON" "$T/many.py" >/dev/null 2>&1
compare many "$T/many" --context tracked --check no --blas reference --blas openblas-serial
same "some of many shapes stand for all" True "$(in_json many 'abs(sum(s["share"] * s["stands_for"] for s in d["shapes"]) - 1) < 0.05')"
same "... few of them" True "$(in_json many '45 <= len(d["shapes"]) <= 50')"
same "... the others are told of" True "$(in_json many 'd["light"]["shapes"] + len(d["shapes"]) >= 300')"

# --- text, plot
text=$("$kt" compare --all --budget 1 "$T/t" --blas reference --plot "$T/plot.svg" 2>"$T/err")
same "with a plot: exit status" 0 $?
same "tables fit 80 columns" "" "$(awk 'length($0) > 80' <<<"${text//$T/}")"
for word in baseline '^dgesv' '^dgemv' 'Best: ' '95 % interval'; do has "... tell: $word" "$word" "$text"; done
page=$("$kt" compare --budget 1 "$T/t" --blas reference 2>/dev/null)
true_that "without --all: a page of at most 24 lines" test "$(wc -l <<<"$page")" -le 24
same "... of at most 80 columns" "" "$(grep -E '.{81}' <<<"${page//$T/}")"
same "... of which none is cut off" "" "$(grep '[.][.]$' <<<"$page")"
same "... the libraries, the fastest first" "openblas-serial reference" "$(grep -oE '^(openblas-serial|reference) ' <<<"$page" | xargs)"
has "... the heaviest shape, and where it comes from" '^app.py:[0-9]+ .* d[a-z]+ ' "$page"
has "... what to do next" '^Next: ktrace compare --all ' "$page"
has "the plot is one" '<svg' "$(head -c 2000 "$T/plot.svg")"
has "... with its data" '^dgemm,[0-9.e-]+,' "$(<"$T/plot.csv")"

# --- threads, copies, a library without LAPACK, a trace without order
mkdir "$T/mine" "$T/copy"; cp "$serial" "$T/mine/libopenblas.so.0"; cp "$serial" "$T/copy/libopenblas.so.0"
copies=(--budget 5 --threads 2,1 --blas "$T/mine/libopenblas.so.0" --blas "$T/copy/libopenblas.so.0" --context warm)
compare threads "$T/t" "${copies[@]}"
same "two numbers of threads, two copies, told apart by their paths" "openblas-serial x1; mine/libopenblas.so.0 x1; copy/libopenblas.so.0 x1; openblas-serial x2; mine/libopenblas.so.0 x2; copy/libopenblas.so.0 x2" \
     "$(in_json threads '"; ".join(l["label"] for l in d["libraries"])')"
compare copies "$T/t" "${copies[@]}"
same "... copies are told apart in the store, too" "True" "$(in_json copies 'd["store"]["reused"]')$(differences threads copies)"
page=$("$kt" compare "$T/t" "${copies[@]}" 2>/dev/null)
true_that "six of them on one page: at least two shapes" test "$(grep -c '^app.py:' <<<"$page")" -ge 2
same "... of each the ratio of every other library" "$((5 * $(grep -c '^app.py:' <<<"$page")))" \
     "$(sed -n '/^where/,/replayed time/p' <<<"$page" | grep -oE '(openblas-serial|libopenblas.so.0) x[12] ~?[0-9.]+' | wc -l)"
same "... on at most 24 lines" "" "$(sed -n '25,$p' <<<"$page")"
text=$("$kt" compare --all "$T/t" "${copies[@]}" 2>/dev/null)
same "... of at most 80 columns, as with --all" "" "$(grep -E '.{81}' <<<"${page//$T/}"; grep -E '.{81}' <<<"${text//$T/}")"
same "... whose tables have a column for each other library" "2 3 4 5 6" "$(grep -E '^(routine|shape) ' <<<"$text" | grep -oE ' [2-6] ' | sort -u | xargs)"
if [ -n "$blis" ]; then
    compare lacks "$T/t" --context warm --blas "$blis"; same "a library without LAPACK: exit status" 0 $?
    has "... the recorded one is called on it" 'blis.* has no LAPACK: .*, which was recorded' "$(<"$T/lacks.err")"
    same "... nothing is left out" "0 0.0" "$(in_json lacks 'len(d["libraries"][1]["failed"]), d["libraries"][1]["seconds_lacking"]')"
    compare lapack "$T/t" --context warm --blas "$blis" --lapack reference
    same "--lapack has it" 0 "$(in_json lapack 'len(d["libraries"][1]["failed"])')"
else skip "a library without LAPACK" "BLIS is not installed"; fi
# A LAPACK of its own file, which factorises by products of vectors: of the second BLAS each takes half a millisecond. The
# second one has no dscal.
cat >"$T/blas.c" <<'END'
#include <time.h>
double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy)
{
    struct timespec begin, now;
    double sum = 0;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < WAIT);
    for (int i = 0; i < *n; i++) sum += x[i * *incx] * y[i * *incy];
    return sum;
}
int idamax_(const int *n, const double *x, const int *incx) { return *n > 0 && *incx == 1; } /* of one element */
#if WAIT < 1000
void dscal_(const int *n, const double *a, double *x, const int *incx) { for (int i = 0; i < *n; i++) x[i * *incx] *= *a; }
#endif
END
cat >"$T/lapack.c" <<'END'
#include <math.h>
double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info)
{
    for (int j = 0; j < *n; j++)
        for (int i = j; i < *n; i++) {
            double s = a[i + j * *lda] - ddot_(&j, a + i, lda, a + j, lda);
            a[i + j * *lda] = i == j ? sqrt(s) : s / a[j + j * *lda];
        }
    *info = *uplo != 'L';
}
END
cat >"$T/calls.c" <<'END'
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);
void dscal_(const int *n, const double *a, double *x, const int *incx);
int main(void)
{
    int n = 8, one = 1, info;
    double half = 0.5, a[64] = {0};
    for (int k = 0; k < 20; k++) {
        for (int i = 0; i < 64; i++) a[i] = i % 9 ? 0.1 : 4;
        dpotrf_("L", &n, a, &n, &info);
        dscal_(&n, &half, a, &one);
    }
    return info;
}
END
for wait in 0 500000; do
    mkdir "$T/blas$wait"
    ${CC:-gcc} -w -O1 -shared -fPIC -DWAIT=$wait -Wl,-soname,libblas.so.9 -o "$T/blas$wait/libblas.so.9" "$T/blas.c" || not_ok "blas.c compiles"
done
${CC:-gcc} -w -O1 -shared -fPIC -Wl,-soname,liblapack.so.9 -o "$T/liblapack.so.9" "$T/lapack.c" "$T/blas0/libblas.so.9" -lm
${CC:-gcc} -w -o "$T/calls" "$T/calls.c" "$T/liblapack.so.9" "$T/blas0/libblas.so.9" -Wl,-rpath,"$T:$T/blas0"
"$kt" run -o "$T/composed" -- "$T/calls" >/dev/null 2>&1
compare composed "$T/composed" --context warm --check no --blas "$T/blas500000/libblas.so.9"
same "the recorded LAPACK calls the other BLAS: 36 products" True \
     "$(in_json composed '0.018 < [s["libraries"][1]["seconds"]["min"] for s in d["shapes"] if s["routine"] == "dpotrf"][0]')"
same "... as ktrace run has it" True "$("$kt" run --blas "$T/blas500000/libblas.so.9" -o "$T/on_it" -- "$T/calls" >/dev/null 2>&1
     "$kt" report --json "$T/on_it" | query 'min(s["insitu"]["min"] for s in d["shapes"] if s["routine"] == "dpotrf") > 0.018')"
same "another routine that it lacks is named" "dscal True" "$(in_json composed 'd["libraries"][1]["failed"][0]["routine"], "has no" in d["libraries"][1]["failed"][0]["why"]')"
same "... and counts as the baseline's time" True "$(in_json composed 'd["libraries"][1]["seconds_lacking"] > 0')"
# The reference LAPACK on OpenBLAS is neither of the two.
lapack=$("$kt" info --libraries --json reference 2>/dev/null | query '[f for f in d["libraries"][0]["files"] if "liblapack" in f][0]' 2>/dev/null)
${CC:-gcc} -w -o "$T/both" "$T/calls.c" "$lapack" "$serial" -Wl,--disable-new-dtags,-rpath,"${lapack%/*}:${serial%/*}"
"$kt" run -o "$T/mixed" -- "$T/both" >/dev/null 2>&1
compare mixed "$T/mixed" --context warm --check no --blas reference
same "a program on the LAPACK of one library and the BLAS of another: its label" "openblas-serial+reference" "$(in_json mixed 'd["libraries"][0]["label"]')"
KTRACE_MODE=profile "$kt" run -o "$T/profile" -- "$PYTHON" "$T/app.py" >/dev/null 2>&1
compare profile "$T/profile" --blas reference; same "a profile: exit status" 0 $?
same "... operands are warm" "[warm]" "$(in_json profile 'sorted({s["context"] for s in d["shapes"]})')"
has "... which is said" 'compared warm' "$(<"$T/profile.err")"

# --- really run
export TMPDIR=$T/scratch; mkdir "$TMPDIR"
compare verified --verify --runs 2 --blas reference "$T/t" -- "$PYTHON" "$T/app.py"; same "--verify" 0 $?
same "... predicted beside measured" "True 2 2" \
     "$(in_json verified 'all(l["predicted"] > 0 and l["measured"]["best"] > 0 and l["failed"] is None for l in d["verify"]["libraries"]), d["verify"]["runs"], d["verify"]["libraries"][1]["measured"]["n"]')"
same "... all calls are there" True "$(in_json verified 'all(l["calls"] == sum(s["calls"] for s in d["shapes"]) for l in d["verify"]["libraries"])')"
compare some --verify --runs 1 --routine dgemm,dgesv --blas reference "$T/t" -- "$PYTHON" "$T/app.py"
same "... of some routines: only these are measured" True \
     "$(in_json some 'all(l["calls"] == sum(s["calls"] for s in d["shapes"] if s["routine"] in ("dgemm", "dgesv")) > 0 for l in d["verify"]["libraries"])')"
text=$("$kt" compare --budget 1 --verify --runs 1 --blas reference -- "$PYTHON" "$T/app.py" 2>"$T/err")
same "without a trace, it is recorded: exit status" 0 $?
has "... what to do next comes last" '^Next: ' "$(tail -n 1 <<<"$text")"
has "... as text" 'Really run, 1 time on each' "$text"
has "... the program's own time is predicted, too" 'BLAS and LAPACK took .* of ' "$text"
has "... on the processor of the recorded calls" 'Runs with one thread stayed on processor [0-9]+' "$text"
same "... the program's output is not in ours" "" "$(grep 'must not' <<<"$text")"
same "... which fits 80 columns" "" "$(awk 'length($0) > 80' <<<"${text//$T/}")"
"$kt" compare --budget 1 --verify --runs 1 --blas reference -- false >/dev/null 2>"$T/err"
same "a program that fails: exit status" 3 $?
has "... is named" 'false ended with status 1' "$(<"$T/err")"
same "... nothing is left" "" "$(ls "$TMPDIR")"

# --- without a choice
compare everything "$T/t" --context warm --check no --budget 1 --fresh
same "without --blas: all that are installed" True "$(in_json everything 'len(d["libraries"]) >= 3 and {"reference", "openblas-serial"} <= {l["name"] for l in d["libraries"]}')"

# --- what is wrong: STATUS PATTERN ARGUMENTS...
refused() {
    local status=$1 pattern=$2; shift 2
    "$kt" compare "$@" >"$T/out" 2>"$T/err"
    local found="$? $(stat -c %s "$T/out")"
    same "refused: $(sed "s|$T|.|g" <<<"$*")" "$status 0" "$found"
    has "... in words" "$pattern" "$(<"$T/err")"
}
refused 2 'which trace'
refused 2 'which trace' --blas reference
refused 2 'numbers from 1' --blas reference --threads 0 "$T/t"
refused 2 'which library is it to be compared' --blas openblas-serial "$T/t"
refused 2 'more than 16' --blas reference --blas "$T/mine/libopenblas.so.0" --threads 1,2,3,4,5,6,7 "$T/t"
refused 2 'is for --context sequence' --blas reference --context warm --gaps code "$T/t"
refused 2 'gaps wide: expected none' --blas reference --gaps wide "$T/t"
refused 2 'stands behind' --blas reference --verify "$T/t"
refused 3 'nosuchtrace' --blas reference "$T/nosuchtrace"
exit $((failures != 0))
