/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What hwloc says: on x86 it asks the processor as well as the system, so it may know more, or be lied to otherwise.
 */
#include "model/probe/claims.h"

#include <hwloc.h>

static json_t *cache_json(hwloc_obj_t object)
{
    const struct hwloc_cache_attr_s *cache = &object->attr->cache;
    json_t *json = json_pack("{s:i, s:I}", "level", (int)cache->depth, "bytes", (json_int_t)cache->size);
    if (cache->associativity > 0)
        json_object_set_new(json, "ways", json_integer(cache->associativity));
    if (cache->linesize > 0)
        json_object_set_new(json, "line", json_integer(cache->linesize));
    json_object_set_new(json, "processors", json_integer(hwloc_bitmap_weight(object->cpuset)));
    return json;
}

/* Of the first processor, nearest first. */
static json_t *caches_of(hwloc_topology_t topology)
{
    json_t *array = json_array();
    hwloc_obj_t object = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, 0);
    for (; object; object = object->parent)
        if (hwloc_obj_type_is_dcache(object->type) && object->attr->cache.size > 0)
            json_array_append_new(array, cache_json(object));
    return array;
}

json_t *kt_claims_of_hwloc(void)
{
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return json_pack("{s:[]}", "caches");
    if (hwloc_topology_load(topology) != 0) {
        hwloc_topology_destroy(topology);
        return json_pack("{s:[]}", "caches");
    }
    json_t *claims = json_pack("{s:o, s:i, s:i}", "caches", caches_of(topology), "cores",
                               hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE), "processors",
                               hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU));
    hwloc_topology_destroy(topology);
    return claims;
}
