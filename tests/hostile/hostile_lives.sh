# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 90 s
# As tests/hostile/hostile.sh: profiles, snapshots, letters in arguments, stores, algorithms and the environment.
. tests/lib.sh
command -v gnuplot >/dev/null || { skip "pictures of hostile files" "gnuplot is not installed (apt: gnuplot-nox)"; exit 0; }
kt=$PWD/$B/ktrace
steps=$PWD/$B/tests/modes/steps
export KTRACE_QUIET=1
mkdir -p "$T/work" "$T/stub"

# A program whose letters, regions and arguments steer terminals and shells. Its library does nothing, whatever it is told.
cat >"$T/stub/stub.c" <<'END'
void dgemm_(void) {}
double ddot_(void) { return 0; }
END
cat >"$T/stub/calls.c" <<'END'
#include <ktrace/ktrace.h>
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *, const int *, const double *,
            const int *, const double *, double *, const int *);
int main(void)
{
    static const char letter[] = "\033\233\n\t\r'\"`*/=<$\\;%";
    static double a[64];
    const int n = 4;
    const double one = 1;
    for (const char *c = letter; *c; c++) {
        char name[] = {*c, '=', '`', *c, '*', '/', 0};
        ktrace_begin(name);
        dgemm_(c, c, &n, &n, &n, &one, a, &n, a, &n, &one, a, &n);
        ktrace_end();
    }
    return 0;
}
END
"${CC:-gcc}" -shared -fPIC -Wl,-soname,libblas.so.3 -o "$T/stub/libblas.so.3" "$T/stub/stub.c"
"${CC:-gcc}" -Iinclude -o "$T/stub/calls" "$T/stub/calls.c" "$T/stub/libblas.so.3" -Wl,-rpath,"$T/stub" -ldl
for how in full "profile KTRACE_MODE=profile" "snapshot KTRACE_SNAPSHOT=1" "counted KTRACE_EVENTS=perf::PAGE-FAULTS"; do
    # shellcheck disable=SC2086
    set -- $how
    env ${2:-A=b} KTRACE_OUT="$T/$1" LD_PRELOAD="$PWD/$B/libktrace.so" "$T/stub/calls" || not_ok "the program ends with status $?"
    "$PYTHON" tests/hostile/hostile.py whole "$kt" "$T/$1" "$T/work" || failures=1
    true_that "$1: the trace itself is sound" "$kt" check "$T/$1"
done
true_that "the snapshots are there" test -s "$(echo "$T"/snapshot/p*/o1)"
same "calls with such letters are replayed or not, quietly" "" "$("$kt" replay --budget 1 --store none --context warm "$T/snapshot" 2>&1 | tr -d '\n -~' | LC_ALL=C tr -d '\200-\377')"

traced all "$steps" begin=a numbered=20 end dot=3 || not_ok "the program ends with status $?"
"$kt" replay --context warm,cold --budget 1 --store "$T/store.sqlite" "$T/all" >"$T/out" 2>&1 || not_ok "replay ends with status $?" "$(<"$T/out")"
"$kt" compare --blas openblas-serial --context warm --budget 1 --store "$T/store.sqlite" "$T/all" >"$T/out" 2>&1 || not_ok "compare ends with status $?" "$(<"$T/out")"
"$PYTHON" tests/hostile/hostile_lives.py store "$kt" "$T/store.sqlite" "$T/work" "$T/all" || failures=1

"$kt" model build --algorithm cholesky_left --blas reference --n 100 --b 32 --models "$T/models.json" --budget 4 --samples rounds=2,processes=1,heldout=3 >"$T/out" 2>&1 ||
    not_ok "model build ends with status $?" "$(<"$T/out")"
"$PYTHON" tests/hostile/hostile_lives.py algorithm "$kt" examples/algorithms/cholesky_left.kta "$T/work" "$T/models.json" || failures=1

unset KTRACE_QUIET
"$PYTHON" tests/hostile/hostile_lives.py environment "$kt" "$PWD/$B/libktrace.so" "$steps" "$T/work" "$T/all" || failures=1
exit $((failures != 0))
