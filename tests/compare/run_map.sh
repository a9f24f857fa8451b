# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 12 s
# ktrace run --map and KTRACE_MAP alone: each call goes where the map says, recorded or not. Maps that cannot be followed.
. tests/lib.sh
kt=$PWD/$B/ktrace
A=$PWD/$B/tests/abi
shim=$PWD/$B/libktrace.so
export KTRACE_QUIET=1

# A BLAS that says who it is, by Fortran and by CBLAS, with sizes in registers and on the stack, in 32 and 64 bits.
cat >"$T/lib.c" <<'END'
#include <stdint.h>
INT idamax_(const INT *n, const double *x, const INT *i) { return *n == 3 ? 2 : 0; }
double ddot_(const INT *n, const double *x, const INT *i, const double *y, const INT *j) { return ME; }
double cblas_ddot(INT n, const double *x, INT i, const double *y, INT j) { return ME; }
void dgemm_(const char *ta, const char *tb, const INT *m, const INT *n, const INT *k, const double *alpha, const double *a,
            const INT *lda, const double *b, const INT *ldb, const double *beta, double *c, const INT *ldc) { *c = ME; }
void cblas_dgemm(int layout, int ta, int tb, INT m, INT n, INT k, double alpha, const double *a, INT lda, const double *b,
                 INT ldb, double beta, double *c, INT ldc) { *c = ME; }
void cblas_dtrsm(int layout, int side, int uplo, int ta, int diag, INT m, INT n, double alpha, const double *a, INT lda,
                 double *b, INT ldb) { *b = ME; }
int LAPACKE_dpotrf(int layout, char uplo, INT n, double *a, INT lda) { *a = ME; return 0; }
#ifdef NESTS
void dgetrf_(const INT *m, const INT *n, double *a, const INT *lda, INT *p, INT *info) { dgemm_("N", "N", m, n, n, a, a, m, a, m, a, a, m); *info = 0; }
#endif
END
library() { "${CC:-gcc}" -w -O1 -shared -fPIC -Wl,-soname,"${4:-libsame.so}" -DINT="$2" -DME="$3" ${5:+-DNESTS} -o "$T/$1" "$T/lib.c"; }
library lib1.so int32_t 1; library lib2.so int32_t 2; library lib3.so int32_t 3; library wide.so int64_t 4
cat >"$T/calls.c" <<'END'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double ddot_(), cblas_ddot(INT, const double *, INT, const double *, INT);
void dgemm_();
void cblas_dgemm(int, int, int, INT, INT, INT, double, const double *, INT, const double *, INT, double, double *, INT);
void cblas_dtrsm(int, int, int, int, int, INT, INT, double, const double *, INT, double *, INT);
int LAPACKE_dpotrf(int, char, INT, double *, INT);
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        double c = 0, x[4] = {0};
        char what[16], ta = 'N', tb = 'N';
        long s[3] = {1, 1, 1};
        INT one = 1;
        sscanf(argv[i], "%15[^,],%c%c,%ld,%ld,%ld", what, &ta, &tb, &s[0], &s[1], &s[2]);
        INT m = s[0], n = s[1], k = s[2];
        if (!strcmp(what, "ddot"))
            c = ddot_(&m, x, &one, x, &one);
        else if (!strcmp(what, "cdot"))
            c = cblas_ddot(m, x, 1, x, 1);
        else if (!strcmp(what, "gemm"))
            dgemm_(&ta, &tb, &m, &n, &k, x, x, &m, x, &n, x, &c, &m);
        else if (!strcmp(what, "cgemm"))
            cblas_dgemm(101, ta == 'N' ? 111 : 112, tb == 'N' ? 111 : 112, m, n, k, 1, x, m, x, n, 1, &c, m);
        else if (!strcmp(what, "potrf"))
            LAPACKE_dpotrf(102, ta, m, &c, m);
        else
            cblas_dtrsm(102, 141, 121, ta == 'N' ? 111 : 112, 131, m, n, 1, x, m, &c, m);
        printf("%g", c);
    }
    puts("");
    return 0;
}
END
program() { "${CC:-gcc}" -w -O1 -DINT="$2" -o "$T/$1" "$T/calls.c" "$T/$3" -Wl,-rpath,"$T"; }
# What is linked by a soname must have it in its file's name.
library libown.so int32_t 1 libown.so; library libownwide.so int64_t 1 libownwide.so
program calls int32_t libown.so; program calls_wide int64_t libownwide.so
cat >"$T/map" <<END
# Which library is whose.
library two $T/lib2.so
library three $T/lib3.so
threads 1
ddot n=5..9 -> two
ddot n=100.. -> three   # far
dgemm layout=C transa=N transb=N m=10..20 n=10..20 k=5.. -> two
dgemm layout=C transa=N transb=T m=10..20 -> three
dgemm layout=R m=10..20 -> three
dgemm transa=N transb=T m*n*k=1000000.. -> own
dgemm transa=N transb=T m*n=30000.. -> two
dtrsm side=L uplo=U transa=T diag=N m=3 n=7.. -> three
dpotrf uplo=L n=3.. -> two
END

# goes NAME EXPECTED CALL...: untraced, recorded, and with the variable alone
goes() {
    local name=$1 expected=$2; shift 2
    rm -rf "$T/run" "$T/alone"
    same "$name: not recorded" "$expected" "$("$kt" run --map "$T/map" --no-trace -- "$T/calls" "$@" 2>&1)"
    same "... recorded" "$expected" "$("$kt" run -o "$T/run" --map "$T/map" -- "$T/calls" "$@" 2>&1)"
    same "... with KTRACE_MAP alone" "$expected" "$(KTRACE_MAP=$T/map LD_PRELOAD=$shim KTRACE_OUT=$T/alone "$T/calls" "$@" 2>&1)"
}
goes "ranges" 112213 ddot,NN,1 ddot,NN,4 ddot,NN,5 ddot,NN,9 ddot,NN,10 ddot,NN,100
same "... the trace says where they went" "lib2.so lib3.so libown.so" "$(info run '" ".join(sorted(l["path"].split("/")[-1] for l in d["libraries"]))')"
same "... and every call is one, not nested" "6" "$(info run 'd["calls"]')"
goes "CBLAS by value" 12213 cdot,NN,4 cdot,NN,5 cdot,NN,9 cdot,NN,10 cdot,NN,1000
goes "options, sizes and their ends" 2111311 gemm,NN,10,20,5 gemm,NN,21,20,5 gemm,NN,10,9,5 gemm,NN,10,10,4 gemm,NT,10,1,1 gemm,NT,9,1,1 gemm,TN,10,10,9
goes "products" 1121 gemm,NT,100,100,100 gemm,NT,1000,1000,1 gemm,NT,300,100,1 gemm,NT,300,99,1
goes "a layout" 313 cgemm,NN,10,2,2 cgemm,NN,9,2,2 cgemm,TT,20,2,2
goes "letters by value, of both cases" 22111 potrf,LN,3 potrf,lN,3 potrf,UN,3 potrf,uN,3 potrf,lN,2
goes "letters of both cases behind addresses" 221 gemm,NN,10,20,5 gemm,nn,10,20,5 gemm,tn,10,20,5
goes "words on the stack" 1131 trsm,NN,3,7 trsm,TN,3,6 trsm,TN,3,70 trsm,TN,4,7
"${CC:-gcc}" -w -O1 -shared -fPIC -DINT=int32_t -DME=6 -Didamax_=scipy_idamax_ -Dddot_=scipy_ddot_ -Dcblas_ddot=no_ddot -Ddgemm_=scipy_dgemm_ -o "$T/scipy.so" "$T/lib.c"
printf 'library scipy %s\nddot -> scipy\n' "$T/scipy.so" >"$T/scipy.map"
same "a library with names of its own" 6 "$("$kt" run --map "$T/scipy.map" --no-trace -- "$T/calls" ddot,NN,5 2>&1)"
"$kt" run -o "$T/lines" --map "$T/map" -- "$T/calls" ddot,NN,7 cgemm,NN,10,2,2 gemm,NN,10,20,5 >/dev/null 2>&1
same "the first call of each name has the program as its caller" "calls calls calls" \
    "$(calls lines '" ".join(c["caller"]["object"].split("/")[-1] for c in d)')"

# A LAPACK of a map calls its own library's BLAS, and what a library calls is not sent elsewhere.
library nests.so int32_t 5 libnests.so nests
cat >"$T/factor.c" <<'END'
#include <stdio.h>
void dgetrf_();
int main(void) { int n = 12, info = 7, p[12]; double a[144] = {0}; dgetrf_(&n, &n, a, &n, p, &info); printf("%g\n", a[0]); return info; }
END
library libownnests.so int32_t 1 libownnests.so nests
"${CC:-gcc}" -w -o "$T/factor" "$T/factor.c" "$T/libownnests.so" -Wl,-rpath,"$T"
printf 'library five %s\nlibrary two %s\ndgetrf m=10.. -> five\ndgemm -> two\n' "$T/nests.so" "$T/lib2.so" >"$T/nested.map"
same "a nested call stays in the library that makes it" 5 "$("$kt" run --no-trace --map "$T/nested.map" -- "$T/factor" 2>&1)"
printf 'library two %s\ndgemm -> two\n' "$T/lib2.so" >"$T/nested.map"
same "... in the program's own too" 1 "$("$kt" run --no-trace --map "$T/nested.map" -- "$T/factor" 2>&1)"

# Children, dlopen, dlsym, modules that are unloaded.
printf 'library two %s\nlibrary three %s\nddot n=1.. -> two\n' "$A/libfake2.so" "$A/libfake3.so" >"$T/fakes.map"
run_fakes() { "$kt" run -o "$T/fakes" --map "$T/fakes.map" -- timeout 20 "$@" 2>&1; rm -rf "$T/fakes"; }
same "a module" "2 2" "$(run_fakes "$A/ways" local "$A/module_one.so")"
same "what dlsym finds" "2 2 the same" "$(run_fakes "$A/ways" handle "$A/libfake1.so" | head -n 1)"
same "modules that come and go" "$(KTRACE_DISABLE=1 "$A/reload" "$A/module_join.so" | sed 's/1 1/2 2/')" "$(run_fakes "$A/reload" "$A/module_join.so")"
same "a program that forks" 9 "$(run_fakes sh -c "$A/life calls2 fork exit9; echo \$?" | tail -n 1)"
# A map, and a library for all that opens another one while it is loaded: the map waits for its turn.
printf '#include <dlfcn.h>\n__attribute__((constructor)) static void start(void) { dlopen("libm.so.6", RTLD_NOW); }\n' >"$T/opens.c"
"${CC:-gcc}" -shared -fPIC -o "$T/opens.so" "$T/opens.c"
same "a map beside a library for all: calls go to that" "2 2" "$(KTRACE_BLAS=$A/libfake2.so,$T/opens.so KTRACE_MAP=$T/fakes.map KTRACE_OUT=$T/both LD_PRELOAD=$shim "$A/ways" local "$A/module_one.so" 2>"$T/err")"
same "... and are recorded" True "$(info both 'd["calls"] > 0 and not d["lost"]')"

# What cannot be followed: one line and nothing runs; with the variable alone one line, and the program runs as without.
refused() {
    local name=$1 status=$2 pattern=$3 program=$4 own=$5; shift 5
    rm -rf "$T/no"
    KTRACE_QUIET= "$kt" run -o "$T/no" --map "$T/bad" -- "$T/$program" ddot,NN,7 >"$T/out" 2>&1
    same "$name: refused" "$status" $?
    same "... in one line" 1 "$(wc -l <"$T/out")"
    has "... that says why" "$pattern" "$(<"$T/out")"
    true_that "... before the start" test ! -e "$T/no"
    KTRACE_QUIET= KTRACE_MAP=$T/bad KTRACE_DISABLE=1 LD_PRELOAD=$shim "$T/$program" ddot,NN,7 >"$T/out" 2>"$T/err"
    same "... KTRACE_MAP alone: it runs as without a map" "$own" "$(<"$T/out")"
    same "... in one line" 1 "$(grep -c KTRACE_MAP "$T/err")"
}
bad() { printf '%s\n' "$@" >"$T/bad"; }
two="library two $T/lib2.so"
bad "library two /nowhere/lib.so" "ddot -> two"; refused "a library that is gone" 2 "no such library" calls 1
bad "$two" "dsyrk n=3 -> two"; refused "a routine that it lacks" 2 "two has no dsyrk" calls 1
bad "$two" "nosuch n=3 -> two"; refused "a routine that nobody has" 2 "line 2: no such routine is known: nosuch" calls 1
bad "$two" "ddot m=3 -> two"; refused "a size that it has not" 2 "line 2: .*m .*ddot|line 2: .*: m of ddot" calls 1
bad "library wide $T/wide.so" "ddot -> wide"; refused "64-bit integers" 2 "64-bit integers|has no ddot_ with the program" calls 1
bad "$two" "ddot -> two"; refused "32-bit integers for a program with 64" 2 "32-bit integers, but|has no ddot_ with the program" calls_wide 1
bad "ddot -> two" "$two"; refused "a library that no line before names" 2 "line 1: no line before says which library that is: two" calls 1
bad "$two" "ddot n=9..5 -> two"; refused "a range that ends before it begins" 2 "line 2: can never hold: it ends before it begins: n=9..5" calls 1
bad "$two" "ddot n=5 -> two" "ddot n=5 n=6 -> two"; refused "two sizes that cannot be one" 2 "line 3: can never hold: n=5 and n=6" calls 1
bad "$two" "dgemm transa=N m=5..9 transa=T -> two"; refused "two letters for one option" 2 "line 2: can never hold: transa=N and transa=T" calls 1
bad "$two" "dgemm m*n=5..9 n*m=10.. -> two"; refused "two products that cannot be one" 2 'line 2: can never hold: m\*n=5..9 and n\*m=10\.\.' calls 1
bad "$two" "dgemm m*n=..399 m=20.. n=20.. -> two"; refused "a product that its sizes are too large for" 2 'line 2: can never hold: m\*n=0..399, where the other conditions make it m\*n=400\.\.' calls 1
bad "$two" "ddot n>5 -> two"; refused "another sign" 2 "line 2: expected a condition" calls 1
bad "$two" "ddot n=99999999999999999999 -> two"; refused "a number without end" 2 "line 2: expected a condition" calls 1
bad "$two" "ddot n=5"; refused "no library" 2 "line 2: expected: ROUTINE" calls 1
bad "$two" "ddot $(printf 'n=1.. %.0s' {1..9})-> two"; refused "a rule without end" 2 "line 2: too many conditions" calls 1
bad "$two" "ddot n=$(printf '1%.0s' {1..3000})"; refused "a line without end" 2 "line 2: longer than 2 KB" calls 1
{ echo "$two"; yes "ddot n=1 -> two" | head -n 600; } >"$T/bad"; refused "rules without end" 2 "line 514: too many rules" calls 1
# What only the table of routines tells is looked for before the start; by the variable alone such a rule sends nothing anywhere.
hopeless() {
    bad "$two" "$2 -> two"
    KTRACE_QUIET= "$kt" run --no-trace --map "$T/bad" -- "$T/calls" ddot,NN,7 >"$T/out" 2>&1
    same "$1" "2 $3" "$? $(sed 's/^.*\/bad: //' "$T/out")"
}
hopeless "a letter that no call may pass" "dgemm transa=X" "line 2: can never hold: no call of dgemm has transa=X"
hopeless "... of a routine with letters of its own" "dpotrf uplo=L n=5 uplo=L -> two
dsyevd jobz=Q" "line 3: can never hold: no call of dsyevd has jobz=Q"
hopeless "a layout that is none" "dgemm layout=X" "line 2: can never hold: no call of dgemm has layout=X"
hopeless "rows of a routine that is called from Fortran only" "dlaed4 n=5 layout=R" "line 2: can never hold: no call of dlaed4 has layout=R"
head -c 200000 /dev/zero | tr '\0' '#' >"$T/bad"; refused "a file without end" 2 "longer than 128 KiB" calls 1
bad "# nothing"; refused "no rule" 2 "there is no rule" calls 1
bad "$two" "$two" "ddot -> two"; refused "one name for two libraries" 2 "line 2: a second library of the name two" calls 1
bad "$two" "threads 0" "ddot -> two"; refused "no threads" 2 "line 2: expected: threads N" calls 1
rm "$T/bad"; mkfifo "$T/bad"; refused "a pipe that nobody writes to" 2 "not an ordinary file" calls 1; rm "$T/bad"
same "a map and a library for all" 2 "$("$kt" run --map "$T/map" --blas "$T/lib2.so" -- true >/dev/null 2>&1; echo $?)"
same "... or by the environment" 2 "$(KTRACE_BLAS=$T/lib2.so "$kt" run --map "$T/map" -- true >/dev/null 2>&1; echo $?)"
same "no trace, and where it goes" 2 "$("$kt" run --no-trace -o "$T/x" -- true >/dev/null 2>&1; echo $?)"
same "a status of a program that is not recorded" 7 "$("$kt" run --no-trace -- sh -c 'exit 7' >/dev/null 2>&1; echo $?)"
same "a command that is not there" 127 "$("$kt" run --no-trace -- /nowhere/x >/dev/null 2>&1; echo $?)"

# A child of a program of which another thread is loading the libraries: it loads them itself.
cat >"$T/slow.c" <<'END'
#include "lib.c"
#include <unistd.h>
__attribute__((constructor)) static void take_long(void) { usleep(400000); }
END
cat >"$T/forks.c" <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static const char *file;
static double call(void) /* nothing is loaded before it opens a file */
{
    double x[3] = {0}, (*dot)(const int *, const double *, const int *, const double *, const int *);
    const int n = 3, one = 1;
    dot = dlsym(dlopen(file, RTLD_NOW), "ddot_");
    return dot(&n, x, &one, x, &one);
}
static void *call_too(void *unused) { call(); return unused; }
int main(int argc, char **argv)
{
    pthread_t thread;
    file = argv[1];
    pthread_create(&thread, NULL, call_too, NULL);
    usleep(150000);
    if (fork() == 0) {
        printf("%g\n", call());
        fflush(stdout);
        _exit(0);
    }
    wait(NULL);
    pthread_join(thread, NULL);
    return 0;
}
END
"${CC:-gcc}" -w -shared -fPIC -DINT=int32_t -DME=5 -Wl,-soname,libslow.so -o "$T/libslow.so" "$T/slow.c"
"${CC:-gcc}" -w -o "$T/forks" "$T/forks.c" -pthread
for one in first second; do cp "$T/libslow.so" "$T/$one.so"; printf 'library %s %s\n' $one "$T/$one.so"; done >"$T/slow.map"
echo "ddot -> first" >>"$T/slow.map"
same "a fork while the libraries are loaded" 5 "$(timeout 20 "$kt" run --no-trace --map "$T/slow.map" -- "$T/forks" "$T/libown.so" 2>&1)"
same "... recorded" 5 "$(timeout 20 "$kt" run -o "$T/forked" --map "$T/slow.map" -- "$T/forks" "$T/libown.so" 2>&1)"

# Real libraries: the same results up to rounding, LAPACK too.
if "$kt" info --libraries reference blis-serial >"$T/list" 2>&1; then
    reference=$(grep -m 1 'blas/libblas' "$T/list"); reference=${reference##* }
    blis=$(grep -m 1 'blis-serial/libblas' "$T/list"); blis=${blis##* }
    printf 'library reference %s\nlibrary blis %s\ndgemm m=100.. -> blis\ndgemm -> reference\ndsyrk -> blis\ndgemv m=50.. -> reference\n' "$reference" "$blis" >"$T/real.map"
    script='
import numpy as np
rng = np.random.default_rng(1)
a = rng.standard_normal((120, 120)); s = a + a.T
w, v = np.linalg.eigh(s)
b = a[:50, :50].copy()
print("%.8f %.8f %.8f %s" % (abs(a @ a).sum(), abs(b @ b).sum(), abs(w).sum(), np.allclose(a @ np.linalg.solve(a, s), s)))'
    same "NumPy" "$("$PYTHON" -c "$script")" "$("$kt" run --no-trace --map "$T/real.map" -- "$PYTHON" -c "$script" 2>&1)"
    same "... recorded" "$("$PYTHON" -c "$script")" "$("$kt" run -o "$T/numpy" --map "$T/real.map" -- "$PYTHON" -c "$script" 2>&1)"
    has "... on both" "blis-serial.*blas/libblas|blas/libblas.*blis-serial" "$(info numpy '" ".join(sorted(l["path"] for l in d["libraries"]))')"
else
    skip "NumPy by a map" "not installed"
fi
exit $failures
