/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The definitions file of a process: loaded objects, which of them are libraries, entries, and the routines that the
 * entries name, merged into one table. A line that cannot be understood costs what it defines and a note.
 * A part of the reader, which alone includes this.
 */
#ifndef KT_DEFINITIONS_H
#define KT_DEFINITIONS_H

#include "trace/read/reader.h"

/* Fills in the process's objects, entries and table, which are to be freed also after an error. */
enum kt_status kt_definitions_read(const char *path, struct kt_process *process, struct kt_trace *trace,
                                   struct kt_error *error);
void kt_definitions_free(struct kt_process *process);

#endif
