/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/parts/table_load.h"

struct kt_table kt_spec_table;

int kt_spec_setup(void **state)
{
    (void)state;
    struct kt_error error = {0};
    return kt_spec_load("trace/routines", &kt_spec_table, &error) == KT_OK ? 0 : -1;
}

int kt_spec_teardown(void **state)
{
    (void)state;
    kt_table_free(&kt_spec_table);
    return 0;
}
