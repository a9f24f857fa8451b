/* SPDX-License-Identifier: BSD-3-Clause */
/* `ktrace info --libraries`: the libraries that are installed, and those that are named besides. */
#ifndef KT_LIBRARY_LIST_H
#define KT_LIBRARY_LIST_H

#include <stdbool.h>

/* ARGV as of the verb info: options and libraries to list besides; with some of these only they are. Returns the exit
 * status: KT_FINDING if one of them cannot be loaded. */
int kt_library_list(int argc, char **argv);

#endif
