/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a user wants to see tried on all calls: "ld=+8". All kinds of changes stand in one table, in change.c.
 */
#ifndef KT_CHANGE_H
#define KT_CHANGE_H

#include "replay/setup/setup.h"

/* One of its members is set, the others are 0. */
struct kt_change {
    const char *text;        /* as the user wrote it; borrowed, as LIBRARY is */
    int64_t padding;         /* elements that leading dimensions are longer */
    struct kt_layout layout; /* of the operands */
    int threads;             /* of the library */
    const char *library;
};

enum kt_status kt_change_parse(const char *text, struct kt_change *out, struct kt_error *error);

/* Is it not the arguments of calls that change, but where they are made? */
bool kt_change_is_elsewhere(const struct kt_change *change);

#endif
