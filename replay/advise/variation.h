/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a user wants to see tried on all calls: "ld=+8". All kinds of changes stand in one table, in variation.c.
 */
#ifndef KT_VARIATION_H
#define KT_VARIATION_H

#include "replay/setup/setup.h"

/* One of its members is set, the others are 0. */
struct kt_variation {
    const char *text;        /* as the user wrote it; borrowed, as LIBRARY is */
    int64_t padding;         /* elements that leading dimensions are longer */
    struct kt_layout layout; /* of the operands */
    int threads;             /* of the library */
    size_t batch;            /* calls that a loop of several threads makes */
    const char *library;
};

enum kt_status kt_variation_parse(const char *text, struct kt_variation *out, struct kt_error *error);

/* Is it not the arguments of calls that change, but where they are made? */
bool kt_variation_is_elsewhere(const struct kt_variation *change);

#endif
