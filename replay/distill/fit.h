/* SPDX-License-Identifier: BSD-3-Clause */
/* How much a file has room for, where only writing it tells its size. */
#ifndef KT_FIT_H
#define KT_FIT_H

#include "trace/base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Writes the file with so many things in it, and tells its size. */
typedef enum kt_status kt_fit_write(void *context, size_t count, uint64_t *bytes, struct kt_error *error);

/* Writes it with as many as BYTES have room for, or nearly, of 1 to MOST; with 1 if there is no room for that either.
 * What is written last is that. */
enum kt_status kt_fit(kt_fit_write *write, void *context, size_t most, uint64_t bytes, struct kt_error *error);

#endif
