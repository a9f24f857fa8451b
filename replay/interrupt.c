/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/interrupt.h"

#include <signal.h>
#include <stddef.h>

static const int asking[] = {SIGINT, SIGTERM, SIGHUP};
enum { ASKING = sizeof asking / sizeof *asking };

static volatile sig_atomic_t interrupted;

/* Whatever else comes then has its usual effect. */
static void remember(int number)
{
    struct sigaction now;
    interrupted = number;
    for (int i = 0; i < ASKING; i++)
        if (sigaction(asking[i], NULL, &now) == 0 && now.sa_handler == remember)
            signal(asking[i], SIG_DFL);
}

/* Without SA_RESTART: who waits for a worker must notice. */
void kt_interrupt_catch(void)
{
    struct sigaction action = {.sa_handler = remember};
    struct sigaction old;
    sigemptyset(&action.sa_mask);
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
