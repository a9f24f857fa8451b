/* SPDX-License-Identifier: BSD-3-Clause */
/* What info says of the machine that a process ran on, and of its environment. */
#ifndef KT_INFO_MACHINE_H
#define KT_INFO_MACHINE_H

#include "trace/command/json.h"
#include "trace/read/reader.h"

/* A key of the meta file; null if it is not there. */
void kt_info_add_meta(json_t *object, const struct kt_process *process, const char *key, bool number);

json_t *kt_info_machine_json(const struct kt_process *process);
/* Of lines KEY with two fields, name and value: an object; names with PREFIX. */
json_t *kt_info_named_json(const struct kt_process *process, const char *key, const char *prefix);
/* Which processors there were, if not all of the machine's, and what the environment says of threads. */
void kt_info_print_processors(const struct kt_process *process);

#endif
