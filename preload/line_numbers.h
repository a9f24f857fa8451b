/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines of an interpreted program that made calls. They are numbered as they are met; each is told in the definitions
 * once (FORMAT.md, "line").
 */
#ifndef KT_LINE_NUMBERS_H
#define KT_LINE_NUMBERS_H

#include "preload/shim.h"

enum { KT_LINE_TEXT = 4096 };

enum kt_line_kind {
    KT_LINE_OWN,       /* the program's */
    KT_LINE_LIBRARY,   /* who calls it is asked for */
    KT_LINE_EVALUATOR, /* it only runs what it was given */
    KT_LINE_SCRIPT,    /* it runs a script */
};

/* An instruction of some code, called from PARENT. What else is there tells if another object came to lie there. */
struct kt_met_line {
    _Atomic uintptr_t code; /* a code object, a function; 0: free */
    uint64_t at;
    const char *filename, *name, *table;
    uint64_t table_begin;
    int32_t first_line;
    uint32_t parent; /* the number of the line that called, 0: not told */
    uint32_t id;     /* 0: without a number */
    enum kt_line_kind kind;
};

/* What a line is called: texts in UTF-8. */
struct kt_line_told {
    int number;           /* 0: not known */
    const char *language; /* NULL: Python */
    enum kt_line_kind kind;
    char function[KT_LINE_TEXT], file[KT_LINE_TEXT];
};

/* Fills in ID and KIND; TELL says what a line is that was not met before, within a slow path. */
KT_HIDDEN void kt_line_numbers_meet(struct kt_met_line *line,
                                    void (*tell)(const struct kt_met_line *line, struct kt_line_told *out));

/* To be called first, once. False: there is no memory. Within a slow path. */
KT_HIDDEN bool kt_line_numbers_open(void);

#endif
