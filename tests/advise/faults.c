/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * faults NAME wrong|right CALLS [N]: a program with a known fault, or the same without it. It prints the seconds of its
 * loop and a sum of the results, which does not depend on how they were computed.
 *
 *     vector     dgemm of one column        dgemv
 *     one-side   dtrsm of one right side    dtrsv
 *     symmetric  dgemm of A and A'          dsyrk
 *     repeated   dgemv with each column     dgemm
 *     batch      dgemm of small matrices one by one  in a loop that two threads share
 *     padding    a leading dimension of whole pages; one that is longer
 *     swaps      dlaswp of rows whose elements are whole pages apart; not quite
 *     dots       ddot: no matrix, no fault
 *     inverse    dgetri and dgemv           dgetrs
 *     needed     the same, but two products use each inverse; as right: a ddot does
 *     later      one ddot, then repeated: the first shape is not the heaviest
 *     chain      the dgemv of repeated, but each result is the next vector: nothing can be joined; as right: nor where
 *                all results lie in one place
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *, size_t, size_t);
void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *, const double *,
            const int *, const double *, double *, const int *, size_t);
void dtrsm_(const char *, const char *, const char *, const char *, const int *, const int *, const double *,
            const double *, const int *, double *, const int *, size_t, size_t, size_t, size_t);
void dtrsv_(const char *, const char *, const char *, const int *, const double *, const int *, double *, const int *,
            size_t, size_t, size_t);
void dlaswp_(const int *, double *, const int *, const int *, const int *, const int *, const int *);
double ddot_(const int *, const double *, const int *, const double *, const int *);
void dgetrf_(const int *, const int *, double *, const int *, int *, int *);
void dgetri_(const int *, double *, const int *, const int *, double *, const int *, int *);
void dgetrs_(const char *, const int *, const int *, const double *, const int *, const int *, double *, const int *,
             int *, size_t);
void dsyrk_(const char *, const char *, const int *, const int *, const double *, const double *, const int *,
            const double *, double *, const int *, size_t, size_t);

static const int one = 1;
static const double unit = 1;
static const double zero = 0;

static double *numbers(size_t count)
{
    double *x = malloc(count * sizeof *x);
    for (size_t i = 0; i < count; i++)
        x[i] = rand() / (double)RAND_MAX - 0.5;
    return x;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct work {
    int n;
    double *a, *x, *y;
    int reads_inverse; /* besides the product */
};

static void vector(const struct work *w, int right)
{
    if (right)
        dgemv_("N", &w->n, &w->n, &unit, w->a, &w->n, w->x, &one, &zero, w->y, &one, 1);
    else
        dgemm_("N", "N", &w->n, &one, &w->n, &unit, w->a, &w->n, w->x, &w->n, &zero, w->y, &w->n, 1, 1);
}

static void one_side(const struct work *w, int right)
{
    memcpy(w->y, w->x, (size_t)w->n * sizeof *w->y);
    if (right)
        dtrsv_("L", "N", "N", &w->n, w->a, &w->n, w->y, &one, 1, 1, 1);
    else
        dtrsm_("L", "L", "N", "N", &w->n, &one, &unit, w->a, &w->n, w->y, &w->n, 1, 1, 1, 1);
}

static void symmetric(const struct work *w, int right)
{
    if (right)
        dsyrk_("L", "N", &w->n, &w->n, &unit, w->a, &w->n, &zero, w->y, &w->n, 1, 1);
    else
        dgemm_("N", "T", &w->n, &w->n, &w->n, &unit, w->a, &w->n, w->a, &w->n, &zero, w->y, &w->n, 1, 1);
}

static void repeated(const struct work *w, int right)
{
    enum { VECTORS = 64 };
    const int vectors = VECTORS;
    size_t n = (size_t)w->n;
    if (right)
        dgemm_("N", "N", &w->n, &vectors, &w->n, &unit, w->a, &w->n, w->x, &w->n, &zero, w->y, &w->n, 1, 1);
    for (size_t j = 0; !right && j < VECTORS; j++)
        dgemv_("N", &w->n, &w->n, &unit, w->a, &w->n, w->x + j * n, &one, &zero, w->y + j * n, &one, 1);
}

/* Products of matrices of their own, FROM to TO. */
struct share {
    const struct work *work;
    int from, to;
};

static void *products(void *context)
{
    const struct share *share = context;
    const int order = 64;
    for (int i = share->from; i < share->to; i++) {
        size_t at = (size_t)i * 64 * 64;
        dgemm_("N", "N", &order, &order, &order, &unit, share->work->a + at, &order, share->work->x + at, &order, &zero,
               share->work->y + at, &order, 1, 1);
    }
    return NULL;
}

static void batch(const struct work *w, int right)
{
    enum { PRODUCTS = 64 };
    struct share mine = {w, 0, right ? PRODUCTS / 2 : PRODUCTS};
    struct share others = {w, mine.to, PRODUCTS};
    pthread_t thread;
    if (right)
        pthread_create(&thread, NULL, products, &others);
    products(&mine);
    if (right)
        pthread_join(thread, NULL);
}

static void padding(const struct work *w, int right)
{
    const int columns = 512;
    const int rows = 48;
    const int ld = right ? 1024 + 8 : 1024;
    dgemm_("N", "T", &rows, &rows, &columns, &unit, w->a, &ld, w->x, &ld, &zero, w->y, &ld, 1, 1);
}

static void swaps(const struct work *w, int right)
{
    enum { ROWS = 512 };
    const int rows = ROWS;
    const int ld = right ? 1024 + 8 : 1024;
    int pivot[ROWS];
    for (int i = 0; i < ROWS; i++)
        pivot[i] = ROWS - i > i ? ROWS - i : i + 1;
    dlaswp_(&rows, w->a, &ld, &one, &rows, pivot, &one);
}

static void dots(const struct work *w, int right)
{
    (void)right;
    w->y[0] = ddot_(&w->n, w->a, &one, w->x, &one);
}

/* Products with the inverse of A; none: a solution in its place. */
static void invert(const struct work *w, int products)
{
    int info;
    int lwork = 64 * w->n;
    size_t bytes = (size_t)w->n * (size_t)w->n * sizeof *w->a;
    int *pivot = malloc((size_t)w->n * sizeof *pivot);
    double *factor = malloc(bytes);
    double *space = malloc((size_t)lwork * sizeof *space);
    memcpy(factor, w->a, bytes);
    dgetrf_(&w->n, &w->n, factor, &w->n, pivot, &info);
    if (products)
        dgetri_(&w->n, factor, &w->n, pivot, space, &lwork, &info);
    for (int i = 0; i < products; i++)
        dgemv_("N", &w->n, &w->n, &unit, factor, &w->n, w->x, &one, &zero, w->y, &one, 1);
    if (!products) {
        memcpy(w->y, w->x, (size_t)w->n * sizeof *w->y);
        dgetrs_("N", &w->n, &one, factor, &w->n, pivot, w->y, &w->n, &info, 1);
    }
    if (products == 1 && w->reads_inverse)
        w->y[0] += ddot_(&w->n, factor, &one, w->x, &one);
    free(space);
    free(factor);
    free(pivot);
}

static void inverse(const struct work *w, int right)
{
    invert(w, right ? 0 : 1);
}

static void needed(const struct work *w, int right)
{
    struct work other = *w;
    other.reads_inverse = right;
    invert(&other, right ? 1 : 2);
}

static void later(const struct work *w, int right)
{
    static double sum;
    if (sum == 0)
        sum = ddot_(&w->n, w->a, &one, w->x, &one);
    repeated(w, right);
}

static void chain(const struct work *w, int right)
{
    enum { VECTORS = 64 };
    size_t n = (size_t)w->n;
    const double small = 1.0 / w->n;
    for (size_t j = 0; j < VECTORS; j++)
        dgemv_("N", &w->n, &w->n, &small, w->a, &w->n, w->x + j * n, &one, &zero, right ? w->y : w->x + (j + 1) * n,
               &one, 1);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(const struct work *, int);
    } fault[] = {{"vector", vector},   {"one-side", one_side}, {"symmetric", symmetric}, {"repeated", repeated},
                 {"padding", padding}, {"chain", chain},       {"swaps", swaps},         {"dots", dots},
                 {"batch", batch},     {"later", later},       {"inverse", inverse},     {"needed", needed}};
    struct work w = {.n = argc > 4 ? atoi(argv[4]) : 1000};
    if (argc < 4)
        return 2;
    int right = !strcmp(argv[2], "right");
    size_t n = (size_t)(w.n > 1032 ? w.n : 1032);
    double sum = 0;
    w.a = numbers(n * n);
    w.x = numbers(n * n);
    w.y = numbers(n * n);
    for (size_t i = 0; i < (size_t)w.n; i++)
        w.a[i * ((size_t)w.n + 1)] += w.n;
    for (size_t f = 0; f < sizeof fault / sizeof *fault; f++) {
        double start = now();
        for (int call = 0; call < atoi(argv[3]) && !strcmp(argv[1], fault[f].name); call++)
            fault[f].run(&w, right);
        if (!strcmp(argv[1], fault[f].name))
            printf("%.6f ", now() - start);
    }
    for (int i = 0; i < w.n; i++)
        sum += w.y[i];
    printf("%.9g\n", sum);
    free(w.a);
    free(w.x);
    free(w.y);
    return 0;
}
