/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls ddot(n=1) or dgemm(n=4) for a time or a number of calls, in one thread or in several at once. Prints the
 * nanoseconds per call of the slowest thread, and how many calls all of them made. Nothing is left out: the time of a
 * thread runs from before its first call, which no warm-up precedes, to the end of its last.
 * Usage: calls ddot|dgemm CALLS|SECONDSs [THREADS]
 */
#include "blas.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCH = 1000, MOST_THREADS = 64 }; /* calls between two looks at the clock */

struct task {
    int is_gemm;
    long calls;     /* if not 0, this many */
    double seconds; /* otherwise, for this long */
    long made;
    double ns;
};

static pthread_barrier_t together;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double dot(long calls)
{
    static const double x[1] = {0.5};
    const int one = 1;
    double sum = 0;
    for (long i = 0; i < calls; i++)
        sum += ddot_(&one, x, &one, x, &one);
    return sum;
}

static double product(long calls)
{
    static const double a[16] = {1, 0.5};
    const double one = 1;
    const double zero = 0;
    const int n = 4;
    double c[16];
    for (long i = 0; i < calls; i++)
        dgemm_("N", "N", &n, &n, &n, &one, a, &n, a, &n, &zero, c, &n, 1, 1);
    return c[0];
}

static long next_batch(const struct task *task)
{
    return task->calls && task->calls - task->made < BATCH ? task->calls - task->made : BATCH;
}

static void *run(void *argument)
{
    struct task *task = argument;
    volatile double sink; /* results are used, as far as the compiler can tell */
    pthread_barrier_wait(&together);
    double start = now();
    double stop = start;
    while (task->calls ? task->made < task->calls : stop - start < task->seconds) {
        long batch = next_batch(task);
        sink = task->is_gemm ? product(batch) : dot(batch);
        task->made += batch;
        stop = now();
    }
    (void)sink;
    task->ns = 1e9 * (stop - start) / (double)task->made;
    return NULL;
}

static struct task parse(char **argv)
{
    char *end;
    double amount = strtod(argv[2], &end);
    struct task task = {.is_gemm = !strcmp(argv[1], "dgemm")};
    if (*end == 's')
        task.seconds = amount;
    else
        task.calls = (long)amount;
    return task;
}

int main(int argc, char **argv)
{
    int threads = argc > 3 ? atoi(argv[3]) : 1;
    if (argc < 3 || threads < 1 || threads > MOST_THREADS) {
        fprintf(stderr, "usage: calls ddot|dgemm CALLS|SECONDSs [THREADS]\n");
        return 2;
    }
    struct task task[MOST_THREADS];
    pthread_t thread[MOST_THREADS];
    pthread_barrier_init(&together, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++) {
        task[i] = parse(argv);
        if (i && pthread_create(&thread[i], NULL, run, &task[i])) {
            fprintf(stderr, "calls: cannot start thread %d\n", i + 1);
            return 1;
        }
    }
    run(&task[0]);
    double worst = task[0].ns;
    long made = task[0].made;
    for (int i = 1; i < threads; i++) {
        pthread_join(thread[i], NULL);
        worst = task[i].ns > worst ? task[i].ns : worst;
        made += task[i].made;
    }
    printf("%.3f %ld\n", worst, made);
    return 0;
}
