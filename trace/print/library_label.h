/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What libraries are called side by side, in pictures and tables: the short name that has these files; otherwise so
 * many of the last parts of the path as tell it from the others.
 */
#ifndef KT_LIBRARY_LABEL_H
#define KT_LIBRARY_LABEL_H

#include <stdbool.h>
#include <stddef.h>

enum { KT_LIBRARY_LABEL = 64 };

/* So many of the last parts of PATH[i] as tell it from all others that are not the same; to fit, the last part is cut,
 * or if one alone tells, its begin. OUT holds SIZE bytes. */
void kt_path_distinct(const char *const *path, size_t count, size_t i, char *out, size_t size);

/* The short name of the library that the file belongs to, which is a BLAS; false: it has none, or is not here. */
bool kt_library_short_name(const char *path, char out[KT_LIBRARY_LABEL]);

/* Of each FILE, a path or a short name. */
void kt_library_labels(const char *const *file, size_t count, char (*out)[KT_LIBRARY_LABEL]);

#endif
