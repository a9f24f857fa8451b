/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What files below preload/process.c ask of it. It needs them, so they call it through these pointers: a call may come
 * before the constructor, and a child of clone() is noticed by the first who looks.
 */
#ifndef KT_LIFE_H
#define KT_LIFE_H

#include "preload/attributes.h"

#include <stdbool.h>
#include <stddef.h>

struct kt_life {
    void (*start)(void); /* kt_process_start */
    void (*adopt)(void); /* in a child that no handler told of its birth: starts afresh */
};
extern KT_HIDDEN const struct kt_life kt_life; /* of preload/process.c */

/* 1 in the process that stored it there; forked children find 0. NULL: there is no such page. */
extern KT_HIDDEN int *kt_life_page;

/* This process is no child from here on. */
KT_HIDDEN void kt_life_mark(void);

static inline void kt_life_adopt(void)
{
    if (KT_UNLIKELY(kt_life_page && !*kt_life_page))
        kt_life.adopt();
}

#endif
