/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups of calls by their key: in a search tree while calls are added, in an array sorted by time at the end.
 */
#ifndef KT_SUMS_H
#define KT_SUMS_H

#include "model/summary/summary.h"

/* The group with that key (process, id, routine), made of it if it is new. */
struct kt_sum *kt_sums_find(void **tree, struct kt_sum key);

/* The groups of a tree, which is gone then. */
struct kt_sums kt_sums_take(void *tree);

/* Longest first; equal times in the order of the keys, so that reports are reproducible. */
void kt_sums_sort(struct kt_sums *sums);

#endif
