/* SPDX-License-Identifier: BSD-3-Clause */
/* Manual pages: what follows from the tables around prose that somebody wrote. */
#ifndef KT_MANUAL_H
#define KT_MANUAL_H

#include "trace/verbs/verb_list.h"

#include <stdio.h>

/* The page of the verb, or of the command as a whole (NULL), on standard output. PROSE: the sections that are written
 * by hand, in troff's macros of manual pages. Returns the exit status. */
int kt_manual_print(const struct kt_verb *verb, FILE *prose);

#endif
