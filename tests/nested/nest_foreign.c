/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls foreign functions that have the names of routines, from outside and from within a call of a routine. What is in
 * the upper halves of vector registers may get lost on the way to a function that is not yet bound, not later.
 * -DMODULE: an object of its own that does the same. Arguments: such modules, which take turns.
 */
#include "tests/nested/nest_foreign.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>

bool foreign_is_right(bool looks_at_upper_halves);

static bool is_chain_kept(void)
{
    long found;
    __asm__ volatile("movq $123456789, %%r10; call dscal@plt"
                     : "=a"(found)
                     :
                     : "r10", "r11", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "cc", "memory");
    return found == 123456789;
}

static bool are_vectors_kept(bool upper_halves)
{
    const __m256d one = {1, 2, 3, 4};
    __m256d sum = daxpy(one, one, one, one, one, one, one, one);
    bool lower = sum[0] == 255 && sum[1] == 510;
    return lower && (!upper_halves || (sum[2] == 765 && sum[3] == 1020));
}

bool foreign_is_right(bool looks_at_upper_halves)
{
    bool right = drot(9, 1., 2., 4., 8., 16., 32., 64., 128., 256.) == 511;
    right &= drot(0) == 0;
    right &= dcopy(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12) == 45057;
    right &= is_chain_kept();
    right &= are_vectors_kept(looks_at_upper_halves);
    return right;
}

#ifndef MODULE
typedef bool (*checker)(bool);
enum { MOST = 8, ROUNDS = 100 };

static checker check[MOST];
static int checkers, wrong;
static bool is_bound;

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, unsigned long uplo_length);
void xerbla_(const char *name, const int *info, unsigned long length);

static void check_all(void)
{
    for (int i = 0; i < checkers; i++)
        wrong += !check[i](is_bound);
}

void xerbla_(const char *name, const int *info, unsigned long length)
{
    (void)name, (void)info, (void)length;
    check_all();
}

static void fail(void)
{
    double a[1] = {0};
    const int one = 1;
    int info;
    dpotrf_("L", &one, a, &one, &info, 1);
}

int main(int argc, char **argv)
{
    check[checkers++] = foreign_is_right;
    for (int i = 1; i < argc && i < MOST; i++) {
        void *module = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        checker found = module ? (checker)dlsym(module, "foreign_is_right") : NULL;
        if (!found)
            return 98;
        check[checkers++] = found;
    }
    for (int i = 0; i < ROUNDS; i++, is_bound = true) {
        fail();
        check_all();
    }
    printf("%d wrong\n", wrong);
    return 0;
}
#endif
