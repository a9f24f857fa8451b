/* SPDX-License-Identifier: BSD-3-Clause */
/* The verbs of all rooms with their options, as dispatch, help, manual pages and completion need them. */
#ifndef KT_VERB_LIST_H
#define KT_VERB_LIST_H

#include "trace/command/verb.h"

struct kt_verb {
    const char *name, *arguments, *text;
    const struct kt_verb_option *options;
    int (*run)(int argc, char **argv); /* NULL: a part, which its verb runs */
};

/* It ends with {0}. */
extern const struct kt_verb kt_verb_list[];

/* NULL: there is none of that name. */
const struct kt_verb *kt_verb_find(const struct kt_verb *list, const char *name);

/* The parts of a verb; NULL: it has none. */
const struct kt_verb *kt_verb_parts(const struct kt_verb *verb);

#endif
