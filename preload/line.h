/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds lines of the trace's text files in a fixed buffer, without the C library's formatted print, which may
 * allocate and take locks. What does not fit is cut; the buffer is sized for the longest path.
 */
#ifndef KT_LINE_H
#define KT_LINE_H

#include "preload/shim.h"

enum { KT_LINE_BYTES = 3 * 4096 };

struct kt_line {
    size_t length;
    char text[KT_LINE_BYTES];
};

KT_HIDDEN void kt_line_raw(struct kt_line *line, const char *text);                    /* as it is */
KT_HIDDEN void kt_line_plain(struct kt_line *line, const char *text);                  /* for a terminal */
KT_HIDDEN void kt_line_escaped(struct kt_line *line, const char *text, size_t length); /* as format.h says */
KT_HIDDEN void kt_line_unsigned(struct kt_line *line, uint64_t value, unsigned base);  /* 10 or 16 */

/* Writes as much as can be written, and returns how much that was; neither SIGPIPE nor SIGXFSZ reaches the program. */
KT_HIDDEN size_t kt_write_all(int file, const char *bytes, size_t count);

/* The same at the end of a file, which is made if need be. 0 also if some of it may not be there after all. */
KT_HIDDEN size_t kt_append_file(const char *path, const void *bytes, size_t count);

/* Reads at most SIZE - 1 bytes of a file and ends them with a 0; returns how many, 0 after an error. */
KT_HIDDEN size_t kt_read_file(const char *path, char *out, size_t size);

#endif
