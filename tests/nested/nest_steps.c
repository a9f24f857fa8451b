/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A signal handler that makes calls interrupts a call at each of its instructions that are the recorder's, one after
 * the other. Arguments: how the handler goes on (return; jump: within itself, before it makes its calls; leave: out of
 * the call), of which instruction to begin with, how many to go on each time, of which to end with; show: say where
 * each of them is in the recorder. Prints how many rounds there were and how many calls were begun.
 */
#include "tests/abi/shim_range.h"
#include "tests/nested/nest.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

static const char *way;
static bool shows;
static volatile int left, handled, round_now;
static volatile long begun, wrong;
static sigjmp_buf outside;
static jmp_buf within;

/* Nests three others. */
static void solve(int n)
{
    double a[1] = {3};
    double b[1] = {0};
    const int one = 1;
    int ipiv[1];
    int info = -1;
    begun += 4;
    dgesv_(&n, &one, a, &n, ipiv, b, &n, &info);
    wrong += info != 0 || b[0] != 3;
}

static void dot(int n)
{
    static const double x[1] = {3};
    const int one = 1;
    begun++;
    wrong += ddot_(&n, x, &one, x, &one) != 3;
}

/* A signal that is blocked would not come. */
static bool may_come(const ucontext_t *context)
{
    uintptr_t at = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
    return at - lo < hi - lo && !sigismember(&context->uc_sigmask, SIGUSR1);
}

static void handle_step(int number, siginfo_t *info, void *data)
{
    ucontext_t *context = data;
    (void)number, (void)info;
    if (!left || !may_come(context) || --left > 0)
        return;
    context->uc_mcontext.gregs[REG_EFL] &= ~0x100L;
    handled++;
    if (shows)
        printf("%d %lx\n", round_now, (long)((uintptr_t)context->uc_mcontext.gregs[REG_RIP] - lo));
    if (!strcmp(way, "jump") && setjmp(within) == 0)
        longjmp(within, 1);
    dot(100000 + round_now);
    solve(200000 + round_now);
    if (!strcmp(way, "leave"))
        siglongjmp(outside, 1);
}

/* The trap flag makes the processor raise SIGTRAP behind each instruction. */
__attribute__((noinline)) static void step_through(int n)
{
    __asm__ volatile("subq $128, %%rsp; pushfq; orq $0x100, (%%rsp); popfq; addq $128, %%rsp" : : : "cc", "memory");
    solve(n);
    __asm__ volatile("subq $128, %%rsp; pushfq; andq $~0x100, (%%rsp); popfq; addq $128, %%rsp" : : : "cc", "memory");
}

static bool interrupt_at(int instruction)
{
    int before = handled;
    left = instruction;
    if (sigsetjmp(outside, 1) == 0)
        step_through(round_now);
    left = 0;
    for (size_t bytes = 4096; bytes > 16; bytes /= 2) {
        nest_tagged_from(bytes);
        begun++;
    }
    return handled > before;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_sigaction = handle_step, .sa_flags = SA_SIGINFO};
    int rounds = 0;
    if (argc < 5)
        return 99;
    way = argv[1];
    shows = argc > 5;
    dl_iterate_phdr(find_shim, NULL);
    sigaction(SIGTRAP, &action, NULL);
    solve(1);
    for (round_now = atoi(argv[2]); round_now <= atoi(argv[4]); round_now += atoi(argv[3]), rounds++)
        if (!interrupt_at(round_now))
            break;
    printf("%ld wrong, %d tags, %d rounds, %ld calls\n", wrong, nest_tags, rounds, begun);
    return 0;
}
