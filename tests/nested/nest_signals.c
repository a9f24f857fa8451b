/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A signal handler that makes calls in callbacks of a call and outside. Argument: where its stack is: same (that of
 * the thread), below it or above it in memory.
 */
#include "tests/nested/nest.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { ROUNDS = 50, BYTES = 512 << 10 };

static const char *where;
static char *low, *high;
static volatile int wrong;

static void handle(int number)
{
    (void)number;
    wrong += !work_solve();
    wrong += !work_dot(3);
}

static int select_and_raise(const double *re, const double *im)
{
    (void)im;
    raise(SIGUSR1);
    return nest_is_small(re);
}

static void *run(void *unused)
{
    stack_t stack = {.ss_size = BYTES, .ss_sp = !strcmp(where, "above") ? high : low};
    sigaltstack(&stack, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        wrong += !nest_schur(select_and_raise);
        nest_tagged_from_afar();
        raise(SIGUSR1);
    }
    return unused;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = handle};
    pthread_attr_t attributes;
    pthread_t thread;
    if (argc != 2)
        return 99;
    where = argv[1];
    low = mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    high = low + BYTES;
    action.sa_flags = strcmp(where, "same") ? SA_ONSTACK : 0;
    sigaction(SIGUSR1, &action, NULL);
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, !strcmp(where, "above") ? low : high, BYTES);
    if (pthread_create(&thread, &attributes, run, NULL) != 0)
        return 98;
    pthread_join(thread, NULL);
    printf("%d wrong, %d tags\n", wrong, nest_tags);
    return 0;
}
