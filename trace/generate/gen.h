/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of ktgen share: how a symbol looks to a C compiler, and the parts themselves, which print code. */
#ifndef KT_GEN_H
#define KT_GEN_H

#include "trace/table/symbol.h"

/* Calls VISIT for every symbol of the table, in the order that numbers the interfaces. */
typedef void kt_symbol_visit(const struct kt_symbol *symbol, int number, void *context);
int kt_gen_symbols(const struct kt_table *table, kt_symbol_visit *visit, void *context);

/* Floating-point registers that the parameter takes: 2 for a complex double by value. */
int kt_gen_numbers(const struct kt_param *p);

/* gfortran passes the length of every character argument behind all others. */
bool kt_gen_has_length(const struct kt_symbol *s, const struct kt_param *p);

bool kt_gen_returns_value(const struct kt_symbol *s);
bool kt_gen_returns_complex(const struct kt_symbol *s);

/* Words (registers, then the stack) and floating-point registers that the arguments of a call take. */
struct kt_gen_size {
    int words, numbers;
};
struct kt_gen_size kt_gen_size(const struct kt_symbol *s);

/* Calls of these symbols are short and many: they get a compiled function each, all others one trampoline. */
bool kt_gen_is_compiled(const struct kt_symbol *s);

void kt_gen_separator(int *printed);
void kt_gen_string(const char *text);

void kt_gen_wrappers(const struct kt_table *table, const char *section);
void kt_gen_stubs(const struct kt_table *table);
void kt_gen_slots(const struct kt_table *table);
void kt_gen_thunks(const struct kt_table *table);
void kt_gen_elements(const struct kt_table *table);

/* Complains on stderr about names that two symbols share; returns how many. */
int kt_gen_check_names(const struct kt_table *table);

#endif
