/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/directory.h"

#include "preload/control.h"
#include "preload/define.h"
#include "preload/events.h"
#include "preload/file_path.h"
#include "preload/meta.h"
#include "preload/stack.h"
#include "preload/recorder.h"
#include "preload/scopes.h"
#include "preload/settings.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whoever owns the directory of a trace can put links into the place of what we write. */
static bool is_ours(const char *directory)
{
    struct stat st;
    if (stat(directory, &st) != 0)
        return false;
    errno = S_ISDIR(st.st_mode) ? EPERM : ENOTDIR;
    return S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

/* A directory of its own, whoever else traces into the same place. */
static bool make_directory(void)
{
    if (mkdir(kt_trace, 0700) != 0 && (errno != EEXIST || !is_ours(kt_trace)))
        return false;
    for (unsigned i = 0; i < 1000; i++) {
        kt_file_path_in(kt_trace, kt_recorder.directory, "p", (uint64_t)getpid(), i);
        if (strlen(kt_recorder.directory) > sizeof kt_recorder.directory - 64)
            return false;
        if (mkdir(kt_recorder.directory, 0700) == 0)
            return true;
        if (errno != EEXIST)
            return false;
    }
    return false;
}

/* Nothing stays behind: the next attempt makes another directory. */
static void remove_directory(void)
{
    static const char *const name[] = {"meta", "definitions"};
    static char path[PATH_MAX]; /* within a slow path: one at a time */
    int saved = errno;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        kt_file_path(path, name[i], 0, 0);
        unlink(path);
    }
    rmdir(kt_recorder.directory);
    errno = saved; /* says why the directory is of no use */
}

/* LLVM's, asked that, would make a thread known to it that it has never seen, which takes memory. */
static void find_openmp(void)
{
    void *found = kt_scopes_find_at_start("libgomp.so.1", "omp_in_parallel");
    int (*in_parallel)(void);
    memcpy(&in_parallel, &found, sizeof in_parallel);
    atomic_store(&kt_omp_in_parallel, in_parallel);
}

bool kt_directory_open(void)
{
    if (atomic_load(&kt_recorder.state) == KT_STATE_OPEN)
        return kt_define_is_saved() || kt_define_save();
    if (atomic_load(&kt_recorder.state) != KT_STATE_READY)
        return false;
    if (!make_directory())
        return false;
    kt_meta_write_readme();
    kt_define_anew();
    if (!kt_meta_write() || !kt_define_save()) {
        remove_directory();
        return false;
    }
    atomic_store(&kt_recorder.state, KT_STATE_OPEN);
    kt_events_describe(kt_define_line);
    kt_control_open();
    find_openmp();
    kt_stack_start();
    return true;
}
