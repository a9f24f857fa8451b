/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which elements the operands of a call have, from its arguments and what ktgen made of the routine table
 * (build/gen/elements.c): the shim's counterpart of trace/table/operand.h. Integers only, as the program may ask for
 * floating-point exceptions. tests/unit/test_elements.c compares the two for every interface.
 *
 * Bytes of an interface: u16 where its layout is in the arguments, 0xffff: it has none; u8 1: LAPACKE; u8 what it
 * returns (KT_X_NOTHING, ...); u8 how many arguments are lengths of workspaces, u8 the word of each; u8 how many
 * operands. An operand: u8 the word of its address; u8 access: 1 read, 2 written; u8 form; u8 bytes of an element, 0:
 * as many as the library's integers; u16 where the scalar is that must be 0 for it not to be read, u8 bytes of that, 0:
 * there is none, u8 bytes of its parts; seven programs: up to four sizes, the step, the letters of uplo and diag.
 */
#ifndef KT_ELEMENTS_H
#define KT_ELEMENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Programs: each step but the first five takes values from the stack and leaves one. Empty ones mean 0. */
enum {
    KT_X_END,
    KT_X_NUMBER, /* u16 */
    KT_X_INT,    /* u8 word */
    KT_X_LETTER, /* u16 place of a letter; in upper case */
    KT_X_CODE,   /* u16 place of an enumeration of CBLAS; its letter */
    KT_X_IN,     /* u32 letters: A to Z, 0 to 5 */
    KT_X_LEVELS,
    KT_X_LG,
    KT_X_ADD,
    KT_X_SUB,
    KT_X_MUL,
    KT_X_DIV,
    KT_X_LESS,
    KT_X_GREATER,
    KT_X_EQUAL,
    KT_X_MOST,
    KT_X_LEAST,
    KT_X_AND,
    KT_X_OR,
    KT_X_MIN,
    KT_X_MAX,
    KT_X_SELECT
};

enum { KT_X_VECTOR, KT_X_MATRIX, KT_X_BAND, KT_X_PACKED };
enum { KT_X_NOTHING, KT_X_FLOAT, KT_X_DOUBLE, KT_X_CFLOAT, KT_X_CDOUBLE, KT_X_INTEGER };
enum { KT_X_READ = 1, KT_X_WRITE = 2, KT_X_NOWHERE = 0xffff };

#define KT_X_HIDDEN __attribute__((visibility("hidden")))

extern KT_X_HIDDEN const unsigned char kt_element_bytes[];
extern KT_X_HIDDEN const uint32_t kt_elements_at[]; /* by number of the interface */

/* An operand as columns; a vector whose elements do not stand side by side has a column for each. */
struct kt_elements {
    uint64_t base;   /* the pointer passed */
    uint16_t offset; /* of the pointer in the arguments */
    uint8_t access;
    uint8_t form;
    unsigned elem;        /* bytes */
    int64_t rows, cols;   /* at most 2^31 */
    int64_t ld;           /* from column to column, in elements */
    int64_t below, above; /* rows j-above .. j+below of column j belong to the operand */
    int64_t diagonal;     /* band: storage row of the diagonal */
};

/* The operands of one call, one after the other. */
struct kt_element_walk {
    const unsigned char *at;
    const uint64_t *args;
    unsigned left;
    bool wide, row_major, lapacke;
    bool is_query;  /* the call only asks for the size of a workspace */
    uint8_t result; /* KT_X_NOTHING, ... */
};

/* INTERFACE: its number. ARGS: of the call, as recorded. WIDE: integers of the library have 64 bits. A call that asks
 * for the size of a workspace has no operands. */
KT_X_HIDDEN void kt_elements_begin(unsigned interface, const uint64_t *args, bool wide, struct kt_element_walk *out);
KT_X_HIDDEN bool kt_elements_next(struct kt_element_walk *walk, struct kt_elements *out);

/* Which elements column J has: COUNT of them from *AT on, counted from the base. */
KT_X_HIDDEN int64_t kt_elements_column(const struct kt_elements *operand, int64_t j, int64_t *at);

/* Bytes from the base to the end of the last element in memory. 0: there is none, or more than there are addresses. */
KT_X_HIDDEN uint64_t kt_elements_end(const struct kt_elements *operand);

#endif
