/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What threads of the program do at the same time, and what a comparison of numbers of library threads has shown of
 * that.
 */
#ifndef KT_COMPARISON_THREADS_H
#define KT_COMPARISON_THREADS_H

#include "replay/compare/comparison.h"

/* Once, before sums. */
void kt_comparison_find_company(struct kt_comparison *comparison);

/* Were calls played at the same time, as they were made? */
bool kt_comparison_in_company(const struct kt_comparison *comparison);

/* Seconds of the recorded program, of which calls are a part that changes as they do: NAN where several threads or
 * processes make calls that are not played at the same time, or where calls are missing. */
double kt_comparison_wall(const struct kt_comparison *comparison);

/* "4 threads of the program call dgemm, 3.9 at a time, ...": if the recorded number of threads is certain to be slower
 * than another one of the same library. False: there is nothing to be said. */
bool kt_comparison_threads_text(const struct kt_comparison *comparison, char *out, size_t size);

#endif
