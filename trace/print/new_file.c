/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/print/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum kt_status failed(struct kt_error *error, const char *what, const char *path)
{
    return kt_fail(error, KT_SYSTEM, "%s: cannot be %s: %s", path, what, strerror(errno));
}

static enum kt_status exists_already(const char *path, struct kt_error *error)
{
    return kt_fail(error, KT_USAGE, "%s: exists already; choose another file with -o", path);
}

static int open_without_name(const char *path)
{
    char directory[PATH_MAX];
    snprintf(directory, sizeof directory, "%s", path);
    char *slash = strrchr(directory, '/');
    strcpy(slash ? slash + (slash == directory) : directory, slash ? "" : ".");
    return open(*directory ? directory : "/", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

static int open_named(const char *part, enum kt_new_kind kind)
{
    if (kind != KT_NEW_FOLDER)
        return open(part, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    return mkdir(part, 0700) == 0 ? open(part, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
}

enum kt_status kt_new_file_create(const char *path, enum kt_new_kind kind, struct kt_new_file *out,
                                  struct kt_error *error)
{
    *out = (struct kt_new_file){.path = path, .file = -1};
    if (access(path, F_OK) == 0)
        return exists_already(path, error);
    if (kind == KT_NEW_NAMELESS)
        out->file = open_without_name(path);
    if (out->file >= 0)
        return KT_OK;
    snprintf(out->part, sizeof out->part, "%s.%ld.part", path, (long)getpid());
    out->file = open_named(out->part, kind);
    if (out->file >= 0)
        return KT_OK;
    *out->part = '\0';
    return failed(error, "written", path);
}

enum kt_status kt_new_file_publish(struct kt_new_file *f, struct kt_error *error)
{
    char link_to[64];
    if (fsync(f->file) != 0)
        return failed(error, "written", f->path);
    snprintf(link_to, sizeof link_to, "/proc/self/fd/%d", f->file);
    int done = *f->part ? renameat2(AT_FDCWD, f->part, AT_FDCWD, f->path, RENAME_NOREPLACE)
                        : linkat(AT_FDCWD, link_to, AT_FDCWD, f->path, AT_SYMLINK_FOLLOW);
    if (done != 0 && errno == EINVAL && *f->part) /* a file system that cannot tell */
        done = rename(f->part, f->path);
    if (done != 0)
        return errno == EEXIST ? exists_already(f->path, error) : failed(error, "created", f->path);
    *f->part = '\0';
    return KT_OK;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status, (void)type, (void)where;
    return remove(path);
}

void kt_new_file_close(struct kt_new_file *f)
{
    enum { OPEN_FOLDERS = 8 };
    if (*f->part)
        nftw(f->part, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
    if (f->file >= 0)
        close(f->file);
    f->file = -1;
    *f->part = '\0';
}
