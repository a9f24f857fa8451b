/* SPDX-License-Identifier: BSD-3-Clause */
/* One process of a trace, from the files in its directory. */
#ifndef KT_PROCESS_READ_H
#define KT_PROCESS_READ_H

#include "trace/read/reader.h"

/* P has its path and files; all else follows. What is damaged is noted in the trace; KT_BAD_INPUT if nothing can be
 * read, KT_SYSTEM if the system refused. To be freed in any case. */
enum kt_status kt_process_read(struct kt_process *p, struct kt_trace *trace, struct kt_error *error);
void kt_process_free(struct kt_process *p);

#endif
