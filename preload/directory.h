/* SPDX-License-Identifier: BSD-3-Clause */
/* The directory of the process in the trace. */
#ifndef KT_DIRECTORY_H
#define KT_DIRECTORY_H

#include "preload/attributes.h"

#include <stdbool.h>

/* Makes it and what is in it from the beginning, on first use; true if the process can record. Within a slow path. */
KT_HIDDEN bool kt_directory_open(void);

#endif
