/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A text file that takes the place of another of its name when it is complete. Until then it has a name of its own,
 * which nobody can have prepared: neither a file nor a link that is there is written to.
 */
#ifndef KT_TEXT_FILE_H
#define KT_TEXT_FILE_H

#include "trace/base/error.h"

#include <limits.h>
#include <stdio.h>

struct kt_text_file {
    const char *path; /* that it will have; borrowed */
    FILE *file;       /* to be written to */
    char part[PATH_MAX + 48];
};

enum kt_status kt_text_file_begin(struct kt_text_file *out, const char *path, struct kt_error *error);

/* Closes it, and gives it its name or, if anything could not be written, removes it. */
enum kt_status kt_text_file_end(struct kt_text_file *text, struct kt_error *error);

#endif
