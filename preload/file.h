/* SPDX-License-Identifier: BSD-3-Clause */
/* Small files, read and written as a whole. */
#ifndef KT_FILE_H
#define KT_FILE_H

#include "preload/attributes.h"

#include <stddef.h>

/* Writes as much as can be written, and returns how much that was; neither SIGPIPE nor SIGXFSZ reaches the program. */
KT_HIDDEN size_t kt_file_write(int file, const char *bytes, size_t count);

/* The same at the end of a file, which is made if need be. 0 also if some of it may not be there after all. */
KT_HIDDEN size_t kt_file_append(const char *path, const void *bytes, size_t count);

/* Reads at most SIZE - 1 bytes of a file and ends them with a 0; returns how many, 0 after an error. */
KT_HIDDEN size_t kt_file_read(const char *path, char *out, size_t size);

/* The path of the file itself, where PATH goes through symbolic links; "" if it cannot be told. */
KT_HIDDEN void kt_file_real(const char *path, char *out, size_t size);

#endif
