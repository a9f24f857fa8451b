/* SPDX-License-Identifier: BSD-3-Clause */
/* What the file of a library says of itself. */
#ifndef KT_ELF_FILE_H
#define KT_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>

enum { KT_BUILD_ID_TEXT = 2 * 64 + 1 };

/* What tells builds apart: the note that linkers put into it (ld --build-id), in hexadecimal. False: it has none, or
 * cannot be read. */
bool kt_build_id_of(const char *path, char out[KT_BUILD_ID_TEXT]);

/* The name by which others need it (DT_SONAME). False: it has none, or cannot be read. */
bool kt_soname_of(const char *path, char *out, size_t size);

#endif
