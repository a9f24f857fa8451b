/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Leaves calls by jumps, and makes others that nobody may take for nested ones. Arguments: the way, how often.
 * Out of a call: longjmp, _longjmp, siglongjmp, handler (by a signal handler), builtin (the compiler's own), context
 * (to a context of before). Within a callback: within, within_handler. Where there is no call: nowhere.
 */
#include "tests/nested/nest.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

static const char *way;
static jmp_buf back;
static sigjmp_buf signal_back;
static void *builtin_back[5];
static ucontext_t context_back;
static volatile int errors, wrong;

static bool is_way(const char *name)
{
    return !strcmp(way, name);
}

static void handle(int number)
{
    (void)number;
    if (is_way("handler"))
        siglongjmp(signal_back, 1);
    if (setjmp(back) == 0)
        longjmp(back, 1);
}

__attribute__((noinline)) static void leave_as_the_compiler_does(void)
{
    __builtin_longjmp(builtin_back, 1);
}

void xerbla_(const char *name, const int *info, size_t length);
void xerbla_(const char *name, const int *info, size_t length)
{
    (void)name, (void)info, (void)length;
    errors++;
    if (is_way("longjmp"))
        longjmp(back, 1);
    if (is_way("_longjmp"))
        _longjmp(back, 1);
    if (is_way("siglongjmp"))
        siglongjmp(signal_back, 1);
    if (is_way("handler"))
        raise(SIGUSR1);
    if (is_way("builtin"))
        leave_as_the_compiler_does();
    if (is_way("context"))
        setcontext(&context_back);
}

static int select_and_jump(const double *re, const double *im)
{
    (void)im;
    if (is_way("within_handler"))
        raise(SIGUSR1);
    else if (setjmp(back) == 0)
        longjmp(back, 1);
    return nest_is_small(re);
}

static void leave_to_context(void)
{
    volatile int before = errors;
    getcontext(&context_back);
    if (errors == before)
        nest_fail();
}

__attribute__((noinline)) static void leave_by_builtin(void)
{
    if (__builtin_setjmp(builtin_back) == 0)
        nest_fail();
}

static void leave(void)
{
    if (is_way("siglongjmp") || is_way("handler")) {
        if (sigsetjmp(signal_back, 1) == 0)
            nest_fail();
    } else if (setjmp(back) == 0) {
        nest_fail();
    }
}

static void go_once(void)
{
    if (is_way("within") || is_way("within_handler"))
        wrong += !nest_schur(select_and_jump);
    else if (is_way("nowhere") && setjmp(back) == 0)
        longjmp(back, 1);
    else if (is_way("builtin"))
        leave_by_builtin();
    else if (is_way("context"))
        leave_to_context();
    else if (!is_way("nowhere"))
        leave();
}

/* What was there of the frame of the call is overwritten in part. */
static void leave_and_cover(void)
{
    for (volatile size_t bytes = NEST_DEPTH - 512; bytes < NEST_DEPTH + 1024; bytes += 8) {
        go_once();
        nest_tagged_behind(bytes);
    }
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 99;
    way = argv[1];
    signal(SIGUSR1, handle);
    for (volatile int i = 0; i < atoi(argv[2]); i++) {
        go_once();
        nest_tagged_from_afar();
        wrong += !work_solve();
    }
    if (!is_way("within") && !is_way("within_handler"))
        leave_and_cover();
    printf("%d wrong, %d errors, %d tags\n", wrong, errors, nest_tags);
    return 0;
}
