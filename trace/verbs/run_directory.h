/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The directory that a run's trace goes to: its name, its making, and what lies in it.
 */
#ifndef KT_RUN_DIRECTORY_H
#define KT_RUN_DIRECTORY_H

#include "trace/base/error.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* Absolute, as the program may change its working directory. OUTPUT is taken as it is; NULL: what KTRACE_OUT says of
 * the process CHILD that becomes the program. */
void kt_run_directory_find(const char *output, const char *program, pid_t child, char out[PATH_MAX]);

/* Makes it, or finds that there is a usable one. *CREATED: it did not exist before. */
enum kt_status kt_run_directory_prepare(const char *path, bool *created, struct kt_error *error);

/* Files in the directory of a trace. */
struct kt_run_contents {
    int processes, others;
    bool readme;
};

/* False if it cannot be read. */
bool kt_run_directory_read(const char *path, struct kt_run_contents *out);

#endif
