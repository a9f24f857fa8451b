/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A call as rules see it and make it: a routine and the values of its arguments, in column-major terms. Pure functions.
 */
#ifndef KT_FORM_H
#define KT_FORM_H

#include "trace/shape/shape.h"
#include "trace/table/symbol.h"

struct kt_call_form {
    const struct kt_routine *routine; /* borrowed */
    struct kt_values values;
};

/* False for calls that have no such form: undescribed ones, those that ask for the size of a workspace, row-major ones
 * that no column-major call is equal to. */
bool kt_form_of_call(const struct kt_symbol *symbol, const unsigned char *args, struct kt_call_form *out);

/* Index of the argument of that name; -1: there is none. */
int kt_form_find(const struct kt_call_form *form, const char *arg);

/* An argument that the routine has. */
double kt_form_get(const struct kt_call_form *form, const char *arg);
uint64_t kt_form_address(const struct kt_call_form *form, const char *arg);
bool kt_form_is(const struct kt_call_form *form, const char *arg, double value); /* and not imaginary */
/* The letter of a transposition; a conjugated real matrix is a transposed one. */
char kt_form_trans(const struct kt_call_form *form, const char *arg);

/*
 * A call of the routine with the type of FROM and that name behind its letter. Arguments that FROM has by the same
 * names are the same; workspaces, and results that FROM has not, have memory of their own and the lengths that are
 * enough for blocked code. What is then not known yet is NAN. False: there is no such routine.
 */
bool kt_form_begin(const struct kt_call_form *from, const char *name, struct kt_call_form *out);

void kt_form_set(struct kt_call_form *form, const char *arg, double value);
void kt_form_take(struct kt_call_form *form, const char *arg, const struct kt_call_form *from, const char *same);

/* To be called at the end: finds lengths of workspaces. False if an argument is not known, or not legal. */
bool kt_form_finish(struct kt_call_form *form);

#endif
