/* SPDX-License-Identifier: BSD-3-Clause */
/* `ktrace run --blas LIB [--lapack LIB2]`: the library is found and tried before the program starts. */
#ifndef KT_RUN_LIBRARY_H
#define KT_RUN_LIBRARY_H

#include "trace/library/installed.h"
#include "trace/library/library_probe.h"

/*
 * The files for KTRACE_BLAS: those of BLAS, with LAPACK's (may be NULL) behind the first of them. An error if there are
 * none such, if they cannot be loaded, or if their integers are not those that COMMAND, as execvp finds it, was linked
 * for. OUT is empty after an error.
 */
enum kt_status kt_run_library(const char *blas, const char *lapack, const char *command, struct kt_installed *out,
                              struct kt_error *error);

/* Sets KTRACE_BLAS, and what the library itself wants to find in the environment. */
void kt_run_library_export(const struct kt_installed *library);

/* Can it be loaded, and called by COMMAND? */
enum kt_status kt_run_library_check(const struct kt_installed *library, const char *command,
                                    const struct kt_library_probe *probe, struct kt_error *error);

#endif
