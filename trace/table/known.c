/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/table/known.h"

#include "trace/base/memory.h"

#include <string.h>

/* Generated from trace/routines and examples/algorithms (Makefile). */
extern const char kt_routine_text[];
extern const char *const kt_algorithm_text[];

const struct kt_table *kt_known_routines(void)
{
    static struct kt_table table;
    struct kt_error error = {0};
    if (!table.routine && kt_table_parse(kt_routine_text, "trace/routines", &table, &error) != KT_OK)
        abort(); /* the build has checked it */
    return &table;
}

bool kt_known_is_lapack(const char *name)
{
    const struct kt_routine *routine = kt_table_find(kt_known_routines(), name);
    return routine && !strncmp(routine->section, "lapack", strlen("lapack"));
}

const char *kt_known_algorithm(size_t i)
{
    return kt_algorithm_text[i];
}
