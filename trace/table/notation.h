/* SPDX-License-Identifier: BSD-3-Clause */
/* The notation of the routine table (trace/routines/README.md): what its readers, routine.c and argument.c, share. */
#ifndef KT_NOTATION_H
#define KT_NOTATION_H

#include "trace/table/routine.h"

/* A family being read. */
struct kt_notation {
    char *text; /* the whole of it, continuations joined */
    const char *at;
    const char *section;
    struct kt_error *error;
};

struct kt_word {
    const char *start;
    size_t length;
};

void kt_skip_blanks(struct kt_notation *l);

/* Moves behind C if that comes next. */
bool kt_accept(struct kt_notation *l, char c);

struct kt_word kt_read_word(struct kt_notation *l);
bool kt_word_is(struct kt_word w, const char *text);
enum kt_status kt_copy_name(struct kt_notation *l, struct kt_word w, char out[KT_NAME]);

/* A type letter; T and R are the routine's type and its real type. */
enum kt_status kt_read_type(struct kt_notation *l, enum kt_type t, enum kt_type *out);

/* All arguments and the result, up to the cost. */
enum kt_status kt_read_arguments(struct kt_notation *l, struct kt_routine *r);

/* For the scope of an expression, whose context is the routine: arguments that are numbers or options. */
int kt_find_argument(const void *context, const char *name, size_t length, int *option);

#endif
