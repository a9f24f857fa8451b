/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cells of one row of a report's table; a column's cell is empty until it is written.
 */
#ifndef KT_REPORT_ROW_H
#define KT_REPORT_ROW_H

#include "trace/print/text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { KT_ROW_COLUMNS = 10, KT_ROW_CELL = 160 };

struct kt_row {
    char text[KT_ROW_COLUMNS][KT_ROW_CELL];
    size_t columns;
};

static inline char *kt_row_next(struct kt_row *row)
{
    char *cell = row->text[row->columns++];
    *cell = '\0';
    return cell;
}

static inline void kt_row_text(struct kt_row *row, const char *text)
{
    snprintf(kt_row_next(row), KT_ROW_CELL, "%s", text);
}

static inline void kt_row_count(struct kt_row *row, uint64_t count)
{
    kt_text_count((double)count, kt_row_next(row));
}

static inline void kt_row_seconds(struct kt_row *row, double seconds)
{
    kt_text_seconds(seconds, kt_row_next(row));
}

static inline void kt_row_share(struct kt_row *row, double part, double whole)
{
    kt_text_percent(whole > 0 ? part / whole : NAN, kt_row_next(row));
}

static inline void kt_row_add(struct kt_text_table *table, const struct kt_row *row)
{
    const char *cell[KT_ROW_COLUMNS];
    for (size_t i = 0; i < row->columns; i++)
        cell[i] = row->text[i];
    kt_text_table_row(table, cell);
}

/* Below a table of the first TOP of COUNT rows: how to see the others. */
static inline void kt_row_tell_rest(size_t count, size_t top, const char *by)
{
    if (count > top)
        printf("... and %zu more: --by %s --top %zu\n", count - top, by, count);
}

#endif
