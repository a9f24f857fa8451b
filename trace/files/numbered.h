/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files and directories of a trace are called by a letter and a number: p42 of process 42, t43 and s43 of thread 43;
 * the second of one number t43.1.
 */
#ifndef KT_NUMBERED_H
#define KT_NUMBERED_H

#include "trace/files/files.h"

struct kt_numbered_name {
    uint64_t number, suffix;
    char text[48];
};

struct kt_numbered {
    struct kt_numbered_name *name; /* owned: free() */
    size_t count;
    size_t others; /* names in the directory that are not of that kind */
};

/* The names of that letter in a directory, in the order of their numbers. */
enum kt_status kt_numbered_list(const struct kt_files *files, const char *path, char letter, struct kt_numbered *out,
                                struct kt_error *error);

/* Does the path lead through the directory of a process, p<PID>? */
bool kt_is_of_process(const char *path);

/* DIRECTORY/NAME; to be freed. */
char *kt_path_join(const char *directory, const char *name);

/* PATH as it is to be printed and prolonged; to be freed. */
char *kt_path_without_slashes(const char *path);

/* Is there a file of that name in the directory? */
bool kt_is_in(const struct kt_files *files, const char *directory, const char *name);

#endif
