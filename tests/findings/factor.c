/* SPDX-License-Identifier: BSD-3-Clause */
/* factor N BLOCK: three times dgeqrf, then dsytrd, of matrices of order N, with workspace for blocks of that size. */
#include <stdlib.h>

void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work, const int *lwork,
             int *info);
void dsytrd_(const char *uplo, const int *n, double *a, const int *lda, double *d, double *e, double *tau, double *work,
             const int *lwork, int *info, size_t uplo_length);

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 300;
    const int lwork = n * (argc > 2 ? atoi(argv[2]) : 64);
    const size_t order = (size_t)n;
    double *a = malloc(order * order * sizeof *a);
    double *vectors = malloc(3 * order * sizeof *vectors);
    double *work = malloc((size_t)lwork * sizeof *work);
    int info = 0;
    for (int round = 0; round < 3 && info == 0; round++) {
        for (size_t i = 0; i < order * order; i++)
            a[i] = rand() / (double)RAND_MAX;
        dgeqrf_(&n, &n, a, &n, vectors, work, &lwork, &info);
    }
    if (info == 0)
        dsytrd_("L", &n, a, &n, vectors, vectors + order, vectors + 2 * order, work, &lwork, &info, 1);
    free(work);
    free(vectors);
    free(a);
    return info != 0;
}
