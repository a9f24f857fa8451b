/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times one LAPACK call many times by the program's own clock: what recording the calls inside it makes of a time that
 * a user would measure. The input is restored before each call, outside of the timing; what reading the clock takes is
 * subtracted. Prints the median and the lower quartile in microseconds, and the number of calls.
 * Usage: nested ROUTINE N|MxN [ROUNDS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void dgels_(const char *, const int *, const int *, const int *, double *, const int *, double *, const int *, double *,
            const int *, int *, size_t);
void dgeqrf_(const int *, const int *, double *, const int *, double *, double *, const int *, int *);
void dgesdd_(const char *, const int *, const int *, double *, const int *, double *, double *, const int *, double *,
             const int *, double *, const int *, int *, int *, size_t);
void dgesv_(const int *, const int *, double *, const int *, int *, double *, const int *, int *);
void dgetrf_(const int *, const int *, double *, const int *, int *, int *);
void dormqr_(const char *, const char *, const int *, const int *, const int *, const double *, const int *,
             const double *, double *, const int *, double *, const int *, int *, size_t, size_t);
void dpotrf_(const char *, const int *, double *, const int *, int *, size_t);
void dsyev_(const char *, const char *, const int *, double *, const int *, double *, double *, const int *, int *,
            size_t, size_t);
void zheev_(const char *, const char *, const int *, double *, const int *, double *, double *, const int *, double *,
            int *, size_t, size_t);

/* All that any of the routines takes. A is M by N and, where that is asked for, symmetric and dominant. */
struct problem {
    int m, n;
    size_t bytes;                /* of a */
    double *start, *a;           /* what A is, and where the routine works on it */
    double *b;                   /* right-hand side */
    double *values, *u, *vt;     /* singular values or eigenvalues, and vectors */
    double *reflectors, *scales; /* of a factorisation of A that is at hand */
    double *work, *real_work;
    int lwork, *integers, info;
};

static const int one = 1;

static void call_dgels(struct problem *p)
{
    dgels_("N", &p->m, &p->n, &one, p->a, &p->m, p->b, &p->m, p->work, &p->lwork, &p->info, 1);
}

static void call_dgeqrf(struct problem *p)
{
    dgeqrf_(&p->m, &p->n, p->a, &p->m, p->values, p->work, &p->lwork, &p->info);
}

static void call_dgesdd(struct problem *p)
{
    dgesdd_("A", &p->m, &p->n, p->a, &p->m, p->values, p->u, &p->m, p->vt, &p->n, p->work, &p->lwork, p->integers,
            &p->info, 1);
}

static void call_dgesv(struct problem *p)
{
    dgesv_(&p->n, &one, p->a, &p->n, p->integers, p->b, &p->n, &p->info);
}

static void call_dgetrf(struct problem *p)
{
    dgetrf_(&p->m, &p->n, p->a, &p->m, p->integers, &p->info);
}

static void call_dormqr(struct problem *p)
{
    dormqr_("L", "N", &p->m, &p->n, &p->n, p->reflectors, &p->m, p->scales, p->a, &p->m, p->work, &p->lwork, &p->info,
            1, 1);
}

static void call_dpotrf(struct problem *p)
{
    dpotrf_("L", &p->n, p->a, &p->n, &p->info, 1);
}

static void call_dsyev(struct problem *p)
{
    dsyev_("V", "L", &p->n, p->a, &p->n, p->values, p->work, &p->lwork, &p->info, 1, 1);
}

static void call_zheev(struct problem *p)
{
    zheev_("V", "L", &p->n, p->a, &p->n, p->values, p->work, &p->lwork, p->real_work, &p->info, 1, 1);
}

#define ROUTINES(X) X(dgels) X(dgeqrf) X(dgesdd) X(dgesv) X(dgetrf) X(dormqr) X(dpotrf) X(dsyev) X(zheev)

static const struct routine {
    const char *name;
    void (*call)(struct problem *);
} routines[] = {
#define ROUTINE(name) {#name, call_##name},
    ROUTINES(ROUTINE)};

enum { KNOWN = sizeof routines / sizeof routines[0] };

static const struct routine *find(const char *name)
{
    for (int i = 0; i < KNOWN; i++)
        if (!strcmp(routines[i].name, name))
            return &routines[i];
    return NULL;
}

static double *take(size_t numbers)
{
    size_t bytes = (numbers * sizeof(double) / 4096 + 1) * 4096;
    double *memory = aligned_alloc(4096, bytes);
    if (!memory)
        exit(2);
    return memset(memory, 0, bytes);
}

/* One number in each element, also of a complex matrix: with a dominant diagonal, symmetric if square. */
static void fill(struct problem *p, int parts)
{
    srand(1);
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->m; i++) {
            double value = 2.0 * rand() / RAND_MAX - 1 + (i == j) * 2.0 * p->n;
            p->start[(i + (size_t)j * p->m) * parts] = value;
            if (p->m == p->n && i > j)
                p->start[(j + (size_t)i * p->m) * parts] = value;
        }
}

/* dormqr multiplies by the Q of A. */
static void factor(struct problem *p)
{
    memcpy(p->reflectors, p->start, p->bytes);
    dgeqrf_(&p->m, &p->n, p->reflectors, &p->m, p->scales, p->work, &p->lwork, &p->info);
}

static struct problem make(const struct routine *routine, int m, int n)
{
    int parts = routine->name[0] == 'z' ? 2 : 1;
    size_t most = (size_t)(m > n ? m : n);
    size_t numbers = (size_t)m * (size_t)n * (size_t)parts;
    struct problem p = {.m = m, .n = n, .bytes = numbers * sizeof(double), .lwork = 64 * (m + n) + 8 * n * n};
    p.start = take(numbers);
    p.a = take(numbers);
    p.b = take(most);
    p.values = take(most);
    p.u = take(most * most);
    p.vt = take(most * most);
    p.reflectors = take(numbers);
    p.scales = take(most);
    p.work = take((size_t)p.lwork * (size_t)parts);
    p.real_work = take(3 * most);
    p.integers = (int *)take(8 * most);
    fill(&p, parts);
    if (routine->call == call_dormqr)
        factor(&p);
    return p;
}

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static void restore(struct problem *p)
{
    memcpy(p->a, p->start, p->bytes);
    for (int i = 0; i < p->m; i++)
        p->b[i] = 1;
}

/* By this name instructions.sh knows what is between the two readings. */
__attribute__((noinline)) void measured(const struct routine *routine, struct problem *p);
void measured(const struct routine *routine, struct problem *p)
{
    routine->call(p);
}

static double timed(const struct routine *routine, struct problem *p)
{
    restore(p);
    double start = now_us();
    if (routine)
        measured(routine, p);
    return now_us() - start;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorted; without a routine, of an empty measurement. */
static double *times(const struct routine *routine, struct problem *p, int rounds)
{
    double *us = take((size_t)rounds);
    for (int i = 0; i < rounds && !p->info; i++)
        us[i] = timed(routine, p);
    qsort(us, (size_t)rounds, sizeof *us, ascending);
    return us;
}

int main(int argc, char **argv)
{
    const struct routine *routine = argc > 2 ? find(argv[1]) : NULL;
    int m = 0;
    int n = 0;
    int rounds = argc > 3 ? atoi(argv[3]) : 2000;
    if (routine && sscanf(argv[2], "%dx%d", &m, &n) == 1)
        n = m;
    if (m < 1 || n < 1 || m < n || rounds < 1) {
        fprintf(stderr, "usage: nested ROUTINE N|MxN [ROUNDS]\n");
        return 2;
    }
    struct problem p = make(routine, m, n);
    const double *us = times(routine, &p, rounds);
    double clock_us = times(NULL, &p, 1000)[500];
    printf("%.4f %.4f %d\n", us[rounds / 2] - clock_us, us[rounds / 4] - clock_us, rounds);
    return p.info != 0;
}
