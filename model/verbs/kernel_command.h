/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What `ktrace roofline --kernel` and `ktrace kernel` have in common: options, and the picture.
 */
#ifndef KT_KERNEL_COMMAND_H
#define KT_KERNEL_COMMAND_H

#include "model/roofline/kernel_states.h"
#include "trace/command/verb.h"
#include "trace/print/gnuplot.h"

/* These set a struct kt_kernel_plan, the last ones a number of seconds and a struct kt_picture. */
kt_verb_taker kt_kernel_take_sizes, kt_kernel_take_states, kt_kernel_take_library, kt_kernel_take_seconds,
    kt_kernel_take_picture;

#define KT_KERNEL_STATES(type, member)                                                                          \
    "states", 0, "LIST",                                                                                        \
        "where data and code are at the start: warm, cold (data), coldcode, allcold (both), all of these; l1, " \
        "l2, l3 (evicted from that cache); default warm,cold",                                                  \
        kt_kernel_take_states, offsetof(type, member)
#define KT_KERNEL_BLAS(type, member)                                                                            \
    "blas", 0, "LIB",                                                                                           \
        "library of the routine: a path, a soname or a short name; repeat it to compare; default libblas.so.3", \
        kt_kernel_take_library, offsetof(type, member)
#define KT_KERNEL_PICTURE(type, member)                                                                       \
    "output", 'o', "FILE", "draw a picture: FILE.svg, .png or .pdf; its script and data (CSV) lie beside it", \
        kt_kernel_take_picture, offsetof(type, member)
#define KT_KERNEL_BUDGET(type, member) \
    "budget", 0, "SECONDS", "for timing kernels; default 20", kt_kernel_take_seconds, offsetof(type, member)

/* What is asked for unless options say otherwise; SIZES as --n has them. */
struct kt_kernel_plan kt_kernel_default(const char *sizes);

/* Makes ROOFLINE one of kernels, under the roofs of this machine; MACHINE: a machine file, or NULL. */
enum kt_status kt_kernel_begin(const char *machine, struct kt_roofline *roofline, struct kt_error *error);

/* Is there a point to be shown? */
bool kt_kernel_has_point(const struct kt_roofline *roofline);

/* Draws points under roofs or, where it is timed, their times; the data lie beside the picture. */
enum kt_status kt_kernel_draw(const struct kt_roofline *roofline, const struct kt_picture *picture,
                              struct kt_error *error);

#endif
