/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/library/run_library.h"

#include "trace/library/library_probe.h"
#include "trace/base/memory.h"
#include "trace/library/program_blas.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* --- the program ------------------------------------------------------------------------------------------- */

/* Bytes of the integers of the BLAS that the program is linked with, which is named; 0: not known. */
static int program_int_bytes(const char *command, char path[PATH_MAX])
{
    struct kt_installed blas = {.file = {path}, .files = 1};
    struct kt_library_probe probe;
    if (!kt_program_blas(command, path))
        return 0;
    kt_library_probe(&blas, &probe);
    return probe.int_bytes;
}

/* --- the library ------------------------------------------------------------------------------------------- */

/* The program and its children may change their working directory. Sonames are left to the dynamic linker. */
static void make_absolute(struct kt_installed *library)
{
    for (int i = 0; i < library->files; i++) {
        char path[2 * PATH_MAX];
        if (!strchr(library->file[i], '/') || *library->file[i] == '/' || !getcwd(path, PATH_MAX))
            continue;
        size_t used = strlen(path);
        snprintf(path + used, sizeof path - used, "/%s", library->file[i]);
        free(library->file[i]);
        library->file[i] = kt_copy(path);
    }
}

/* Behind the first file of OUT, in front of a LAPACK that comes with the short name. */
static enum kt_status insert(struct kt_installed *out, const struct kt_installed *lapack, struct kt_error *error)
{
    if (out->files + lapack->files > KT_INSTALLED_FILES)
        return kt_fail(error, KT_USAGE, "more than %d files for one library", KT_INSTALLED_FILES);
    memmove(out->file + 1 + lapack->files, out->file + 1, (size_t)(out->files - 1) * sizeof *out->file);
    for (int i = 0; i < lapack->files; i++)
        out->file[1 + i] = kt_copy(lapack->file[i]);
    out->files += lapack->files;
    return KT_OK;
}

static enum kt_status find_files(const char *blas, const char *lapack, struct kt_installed *out, struct kt_error *error)
{
    struct kt_installed more = {0};
    KT_TRY(kt_installed_find(blas, out, error));
    enum kt_status status = lapack ? kt_installed_find(lapack, &more, error) : KT_OK;
    if (status == KT_OK)
        status = insert(out, &more, error);
    kt_installed_free(&more);
    return status;
}

/* A comma separates files in KTRACE_BLAS. */
static enum kt_status check_names(const struct kt_installed *library, struct kt_error *error)
{
    for (int i = 0; i < library->files; i++)
        if (strchr(library->file[i], ','))
            return kt_fail(error, KT_USAGE, "%s: a path with a comma cannot be told to the program", library->file[i]);
    return KT_OK;
}

static enum kt_status check_width(const struct kt_library_probe *probe, const char *name, const char *command,
                                  struct kt_error *error)
{
    char needed[PATH_MAX];
    int bytes = program_int_bytes(command, needed);
    int wanted = bytes ? bytes : 4;
    if (probe->int_bytes == wanted || (probe->int_bytes == 0 && probe->int_bytes_64))
        return KT_OK;
    if (bytes)
        return kt_fail(error, KT_USAGE, "%s has %d-bit integers, but %s is linked with %s, which has %d-bit integers",
                       name, 8 * probe->int_bytes, command, needed, 8 * bytes);
    return kt_fail(
        error, KT_USAGE,
        "%s has 64-bit integers (ILP64), and nothing says that %s calls BLAS with such: it is not linked with "
        "a library that has them",
        name, command);
}

enum kt_status kt_run_library_check(const struct kt_installed *library, const char *command,
                                    const struct kt_library_probe *probe, struct kt_error *error)
{
    if (!probe->loaded)
        return kt_fail(error, KT_SYSTEM, "%s cannot be loaded: %s", library->name, probe->failure);
    if (!probe->int_bytes && !probe->int_bytes_64)
        return kt_fail(error, KT_USAGE, "%s has no routine of BLAS or LAPACK under a known name", library->name);
    return check_width(probe, library->name, command, error);
}

static enum kt_status check_library(const struct kt_installed *library, const char *command, struct kt_error *error)
{
    struct kt_library_probe probe;
    KT_TRY(check_names(library, error));
    kt_library_probe(library, &probe);
    return kt_run_library_check(library, command, &probe, error);
}

enum kt_status kt_run_library(const char *blas, const char *lapack, const char *command, struct kt_installed *out,
                              struct kt_error *error)
{
    *out = (struct kt_installed){0};
    enum kt_status status = find_files(blas, lapack, out, error);
    if (status == KT_OK) {
        make_absolute(out);
        status = check_library(out, command, error);
    }
    if (status != KT_OK)
        kt_installed_free(out);
    return error->status = status == KT_BAD_INPUT ? KT_USAGE : status; /* what run was told is wrong */
}

void kt_run_library_export(const struct kt_installed *library)
{
    char value[KT_INSTALLED_FILES * 1024] = "";
    for (int i = 0; i < library->files; i++) {
        size_t used = strlen(value);
        snprintf(value + used, sizeof value - used, "%s%s", i ? "," : "", library->file[i]);
    }
    setenv("KTRACE_BLAS", value, 1);
    kt_library_environment(library);
}
