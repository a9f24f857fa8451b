/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What info and report say about a trace in the same words, in lines of a label and a text.
 */
#ifndef KT_ABOUT_H
#define KT_ABOUT_H

#include "trace/reader.h"

/* "label      text", without control characters: text of a trace must not steer a terminal. */
void kt_about_line(const char *label, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The command line of the process, cut to WIDTH characters. */
void kt_about_command(const struct kt_process *process, size_t width);

/* "openblas", "reference" and so on, "" if the library is none of those that have a short name. */
const char *kt_about_library_name(const struct kt_object *library);

/* "OpenBLAS 0.3.21", or "reference libblas.so.3" if the library does not tell its version. */
void kt_about_library(const struct kt_object *library, char *out, size_t size);

#endif
