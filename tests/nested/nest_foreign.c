/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls foreign functions that have the names of routines, from outside and from within a call of a routine. Vector
 * registers arrive and return whole, and are not marked as longer in use than the caller left them.
 * -DMODULE: an object of its own that does the same. Arguments: such modules, which take turns.
 */
#include "tests/nested/nest_foreign.h"

#include <cpuid.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>

bool foreign_is_right(void);

static bool is_chain_kept(void)
{
    long found;
    __asm__ volatile("movq $123456789, %%r10; call dscal@plt"
                     : "=a"(found)
                     :
                     : "r10", "r11", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "cc", "memory");
    return found == 123456789;
}

static bool are_vectors_kept(void)
{
    const __m256d one = {1, 2, 3, 4};
    __m256d sum = daxpy(one, one, one, one, one, one, one, one);
    return sum[0] == 255 && sum[1] == 510 && sum[2] == 765 && sum[3] == 1020;
}

__attribute__((target("avx512f"))) static bool are_longest_kept(void)
{
    const __m512d one = {1, 2, 3, 4, 5, 6, 7, 8};
    __m512d sum = dswap(one, one, one, one, one, one, one, one);
    int wrong = 0;
    for (int i = 0; i < 8; i++)
        wrong += sum[i] != 255 * (i + 1);
    return wrong == 0;
}

/* Of the long vector registers, if the processor tells. */
static bool is_any_in_use(void)
{
    unsigned tells, ebx, ecx, edx, in_use;
    enum { LEAF = 13, TELLS = 4, LONG = 4 };
    if (!__get_cpuid_count(LEAF, 1, &tells, &ebx, &ecx, &edx) || !(tells & TELLS))
        return false;
    __asm__ volatile("xgetbv" : "=a"(in_use), "=d"(edx) : "c"(1));
    return in_use & LONG;
}

/* Its first call is made when no long vector is in use. */
static bool is_still_unused(void)
{
    _mm256_zeroupper();
    return is_any_in_use() || (drot(0) == 0 && !is_any_in_use());
}

bool foreign_is_right(void)
{
    bool right = are_vectors_kept();
    right &= !__builtin_cpu_supports("avx512f") || are_longest_kept();
    right &= is_still_unused();
    right &= drot(9, 1., 2., 4., 8., 16., 32., 64., 128., 256.) == 511;
    right &= drot(0) == 0;
    right &= dcopy(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12) == 45057;
    right &= is_chain_kept();
    return right;
}

#ifndef MODULE
typedef bool (*checker)(void);
enum { MOST = 8, ROUNDS = 100 };

static checker check[MOST];
static int checkers, wrong;

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, unsigned long uplo_length);
void xerbla_(const char *name, const int *info, unsigned long length);

static void check_all(void)
{
    for (int i = 0; i < checkers; i++)
        wrong += !check[i]();
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
    for (int i = 0; i < ROUNDS; i++) {
        check_all();
        fail();
    }
    printf("%d wrong\n", wrong);
    return 0;
}
#endif
