/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/redirect.h"

#include "preload/bind.h"
#include "preload/ask.h"
#include "preload/process.h"

#include <errno.h>

extern KT_HIDDEN unsigned char kt_spare_stubs[][16];

static struct {
    uint16_t named[KT_SPARE_SLOTS];
    void *target[KT_SPARE_SLOTS];
    _Atomic unsigned used;
} spare;

static const struct kt_slot *first_spare(void)
{
    return kt_slots + kt_slot_count;
}

const struct kt_slot *kt_named_slot(const struct kt_slot *slot)
{
    return slot < first_spare() ? slot : &kt_slots[spare.named[slot - first_spare()]];
}

void *kt_fixed_target(const struct kt_slot *slot)
{
    return slot < first_spare() ? NULL : spare.target[slot - first_spare()];
}

unsigned kt_used_slots(void)
{
    return kt_slot_count + atomic_load(&spare.used);
}

/* Within a slow path. */
static void *find_stub(uint16_t named, void *target)
{
    unsigned used = atomic_load(&spare.used);
    unsigned i = 0;
    while (i < used && (spare.target[i] != target || spare.named[i] != named))
        i++;
    if (i == KT_SPARE_SLOTS)
        return target;
    spare.named[i] = named;
    spare.target[i] = target;
    if (i == used)
        atomic_store(&spare.used, used + 1);
    return kt_spare_stubs[i];
}

void *kt_redirect(const struct kt_slot *named, void *target)
{
    int saved = errno;
    void *found = target;
    if (!kt_is_inside_us((uintptr_t)target) && kt_slow_begin()) {
        found = find_stub((uint16_t)(named - kt_slots), target);
        kt_slow_end();
    }
    errno = saved;
    return found;
}
