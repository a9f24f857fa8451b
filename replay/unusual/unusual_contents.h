/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contents that are no ordinary numbers: which there are for a call, written into its operands, told in words.
 */
#ifndef KT_UNUSUAL_CONTENTS_H
#define KT_UNUSUAL_CONTENTS_H

#include "replay/unusual/unusual_calls.h"

/* Columns: name, text in JSON. */
#define KT_UNUSUAL_KINDS(X)                                                                       \
    X(NOT_FINITE, "not finite")                   /* NAN or INFINITY in places */                 \
    X(ZERO_TIMES_INFINITE, "zero times infinite") /* 0 in one operand, INFINITY in another */     \
    X(FACTOR_ZERO, "factor zero")                 /* alpha or beta = 0 over what is not finite */ \
    X(FACTOR_NOT_FINITE, "factor not finite")                                                     \
    X(ZERO, "zero")                                                                               \
    X(SUBNORMAL, "subnormal")                                                                     \
    X(HUGE, "huge") /* squares overflow */                                                        \
    X(HUGE_NOT_FINITE, "huge and not finite")

enum kt_unusual_kind {
#define KT_UNUSUAL_ENUM(name, text) KT_UNUSUAL_##name,
    KT_UNUSUAL_KINDS(KT_UNUSUAL_ENUM)
#undef KT_UNUSUAL_ENUM
};
extern const char *const kt_unusual_kind_text[];

enum kt_unusual_place { KT_PLACE_FIRST, KT_PLACE_MIDDLE, KT_PLACE_LAST, KT_PLACE_ALL, KT_PLACE_BOTH_ENDS };

struct kt_unusual_contents {
    enum kt_unusual_kind kind;
    double factor; /* of the ordinary numbers of these operands */
    uint32_t of;   /* bit I: operand I */
    int operand;   /* that has VALUE; -1: none has */
    double value;  /* at one end -VALUE, if at both */
    enum kt_unusual_place place;
};

enum { KT_UNUSUAL_MOST = 160, KT_UNUSUAL_TEXT = 96 };

/* Returns how many there are for operands and a call. */
size_t kt_unusual_list(const struct kt_operand *operand, int count, const struct kt_unusual_call *call,
                       struct kt_unusual_contents out[KT_UNUSUAL_MOST]);

/* Writes them into operands that hold ordinary numbers, at addresses of this process. */
void kt_unusual_fill(const struct kt_unusual_contents *contents, const struct kt_operand *operand, int count);

/* "alpha=0, all of x NaN". */
void kt_unusual_text(const struct kt_unusual_contents *contents, const struct kt_unusual_call *call,
                     const struct kt_operand *operand, int count, char out[KT_UNUSUAL_TEXT]);

#endif
