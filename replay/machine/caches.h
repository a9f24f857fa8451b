/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The data caches of this machine as the system describes them.
 */
#ifndef KT_CACHES_H
#define KT_CACHES_H

#include "model/tracker/placement.h"

/* Of the processor that ROOT describes; NULL: the first one of this machine, by /sys/devices/system/cpu/cpu0/cache or
 * the C library. False where neither says anything: then OUT has 32 KiB and 1 MiB, of one processor each. */
bool kt_caches_read(const char *root, struct kt_caches *out);

/* True in a virtual machine: its last cache serves machines that it does not see. */
bool kt_machine_is_virtual(void);

#endif
