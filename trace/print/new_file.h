/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file that gets its name when it is complete, and takes nobody's place: until then it has no name and vanishes with
 * the process, or, where the file system or the writer cannot do without, one that ends in .PID.part.
 */
#ifndef KT_NEW_FILE_H
#define KT_NEW_FILE_H

#include "trace/base/error.h"

#include <limits.h>
#include <stdbool.h>

struct kt_new_file {
    const char *path; /* that it will have; borrowed */
    int file;         /* open for reading and writing; owned */
    char part[PATH_MAX + 32];
};

/* KT_USAGE if there is such a file. NAMED: it is to be written by its name, PART. OUT is to be closed in any case. */
enum kt_status kt_new_file_create(const char *path, bool named, struct kt_new_file *out, struct kt_error *error);
enum kt_status kt_new_file_publish(struct kt_new_file *new_file, struct kt_error *error);

/* Without a trace, if it was not published. */
void kt_new_file_close(struct kt_new_file *new_file);

#endif
