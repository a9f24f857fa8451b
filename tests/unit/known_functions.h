/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Models of functions that are known, built as 'model build' does it, but without measuring. What fails fails the test
 * that runs.
 */
#ifndef KT_KNOWN_FUNCTIONS_H
#define KT_KNOWN_FUNCTIONS_H

#include "model/build/refine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

/* Seconds at these sizes; NAN: there is no such call. */
typedef double kt_known(const int64_t *size);

/* For all of a program's tests: setup and teardown of the group. */
extern struct kt_solver *kt_known_solver;
int kt_known_open(void **state);
int kt_known_close(void **state);

struct kt_known_sampling {
    struct kt_kernel_model *model;
    kt_known *function;
    size_t samples; /* taken */
};

void kt_known_add(struct kt_kernel_model *m, const int64_t *size, double seconds, bool held_out);
void kt_known_sample(void *sampling, const int64_t *size); /* a kt_want */

/* Without regions; the same range along each axis. */
struct kt_kernel_model kt_known_model(int axes, int64_t lo, int64_t hi);
/* As a build does it; returns how many samples it took. */
size_t kt_known_refine(const struct kt_refine_rules *rules, kt_known *function, struct kt_kernel_model *m);

double kt_known_ask(const struct kt_kernel_model *m, int64_t a, int64_t b, int64_t c);
/* Largest relative error at all sizes of a step; the third one is the first. */
double kt_known_worst(const struct kt_kernel_model *m, kt_known *function, int64_t lo, int64_t hi, int64_t step);

#endif
