/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the command brings with it: the routine table, which traces carry themselves but algorithms do not, and the
 * algorithms of examples/algorithms.
 */
#ifndef KT_KNOWN_H
#define KT_KNOWN_H

#include "trace/table/routine.h"

/* All routines that are described. Made once and never freed. */
const struct kt_table *kt_known_routines(void);

/* Is there a routine of LAPACK with that name? */
bool kt_known_is_lapack(const char *name);

/* The I-th of the algorithms that come with the command, as text; NULL behind the last one. Never freed. */
const char *kt_known_algorithm(size_t i);

#endif
