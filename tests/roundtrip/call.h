/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls that the programs of gen_roundtrip make, and what of them does not depend on the language. */
#ifndef TRIP_CALL_H
#define TRIP_CALL_H

#include "tests/parts/synth.h"

#include <stdbool.h>
#include <stddef.h>

struct trip_call {
    struct kt_symbol symbol;
    bool row_major;
    unsigned char args[KT_SYNTH_ARG_BYTES];
};

typedef void trip_visit(const struct trip_call *call, void *context);

/* The calls of a program in order; a symbol with a layout is called twice. Always draws the same arguments. */
void trip_each_call(const struct kt_table *table, enum kt_view view, trip_visit *visit, void *context);

struct trip_extent {
    size_t elements; /* that the largest operand spans */
    int operands;    /* of the call that has most */
};

struct trip_extent trip_extent_of_call(const struct trip_call *call);
struct trip_extent trip_extent_of_all(const struct kt_table *table, enum kt_view view);

/* How many of an array's elements get contents before the call. */
size_t trip_filled(size_t elements);

bool trip_is_info(const struct trip_call *call, const struct kt_param *p);
bool trip_has_info(const struct trip_call *call);
bool trip_is_complex(const struct kt_param *p);
bool trip_is_address(const struct kt_param *p);

/* The type of an array's elements. */
enum kt_type trip_element_type(const struct trip_call *call, const struct kt_param *p);

/* Value of a parameter, not an address, as JSON has it. QUOTE is how the program's strings write one. */
void trip_print_json(const struct trip_call *call, const struct kt_param *p, const char *quote);

/* "code": [...], with QUOTE as trip_print_json has it. */
void trip_print_code(const struct kt_symbol *s, const char *quote);

#endif
