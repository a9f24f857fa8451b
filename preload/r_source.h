/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where in a file the code is that R runs.
 *
 * If R keeps sources (options(keep.source = TRUE), for what source() reads), each statement of a block and each
 * function has a source reference: a vector of its first line, first byte, last line, last byte and more, with an
 * environment as attribute, which has the file's name. What is typed or read as a console's input has none: its lines
 * are counted anew with each expression. Bytecode has the same references among its constants, and an index from
 * instructions to them.
 */
#ifndef KT_R_SOURCE_H
#define KT_R_SOURCE_H

#include "preload/shim.h"

struct kt_r_source {
    const char *reference; /* NULL: not known */
    const char *file;      /* the environment of the file */
    const char *name;      /* its name, a text; not of a function */
    uint64_t begin, end;   /* lines in the high half, bytes in the low one */
};

/* An R whose sources can be told was there when the program started. */
KT_HIDDEN bool kt_r_source_find(void);

/* Of a reference, if it is one, and the file has a name. */
KT_HIDDEN struct kt_r_source kt_r_source_read(const char *reference);

/* Of a whole function. */
KT_HIDDEN struct kt_r_source kt_r_source_of_function(const char *closure);

/* The reference at an instruction of bytecode, which is the N-th word of its code. NULL: there is none. */
KT_HIDDEN const char *kt_r_source_of_bytecode(const char *bytecode, size_t n);

/* Both are known, and PART is within WHOLE. */
static inline bool kt_r_source_contains(const struct kt_r_source *whole, const struct kt_r_source *part)
{
    return whole->reference && part->reference && whole->file == part->file && whole->begin <= part->begin &&
           part->end <= whole->end;
}

#endif
