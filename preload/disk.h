/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of traces: room on the disk, memory that is shared with them, writing. */
#ifndef KT_DISK_H
#define KT_DISK_H

#include "ktrace/format.h"
#include "preload/attributes.h"

#include <stdbool.h>
#include <stddef.h>

/* Room for BYTES of the file that cannot run out, unless the program is forbidden to write there later (RLIMIT_FSIZE);
 * false: there is none, errno says why. */
KT_HIDDEN bool kt_disk_reserve(int file, uint64_t offset, size_t bytes);

/*
 * Shares memory with a file whose space is reserved; MAP_FAILED: with this one memory cannot be shared, or not without
 * danger.
 */
KT_HIDDEN void *kt_disk_share(int file, size_t bytes);

/* Writes all of it, or raises no signal; false: errno says why. */
KT_HIDDEN bool kt_disk_write(int file, const void *bytes, size_t count, uint64_t at);

/* False if what was written may not be in the file: errno says why. */
KT_HIDDEN bool kt_disk_close(int file);

/* Makes pages writable without a fault. False if a store into them would raise SIGBUS. */
KT_HIDDEN bool kt_disk_touch(unsigned char *at, size_t bytes);

/* Why a system call failed, by errno. */
KT_HIDDEN enum kt_loss kt_disk_loss_of(int error);

/* May the file be that long? Writing beyond the limit (RLIMIT_FSIZE) would raise SIGXFSZ; errno says so. */
KT_HIDDEN bool kt_disk_may_write(uint64_t end);

#endif
