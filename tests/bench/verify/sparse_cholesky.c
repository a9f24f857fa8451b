// SPDX-License-Identifier: BSD-3-Clause
// Factors the matrix of a three-dimensional Laplace operator with CHOLMOD (SuiteSparse), whose supernodes call BLAS and
// LAPACK: dsyrk, dgemm, dpotrf and dtrsm of a thousand shapes; then solves. Build with -lcholmod.
#include <stdio.h>
#include <cholmod.h>

// The upper triangle of the operator on a grid of side^3 points.
static cholmod_sparse *laplace(int side, cholmod_common *common)
{
    const int n = side * side * side, steps[3] = {1, side, side * side};
    cholmod_triplet *entries = cholmod_allocate_triplet(n, n, 4 * (size_t)n, 1, CHOLMOD_REAL, common);
    int *row = entries->i, *column = entries->j;
    double *value = entries->x;
    size_t count = 0;

    for (int point = 0; point < n; point++) {
        row[count] = column[count] = point;
        value[count++] = 6.1;
        for (int d = 0; d < 3; d++) {
            if (point / steps[d] % side == 0)
                continue;
            row[count] = point - steps[d];
            column[count] = point;
            value[count++] = -1;
        }
    }
    entries->nnz = count;
    cholmod_sparse *matrix = cholmod_triplet_to_sparse(entries, count, common);
    cholmod_free_triplet(&entries, common);
    return matrix;
}

int main(void)
{
    cholmod_common common;
    cholmod_start(&common);
    common.supernodal = CHOLMOD_SUPERNODAL;
    cholmod_sparse *a = laplace(24, &common);
    cholmod_dense *b = cholmod_ones(a->nrow, 4, CHOLMOD_REAL, &common);
    for (int i = 0; i < 4; i++) {
        cholmod_factor *l = cholmod_analyze(a, &common);
        cholmod_factorize(a, l, &common);
        cholmod_dense *x = cholmod_solve(CHOLMOD_A, l, b, &common);
        printf("%.6f\n", ((double *)x->x)[0]);
        cholmod_free_dense(&x, &common);
        cholmod_free_factor(&l, &common);
    }
    cholmod_free_dense(&b, &common);
    cholmod_free_sparse(&a, &common);
    cholmod_finish(&common);
    return 0;
}
