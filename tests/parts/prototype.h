/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C prototypes of symbols, for generated test programs and for comparison with the headers of a BLAS.
 * Only LP64 interfaces: integers are int.
 */
#ifndef KT_PROTOTYPE_H
#define KT_PROTOTYPE_H

#include "trace/table/symbol.h"

#include <stdio.h>

/* The type that C passes for the parameter, such as "const double *" or "CBLAS_UPLO ". */
const char *kt_prototype_type(const struct kt_symbol *symbol, const struct kt_param *param);

/* The type of the value returned, "void" if there is none. */
const char *kt_prototype_result(const struct kt_symbol *symbol);

/* True if the Fortran interface has a length for this parameter behind all others. */
bool kt_prototype_has_length(const struct kt_symbol *symbol, const struct kt_param *param);

/* One line without the semicolon. */
void kt_prototype_print(FILE *out, const struct kt_symbol *symbol);

#endif
