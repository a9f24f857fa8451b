/* SPDX-License-Identifier: BSD-3-Clause */
/* What tells builds of a library apart: the note that linkers put into it (ld --build-id). */
#ifndef KT_BUILD_ID_H
#define KT_BUILD_ID_H

#include <stdbool.h>

enum { KT_BUILD_ID_TEXT = 2 * 64 + 1 };

/* Of the ELF file at PATH, in hexadecimal. False: it has none, or cannot be read. */
bool kt_build_id_of(const char *path, char out[KT_BUILD_ID_TEXT]);

#endif
