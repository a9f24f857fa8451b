/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds lines of the trace's text files in a fixed buffer, without the C library's formatted print, which may
 * allocate and take locks. What does not fit is cut; the buffer is sized for the longest path.
 */
#ifndef KT_LINE_H
#define KT_LINE_H

#include "preload/attributes.h"

#include <stddef.h>
#include <stdint.h>

enum { KT_LINE_BYTES = 3 * 4096 };

struct kt_line {
    size_t length;
    char text[KT_LINE_BYTES];
};

KT_HIDDEN void kt_line_raw(struct kt_line *line, const char *text);                    /* as it is */
KT_HIDDEN void kt_line_plain(struct kt_line *line, const char *text);                  /* for a terminal */
KT_HIDDEN void kt_line_escaped(struct kt_line *line, const char *text, size_t length); /* as format.h says */
KT_HIDDEN void kt_line_unsigned(struct kt_line *line, uint64_t value, unsigned base);  /* 10 or 16 */

#endif
