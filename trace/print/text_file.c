/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/print/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static enum kt_status failed(const char *path, struct kt_error *error)
{
    return kt_fail(error, KT_SYSTEM, "%s: cannot be written: %s", path, strerror(errno));
}

/* A name that is taken is left alone. */
static int create_part(struct kt_text_file *out)
{
    enum { TRIES = 1000 };
    for (int i = 0; i < TRIES; i++) {
        snprintf(out->part, sizeof out->part, "%s.%ld.%d.part", out->path, (long)getpid(), i);
        int file = open(out->part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

enum kt_status kt_text_file_begin(struct kt_text_file *out, const char *path, struct kt_error *error)
{
    *out = (struct kt_text_file){.path = path};
    if (strlen(path) >= PATH_MAX)
        return kt_fail(error, KT_SYSTEM, "%.200s...: the path is too long", path);
    int file = create_part(out);
    if (file < 0)
        return failed(path, error);
    out->file = fdopen(file, "w");
    if (out->file)
        return KT_OK;
    close(file);
    unlink(out->part);
    return failed(path, error);
}

enum kt_status kt_text_file_end(struct kt_text_file *text, struct kt_error *error)
{
    bool is_whole = !ferror(text->file);
    is_whole = fclose(text->file) == 0 && is_whole && rename(text->part, text->path) == 0;
    text->file = NULL;
    if (is_whole)
        return KT_OK;
    enum kt_status status = failed(text->path, error);
    unlink(text->part);
    return status;
}
