/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/life.h"

#include <sys/mman.h>

int *kt_life_page;

void kt_life_mark(void)
{
    if (!kt_life_page) {
        void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED || madvise(at, 4096, MADV_WIPEONFORK) != 0)
            return;
        kt_life_page = at;
    }
    *kt_life_page = 1;
}
