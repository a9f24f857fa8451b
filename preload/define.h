/* SPDX-License-Identifier: BSD-3-Clause */
/* The text file `definitions`: all that events name by a number. Within slow paths. */
#ifndef KT_DEFINE_H
#define KT_DEFINE_H

#include "preload/attributes.h"

#include <stdbool.h>
#include <stddef.h>

/* Adds a line. It is kept for forked children, whose files begin with all lines so far. */
KT_HIDDEN void kt_define_line(const char *text, size_t length);

/* All lines go to a file that is not there yet. */
KT_HIDDEN void kt_define_anew(void);

/* Is all of it in the file? Writes what is not, and makes the file if need be; false: some of it could not be written.
 */
KT_HIDDEN bool kt_define_is_saved(void);
KT_HIDDEN bool kt_define_save(void);

#endif
