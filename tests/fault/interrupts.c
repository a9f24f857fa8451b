/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signal handlers that make calls and enter regions while a timer interrupts calls all the time. Arguments: same | own
 * (stack of the handlers), return | jump (how they are left), milliseconds. The file COUNTS in the working directory
 * gets the number of calls of ddot, dgesv and dpotrf that ended, and of those that were left by a jump, at most; then
 * the numbers of calls of ddot and dgemm, of dgesv, and of dpotrf.
 */
#include "include/ktrace/ktrace.h"
#include "tests/fault/work.h"

#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { PERIOD_US = 40 };

static atomic_long ended, handled, wrong, leaves, solves, factors;
static volatile sig_atomic_t may_jump, over;
static bool jumps;
static sigjmp_buf back;

static void count(bool right, atomic_long *of)
{
    wrong += !right;
    ended++;
    ++*of;
}

/* Counts only what no routine of the reference library calls. */
static void do_round(void)
{
    ktrace_begin("round");
    for (int n = 1; n <= 4; n++)
        count(work_dot(n), &leaves);
    wrong += !work_product();
    leaves++;
    count(work_solve(), &solves);
    count(work_factor(), &factors);
    ktrace_end();
}

/* Once: a signal that waits while a handler is left by a jump comes on the handler's own stack, and so would the next,
 * until there is no more of it. */
static void set_timer(long period)
{
    const struct itimerval timer = {.it_value = {0, period}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void handle(int number)
{
    (void)number;
    handled++;
    count(work_dot(4), &leaves);
    count(work_solve(), &solves);
    ktrace_begin("handler");
    ktrace_end();
    if (jumps && may_jump)
        siglongjmp(back, 1);
    if (!over)
        set_timer(PERIOD_US);
}

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static bool is_enough(void)
{
    return handled > 100 && ended > 10000;
}

/* Longer, where others have the processors. */
static void work_until(double end)
{
    enum { PATIENCE_MS = 60000 };
    while (milliseconds() < end || (!is_enough() && milliseconds() < end + PATIENCE_MS)) {
        if (sigsetjmp(back, 1) == 0) {
            may_jump = 1;
            for (int i = 0; i < 50; i++)
                do_round();
            may_jump = 0;
        } else {
            may_jump = 0;
            ktrace_end();
            set_timer(PERIOD_US);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 99;
    bool own = !strcmp(argv[1], "own");
    jumps = !strcmp(argv[2], "jump");
    stack_t stack = {.ss_size = 64 << 10, .ss_sp = malloc(64 << 10)};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART | (own ? SA_ONSTACK : 0)};
    sigaltstack(&stack, NULL);
    sigaction(SIGALRM, &action, NULL);
    set_timer(PERIOD_US);
    work_until(milliseconds() + atof(argv[3]));
    /* A signal that came while the timer is stopped would start it again, and calls go on while they are told. */
    over = 1;
    set_timer(0);
    FILE *counts = fopen("COUNTS", "w");
    if (counts)
        fprintf(counts, "%ld %ld %ld %ld %ld\n", ended, jumps ? handled : 0, leaves, solves, factors), fclose(counts);
    printf("%ld wrong, %s\n", wrong, is_enough() ? "many" : "few");
    return 0;
}
