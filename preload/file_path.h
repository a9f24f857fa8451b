/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths of the files that the process writes. Within a slow path. */
#ifndef KT_FILE_PATH_H
#define KT_FILE_PATH_H

#include "preload/attributes.h"

#include <limits.h>
#include <stdint.h>

/* NAME, NUMBER and .SUFFIX (0: without) in a directory, cut off if that is too long; in that of the process. */
KT_HIDDEN void kt_file_path_in(const char *directory, char out[PATH_MAX], const char *name, uint64_t number,
                               unsigned suffix);
KT_HIDDEN void kt_file_path(char out[PATH_MAX], const char *name, uint64_t number, unsigned suffix);

#endif
