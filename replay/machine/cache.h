/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Single lines of the data caches: reading them in, and whether flushing them to memory works.
 */
#ifndef KT_CACHE_H
#define KT_CACHE_H

#include "trace/base/line_flush.h"

/* Every line of [LO, HI), upwards. */
void kt_lines_touch(uint64_t lo, uint64_t hi);

/* How many times longer a load takes from a flushed line than from one just read. Near 1: flushing has no effect. */
double kt_cache_check(void);

#endif
