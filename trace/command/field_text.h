/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of a list of fields (field.h) for people.
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

#endif
