/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/names.h"

#include <stdlib.h>
#include <string.h>

struct kt_spares kt_spares;
_Atomic uint64_t kt_some_pass;

static const struct kt_slot *first_spare(void)
{
    return kt_slots + kt_slot_count;
}

const struct kt_slot *kt_names_slot(const struct kt_slot *slot)
{
    return slot < first_spare() ? slot : &kt_slots[kt_spares.named[slot - first_spare()]];
}

void *kt_names_target(const struct kt_slot *slot)
{
    return slot < first_spare() ? NULL : kt_spares.target[slot - first_spare()];
}

const struct kt_slot_info *kt_names_info(const struct kt_slot *slot)
{
    return &kt_slot_infos[kt_names_slot(slot) - kt_slots];
}

const char *kt_names_text(const struct kt_slot *slot)
{
    return kt_texts + kt_names_info(slot)->name;
}

const struct kt_interface *kt_names_interface(const struct kt_slot *slot)
{
    return &kt_interfaces[kt_names_info(slot)->interface];
}

static int compare_name(const void *name, const void *info)
{
    return strcmp(name, kt_texts + ((const struct kt_slot_info *)info)->name);
}

struct kt_slot *kt_names_find(const char *name)
{
    const struct kt_slot_info *info = bsearch(name, kt_slot_infos, kt_slot_count, sizeof *kt_slot_infos, compare_name);
    return info ? &kt_slots[info - kt_slot_infos] : NULL;
}

int kt_names_take_spare(const struct kt_slot *named, void *target)
{
    if (kt_spares.used == KT_SPARE_SLOTS)
        return -1;
    kt_spares.named[kt_spares.used] = (uint16_t)(named - kt_slots);
    kt_spares.target[kt_spares.used] = target;
    return (int)kt_spares.used++;
}
