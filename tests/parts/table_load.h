/* SPDX-License-Identifier: BSD-3-Clause */
/* The routine table for the tests of a group: what cmocka calls before and after them. */
#ifndef KT_TABLE_LOAD_H
#define KT_TABLE_LOAD_H

#include "trace/table/spec.h"

extern struct kt_table kt_spec_table;
int kt_spec_setup(void **state);
int kt_spec_teardown(void **state);

#endif
