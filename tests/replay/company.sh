#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 95 s
# Calls of several threads that ran at the same time are played at the same time: by a library whose calls take as long
# as others are beside them, so that what contention costs is known.
. tests/lib.sh
kt=$PWD/$B/ktrace
export KTRACE_QUIET=1
cd "$T" || exit 1

# A call takes 10 ms alone, twice as long with one beside it, three times with two. It sleeps meanwhile: processors do not count.
cat >library.c <<'END'
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>
static atomic_int running;
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy)
{
    double left = 10e-3, last = now();
    atomic_fetch_add(&running, 1);
    while (left > 0) {
        usleep(100);
        double t = now();
        left -= (t - last) / (1 + (atomic_load(&running) - 1) * SLOWDOWN);
        last = t;
    }
    atomic_fetch_sub(&running, 1);
    return *x * *y * *n * *incx * *incy;
}
END
"${CC:-gcc}" -w -shared -fPIC -O1 -DSLOWDOWN=1.0 -Wl,-soname,libblas.so.3 -Wl,--build-id -o libblas.so.3 library.c

# Three threads that collide, or take turns by a lock.
cat >program.c <<'END'
#include <pthread.h>
#include <stdlib.h>
double ddot_(const int *, const double *, const int *, const double *, const int *);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t together;
static int turns;
static void *work(void *data)
{
    int n = 2, one = 1;
    double x[4] = {1, 2, 3, 4};
    pthread_barrier_wait(&together);
    for (int i = 0; i < 30; i++) {
        if (turns) pthread_mutex_lock(&lock);
        ddot_(&n, x, &one, x + 2, &one);
        if (turns) pthread_mutex_unlock(&lock);
    }
    return data;
}
int main(int argc, char **argv)
{
    pthread_t thread[3];
    turns = argc > 1;
    pthread_barrier_init(&together, 0, 3);
    for (int i = 0; i < 3; i++) pthread_create(&thread[i], 0, work, 0);
    for (int i = 0; i < 3; i++) pthread_join(thread[i], 0);
}
END
"${CC:-gcc}" -w -O1 -pthread -o program program.c -L. -l:libblas.so.3
export LD_LIBRARY_PATH=$T
"$kt" run -o collide -- ./program || exit 1
"$kt" run -o turns -- ./program turns || exit 1

insitu() { "$kt" report --json "$1" | query 'd["shapes"][0]["insitu"]["median"]'; }
collided=$(insitu collide)
alone=$(insitu turns)
is() { if "$PYTHON" -c "import sys; sys.exit(not ($2))"; then ok "$1"; else not_ok "$1" "$2"; fi; }
is "calls that collide take three times as long" "2.5 < $collided / $alone < 3.5"
is "they ran beside two others" "$("$kt" report --json collide | query '1.8 < d["overlap"]["others_beside"] <= 2.0 and d["overlap"]["calls_at_once"] == 3')"
is "those that take turns beside none" "$("$kt" report --json turns | query 'd["overlap"]["others_beside"] < 0.1')"

"$kt" replay --budget 12 --store none --json collide >replay.json 2>err || not_ok "replay" "$(cat err)"
times() { query "{k: v['median'] for k, v in d['shapes'][0]['contexts'].items() if k in ('sequence', 'alone')}['$1']" <replay.json; }
is "replayed in company as in the program: $(times sequence), $collided" "abs($(times sequence) / $collided - 1) < 0.1"
is "... and alone as those that take turns: $(times alone), $alone" "abs($(times alone) / $alone - 1) < 0.1"
same "three threads play" 3 "$(query 'd["sequence"]["seats"]' <replay.json)"
contention=$("$kt" report --json collide | query 'd["decomposition"]["contention"]')
is "contention is what colliding costs" "abs($contention / (90 * ($collided - $alone)) - 1) < 0.1"
is "the parts add up to the time in the program" \
    "$("$kt" report --json collide | query 'abs(sum(d["decomposition"][p] or 0 for p in ("warm", "cache", "contention", "residual", "unsplit")) / d["decomposition"]["insitu"] - 1) < 1e-6')"
has "the tables have the part" '^contended +[0-9.]+ m?s ' "$("$kt" report --by part collide)"

"$kt" replay --budget 4 --store none turns >out 2>err || not_ok "replay" "$(cat err)"
same "calls that take turns have no such part" None "$("$kt" report --json turns | query 'd["decomposition"]["contention"]')"
rm collide/replay.json
"$kt" replay --alone --context warm,sequence --budget 4 --store none --json collide >replay.json 2>err || not_ok "replay" "$(cat err)"
same "--alone: the busiest thread's calls" "0" "$(query 'd["sequence"]["seats"]' <replay.json)"
is "... as if it had no company" "abs($(times sequence) / $alone - 1) < 0.1"
has "... of which the report says that it is not known" '^contended +\? +calls ran at the same time' "$("$kt" report --by part collide)"

# Another library, which does not mind company: what it wins is seen in company only.
mkdir other
"${CC:-gcc}" -w -shared -fPIC -O1 -DSLOWDOWN=0.0 -Wl,-soname,libblas.so.3 -Wl,--build-id -o other/libblas.so.3 library.c
ratio() { "$kt" compare "$@" --json --blas "$T/libblas.so.3" --blas "$T/other/libblas.so.3" --check no --budget 24 --store none collide 2>err | query 'd["libraries"][1]["ratio_replayed"]["value"]'; }
beside=$(ratio)
is "compare plays in company: $beside" "abs($beside / ($alone / $collided) - 1) < 0.1"
is "... unless told otherwise" "abs($(ratio --alone) - 1) < 0.1"

# One that dies of company alone: no call is to blame.
cat >company.c <<'END'
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int inside[8];
double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy)
{
    atomic_fetch_add(&inside[*n], 1);
    usleep(2000);
    for (int other = 0; DIES && other < 8; other++)
        if (other != *n && atomic_load(&inside[other]))
            raise(SIGSEGV);
    atomic_fetch_sub(&inside[*n], 1);
    return *x * *y * *n * *incx * *incy;
}
END
sed 's/int n = 2, one = 1;/int n = data ? 3 : 2, one = 1;/; s/work, 0)/work, i ? \&turns : 0)/' program.c >unlike.c
for dies in 0 1; do
    mkdir company$dies
    "${CC:-gcc}" -w -shared -fPIC -O1 -DDIES=$dies -Wl,-soname,libblas.so.3 -Wl,--build-id -o company$dies/libblas.so.3 company.c
done
"${CC:-gcc}" -w -O1 -pthread -o unlike unlike.c -L. -l:libblas.so.3
LD_LIBRARY_PATH=$T/company0 "$kt" run -o mixed -- ./unlike
"$kt" replay --blas "$T/company1/libblas.so.3" --budget 5 --store none --json mixed >replay.json 2>err
has "a crash in company" "^the library ended the process, or hung, with calls of several shapes in progress$" "$(query 'd["sequence"]["unusable"]' <replay.json)"
same "... is laid to none of the shapes" "True []" "$(query 'str(len(d["shapes"]) == 2 and all(s["contexts"]["warm"]["median"] > 0.001 for s in d["shapes"])) + " " + str(d["not_replayed"])' <replay.json)"
exit $((failures != 0))
