/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls at the very top of a coroutine's stack, which ends where the guard page of another begins: a routine that has
 * arguments on the stack, and one of which nothing but the name is known.
 */
#define _GNU_SOURCE 1
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>

int somatcopy_(int a, int b, int c, int d, int e, int f, int g, int h);
void dormqr_(const char *side, const char *trans, const int *m, const int *n, const int *k, double *a, const int *lda,
             const double *tau, double *c, const int *ldc, double *work, const int *lwork, int *info,
             size_t side_length, size_t trans_length);

static ucontext_t outside;

static void coroutine(void)
{
    double x[1] = {0};
    const int n = 1;
    int info = 0;
    printf("%d\n", somatcopy_(1, 2, 3, 4, 5, 6, 7, 8));
    dormqr_("Left", "Trans", &n, &n, &n, x, &n, x, x, &n, x, &n, &info, 4, 5);
    printf("%d\n", info);
}

int main(void)
{
    enum { BYTES = 256 << 10 };
    static ucontext_t inside;
    char *stack = mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED || mprotect(stack + BYTES, BYTES, PROT_NONE) != 0 || getcontext(&inside) != 0)
        return 1;
    inside.uc_stack = (stack_t){.ss_sp = stack, .ss_size = BYTES};
    inside.uc_link = &outside;
    makecontext(&inside, coroutine, 0);
    return swapcontext(&outside, &inside) != 0;
}
