/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is known of the process when it records its first call: the meta file, and the README of the trace.
 */
#ifndef KT_META_H
#define KT_META_H

#include "preload/line.h"

#include <stdbool.h>

/* Does the kernel's clock time the records? The user may say so (KTRACE_CLOCK). */
KT_HIDDEN bool kt_meta_is_kernel_clock(void);

/* The program is loaded. */
KT_HIDDEN void kt_meta_note_start(void);

/* Both within a slow path, when the directories exist. */
KT_HIDDEN bool kt_meta_write(void);
KT_HIDDEN void kt_meta_write_readme(void);

/* Lines of a key and a value. */
KT_HIDDEN void kt_meta_number(struct kt_line *line, const char *key, uint64_t value);
KT_HIDDEN void kt_meta_anchor(struct kt_line *line);

#endif
