/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For test programs: the routine table straight from a specification file, so that a test never runs against
 * an older copy that was built into something.
 */
#ifndef KT_TABLE_LOAD_H
#define KT_TABLE_LOAD_H

#include "trace/routine.h"

/* OUT is to be freed also after an error. */
enum kt_status kt_table_load(const char *path, struct kt_table *out, struct kt_error *error);

/* trace/routines.spec for the tests of a group: what cmocka calls before and after them. */
extern struct kt_table kt_spec_table;
int kt_spec_setup(void **state);
int kt_spec_teardown(void **state);

/* The whole file as text, to be freed; NULL after an error. */
char *kt_text_load(const char *path, struct kt_error *error);

#endif
