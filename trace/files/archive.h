/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packed traces: a tar archive compressed with zstd, which `tar --zstd` makes and takes apart as well. Nothing is
 * unpacked to a place where others see it.
 */
#ifndef KT_ARCHIVE_H
#define KT_ARCHIVE_H

#include "trace/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- reading ----------------------------------------------------------------------------------------------- */

/* Whoever takes the files one after the other. Both return KT_OK or what ends the reading. */
struct kt_archive_reader {
    enum kt_status (*file)(void *context, const char *name, struct kt_error *error); /* one begins */
    /* Its next bytes; where AT is not where the last ones ended, zeros lie between. */
    enum kt_status (*bytes)(void *context, const void *bytes, size_t size, uint64_t at, struct kt_error *error);
    void *context;
};

/*
 * Reads the regular files of an archive, from the begin of the open file; PATH is for messages. KT_BAD_INPUT if it is
 * damaged or cut off: what precedes the damage has been passed on. NAMES have no "." in front and are never absolute.
 */
enum kt_status kt_archive_read(int file, const char *path, const struct kt_archive_reader *reader,
                               struct kt_error *error);
/* The same of an archive in memory. */
enum kt_status kt_archive_read_bytes(const char *path, const void *bytes, size_t size,
                                     const struct kt_archive_reader *reader, struct kt_error *error);

/* --- writing ----------------------------------------------------------------------------------------------- */

struct kt_archive_writer;

/* FILE is an open file, which stays the caller's; PATH is for messages. */
enum kt_status kt_archive_begin(int file, const char *path, struct kt_archive_writer **out, struct kt_error *error);
/* Adds the open regular file SOURCE under that name; SOURCE_PATH is for messages. */
enum kt_status kt_archive_add(struct kt_archive_writer *writer, const char *name, int source, const char *source_path,
                              struct kt_error *error);
/* Adds bytes under that name, as a file of nobody and of no time. */
enum kt_status kt_archive_add_bytes(struct kt_archive_writer *writer, const char *name, const void *bytes, size_t size,
                                    struct kt_error *error);
/* Completes the archive unless an error was returned before. Frees the writer in any case. */
enum kt_status kt_archive_end(struct kt_archive_writer *writer, struct kt_error *error);

#endif
