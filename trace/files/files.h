/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files of a trace, wherever they are: in a directory, or in memory, where those of a packed trace are unpacked to.
 * Readers of traces open files through this alone. Paths begin with the path of the trace in both cases:
 * "job.tar.zst/p42/meta" is a file of a packed trace.
 */
#ifndef KT_FILES_H
#define KT_FILES_H

#include "trace/base/error.h"
#include "trace/base/lines.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What `ktrace pack` calls its files, and what marks them among those of a job. */
#define KT_PACKED_SUFFIX ".tar.zst"

struct kt_files;

/* PATH: a directory or a packed trace. A path that is neither is KT_BAD_INPUT. */
enum kt_status kt_files_open(const char *path, struct kt_files **out, struct kt_error *error);
/* A packed trace in memory; PATH is what it is to be called. */
enum kt_status kt_files_open_bytes(const char *path, const void *bytes, size_t size, struct kt_files **out,
                                   struct kt_error *error);
/* Files in memory; none so far. */
struct kt_files *kt_files_new(const char *path);
void kt_files_close(struct kt_files *files);

/* The bytes stay the caller's and must stay as they are; they are aligned to 8. Of several with one name the last
 * counts. To be followed by kt_files_sort. */
void kt_files_add(struct kt_files *files, const char *name, const unsigned char *bytes, size_t size);
void kt_files_sort(struct kt_files *files);

bool kt_files_are_packed(const struct kt_files *files);
/* What of a packed trace could not be read, or NULL. */
const char *kt_files_damage(const struct kt_files *files);

bool kt_files_exist(const struct kt_files *files, const char *path);
bool kt_files_is_directory(const struct kt_files *files, const char *path);

/* The names in a directory that do not begin with a dot, in no particular order. */
struct kt_file_names {
    char **name;
    size_t count;
};
enum kt_status kt_files_list(const struct kt_files *files, const char *directory, struct kt_file_names *out,
                             struct kt_error *error);
void kt_file_names_free(struct kt_file_names *names);

/* A whole text file, as kt_lines_load reads it. */
enum kt_status kt_files_lines(const struct kt_files *files, const char *path, struct kt_lines *out,
                              struct kt_error *error);
/* The bytes of a file that is in memory; NULL with size 0 if there is none. They stay as long as FILES is open. */
const unsigned char *kt_files_view(const struct kt_files *files, const char *path, size_t *size);

/* A regular file, to be read. NULL: it is not there, or is a FIFO or a device, which could wait for ever. */
FILE *kt_files_regular(const char *path);

/* The first BYTES of a file; false if it is not there or shorter. */
bool kt_files_head(const struct kt_files *files, const char *path, void *out, size_t bytes);

/* Where tools keep a file of their own about a trace: in its directory, or beside a packed one. */
void kt_files_companion(const struct kt_files *files, const char *name, char *out, size_t size);

#endif
