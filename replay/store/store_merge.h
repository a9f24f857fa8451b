/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef KT_STORE_MERGE_H
#define KT_STORE_MERGE_H

#include "trace/base/error.h"

#include <stddef.h>

/* Makes the store OUTPUT, which must not be there, of several others, which stay as they are. *SERIES: it has so many.
 */
enum kt_status kt_store_merge(char *const *path, size_t paths, const char *output, size_t *series,
                              struct kt_error *error);

#endif
