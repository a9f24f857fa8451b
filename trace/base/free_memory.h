/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much memory this process may still use.
 */
#ifndef KT_FREE_MEMORY_H
#define KT_FREE_MEMORY_H

#include <stdint.h>

/* Bytes, the least that any of these leaves: the system, the control groups that the process is in and all those above
 * them, the limits of the process itself. Pages of files that a group has read count as free, as the system takes them
 * back whenever somebody wants memory. ROOT stands for "/" where /proc/meminfo, /proc/self/cgroup and /sys/fs/cgroup
 * are looked for; NULL: this system's. */
uint64_t kt_free_memory(const char *root);

#endif
