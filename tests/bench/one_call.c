/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What one call of a routine that does nothing takes (nothing.h), by the program or inside of a dgesv: calls in
 * batches, the median batch, nanoseconds per call. Under a tool that counts instructions, what counts is measured().
 * Usage: one_call same-ddot|ddot|dgemv|dlarfg|inside-ddot|inside-dgemv|inside-dlarfg BATCHES
 */
#include "nothing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double data[256];

static void same_ddot(void)
{
    const int one = 1;
    for (int i = 0; i < INSIDE; i++)
        ddot_(&one, data, &one, data, &one);
}

static void direct_ddot(void)
{
    call_ddot(data, INSIDE);
}

static void direct_dgemv(void)
{
    call_dgemv(data, INSIDE);
}

static void direct_dlarfg(void)
{
    call_dlarfg(data, INSIDE);
}

static void inside(int which)
{
    const int one = 1;
    int pivot;
    int info;
    dgesv_(&one, &which, data, &one, &pivot, data + 128, &one, &info);
}

static void inside_ddot(void)
{
    inside(INSIDE_DDOT);
}

static void inside_dgemv(void)
{
    inside(INSIDE_DGEMV);
}

static void inside_dlarfg(void)
{
    inside(INSIDE_DLARFG);
}

static const struct kind {
    const char *name;
    void (*calls)(void); /* INSIDE of them */
} kinds[] = {
    {"same-ddot", same_ddot},         {"ddot", direct_ddot},        {"dgemv", direct_dgemv},
    {"dlarfg", direct_dlarfg},        {"inside-ddot", inside_ddot}, {"inside-dgemv", inside_dgemv},
    {"inside-dlarfg", inside_dlarfg},
};

/* Known to instructions.sh by name. */
__attribute__((noinline)) void measured(const struct kind *kind);
void measured(const struct kind *kind)
{
    kind->calls();
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_ns(const struct kind *kind, int batches)
{
    double *ns = calloc((size_t)batches, sizeof *ns);
    if (!ns)
        exit(2);
    for (int i = 0; i < batches; i++) {
        double start = now_ns();
        measured(kind);
        ns[i] = (now_ns() - start) / INSIDE;
    }
    qsort(ns, (size_t)batches, sizeof *ns, ascending);
    double median = ns[batches / 2];
    free(ns);
    return median;
}

int main(int argc, char **argv)
{
    const struct kind *kind = NULL;
    for (size_t i = 0; argc == 3 && i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, argv[1]))
            kind = &kinds[i];
    if (!kind || atoi(argv[2]) < 1) {
        fprintf(stderr, "usage: one_call KIND BATCHES\n");
        return 2;
    }
    printf("%.4f\n", median_ns(kind, atoi(argv[2])));
    return 0;
}
