/* SPDX-License-Identifier: BSD-3-Clause */
/* ktrace compare --workloads: many workloads, one table. */
#ifndef KT_CMD_WORKLOADS_H
#define KT_CMD_WORKLOADS_H

#include "replay/compare/compare_options.h"

/* OPTIONS is what this command line of ktrace compare says. Prints the table and returns the exit status. */
int kt_workloads_verb(int argc, char **argv, const struct kt_compare_options *options);

#endif
