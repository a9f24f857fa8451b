/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What `ktrace merge` does with results of replays and comparisons. Only replay knows what these are: it is called
 * through pointers, which main sets.
 */
#ifndef KT_MERGED_RESULTS_H
#define KT_MERGED_RESULTS_H

#include "trace/base/error.h"

#include <stddef.h>

/* PATHS: the traces that were merged; MERGED: the trace that they became. Says what it does, as a notice. */
typedef void kt_results_merger(char *const *path, size_t paths, const char *merged);
extern kt_results_merger *kt_merge_results;

/* Makes the store of results OUTPUT of several others. *SERIES: it has so many. */
typedef enum kt_status kt_stores_merger(char *const *path, size_t paths, const char *output, size_t *series,
                                        struct kt_error *error);
extern kt_stores_merger *kt_merge_stores;

#endif
