/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { PAGE = 4096 };

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum kt_loss kt_disk_loss_of(int error)
{
    bool space = error == ENOSPC || error == EDQUOT || error == EFBIG || error == 0;
    return space ? KT_LOSS_SPACE : KT_LOSS_ERROR;
}

/* Even where the file is that long already. */
bool kt_disk_may_write(uint64_t end)
{
    struct rlimit limit;
    errno = EFBIG; /* of a write that is cut short as well */
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || end <= limit.rlim_cur;
}

static bool write_zeros(int file, uint64_t offset, size_t bytes)
{
    static const char zeros[16 << 10];
    for (size_t done = 0; done < bytes; done += sizeof zeros)
        if (pwrite(file, zeros, sizeof zeros, (off_t)(offset + done)) != (ssize_t)sizeof zeros)
            return false;
    return true;
}

/* File systems without fallocate get real zeros: a hole could fail later, when it is written to. */
bool kt_disk_reserve(int file, uint64_t offset, size_t bytes)
{
    if (!kt_disk_may_write(offset + bytes))
        return false;
    if (fallocate(file, 0, (off_t)offset, (off_t)bytes) == 0)
        return true;
    return (errno == EOPNOTSUPP || errno == ENOSYS) && write_zeros(file, offset, bytes);
}

/*
 * A file system that never writes in place needs new space for each page that is stored into after it has been written
 * out, whatever was reserved: when there is none, the store raises SIGBUS.
 */
static bool writes_in_place(int file)
{
    struct statfs system;
    return fstatfs(file, &system) != 0 || system.f_type != BTRFS_SUPER_MAGIC;
}

void *kt_disk_share(int file, size_t bytes)
{
    return writes_in_place(file) ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
}

/* The program may have lowered its limit since the room was reserved. */
bool kt_disk_write(int file, const void *bytes, size_t count, uint64_t at)
{
    return kt_disk_may_write(at + count) && pwrite(file, bytes, count, (off_t)at) == (ssize_t)count;
}

/* Some file systems tell only now that there was no room for what was written. */
bool kt_disk_close(int file)
{
    return close(file) == 0 || (errno != ENOSPC && errno != EDQUOT && errno != EIO);
}

bool kt_disk_touch(unsigned char *at, size_t bytes)
{
    if (madvise(at, bytes, MADV_POPULATE_WRITE) == 0)
        return true;
    if (errno == EFAULT)
        return false;
    for (size_t i = 0; i < bytes; i += PAGE)
        *(volatile unsigned char *)(at + i) = at[i];
    return true;
}
