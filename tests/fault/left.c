/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that are left at any moment: by jumps out of signal handlers, which make calls as well, and by the end of
 * threads that are cancelled. Argument: seconds. The file COUNTS in the working directory gets how many calls of ddot
 * and dgesv the threads made, how many of them returned, and how many handlers made, which may nest in another call.
 */
#include "tests/fault/work.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { JUMPERS = 2, JUMPS = 20 /* for each thread that is cancelled */, SHAPES = 2000 };

static atomic_long made, returned, handled, left, wrong;
static atomic_int ready;
static atomic_bool stop;
static __thread sigjmp_buf out;

static void call(bool (*routine)(int), int n)
{
    made++;
    wrong += !routine(n);
    returned++;
}

/* Of a shape that is often new. */
static bool dot_of_shape(int shape)
{
    static const double x[] = {3};
    const int one = 1;
    return ddot_(&one, x, &shape, x, &one) == 9;
}

static bool solve(int unused)
{
    (void)unused;
    return work_solve();
}

/* Every other one makes a call first. */
static void jump(int signal)
{
    if (left++ % 2) {
        handled++;
        wrong += !work_dot(2);
    }
    siglongjmp(out, signal);
}

static void *be_jumped_out(void *unused)
{
    sigsetjmp(out, 1);
    ready++;
    for (int i = 0; !stop; i++) {
        for (int n = 1; n <= 4; n++)
            call(work_dot, n);
        call(solve, 0);
        call(dot_of_shape, 1 + i % SHAPES);
    }
    return unused;
}

static void *be_cancelled(void *unused)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (int i = 1;; i = i % SHAPES + 1)
        call(dot_of_shape, i);
    return unused;
}

static void cancel_one(void)
{
    pthread_t victim;
    if (pthread_create(&victim, NULL, be_cancelled, NULL) != 0)
        return;
    usleep(100);
    pthread_cancel(victim);
    pthread_join(victim, NULL);
}

static void leave_calls_until(time_t end, const pthread_t *jumper)
{
    while (time(NULL) < end) {
        for (int i = 0; i < JUMPS; i++) {
            pthread_kill(jumper[i % JUMPERS], SIGUSR1);
            usleep(10);
        }
        cancel_one();
    }
}

int main(int argc, char **argv)
{
    pthread_t jumper[JUMPERS];
    signal(SIGUSR1, jump);
    for (int i = 0; i < JUMPERS; i++)
        if (pthread_create(&jumper[i], NULL, be_jumped_out, NULL) != 0)
            return 98;
    while (ready < JUMPERS)
        usleep(1000);
    leave_calls_until(time(NULL) + (argc > 1 ? atoi(argv[1]) : 1), jumper);
    stop = true;
    for (int i = 0; i < JUMPERS; i++)
        pthread_join(jumper[i], NULL);
    FILE *counts = fopen("COUNTS", "w");
    if (counts)
        fprintf(counts, "%ld %ld %ld\n", made, returned, handled), fclose(counts);
    printf("%ld wrong, %s\n", wrong, left > 100 ? "many left" : "few left");
    return 0;
}
