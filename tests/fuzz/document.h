/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What fuzzers of files in JSON have in common: an input is the text of such a file.
 */
#ifndef KT_FUZZ_DOCUMENT_H
#define KT_FUZZ_DOCUMENT_H

#include "trace/command/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False if it is no JSON, which is said in one clear line. */
bool kt_document_take(const uint8_t *data, size_t size, json_t **out);

/* Aborts unless the error of a reader is one clear line. */
void kt_document_refused(enum kt_status status, const struct kt_error *error);

/* Standard output goes nowhere from here on. */
void kt_document_quiet(void);

#endif
