/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the shim's code lies, for programs that are looked at instruction by instruction. */
#ifndef SHIM_RANGE_H
#define SHIM_RANGE_H

#include <link.h>
#include <stdint.h>
#include <string.h>

static uintptr_t lo, hi; /* of the shim, once dl_iterate_phdr has called find_shim */

static int find_shim(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    if (!strstr(info->dlpi_name, "libktrace.so"))
        return 0;
    lo = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD)
            hi = lo + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
    return 1;
}

#endif
