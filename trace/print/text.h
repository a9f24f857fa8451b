/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What verbs print for people: tables that fit 80 columns, numbers with units, a progress bar, colour only on a
 * terminal. Notices and progress go to standard error, results to standard output.
 */
#ifndef KT_TEXT_H
#define KT_TEXT_H

#include "trace/base/count.h"

#include <stdbool.h>
#include <stddef.h>

/* "1.23 ms", "45.6 us", "12.0 s": three significant digits; "n/a" for NAN. OUT holds 16 bytes or more. */
char *kt_text_seconds(double seconds, char *out);
/* "12.3 GB/s" or "5.0 Gflop/s": value with an SI prefix and the unit. */
char *kt_text_rate(double value, const char *unit, char *out, size_t size);
/* "12,345"; 16 bytes. */
char *kt_text_count(double count, char *out);
char *kt_text_percent(double fraction, char *out); /* " 12.3 %"; 16 bytes */
/* "1.34", "12.3", "123", "0.0012": two significant digits or three over the whole range; four between 1 and 1.1, where
 * it is the difference from 1 that counts. "1" for what is exactly that; "n/a" for NAN; 16 bytes. */
char *kt_text_ratio(double ratio, char *out);
/* An index between 0 and 1, or somewhat beyond: "0.42", ">10", "<-10", NONE if it is not known; 16 bytes. */
char *kt_text_index(double index, const char *none, char *out);

/* FILTER: names and patterns, such as dgemm,*gesv; NULL: all. */
bool kt_routine_matches(const char *routine, const char *filter);

/* Replaces control characters by '?', in place: text from a trace must not steer a terminal. Returns TEXT. */
char *kt_text_clean(char *text);

bool kt_text_ends_with(const char *text, const char *end);

/* A table: columns are declared, rows added, widths computed when it is printed; text columns shrink to fit. */
struct kt_column {
    const char *head;
    bool right;  /* numbers */
    bool shrink; /* may be cut to fit the line */
};
struct kt_text_table;
struct kt_text_table *kt_text_table_new(const struct kt_column *column, size_t columns);
void kt_text_table_row(struct kt_text_table *table, const char *const *cell); /* cells are copied */
/* That column is only printed if there is room for it beside a readable rest; of several, those on the left first. */
void kt_text_table_spare(struct kt_text_table *table, size_t column);
void kt_text_table_print(const struct kt_text_table *table); /* to standard output */
void kt_text_table_free(struct kt_text_table *table);

/* TEXT from that column of the line on, to its end; broken between words, and further lines begin with INDENT blanks.
 */
void kt_text_wrap(size_t column, size_t indent, const char *text);

/* A sentence in lines of its own. */
void kt_text_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

void kt_heading(const char *text); /* bold on a terminal, underlined otherwise */

/* "label [#####     ] 42 %  12 s left" on standard error, only if that is a terminal. DONE and TOTAL in any unit. */
void kt_progress(const char *label, double done, double total);
void kt_progress_end(void);

/* What follows is the part FROM to TO of one whole with that label: it has one line, which ends behind the last part.
 */
void kt_progress_part(const char *label, double from, double to);

/* "ktrace: text" on standard error. */
void kt_notice(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
