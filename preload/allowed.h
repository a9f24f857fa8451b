/* SPDX-License-Identifier: BSD-3-Clause */
/* Which processors the process may use, and what its environment says of threads: lines of the meta file. */
#ifndef KT_ALLOWED_H
#define KT_ALLOWED_H

#include "preload/line.h"

/* When the program is loaded: later a runtime may have bound its first thread, or the environment may be gone. */
KT_HIDDEN void kt_allowed_note_start(void);

/* Within a slow path. */
KT_HIDDEN void kt_allowed_fields(struct kt_line *line);

#endif
