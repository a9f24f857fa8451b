/* SPDX-License-Identifier: BSD-3-Clause */
/* The table as it lies in the source tree, trace/routines/: for ktgen and the tests. The tools read it from traces. */
#ifndef KT_SPEC_H
#define KT_SPEC_H

#include "trace/table/routine.h"

/* Reads all files NAME.spec of the folder, by name, and the names in counted.list. OUT is to be freed also after an
 * error. */
enum kt_status kt_spec_load(const char *folder, struct kt_table *out, struct kt_error *error);

/* The whole file, with a NUL behind it; to be freed. NULL after an error. */
char *kt_spec_text(const char *path, struct kt_error *error);

#endif
