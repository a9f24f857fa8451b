/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines of the data caches flushed to memory.
 *
 * Lines are flushed by address (Whaley & Castaldo, section 3): that needs no knowledge of cache sizes, and unlike
 * reading a large area it works on caches that do not replace the least recently used line.
 */
#ifndef KT_LINE_FLUSH_H
#define KT_LINE_FLUSH_H

#include <stdint.h>

/* Bytes of a line. */
uint64_t kt_line_bytes(void);

/* Every line of [LO, HI). Flushes take effect at kt_lines_flushed(), which waits for them. Where there is no
 * instruction for one line, that is when everything leaves the caches. */
void kt_lines_flush(uint64_t lo, uint64_t hi);
void kt_lines_flushed(void);

#endif
