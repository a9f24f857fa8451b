/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of a list of fields (field.h) for other programs: RFC 4180 but for the line ends.
 */
#ifndef KT_FIELD_CSV_H
#define KT_FIELD_CSV_H

#include "trace/command/field.h"

/*
 * All ROWS, objects of these fields, on standard output: a line of names, one for each row. Fields of a record, and of
 * the records of a map, are columns of their own, NAME.FIELD and NAME.KEY.FIELD; lists and other maps are JSON in a
 * cell; null and what is absent are empty.
 */
void kt_field_csv(const struct kt_field *field, const json_t *rows);

#endif
