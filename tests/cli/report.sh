# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 1 s
# What report, info and diff say of programs that are not all of one piece: that die in a call, that call several libraries,
# from several threads, and whose calls fail. The libraries are made here: what they say of themselves is known then.
. tests/lib.sh
kt=$PWD/$B/ktrace
life=$PWD/$B/tests/abi/life
cd "$T" || exit 1

cat >library.c <<'END'
#include <time.h>
char *openblas_get_config(void) { return CONFIG; }
int openblas_get_num_threads(void) { return THREADS; }
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return 1e3 * t.tv_sec + t.tv_nsec / 1e6; }
/* Takes n ms. */
double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy)
{
    for (double end = now() + *n; now() < end;);
    return *x * *incx + *y * *incy;
}
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, unsigned long length)
{
    *info = *n == 3 ? 2 : *n == 1 ? -4 : 0;
}
END
# library DIRECTORY THREADS CONFIG
library() { mkdir -p "$1"; "${CC:-gcc}" -w -shared -fPIC -O1 "-DCONFIG=\"$3\"" "-DTHREADS=$2" -Wl,-soname,libblas.so.3 -Wl,--build-id -o "$1/libblas.so.3" library.c; }
library big 1 "OpenBLAS 0.3.99 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY BigCore SINGLE_THREADED"
library small 4 "OpenBLAS 0.3.99 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY SmallCore MAX_THREADS=64"
library again 4 "OpenBLAS 0.3.99 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY SmallCore MAX_THREADS=64"
echo "int another_build;" >>library.c
library again 4 "OpenBLAS 0.3.99 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY SmallCore MAX_THREADS=64"

# program FILE:MS...: a thread for each, which begins when all are there; dpotrf MATRICES of the first one
cat >program.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static pthread_barrier_t all;
static void *one(void *argument)
{
    double x[64] = {1};
    int ms = atoi(strchr(argument, ':') + 1), step = 1;
    void *library = dlopen(strndup(argument, strcspn(argument, ":")), RTLD_NOW | RTLD_LOCAL);
    double (*dot)() = (double (*)())dlsym(library, "ddot_");
    void (*factor)() = (void (*)())dlsym(library, "dpotrf_");
    pthread_barrier_wait(&all);
    dot(&ms, x, &step, x, &step);
    for (const char *n = getenv("ORDERS"); n && *n; n++) {
        int order = *n - '0', info;
        factor("U", &order, x, &order, &info, 1UL);
    }
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t id[8];
    pthread_barrier_init(&all, NULL, argc - 1);
    for (int i = 1; i < argc; i++)
        pthread_create(&id[i], NULL, one, argv[i]);
    for (int i = 1; i < argc; i++)
        pthread_join(id[i], NULL);
    return 0;
}
END
"${CC:-gcc}" -w -o program program.c -ldl -lpthread
record() { local out=$1; shift; "$kt" run -o "$out" -- ./program "$@" 2>/dev/null; }
report() { "$kt" report --all "$1"; }

# Which code a library chose for the processor, and its threads.
record one "$T/small/libblas.so.3:20"
has "report: the kernels and threads of a library" '^library +OpenBLAS 0\.3\.99, SmallCore kernels, 4 threads$' "$(report one)"
has "info: the same" '^ +OpenBLAS 0\.3\.99, SmallCore kernels, 4 threads, 32-bit integers$' "$("$kt" info one)"
record other "$T/big/libblas.so.3:20"
text=$("$kt" diff one other)
has "diff: of both runs" '^ +OpenBLAS 0\.3\.99, SmallCore kernels, 4 threads$' "$text"
has "... which tells them apart" '^ +OpenBLAS 0\.3\.99, BigCore kernels, 1 thread$' "$text"
record rebuilt "$T/again/libblas.so.3:20"
text=$("$kt" diff one rebuilt | tr -s ' \n' ' ') # a path may have a line of its own
has "two builds that say the same of themselves: their files" "SmallCore kernels, 4 threads, $T/small/libblas.so.3" "$text"
has "... of both" "SmallCore kernels, 4 threads, $T/again/libblas.so.3" "$text"

# Several libraries and threads.
record two "$T/big/libblas.so.3:300" "$T/small/libblas.so.3:60"
shares=$(report two | sed -nE 's/^library .*: ([0-9.]+) % of BLAS time$/\1/p' | tr '\n' ' ')
same "two libraries: the part of the time that each took, all of it together" "2 True" "$("$PYTHON" -c 'import sys; s = [float(a) for a in sys.argv[1:]]; print(len(s), abs(sum(s) - 100) < 0.2)' $shares)"
same "... most by the one that took longest" "BigCore" "$(report two | grep 'of BLAS time' | sort -t: -k2 -rn | head -n 1 | grep -oE 'BigCore|SmallCore')"
same "one library: no part" 0 "$(report one | grep -c 'of BLAS time$')"
has "threads at a time: their time is added" '^BLAS time .* in BLAS and LAPACK, 2 threads added;$' "$(report two)"
has "... and what is part of wall time" '^ +at least one thread is in a call for [0-9.]+ % of wall time' "$(report two)"
library many 1000 "OpenBLAS 0.3.99 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY SmallCore MAX_THREADS=1000"
record crowd "$T/many/libblas.so.3:400" "$T/many/libblas.so.3:400"
has "more threads than processors" "^crowded +2 threads in calls, each with 1000 of the library, on [0-9]+ processors:$" "$(report crowd)"
same "... not where the program has one, nor where the library has one" "0 0" "$(record lone "$T/many/libblas.so.3:300"; report lone | grep -c ^crowded | tr "\n" " "; record thin "$T/big/libblas.so.3:400" "$T/big/libblas.so.3:400"; report thin | grep -c ^crowded)"
has "one thread: not a word" '^BLAS time .* in BLAS and LAPACK, [0-9.]+ % of wall time$' "$(report one)"

# Calls that fail.
ORDERS=2313344 record fails "$T/big/libblas.so.3:20"
has "calls that fail" '^failed +4 of 7 calls of dpotrf: first info ' "$(report fails)"
same "... by shape" "[(1, 1, -4), (2, 0, None), (3, 3, 2), (4, 0, None)]" "$("$kt" report --json fails | query 'sorted((s["args"]["n"], s["failed"], s["info"]) for s in d["shapes"] if s["routine"] == "dpotrf")')"
ORDERS=12 record wrong "$T/big/libblas.so.3:20"
has "... for an argument" '^failed +1 of 2 calls of dpotrf: info -4, argument 4 is illegal$' "$(report wrong)"
same "... none: not a word" 0 "$(report one | grep -c ^failed)"

# A program that dies in a call, which may have taken all of its time.
"$kt" run -o dead -- "$life" calls50 killed >/dev/null 2>err
same "killed: run says so, and what to ask" "ktrace: $life: ended by signal 9 (Killed); next: ktrace info dead" "$(<err)"
same "... unless it is to be quiet" "" "$(KTRACE_QUIET=1 "$kt" run -o silent -- "$life" calls5 killed 2>&1 >/dev/null)"
has "info: the number of the call in flight" '^in flight +ddot_ .*\(call 50, thread ' "$("$kt" info dead)"
text=$(report dead)
same "report does not say that the time is elsewhere" 0 "$(grep -c 'not in BLAS' <<<"$text")"
has "... but which call to try" '^Next: ktrace repro --call 50 dead$' "$text"
true_that "... which can be made" "$kt" repro --call 50 dead
true_that "... by the name of its symbol, too" "$kt" repro --routine ddot_ dead
"$kt" repro --routine dgemm dead >/dev/null 2>&1; same "... another name is refused" 2 $?
exit $((failures != 0))
