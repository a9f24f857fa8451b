/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/shape/sites.h"

#include "trace/base/memory.h"

#include <search.h>

enum { RECENT = 256 /* a power of two */ };

/* Where a place is in its file, or its line of the source. */
struct place {
    const struct kt_object *object;      /* or */
    const struct kt_source_line *source; /* borrowed from the first process */
    uint64_t offset;                     /* in the object */
    struct kt_site site;
};

struct recent {
    struct kt_site of, as;
};

struct kt_sites {
    void *tree; /* of struct place */
    struct recent recent[RECENT];
};

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_sources(const struct kt_source_line *x, const struct kt_source_line *y)
{
    int order = compare_numbers((uint64_t)x->line, (uint64_t)y->line);
    if (order == 0)
        order = strcmp(x->function, y->function);
    return order ? order : strcmp(x->file, y->file);
}

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a;
    const struct place *y = b;
    if (!x->object || !y->object)
        return x->object || y->object ? (x->object != NULL) - (y->object != NULL)
                                      : compare_sources(x->source, y->source);
    int order = compare_numbers(x->offset, y->offset);
    if (order == 0)
        order = strcmp(x->object->build_id, y->object->build_id);
    return order ? order : strcmp(x->object->path, y->object->path);
}

struct kt_sites *kt_sites_new(void)
{
    struct kt_sites *sites = kt_zeros(1, sizeof *sites);
    return sites;
}

void kt_sites_free(struct kt_sites *sites)
{
    if (sites)
        tdestroy(sites->tree, free);
    free(sites);
}

/* False: it is a place of that process only. */
static bool find_place(const struct kt_site *site, struct place *out)
{
    *out = (struct place){.site = *site};
    if (site->id & KT_SITE_IS_SOURCE) {
        out->source = kt_source_line(site->process, (uint32_t)site->id);
        return out->source && !out->source->parent;
    }
    out->object = site->id ? kt_object_at(site->process, site->id - 1) : NULL;
    out->offset = out->object ? site->id - out->object->bias : 0;
    return out->object;
}

static struct kt_site common_site(struct kt_sites *sites, const struct kt_site *site)
{
    struct place place;
    if (!find_place(site, &place))
        return *site;
    struct place **found = tfind(&place, &sites->tree, compare_places);
    if (found)
        return (*found)->site;
    if (!tsearch(kt_copy_of_array(&place, 1, sizeof place), &sites->tree, compare_places))
        abort();
    return *site;
}

struct kt_site kt_sites_of(struct kt_sites *sites, const struct kt_call *call)
{
    struct kt_site site = {call->process, kt_call_site(call)};
    struct recent *recent = &sites->recent[(site.id * 0x9e3779b97f4a7c15u) >> 56 & (RECENT - 1)];
    if (recent->of.process != site.process || recent->of.id != site.id)
        *recent = (struct recent){site, common_site(sites, &site)};
    return recent->as;
}
