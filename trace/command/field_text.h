/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of a list of fields (field.h) for people, and as CSV.
 */
#ifndef KT_FIELD_TEXT_H
#define KT_FIELD_TEXT_H

#include "trace/command/field.h"

/* Three digits, as many as timings carry; NONE for NAN. */
void kt_field_number(double value, const char *none, char *out, size_t size);

/* The columns of a list that have a head and are of that view, on standard output: the first TOP rows. */
void kt_field_print(const struct kt_field *list, const void *from, size_t top, unsigned view);

/* The same of the COUNT rows of that number; a row of dots for KT_FIELD_DOTS. */
#define KT_FIELD_DOTS SIZE_MAX
void kt_field_print_rows(const struct kt_field *list, const void *from, const size_t *row, size_t count, unsigned view);

/* All ROWS, objects of these fields, on standard output: a line of names, one for each row. A record's fields are
 * columns of their own, NAME.FIELD; lists and maps are JSON in a cell; null and what is absent are empty. */
void kt_field_csv(const struct kt_field *field, const json_t *rows);

#endif
