# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 25 s
# ktrace compare --map: what it writes for libraries that are slow where we know it, and that the program follows it.
. tests/lib.sh
kt=$PWD/$B/ktrace
export KTRACE_QUIET=1
# A right dot product, which waits where SLOW holds: long enough that nobody takes it for noise.
cat >"$T/lib.c" <<'END'
int idamax_(const int *n, const double *x, const int *i) { return *n == 3 ? 2 : 0; }
static void wait(long turns) { for (volatile long i = 0; i < turns; i++); }
double ddot_(const int *n, const double *x, const int *i, const double *y, const int *j)
{
    double sum = 0;
    for (int k = 0; k < *n; k++) sum += x[k * *i] * y[k * *j];
    wait(SLOW ? 60000 : 20000);
    return sum;
}
END
library() { "${CC:-gcc}" -w -O1 -shared -fPIC -Wl,-soname,"$1" -DSLOW="$2" -o "$T/$1" "$T/lib.c"; }
library libown.so '(*n > 100 || *n == 40)'; library libother.so '(*n < 100 && *n != 40)'; library libsame.so '(*n > 100 || *n == 40)'
cat >"$T/app.c" <<'END'
#include <stdio.h>
#include <time.h>
double ddot_(const int *, const double *, const int *, const double *, const int *);
int main(int argc, char **argv)
{
    static const int size[] = {10, 30, 40, 50, 200, 300, 500};
    static double x[1000];
    const int one = 1;
    double sum = 0;
    for (int i = 0; i < 700; i++)
        sum += ddot_(&size[i % 7], x, &one, x, &one);
    printf("%g\n", sum);
    return 0;
}
END
"${CC:-gcc}" -w -o "$T/app" "$T/app.c" "$T/libown.so" -Wl,-rpath,"$T"
compare() { local out=$1; shift; "$kt" compare --json --budget 8 --check no "$@" >"$T/$out.json" 2>"$T/$out.err"; }
in_json() { query "$2" <"$T/$1.json"; }

compare both --map "$T/app.map" --verify --blas "$T/libother.so" --blas "$T/libsame.so" -- "$T/app"
same "compare --map" 0 $?
rules=$(grep -v '^#\|^library\|^threads' "$T/app.map")
same "a rule for each range, with gaps where another library is best" "ddot layout=C n=40 -> libother.so ddot layout=C n=200..500 -> libother.so" \
     "$(sed 's/  #.*//' <<<"$rules" | paste -sd ' ')"
same "only libraries that are used" "library libother.so $T/libother.so" "$(grep ^library "$T/app.map")"
has "... with the gain and its interval" "-> libother.so  # 0\.[0-9]+, 0\.[0-9]+ to 0\.[0-9]+ times; 3 shapes, 300 calls" "$rules"
same "the document has them" "[('ddot', 'libother.so', 1, 100.0), ('ddot', 'libother.so', 3, 300.0)]" \
     "$(in_json both '[(r["routine"], r["library"], r["shapes"], r["calls"]) for r in d["map"]["rules"]]')"
same "... and what is to be won, in its interval" True "$(in_json both 'd["map"]["ratio"]["lo"] <= d["map"]["ratio"]["value"] <= d["map"]["ratio"]["hi"] < 1 and d["map"]["seconds"] < d["libraries"][0]["seconds"]')"
same "the program ran on each library and by the map" "['libown.so', 'libother.so', 'libsame.so', 'the map']" "$(in_json both '[l["name"] for l in d["verify"]["libraries"]]')"
# By the map all calls take 20000 turns; on the best single library 3 of 7 take three times as many, 0.54 of that. Pauses
# of a busy machine are left out: medians of each shape's calls.
same "... and by the map it was faster than on any" True \
     "$(in_json both 'd["verify"]["libraries"][3]["ratio_typical"]["value"] < 0.8 * min(l["ratio_typical"]["value"] for l in d["verify"]["libraries"][:3])')"
"$kt" run -o "$T/by" --map "$T/app.map" -- "$T/app" >/dev/null 2>&1
same "calls went to both" "libother.so libown.so" "$(info by '" ".join(sorted(l["path"].split("/")[-1] for l in d["libraries"]))')"

# Nothing to be won: no file.
"$kt" run -o "$T/t" -- "$T/app" >/dev/null 2>&1
compare none --map "$T/none.map" --blas "$T/libsame.so" "$T/t"
same "no library is better: no map" "0 None []" "$? $(in_json none '"%s %s" % (d["map"]["file"], d["map"]["rules"])')"
true_that "... and no file" test ! -e "$T/none.map"
has "... which is said" "no map: no other library is certainly faster" "$("$kt" compare --budget 2 --check no --map "$T/none.map" --blas "$T/libsame.so" "$T/t" 2>/dev/null)"
same "a place that cannot be written to" 4 "$("$kt" compare --budget 8 --check no --map /nowhere/x.map --blas "$T/libother.so" "$T/t" >/dev/null 2>&1; echo $?)"
same "--check only times nothing" 2 "$("$kt" compare --check only --map "$T/x" "$T/t" >/dev/null 2>&1; echo $?)"
exit $failures
