/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that is being traced has the file `control` of its trace mapped: that tells where its trace is. */
#ifndef KT_CONTROL_FILE_H
#define KT_CONTROL_FILE_H

#include "trace/base/error.h"

#include <limits.h>
#include <stdbool.h>

bool kt_control_file_is_pid(const char *text);

/* The path of the control file of that process: TRACE/pPID/control. */
enum kt_status kt_control_file_find(const char *pid, char out[PATH_MAX], struct kt_error *error);

#endif
