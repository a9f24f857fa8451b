/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/control.h"

#include "preload/apart.h"
#include "preload/disk.h"
#include "preload/file.h"
#include "preload/file_path.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct kt_control own = {.magic = KT_CONTROL_MAGIC, .epoch = 1};
struct kt_control *_Atomic kt_control_page = &own;

void kt_control_change(void)
{
    __atomic_fetch_add(&kt_control()->epoch, 1, __ATOMIC_RELEASE);
}

uintptr_t kt_control_odd_epoch(void)
{
    uintptr_t epoch = kt_epoch();
    return epoch % 2 ? epoch : (uintptr_t)__atomic_or_fetch(&kt_control()->epoch, 1, __ATOMIC_RELAXED);
}

static struct kt_control *map_file(int file)
{
    struct kt_control now = *kt_control();
    if (kt_file_write(file, (const char *)&now, sizeof now) != sizeof now)
        return NULL;
    void *at = kt_disk_share(file, sizeof now);
    return at == MAP_FAILED ? NULL : at;
}

static void open_apart(void *at)
{
    const char *path = at;
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    struct kt_control *shared = file >= 0 ? map_file(file) : NULL;
    if (shared)
        atomic_store(&kt_control_page, shared);
    if (file >= 0)
        close(file);
    if (file >= 0 && !shared)
        unlink(path); /* whoever stores into it would not be heard */
}

void kt_control_open(void)
{
    static char path[PATH_MAX]; /* within a slow path: one at a time */
    kt_file_path(path, "control", 0, 0);
    kt_apart(open_apart, path);
}

/* The page is the parent's. The child begins as its parent does now: recording or not. */
void kt_control_after_fork(void)
{
    struct kt_control *parents = kt_control();
    own.paused = parents->paused;
    own.epoch = parents->epoch + 1;
    own.skipped = 0;
    memset(own.lost, 0, sizeof own.lost);
    atomic_store(&kt_control_page, &own);
    if (parents != &own)
        munmap(parents, sizeof *parents);
}
