/* SPDX-License-Identifier: BSD-3-Clause */
/* `ktrace info --libraries`: the libraries that are installed, and those that are named besides. */
#ifndef KT_LIBRARY_LIST_H
#define KT_LIBRARY_LIST_H

#include <stdbool.h>

/* ARGV: libraries, of which alone is told; none: all that are installed. Returns the exit status: KT_FINDING if one of
 * those named cannot be loaded. */
int kt_library_list(int argc, char **argv, bool json);

#endif
