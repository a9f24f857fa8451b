/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file, or a folder, that gets its name when it is complete, and takes nobody's place: until then it has no name and
 * vanishes with the process, or, where the file system or the writer cannot do without, one that ends in .PID.part.
 */
#ifndef KT_NEW_FILE_H
#define KT_NEW_FILE_H

#include "trace/base/error.h"

#include <limits.h>

/* NAMED and FOLDER are written by their name, PART. */
enum kt_new_kind { KT_NEW_NAMELESS, KT_NEW_NAMED, KT_NEW_FOLDER };

struct kt_new_file {
    const char *path; /* that it will have; borrowed */
    int file;         /* open for reading and writing, a folder for neither; owned */
    char part[PATH_MAX + 32];
};

/* KT_USAGE if there is such a file. OUT is to be closed in any case. */
enum kt_status kt_new_file_create(const char *path, enum kt_new_kind kind, struct kt_new_file *out,
                                  struct kt_error *error);
enum kt_status kt_new_file_publish(struct kt_new_file *new_file, struct kt_error *error);

/* Without a trace, if it was not published. */
void kt_new_file_close(struct kt_new_file *new_file);

#endif
