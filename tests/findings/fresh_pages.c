/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of one shape into results in pages of their own: the system has to find those of every "f" in the first
 * argument while the product is made, and found those of every "t" before. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void dgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc);

int main(int argc, char **argv)
{
    const int n = 1000;
    const int k = 1;
    const double one = 1;
    const double zero = 0;
    const size_t bytes = (size_t)n * (size_t)n * sizeof(double);
    double *a = calloc((size_t)n, sizeof *a);
    for (const char *kind = argc > 1 ? argv[1] : ""; *kind; kind++) {
        double *c = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (c == MAP_FAILED)
            return 1;
        madvise(c, bytes, MADV_NOHUGEPAGE); /* so that the number of pages is known */
        if (*kind == 't')
            memset(c, 1, bytes);
        dgemm_("N", "N", &n, &n, &k, &one, a, &n, a, &k, &zero, c, &n);
        munmap(c, bytes);
    }
    free(a);
    return 0;
}
