/* SPDX-License-Identifier: BSD-3-Clause */
/* What gen_roundtrip writes, to standard output. */
#ifndef TRIP_PROGRAMS_H
#define TRIP_PROGRAMS_H

#include "trace/table/symbol.h"

void trip_print_c(const struct kt_table *table, enum kt_view view);
void trip_print_fortran(const struct kt_table *table);
void trip_print_names(const struct kt_table *table);

#endif
