/* SPDX-License-Identifier: BSD-3-Clause */
/* Which BLAS a program is linked with, directly or through other libraries, found out without running it. */
#ifndef KT_PROGRAM_BLAS_H
#define KT_PROGRAM_BLAS_H

#include <limits.h>
#include <stdbool.h>

/* COMMAND as execvp finds it. False if there is none: it is a script, static, or opens one when it runs. */
bool kt_program_blas(const char *command, char path[PATH_MAX]);

#endif
