/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/table/column_major.h"

#include <string.h>

static void swap(struct kt_values *v, int a, int b)
{
    if (a < 0 || b < 0)
        return;
    double value = v->v[a];
    uint64_t address = v->address[a];
    v->v[a] = v->v[b];
    v->v[b] = value;
    v->address[a] = v->address[b];
    v->address[b] = address;
}

static int find(const struct kt_routine *r, const char *name)
{
    for (int i = 0; i < r->args; i++)
        if (!strcmp(r->arg[i].name, name))
            return i;
    return -1;
}

static int count(const struct kt_routine *r, enum kt_role role, int *first, int *last)
{
    int n = 0;
    for (int i = 0; i < r->args; i++) {
        if (r->arg[i].role != role)
            continue;
        *first = n++ ? *first : i;
        *last = i;
    }
    return n;
}

static void flip(double *letter, char a, char b)
{
    *letter = *letter == a ? b : a;
}

/* The transposed matrix of a vector's product, or of a rank-k update: not transposed. */
static void transpose_option(const struct kt_routine *r, double *letter)
{
    bool hermitian = strstr(r->name, "her") != NULL;
    if (*letter == 'N')
        *letter = hermitian ? 'C' : 'T';
    else
        *letter = 'N';
}

/*
 * A row-major matrix is the transposed column-major one: C' = B'A' for the product, so its factors and sizes change
 * places, left and right, upper and lower.
 */
static void transpose_all(const struct kt_routine *r, struct kt_values *v)
{
    int first = -1;
    int last = -1;
    bool has_side = count(r, KT_SIDE, &first, &last) > 0;
    if (has_side)
        flip(&v->v[first], 'L', 'R');
    if (count(r, KT_UPLO, &first, &last))
        flip(&v->v[first], 'U', 'L');
    int transposes = count(r, KT_TRANS, &first, &last);
    if (transposes == 2) {
        swap(v, first, last);
        swap(v, find(r, "lda"), find(r, "ldb"));
        swap(v, find(r, "a"), find(r, "b"));
    }
    if (transposes == 1 && !has_side)
        transpose_option(r, &v->v[first]);
    swap(v, find(r, "m"), find(r, "n"));
    swap(v, find(r, "kl"), find(r, "ku"));
    if (transposes == 0 && find(r, "m") >= 0) { /* a rank-1 update */
        swap(v, find(r, "incx"), find(r, "incy"));
        swap(v, find(r, "x"), find(r, "y"));
    }
    v->row_major = false;
}

bool kt_column_major(const struct kt_symbol *symbol, const struct kt_values *values, struct kt_values *out)
{
    bool is_blas = symbol->view == KT_FORTRAN || symbol->view == KT_CBLAS;
    *out = *values;
    if (out->row_major && !is_blas)
        return false;
    if (out->row_major)
        transpose_all(symbol->routine, out);
    return true;
}
