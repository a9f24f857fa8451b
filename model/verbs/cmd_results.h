/* SPDX-License-Identifier: BSD-3-Clause */
/* ktrace diff --results: which call made the results of two runs differ. */
#ifndef KT_CMD_RESULTS_H
#define KT_CMD_RESULTS_H

#include <stdbool.h>

/* Prints it and returns the exit status of the verb. */
int kt_results_verb(const char *verb, char *const path[2], bool json);

#endif
