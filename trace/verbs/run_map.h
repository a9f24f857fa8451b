/* SPDX-License-Identifier: BSD-3-Clause */
/* `ktrace run --map FILE`: the map is read, and its libraries are tried, before the program starts. */
#ifndef KT_RUN_MAP_H
#define KT_RUN_MAP_H

#include "trace/base/error.h"

/* An error if the file is no map (ktrace/library_map.h), or if COMMAND, as execvp finds it, cannot be run by it.
 * Otherwise sets KTRACE_MAP, and what the libraries want to find in the environment. */
enum kt_status kt_run_map(const char *path, const char *command, struct kt_error *error);

#endif
