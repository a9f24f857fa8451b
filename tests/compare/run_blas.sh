# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 4 s
# ktrace run --blas: the program really runs on another library, with KTRACE_BLAS alone too, or is not started at all.
. tests/lib.sh
kt=$PWD/$B/ktrace
A=$PWD/$B/tests/abi
shim=$PWD/$B/libktrace.so
export KTRACE_QUIET=1
libraries() { info "$1" '" ".join(sorted(l["path"].split("/")[-2] + "/" + l["path"].split("/")[-1] for l in d["libraries"]))'; }
sonames() { info "$1" '" ".join(sorted(l["soname"] for l in d["libraries"]))'; }

# run_on LIB WHAT-IT-PRINTS SONAMES-RECORDED COMMAND...: by ktrace run, and with the variable alone
run_on() {
    local lib=$1 prints=$2 recorded=$3; shift 3
    rm -rf "$T/run" "$T/alone"
    same "$* on ${lib##*/}" "$prints" "$("$kt" run -o "$T/run" --blas "$lib" -- timeout 20 "$@" 2>&1)"
    same "... recorded" "$recorded" "$(sonames run)"
    same "... KTRACE_BLAS alone" "$prints" "$(KTRACE_BLAS=$lib LD_PRELOAD=$shim KTRACE_OUT=$T/alone timeout 20 "$@" 2>&1)"
    same "... recorded" "$recorded" "$(sonames alone)"
}
run_on "$A/libfake2.so" 2 libfake2.so "$A/ways_linked" linked -
run_on "$A/libfake2.so" "2 2" libfake2.so "$A/ways" local "$A/module_one.so"
run_on "$A/libfake3.so" $'3 3\n3 3' libfake3.so "$A/ways" local "$A/module_one.so" local "$A/module_two.so"
run_on "$A/libfake2.so" $'2 2 the same\n/libfake1.so: undefined symbol: dgemmt_' libfake2.so "$A/ways" handle "$A/libfake1.so"
run_on "$A/libfake2.so" "$(KTRACE_DISABLE=1 "$A/reload" "$A/module_join.so" | sed 's/1 1/2 2/')" libfake2.so "$A/reload" "$A/module_join.so"
run_on "$A/libfake2.so" "$(KTRACE_DISABLE=1 "$A/reload" "$A/module_early.so" | sed 's/1 1/2 2/')" libfake2.so "$A/reload" "$A/module_early.so"
same "a module opened with RTLD_DEEPBIND" "2 2" "$("$kt" run -o "$T/deep" --blas "$A/libfake2.so" -- "$A/ways" deep "$A/module_three.so" 2>&1)"
same "nothing recorded, but the library is the other one" 2 "$(KTRACE_DISABLE=1 "$kt" run -o "$T/off" --blas "$A/libfake2.so" -- "$A/ways_linked" linked - 2>"$T/err")"
same "only programs that are selected" 1 "$(KTRACE_PROGRAMS=none "$kt" run -o "$T/none" --blas "$A/libfake2.so" -- "$A/ways_linked" linked - 2>"$T/err")"

# A library that looks its routines up in another one, which the program has too, is not sent back to itself.
cat >"$T/wrapper.c" <<END
#include <dlfcn.h>
typedef double dot(const int *, const double *, const int *, const double *, const int *);
static dot *other;
double ddot_(const int *n, const double *x, const int *i, const double *y, const int *j)
{
    if (!other)
        other = (dot *)dlsym(dlopen("$A/libfake1.so", RTLD_NOW | RTLD_LOCAL), "ddot_");
    return 10 + other(n, x, i, y, j);
}
int idamax_(const int *n, const double *x, const int *i) { return *n == 3 ? 2 : 0; }
END
"${CC:-gcc}" -w -shared -fPIC -Wl,-soname,wrapper.so -o "$T/wrapper.so" "$T/wrapper.c" -ldl
run_on "$T/wrapper.so" 11 wrapper.so "$A/ways_linked" linked -

# Two builds of one library: the program's module needs what only the other build with that soname has.
mkdir "$T/one" "$T/two"
dot='double ddot_(const int *n, const double *x, const int *i, const double *y, const int *j) { return'
echo "int secret(void) { return 1; } $dot 1; } int idamax_(const int *n, const double *x, const int *i) { return *n == 3 ? 2 : 0; }" >"$T/one.c"
echo "$dot 2; } int idamax_(const int *n, const double *x, const int *i) { return *n == 3 ? 2 : 0; }" >"$T/two.c"
echo "int secret(void); int main_part(void) { return secret(); }" >"$T/module.c"
cat >"$T/program.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    const int one = 1;
    const double x = 1;
    void *module = dlopen(argv[1], RTLD_NOW);
    if (!module)
        return fprintf(stderr, "%s\n", dlerror()), 1;
    double (*dot)() = (double (*)())dlsym(module, "ddot_");
    printf("%g\n", dot(&one, &x, &one, &x, &one));
    return argc == 0;
}
END
for build in one two; do "${CC:-gcc}" -w -shared -fPIC -Wl,-soname,libsame.so.0 -o "$T/$build/libsame.so.0" "$T/$build.c"; done
"${CC:-gcc}" -w -shared -fPIC -Wl,--no-as-needed -Wl,-rpath,"$T/one" -o "$T/module.so" "$T/module.c" "$T/one/libsame.so.0"
"${CC:-gcc}" -w -o "$T/program" "$T/program.c" -ldl
run_on "$T/two/libsame.so.0" 2 libsame.so.0 "$T/program" "$T/module.so"

# Children, by fork and by exec, and the status.
"$kt" run -o "$T/status" --blas "$A/libfake2.so" -- sh -c "$A/life calls2 fork exit9; exit \$?" >/dev/null 2>&1
same "exit status" 9 $?
same "... forked children too" "2 5 libfake2.so" "$(info status 'd["processes"], d["calls"]' | tr -d '(,)') $(sonames status)"

# What cannot be is refused before the program starts.
refused() {
    local name=$1 status=$2 pattern=$3; shift 3
    rm -rf "$T/no" "$T/ran"
    KTRACE_QUIET= "$kt" run -o "$T/no" "$@" -- "${program[@]}" >"$T/out" 2>&1
    same "$name: refused" $status $?
    same "... in one line" 1 "$(wc -l <"$T/out")"
    has "... that says why" "$pattern" "$(<"$T/out")"
    true_that "... before the start" test ! -e "$T/ran"
    true_that "... and nothing is left" test ! -e "$T/no"
}
program=(touch "$T/ran")
refused "a name that means nothing" 2 "no short name" --blas nosuchlibrary
refused "a path that does not exist" 2 "there is no such library" --blas /nowhere/libblas.so
touch "$T/empty.so"
refused "what is no library" 4 "cannot be loaded" --blas "$T/empty.so"
refused "a library without a routine" 2 "no routine" --blas "$A/libtool.so"
refused "64-bit integers" 2 "64-bit integers" --blas "$A/libfake64.so"
refused "--lapack alone" 2 "goes with --blas" --lapack reference
program=("$A/wide")
same "64-bit integers for a program with 64" 0 "$("$kt" run -o "$T/wide" --blas "$A/libfake64.so" -- "${program[@]}" 2>&1; echo $?)"
refused "32-bit integers for a program with 64" 2 "32-bit integers, but" --blas "$A/libfake2.so"
said=$(KTRACE_QUIET= KTRACE_BLAS=/nowhere/x.so LD_PRELOAD=$shim KTRACE_OUT=$T/said "$A/ways_linked" linked - 2>&1)
has "KTRACE_BLAS alone that cannot be loaded: passed on" "^1$" "$said"
same "... which is said once" 1 "$(grep -c 'KTRACE_BLAS cannot be loaded' <<<"$said")"
said=$(KTRACE_QUIET= KTRACE_BLAS=$A/libfake64.so LD_PRELOAD=$shim KTRACE_OUT=$T/said2 "$A/ways" local "$A/module_one.so" 2>&1)
has "KTRACE_BLAS alone with other integers: passed on" "^1 1$" "$said"
same "... which is said once" 1 "$(grep -c 'KTRACE_BLAS has other integers' <<<"$said")"

# Real libraries: the same results up to rounding, LAPACK too.
script='
import os, sys, numpy as np
rng = np.random.default_rng(1)
a = rng.standard_normal((120, 120)); s = a + a.T
w, v = np.linalg.eigh(s)
if len(sys.argv) > 1:
    pid = os.fork()
    if pid: os._exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
print("%.8f %.8f %s" % (abs(a @ a).sum(), abs(w).sum(), np.allclose(v @ np.diag(w) @ v.T, s) and np.allclose(a @ np.linalg.solve(a, s), s)))'
expected=$("$PYTHON" -c "$script")
for name in reference blis-serial openblas-serial atlas; do
    if ! "$kt" info --libraries $name >"$T/list" 2>&1; then skip "NumPy on $name" "not installed"; continue; fi
    first=$(grep -m 1 '^ \+/' "$T/list"); first=${first##* }
    same "NumPy on $name" "$expected" "$("$kt" run -o "$T/$name" --blas $name -- "$PYTHON" -c "$script" 2>&1)"
    has "... recorded" "$(basename "$(dirname "$first")")/$(basename "$first")" "$(libraries $name)"
    same "... and no other BLAS" "" "$(libraries $name | tr ' ' '\n' | grep -v "^$(basename "$(dirname "$first")")/\|^lapack/")"
    [ $name != reference ] || same "... in a forked child" "$expected" "$("$kt" run -o "$T/$name.fork" --blas $name -- "$PYTHON" -c "$script" fork 2>&1)"
done
exit $((failures != 0))
