/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * leaves ROUTINE N TIMES: factors a random matrix of order N with dgeqrf, dpotrf or dgetrf, so many times. What the
 * LAPACK that it is linked with asks of the BLAS is what there is to trace.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dgeqrf_(const int *, const int *, double *, const int *, double *, double *, const int *, int *);
void dgetrf_(const int *, const int *, double *, const int *, int *, int *);
void dpotrf_(const char *, const int *, double *, const int *, int *, size_t);

struct matrix {
    int n;
    double *start, *a; /* what it is, and where it is factored */
    double *tau, *work;
    int lwork, *pivot;
};

static void *take(size_t bytes)
{
    void *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!memory)
        exit(2);
    return memset(memory, 0, bytes);
}

/* Symmetric; if DIAGONAL is large, dominant. Without, factorisations exchange rows. */
static void make(struct matrix *m, int n, double diagonal)
{
    size_t bytes = (size_t)n * (size_t)n * sizeof *m->a;
    *m = (struct matrix){.n = n, .start = take(bytes), .a = take(bytes), .lwork = 64 * n};
    m->tau = take((size_t)n * sizeof *m->tau);
    m->pivot = take((size_t)n * sizeof *m->pivot);
    m->work = take((size_t)m->lwork * sizeof *m->work);
    srand(1);
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= j; i++)
            m->start[i + (size_t)j * n] = m->start[j + (size_t)i * n] =
                2.0 * rand() / RAND_MAX - 1 + (i == j) * diagonal;
}

static int factor(const struct matrix *m, const char *routine)
{
    int info = -1;
    memcpy(m->a, m->start, (size_t)m->n * (size_t)m->n * sizeof *m->a);
    if (!strcmp(routine, "dgeqrf"))
        dgeqrf_(&m->n, &m->n, m->a, &m->n, m->tau, m->work, &m->lwork, &info);
    else if (!strcmp(routine, "dpotrf"))
        dpotrf_("L", &m->n, m->a, &m->n, &info, 1);
    else if (!strcmp(routine, "dgetrf"))
        dgetrf_(&m->n, &m->n, m->a, &m->n, m->pivot, &info);
    return info;
}

int main(int argc, char **argv)
{
    struct matrix m;
    int info = 0;
    if (argc != 4) {
        fprintf(stderr, "usage: leaves dgeqrf|dpotrf|dgetrf N TIMES\n");
        return 2;
    }
    make(&m, atoi(argv[2]), strcmp(argv[1], "dpotrf") ? 0 : 2.0 * atoi(argv[2]));
    for (int i = 0; i < atoi(argv[3]); i++)
        info |= factor(&m, argv[1]);
    return info != 0;
}
