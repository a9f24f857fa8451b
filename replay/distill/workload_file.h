/* SPDX-License-Identifier: BSD-3-Clause */
/* A workload that is there gets one more file, or another one of that name; all else stays. */
#ifndef KT_WORKLOAD_FILE_H
#define KT_WORKLOAD_FILE_H

#include "trace/base/error.h"

enum kt_status kt_workload_file_put(const char *path, const char *name, const char *text, struct kt_error *error);

#endif
