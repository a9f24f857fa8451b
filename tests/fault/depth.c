/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much of a stack calls need: each is made on one of its own, which is filled with a pattern before. Prints bytes:
 * of the first call of the process, of the first call of another routine, of a call like the one before, and of a
 * thousand.
 */
#include "tests/fault/work.h"

#include <printf.h>
#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

enum { BYTES = 256 << 10, PATTERN = 0x5a };

static unsigned char stack[BYTES] __attribute__((aligned(64)));
static ucontext_t here, there;

static void dot(void)
{
    work_dot(3);
}

static void factor(void)
{
    work_product();
}

static void many(void)
{
    for (int i = 0; i < 100000; i++)
        work_dot(1 + i % 4);
}

static long depth_of(void (*call)(void))
{
    long untouched = 0;
    memset(stack, PATTERN, sizeof stack);
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    there.uc_link = &here;
    makecontext(&there, call, 0);
    swapcontext(&here, &there);
    while (untouched < BYTES && stack[untouched] == PATTERN)
        untouched++;
    return BYTES - untouched;
}

static void *wait_for_ever(void *unused)
{
    pause();
    return unused;
}

/* As the library of Fortran has it done for its own formats: formatted print then needs more. */
static void have_formats(void)
{
    register_printf_modifier(L"Q");
}

/* With the argument "threads" in a program of two threads, where files are opened apart. */
int main(int argc, char **argv)
{
    pthread_t other;
    if (argc > 1 && !strcmp(argv[1], "threads") && pthread_create(&other, NULL, wait_for_ever, NULL) != 0)
        return 1;
    have_formats();
    printf("%ld ", depth_of(dot));
    printf("%ld ", depth_of(factor));
    printf("%ld ", depth_of(dot));
    printf("%ld\n", depth_of(many));
    return 0;
}
