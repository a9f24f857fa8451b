/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/analysis/locality.h"

#include "trace/base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

static double fastest(const double *rate, size_t cores, const size_t *group, size_t which)
{
    double best = 0;
    for (size_t i = 0; i < cores; i++)
        for (size_t j = 0; j < i; j++)
            if (group[i] == which && group[j] == which)
                best = fmax(best, rate[i * cores + j]);
    return best;
}

/* Whether core I reaches LIMIT with all members so far of clique WHICH. */
static bool belongs(const double *rate, size_t cores, const size_t *clique, size_t which, size_t i, double limit)
{
    for (size_t j = 0; j < i; j++)
        if (clique[j] == which && rate[i * cores + j] < limit)
            return false;
    return true;
}

size_t kt_locality_refine(const double *rate, size_t cores, double near, size_t *group)
{
    size_t *clique = kt_resize(NULL, cores, sizeof *clique);
    size_t *parent = kt_resize(NULL, cores, sizeof *parent);
    size_t cliques = 0;
    for (size_t i = 0; i < cores; i++) {
        double limit = near * fastest(rate, cores, group, group[i]);
        clique[i] = cliques;
        for (size_t k = 0; k < cliques && clique[i] == cliques; k++)
            if (parent[k] == group[i] && belongs(rate, cores, clique, k, i, limit))
                clique[i] = k;
        if (clique[i] == cliques)
            parent[cliques++] = group[i];
    }
    memcpy(group, clique, cores * sizeof *clique);
    free(parent);
    free(clique);
    return cliques;
}
