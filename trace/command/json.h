/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * JSON documents of the verbs, on top of jansson. NAN and infinities become null.
 */
#ifndef KT_JSON_H
#define KT_JSON_H

#include "trace/files/files.h"
#include "trace/shape/shape.h"
#include "trace/base/stats.h"

#include <jansson.h>

json_t *kt_json_number(double value);
json_t *kt_json_count(double count);            /* an estimated one as an integer; null if none can hold it */
json_t *kt_json_text(const char *text);         /* any bytes */
json_t *kt_json_processor(int processor);       /* its number; null if it is below 0: none, or not known */
json_t *kt_json_text_or_null(const char *text); /* null if it is NULL or empty */
/* Under a key from a trace, which may be any bytes. */
void kt_json_set_named(json_t *object, const char *key, json_t *value);
json_t *kt_json_address(uint64_t address); /* "0x7f.." */
json_t *kt_json_stat(const struct kt_stat *stat);

/* {"transa": "N", "m": 100, "alpha": 1.0, "a": "0x7f..", ...}: what the caller passed, by the interface's own names.
 * Options of CBLAS are their integer values; complex scalars [re, im]; addresses only if ADDRESSES. */
json_t *kt_json_args(const struct kt_call *call, bool addresses);

/* Prints the document to standard output with a newline, and frees it. */
void kt_json_print(json_t *document);
/* The same on one line: for JSON Lines. */
void kt_json_print_line(json_t *document);

/* Reads a file; one clear error if it is not JSON. */
enum kt_status kt_json_load(const char *path, json_t **out, struct kt_error *error);
/* The same of a file in memory; PATH is for messages. */
enum kt_status kt_json_take(const char *path, const void *bytes, size_t size, json_t **out, struct kt_error *error);
/* What a verb left with a trace under that name: of a packed one, what it left since, otherwise what was packed. *OUT
 * is NULL without an error if there is none; PATH is where it would be. */
enum kt_status kt_json_companion(const struct kt_files *files, const char *name, char *path, size_t size, json_t **out,
                                 struct kt_error *error);
/* Writes a file so that it is there whole or not at all. Frees the document. */
enum kt_status kt_json_save(json_t *document, const char *path, struct kt_error *error);

#endif
