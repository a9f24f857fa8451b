/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/setup/known_caches.h"

#include "replay/machine/caches.h"
#include "replay/machine/probed.h"
#include "replay/setup/recall.h"
#include "replay/store/identity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void kt_caches_find(struct kt_hierarchy *out)
{
    struct kt_machine machine;
    struct kt_error none = {0};
    kt_caches_read(NULL, &out->caches);
    if (kt_machine_read(NULL, &machine, &none) == KT_OK)
        out->probed = kt_probed_caches(&machine, &out->caches);
}

/* WHAT is known, of caches of these sizes. */
static void make_name(const char *what, const struct kt_hierarchy *hierarchy, char *out, size_t size)
{
    int used = snprintf(out, size, "%s%s", what, hierarchy->probed ? ", probed" : "");
    for (unsigned i = 0; i < hierarchy->caches.count; i++)
        used += snprintf(out + used, size - (size_t)used, ", %" PRIu64, hierarchy->caches.cache[i].bytes);
}

static bool has_doubts(const struct kt_hierarchy *hierarchy)
{
    for (unsigned i = 0; i + 1 < hierarchy->caches.count; i++)
        if (*hierarchy->sweep[i].doubt)
            return true;
    return false;
}

void kt_known_sweeps(struct kt_recall *recall, bool fresh, unsigned evicted, struct kt_hierarchy *hierarchy)
{
    char what[64];
    char name[256];
    struct kt_hierarchy known;
    snprintf(what, sizeof what, "caches by method %d, evicting %x", KT_TIMING_METHOD, evicted);
    make_name(what, hierarchy, name, sizeof name);
    if (recall && !fresh && kt_recall_fact(recall, true, name, &known, sizeof known) &&
        kt_hierarchy_is_sound(&known, &hierarchy->caches)) {
        *hierarchy = known;
        return;
    }
    kt_hierarchy_calibrate(evicted, kt_pages_limit() / 4, hierarchy);
    if (recall && !has_doubts(hierarchy))
        kt_recall_set_fact(recall, true, name, hierarchy, sizeof *hierarchy);
}

void kt_known_last_cache(struct kt_recall *recall, bool fresh, struct kt_hierarchy *hierarchy)
{
    char name[256];
    uint64_t usable;
    struct kt_cache *last = &hierarchy->caches.cache[hierarchy->caches.count - 1];
    make_name("of the last cache, bytes", hierarchy, name, sizeof name);
    hierarchy->last_bytes = last->bytes;
    bool known = recall && !fresh && kt_recall_fact(recall, true, name, &usable, sizeof usable) && usable &&
                 usable <= last->bytes;
    if (!known) {
        usable = kt_hierarchy_usable(hierarchy, kt_pages_limit() / 4);
        if (recall)
            kt_recall_set_fact(recall, true, name, &usable, sizeof usable);
    }
    last->bytes = usable;
}
