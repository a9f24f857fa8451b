/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/distill/workload_file.h"

#include "trace/files/archive.h"
#include "trace/files/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void add_all(struct kt_archive_writer *writer, const struct kt_unpacked *old, const char *name, const char *text,
                    struct kt_error *error)
{
    char member[NAME_MAX];
    for (size_t i = 0; i < old->files && error->status == KT_OK; i++) {
        const struct kt_unpacked_file *file = &old->file[i];
        snprintf(member, sizeof member, "workload/%s", file->name);
        if (strcmp(file->name, name) != 0)
            kt_archive_add_bytes(writer, member, old->bytes + file->at, file->size, error);
    }
    snprintf(member, sizeof member, "workload/%s", name);
    if (error->status == KT_OK)
        kt_archive_add_bytes(writer, member, text, strlen(text), error);
}

static enum kt_status failed(const char *path, struct kt_error *error)
{
    return kt_fail(error, KT_SYSTEM, "%s: cannot be written: %s", path, strerror(errno));
}

static enum kt_status write_beside(const char *part, const struct kt_unpacked *old, mode_t mode, const char *name,
                                   const char *text, struct kt_error *error)
{
    struct kt_archive_writer *writer;
    int file = open(part, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, mode & 0777);
    if (file < 0)
        return failed(part, error);
    if (kt_archive_begin(file, part, &writer, error) == KT_OK)
        add_all(writer, old, name, text, error);
    kt_archive_end(writer, error);
    if (close(file) != 0)
        failed(part, error);
    return error->status;
}

enum kt_status kt_workload_file_put(const char *path, const char *name, const char *text, struct kt_error *error)
{
    struct kt_unpacked old;
    struct stat st;
    char part[PATH_MAX + 32];
    snprintf(part, sizeof part, "%.*s.%ld.part", PATH_MAX - 1, path, (long)getpid());
    if (stat(path, &st) != 0)
        return failed(path, error);
    KT_TRY(kt_unpack(path, 0, &old, error));
    enum kt_status status = write_beside(part, &old, st.st_mode, name, text, error);
    if (status == KT_OK && rename(part, path) != 0)
        status = failed(path, error);
    if (status != KT_OK)
        unlink(part);
    kt_unpacked_free(&old);
    return status;
}
