/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory that profile mode may take, KT_PROFILE_MEMORY in all. */
#ifndef KT_PROFILE_MEMORY_H
#define KT_PROFILE_MEMORY_H

#include "preload/attributes.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    KT_PROFILE_MEMORY = 12 << 20,
    KT_PROFILE_OVERFLOW = 512 << 10 /* of these the file of overflow cells has */
};

/* Is so much left, and more than KEEP? The first takes it. */
KT_HIDDEN bool kt_profile_memory_take(size_t bytes);
KT_HIDDEN bool kt_profile_memory_has(size_t keep);
KT_HIDDEN void kt_profile_memory_give_back(size_t bytes);

/* Pages that are there; NULL if that is more than is left. */
KT_HIDDEN void *kt_profile_memory_pages(size_t bytes);

/* In a child, which has all of it. */
KT_HIDDEN void kt_profile_memory_forget(void);

#endif
