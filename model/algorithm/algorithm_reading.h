/* SPDX-License-Identifier: BSD-3-Clause */
/* What the two parts of the parser of algorithms, algorithm.c and algorithm_calls.c, share. */
#ifndef KT_ALGORITHM_READING_H
#define KT_ALGORITHM_READING_H

#include "model/algorithm/algorithm_parts.h"

enum { KT_MOST_BLOCKS = 16 };

/* A list of statements that is open. */
struct kt_open_block {
    int statement; /* that it belongs to, -1: to a procedure */
    int sub;
    int last;      /* statement of the list, -1: none yet */
    int line;      /* where it began */
    bool is_other; /* behind an else */
};

struct kt_reading {
    struct kt_algorithm *algorithm;
    struct kt_error *error;
    const char *at; /* in the line, which has no blanks any more */
    int line;
    int sub;    /* that statements belong to */
    bool begun; /* there was a statement */
    struct kt_open_block block[KT_MOST_BLOCKS];
    int blocks;
};

enum kt_status kt_reading_fail(struct kt_reading *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool kt_reading_accept(struct kt_reading *r, char c);
enum kt_status kt_reading_expect(struct kt_reading *r, char c);
enum kt_status kt_reading_name(struct kt_reading *r, char out[KT_NAME]);
enum kt_status kt_reading_expr(struct kt_reading *r, struct kt_expr *out);

/* A statement at the end of the innermost open block; valid until the next one is added. */
struct kt_statement *kt_reading_append(struct kt_reading *r, enum kt_statement_kind kind);

/* Index of the procedure of that name, declared if it is new; -1: there are too many. */
int kt_reading_sub(struct kt_reading *r, const char *name);

/* A call of a routine or procedure, from behind the opening bracket on. */
enum kt_status kt_reading_call(struct kt_reading *r, const char *name);

#endif
