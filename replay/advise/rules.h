/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What can be written in place of a recorded call. All rules stand in one table, in rules.c.
 */
#ifndef KT_RULES_H
#define KT_RULES_H

#include "replay/advise/form.h"

struct kt_rule {
    const char *name;      /* in tables and JSON */
    const char *from, *to; /* names behind the letter of the type; FROM NULL: any routine; TO NULL: the same */
    /* Completes OUT, a call of TO with the arguments that FROM has by the same names; false: the rule does not apply.
     */
    bool (*make)(const struct kt_call_form *from, struct kt_call_form *out);
    bool moves;       /* operands are stored otherwise: they need not lie as they did */
    const char *what; /* in C and Fortran, one sentence */
    const char *python;
};

extern const struct kt_rule kt_rules[];
extern const size_t kt_rules_count;

/* The other call; false: the rule does not apply. */
bool kt_rule_apply(const struct kt_rule *rule, const struct kt_call_form *from, struct kt_call_form *out);

/* Of calls one after the other (replay/advise/repeated.h, replay/advise/inverse.h). */
extern const struct kt_rule kt_rule_repeated;
extern const struct kt_rule kt_rule_inverse;

#endif
