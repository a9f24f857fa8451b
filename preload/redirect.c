/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/redirect.h"

#include "preload/names.h"
#include "preload/notice.h"
#include "preload/objects.h"
#include "preload/slow.h"

#include <errno.h>

static uint16_t place[2 * KT_SPARE_SLOTS]; /* hashed: a spare slot and 1, as 0 is none */

/* Where the slot with these two is noted, or else is to be. */
static uint16_t *find_place(uint16_t named, const void *target)
{
    enum { PLACES = sizeof place / sizeof *place };
    size_t i = ((uintptr_t)target / 16 + named) % PLACES;
    while (place[i] && (kt_spares.target[place[i] - 1] != target || kt_spares.named[place[i] - 1] != named))
        i = (i + 1) % PLACES;
    return &place[i];
}

static void tell_once(void)
{
    static bool told;
    if (!told)
        kt_notice("too many functions were looked up by name: calls of the rest may not be recorded", "", "");
    told = true;
}

/* Within a slow path. */
static void *find_stub(const struct kt_slot *named, void *target, void *otherwise)
{
    uint16_t *at = find_place((uint16_t)(named - kt_slots), target);
    int spare = *at ? *at - 1 : kt_names_take_spare(named, target);
    if (spare < 0) {
        tell_once();
        return otherwise;
    }
    *at = (uint16_t)(spare + 1);
    return kt_spare_stubs[spare];
}

void *kt_redirect_stub(const struct kt_slot *named, void *target, void *otherwise)
{
    int saved = errno;
    void *found = otherwise;
    if (!kt_objects_is_us((uintptr_t)target) && kt_slow_begin()) {
        found = find_stub(named, target, otherwise);
        kt_slow_end();
    }
    errno = saved;
    return found;
}
