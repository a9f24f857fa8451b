/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sparse direct solver: CHOLMOD's supernodal factors of the Laplacian of a cube of points, which calls BLAS and
 * LAPACK for the many dense blocks in them. Prints a checksum of a solution.
 * Usage: cholesky SIDE TIMES
 */
#include <suitesparse/cholmod.h>

#include <stdio.h>
#include <stdlib.h>

static int point(int side, int x, int y, int z)
{
    return x + side * (y + side * z);
}

static void add(cholmod_triplet *t, int row, int column, double value)
{
    ((int *)t->i)[t->nnz] = row;
    ((int *)t->j)[t->nnz] = column;
    ((double *)t->x)[t->nnz++] = value;
}

/* The lower triangle: each point and its neighbours that come after it. */
static void add_point(cholmod_triplet *t, int side, int x, int y, int z)
{
    int here = point(side, x, y, z);
    add(t, here, here, 6.01);
    if (x + 1 < side)
        add(t, point(side, x + 1, y, z), here, -1);
    if (y + 1 < side)
        add(t, point(side, x, y + 1, z), here, -1);
    if (z + 1 < side)
        add(t, point(side, x, y, z + 1), here, -1);
}

static cholmod_sparse *laplacian(int side, cholmod_common *c)
{
    size_t n = (size_t)side * (size_t)side * (size_t)side;
    cholmod_triplet *t = cholmod_allocate_triplet(n, n, 4 * n, -1, CHOLMOD_REAL, c);
    for (int z = 0; z < side; z++)
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++)
                add_point(t, side, x, y, z);
    cholmod_sparse *a = cholmod_triplet_to_sparse(t, 0, c);
    cholmod_free_triplet(&t, c);
    return a;
}

static double solution(cholmod_factor *factor, size_t n, cholmod_common *c)
{
    cholmod_dense *b = cholmod_ones(n, 1, CHOLMOD_REAL, c);
    cholmod_dense *x = cholmod_solve(CHOLMOD_A, factor, b, c);
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += ((double *)x->x)[i];
    cholmod_free_dense(&b, c);
    cholmod_free_dense(&x, c);
    return sum;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: cholesky SIDE TIMES\n");
        return 2;
    }
    cholmod_common c;
    cholmod_start(&c);
    c.supernodal = CHOLMOD_SUPERNODAL;
    cholmod_sparse *a = laplacian(atoi(argv[1]), &c);
    cholmod_factor *factor = cholmod_analyze(a, &c);
    double sum = 0;
    for (int i = 0; i < atoi(argv[2]); i++) {
        cholmod_factorize(a, factor, &c);
        sum += solution(factor, a->nrow, &c);
    }
    printf("%.8g\n", sum);
    cholmod_free_factor(&factor, &c);
    cholmod_free_sparse(&a, &c);
    cholmod_finish(&c);
    return 0;
}
