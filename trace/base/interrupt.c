/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/base/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

static const int asking[] = {SIGINT, SIGTERM, SIGHUP};
enum { ASKING = sizeof asking / sizeof *asking };

static volatile sig_atomic_t interrupted;
static struct timespec when;

static double seconds_since(const struct timespec *then)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

/* What comes right after the first is the first once more: timeout(1) and batch systems send it to the process and to
 * its group. The usual effect of a later one comes when this has returned. */
static void remember(int number)
{
    static const double one_request = 0.5; /* seconds */
    if (!interrupted) {
        clock_gettime(CLOCK_MONOTONIC, &when);
        interrupted = number;
    } else if (seconds_since(&when) > one_request) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

/* Without SA_RESTART: who waits for a worker must notice. All are blocked meanwhile, so each sees the time of the
 * first. */
void kt_interrupt_catch(void)
{
    struct sigaction action = {.sa_handler = remember};
    struct sigaction old;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < ASKING; i++)
        sigaddset(&action.sa_mask, asking[i]);
    for (int i = 0; i < ASKING; i++)
        if (sigaction(asking[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(asking[i], &action, NULL);
}

void kt_interrupt_ignore(void)
{
    for (int i = 0; i < ASKING; i++)
        signal(asking[i], SIG_IGN);
}

int kt_interrupted(void)
{
    return interrupted;
}
