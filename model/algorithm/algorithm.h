/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Algorithms written down: which kernels one calls with which parts of its operands, for any size of the problem and
 * of the blocks. From the text follows the sequence of calls, with sizes and addresses, without anything being run.
 * The notation is described in examples/algorithms/README.md.
 */
#ifndef KT_ALGORITHM_H
#define KT_ALGORITHM_H

#include "trace/table/operand.h"

enum { KT_MOST_PARAMETERS = 8 };

struct kt_algorithm;

/* Parses a text; NAME is for messages: "NAME:LINE: ...". To be freed also after an error; LINE is that of its first
 * line. */
enum kt_status kt_algorithm_parse(const char *text, const char *name, struct kt_algorithm **out,
                                  struct kt_error *error);
void kt_algorithm_free(struct kt_algorithm *algorithm);

const char *kt_algorithm_name(const struct kt_algorithm *algorithm);
const char *kt_algorithm_operation(const struct kt_algorithm *algorithm); /* "" if it does not say */
const char *kt_algorithm_routine(const struct kt_algorithm *algorithm);   /* the same */

/* Index of a parameter, -1: there is none. */
int kt_algorithm_parameter(const struct kt_algorithm *algorithm, const char *name);
int kt_algorithm_parameters(const struct kt_algorithm *algorithm);
const char *kt_algorithm_parameter_name(const struct kt_algorithm *algorithm, int parameter);
double kt_algorithm_default(const struct kt_algorithm *algorithm, int parameter);

/* A call of the sequence. Valid while it is being visited. */
struct kt_kernel {
    const struct kt_symbol *symbol; /* Fortran; the same pointer for all calls of a routine, as long as the algorithm */
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    int operands;
    int line; /* of the text */
};

typedef enum kt_status kt_kernel_visit(void *context, const struct kt_kernel *kernel, struct kt_error *error);

/*
 * Visits the calls in their order, for these values of the parameters. An error names the line: an operand that
 * reaches beyond its matrix, a loop without end, more than 20 million calls. Operands that are not referenced are no
 * error wherever they are.
 */
enum kt_status kt_algorithm_run(const struct kt_algorithm *algorithm, const double *parameter, kt_kernel_visit *visit,
                                void *context, struct kt_error *error);

/* The matrices and vectors as a whole: what an algorithm's caller has written before. Returns how many; OUT is theirs
 * for these values of the parameters. */
int kt_algorithm_storage(const struct kt_algorithm *algorithm, const double *parameter,
                         struct kt_operand out[KT_MAX_OPERANDS]);

#endif
