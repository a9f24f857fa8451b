/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The locality tree of paper 003 (3.1.4): which cores exchange data faster with each other than with the rest. A pure
 * function.
 */
#ifndef KT_LOCALITY_H
#define KT_LOCALITY_H

#include <stddef.h>

/* RATE[i * cores + j]: bandwidth between cores i and j, symmetric. GROUP[i]: in: the clique of core i; out: the clique
 * within it, all of whose pairs reach at least NEAR of the fastest pair of the old one. Returns how many cliques there
 * are now. */
size_t kt_locality_refine(const double *rate, size_t cores, double near, size_t *group);

#endif
