/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/predict/applies.h"

#include "replay/setup/timing.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct found {
    char path[PATH_MAX];
    bool is_openblas;
};

/* The files of OpenBLAS's LAPACK export nothing that tells, but lie where its others do. */
static bool is_openblas(const struct kt_timing_loaded *library, const char *path)
{
    Dl_info info;
    const void *config = kt_timing_symbol(library, "openblas_get_config");
    return strstr(path, "openblas") || (config && dladdr(config, &info) && !strcmp(info.dli_fname, path));
}

/* In a child. */
static void look(const char *blas, const char *routine, struct found *out)
{
    struct kt_timing_loaded *library;
    struct kt_error ignored = {0};
    char symbol[64];
    Dl_info info;
    snprintf(symbol, sizeof symbol, "%s_", routine);
    const void *at = kt_timing_load(blas, &library, &ignored) == KT_OK ? kt_timing_symbol(library, symbol) : NULL;
    if (at && dladdr(at, &info)) {
        out->is_openblas = is_openblas(library, info.dli_fname);
        snprintf(out->path, sizeof out->path, "%s", info.dli_fname);
    }
    _exit(0);
}

enum kt_applies kt_block_size_rule(const char *routine, const char *path, bool openblas)
{
    static const char *const own[] = {"getrf", "potrf", "lauum", "trtri"};
    if (!*path)
        return KT_APPLIES_UNKNOWN;
    if (strstr(path, "mkl"))
        return KT_APPLIES_NOT;
    for (size_t i = 0; i < sizeof own / sizeof *own && openblas; i++)
        if (!strcmp(routine + 1, own[i]))
            return KT_APPLIES_NOT;
    return KT_APPLIES;
}

static enum kt_status ask(const char *blas, const char *routine, struct found *found, struct kt_error *error)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0)
        return kt_fail(error, KT_SYSTEM, "no process can be started: %s", strerror(errno));
    if (pid == 0)
        look(blas, routine, found);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return KT_OK;
}

enum kt_status kt_block_size_applies(const char *blas, const char *routine, enum kt_applies *out, char file[PATH_MAX],
                                     struct kt_error *error)
{
    struct found *found = mmap(NULL, sizeof *found, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    enum kt_status status = found == MAP_FAILED ? kt_fail(error, KT_SYSTEM, "no memory: %s", strerror(errno))
                                                : ask(blas, routine, found, error);
    if (status == KT_OK) {
        snprintf(file, PATH_MAX, "%.*s", PATH_MAX - 1, found->path);
        *out = kt_block_size_rule(routine, found->path, found->is_openblas);
    }
    if (found != MAP_FAILED)
        munmap(found, sizeof *found);
    return status;
}
