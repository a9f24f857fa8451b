/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/kernels/piecewise.h"

int kt_region_coefficients(const struct kt_region *region, int axes)
{
    int n = 1;
    for (int a = 0; a < axes; a++)
        n *= region->degree[a] + 1;
    return n;
}

static double to_unit(const struct kt_box *box, int axis, double size)
{
    double width = (double)(box->hi[axis] - box->lo[axis]);
    return width > 0 ? 2 * (size - (double)box->lo[axis]) / width - 1 : 0;
}

static void chebyshev(int degree, double x, double *out)
{
    out[0] = 1;
    if (degree > 0)
        out[1] = x;
    for (int e = 2; e <= degree; e++)
        out[e] = 2 * x * out[e - 1] - out[e - 2];
}

void kt_region_basis(const struct kt_region *region, int axes, const double *size, double *out)
{
    int n = 1;
    out[0] = 1;
    for (int a = 0; a < axes; a++) {
        double t[KT_MAX_DEGREE + 1];
        chebyshev(region->degree[a], to_unit(&region->frame, a, size[a]), t);
        for (int e = region->degree[a]; e >= 0; e--)
            for (int i = 0; i < n; i++)
                out[e * n + i] = out[i] * t[e];
        n *= region->degree[a] + 1;
    }
}

double kt_region_value(const struct kt_region *region, int axes, const double *size)
{
    double basis[KT_MAX_COEFFICIENTS];
    double sum = 0;
    kt_region_basis(region, axes, size, basis);
    for (int i = 0; i < region->coefficients; i++)
        sum += basis[i] * region->coefficient[i];
    return sum;
}

double kt_residues_size(const struct kt_residues *residues, int axis, int64_t size)
{
    if (!residues->period || size < KT_FINE_BELOW)
        return (double)size;
    return (double)size + residues->shift[axis][size % residues->period];
}

double kt_crossover_product(const struct kt_crossover *crossover, const int64_t *size)
{
    double product = 1;
    for (int a = 0; a < KT_MODEL_AXES; a++)
        product *= crossover->axes & 1u << a ? (double)size[a] : 1;
    return product;
}

enum kt_side kt_box_side(const struct kt_box *box, const struct kt_crossover *crossover)
{
    if (crossover->product <= 0)
        return KT_BOTH;
    return kt_crossover_product(crossover, box->hi) <= crossover->product  ? KT_BELOW
           : kt_crossover_product(crossover, box->lo) > crossover->product ? KT_ABOVE
                                                                           : KT_BOTH;
}

bool kt_region_holds(const struct kt_region *region, const struct kt_crossover *crossover, int axes,
                     const int64_t *size)
{
    if (!kt_box_holds(&region->box, axes, size))
        return false;
    return region->side == KT_BOTH ||
           (region->side == KT_ABOVE) == (kt_crossover_product(crossover, size) > crossover->product);
}

bool kt_sizes_are_regular(int axes, const int64_t *size)
{
    for (int a = 0; a < axes; a++)
        if (size[a] > KT_FINE_BELOW && size[a] % KT_FINE_BELOW != 0)
            return false;
    return true;
}

bool kt_box_holds(const struct kt_box *box, int axes, const int64_t *size)
{
    for (int a = 0; a < axes; a++)
        if (size[a] < box->lo[a] || size[a] > box->hi[a])
            return false;
    return true;
}

bool kt_box_owns(const struct kt_box *box, const struct kt_box *domain, int axes, const int64_t *size)
{
    for (int a = 0; a < axes; a++)
        if (size[a] == box->lo[a] && box->lo[a] < box->hi[a] && box->lo[a] > domain->lo[a])
            return false;
    return kt_box_holds(box, axes, size);
}

int kt_box_fixed(const struct kt_box *box, const struct kt_box *domain, int axes)
{
    int fixed = 0;
    for (int a = 0; a < axes; a++)
        fixed += box->lo[a] == box->hi[a] && domain->lo[a] < domain->hi[a];
    return fixed;
}

static double ratio(int64_t larger, int64_t smaller)
{
    return smaller > 0 ? (double)larger / (double)smaller - 1 : (double)(larger - smaller);
}

double kt_box_distance(const struct kt_box *box, int axes, const int64_t *size, int64_t *nearest)
{
    double farthest = 0;
    for (int a = 0; a < axes; a++) {
        double outside = 0;
        nearest[a] = size[a];
        if (size[a] > box->hi[a])
            outside = ratio(size[a], nearest[a] = box->hi[a]);
        if (size[a] < box->lo[a])
            outside = ratio(nearest[a] = box->lo[a], size[a]);
        farthest = outside > farthest ? outside : farthest;
    }
    return farthest;
}
