/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unpacks a packed trace into memory or, if it is large, into a file that has no name and vanishes with the process.
 */
#ifndef KT_UNPACK_H
#define KT_UNPACK_H

#include "trace/base/error.h"

#include <stddef.h>

struct kt_unpacked_file {
    char *name; /* in the archive, without a directory that holds all files */
    size_t at, size;
};

struct kt_unpacked {
    const unsigned char *bytes; /* of all files */
    size_t size;
    struct kt_unpacked_file *file;
    size_t files;
    char *damage; /* NULL, or why this is not all */
};

/* MEMORY: at most that much of it; 0: as the machine allows. KT_BAD_INPUT if no file can be read. */
enum kt_status kt_unpack(const char *path, size_t memory, struct kt_unpacked *out, struct kt_error *error);
/* An archive in memory; PATH is for messages. */
enum kt_status kt_unpack_bytes(const char *path, const void *bytes, size_t size, struct kt_unpacked *out,
                               struct kt_error *error);
void kt_unpacked_free(struct kt_unpacked *unpacked);

#endif
