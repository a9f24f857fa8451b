/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is known of the process when it records its first call: the meta file, and the README of the trace.
 */
#ifndef KT_META_H
#define KT_META_H

#include "preload/line.h"

KT_HIDDEN struct kt_anchor kt_anchor_now(void);

/* What two readings with nothing in between show: part of every recorded duration. */
KT_HIDDEN void kt_measure_clock(void);

/* The clock of records: the processor's, unless that is not reliable or the user wants the kernel's (KTRACE_CLOCK). */
KT_HIDDEN uint64_t kt_now(void);
KT_HIDDEN bool kt_uses_kernel_clock(void);

/* The program is loaded. */
KT_HIDDEN void kt_meta_note_start(void);

/* Why ticks may not measure time, in words; NULL: they do. */
KT_HIDDEN const char *kt_clock_doubt(void);

/* Both within a slow path, when the directories exist. */
KT_HIDDEN bool kt_write_meta(void);
KT_HIDDEN void kt_write_readme(void);

/* Lines of a key and a value. */
KT_HIDDEN void kt_meta_field(struct kt_line *line, const char *key, const char *value);
KT_HIDDEN void kt_meta_number(struct kt_line *line, const char *key, uint64_t value);
KT_HIDDEN void kt_meta_anchor(struct kt_line *line);

#endif
