/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/print/csv_cell.h"
#include "trace/export/export.h"
#include "trace/base/memory.h"

#include <errno.h>

static void put_call(const json_t *call, FILE *file)
{
    for (const struct kt_export_column *c = kt_export_columns; c->name; c++) {
        char *text = kt_export_text(kt_export_value(call, c));
        if (c > kt_export_columns)
            putc(',', file);
        kt_csv_cell(file, text);
        free(text);
    }
    fputs("\r\n", file);
}

static void put_names(FILE *file)
{
    for (const struct kt_export_column *c = kt_export_columns; c->name; c++)
        fprintf(file, "%s%s", c > kt_export_columns ? "," : "", c->name);
    fputs("\r\n", file);
}

enum kt_status kt_export_csv(struct kt_export_calls *calls, FILE *file, struct kt_error *error)
{
    struct kt_call call;
    put_names(file);
    kt_export_begin(calls);
    while (kt_export_next(calls, &call) && !ferror(file)) {
        json_t *object = kt_export_call(calls, &call);
        put_call(object, file);
        json_decref(object);
    }
    return fflush(file) || ferror(file) ? kt_fail(error, KT_SYSTEM, "cannot be written: %s", strerror(errno)) : KT_OK;
}
