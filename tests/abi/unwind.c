/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls routines one machine instruction at a time and unwinds the stack at each that is ours: debuggers, profilers and
 * exceptions find the caller everywhere. Prints for each routine whether they did.
 */
#define _GNU_SOURCE 1
#include "shim_range.h"

#include <execinfo.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
void dormqr_(const char *side, const char *trans, const int *m, const int *n, const int *k, double *a, const int *lda,
             const double *tau, double *c, const int *ldc, double *work, const int *lwork, int *info,
             size_t side_length, size_t trans_length);
double drot(double angle, int times);

static void *volatile expected; /* the return address that is to be found */
static volatile unsigned steps, lost;

static void handle_step(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    void *frame[64];
    uintptr_t at = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    bool found = false;
    if (at < lo || at >= hi)
        return;
    int frames = backtrace(frame, sizeof frame / sizeof *frame);
    for (int i = 0; i < frames; i++)
        found |= frame[i] == expected;
    steps++;
    lost += !found;
}

static void call_ddot(void)
{
    static const double x[1] = {1};
    static const int one = 1;
    ddot_(&one, x, &one, x, &one);
}

static void call_dormqr(void)
{
    static double x[1];
    static const int n = 1;
    int info;
    dormqr_("Left", "Trans", &n, &n, &n, x, &n, x, x, &n, x, &n, &info, 4, 5);
}

static void call_drot(void)
{
    drot(0.5, 3);
}

/* The trap flag makes the processor raise SIGTRAP behind each instruction. */
__attribute__((noinline)) static void step_through(void (*call)(void))
{
    expected = __builtin_return_address(0);
    __asm__ volatile("subq $128, %%rsp; pushfq; orq $0x100, (%%rsp); popfq; addq $128, %%rsp" : : : "cc", "memory");
    call();
    __asm__ volatile("subq $128, %%rsp; pushfq; andq $~0x100, (%%rsp); popfq; addq $128, %%rsp" : : : "cc", "memory");
}

static void see(const char *name, void (*call)(void))
{
    call(); /* the first time it is bound */
    steps = lost = 0;
    step_through(call);
    printf("%s %s\n", name, !steps ? "is not ours" : lost ? "loses its caller" : "is seen");
}

int main(void)
{
    void *frame[1];
    struct sigaction action = {.sa_sigaction = handle_step, .sa_flags = SA_SIGINFO};
    dl_iterate_phdr(find_shim, NULL);
    backtrace(frame, 1); /* loads the unwinder */
    sigaction(SIGTRAP, &action, NULL);
    see("ddot", call_ddot);
    see("dormqr", call_dormqr);
    see("drot", call_drot);
    return 0;
}
