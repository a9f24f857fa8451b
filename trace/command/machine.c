/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/command/machine.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- where it is ------------------------------------------------------------------------------------------------- */

/* FNV-1a of the text, on top of KEY. */
static uint64_t add_text(uint64_t key, const char *text)
{
    for (; *text; text++)
        key = (key ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return key;
}

/* Adds the first line of a file that begins with LABEL. */
static uint64_t add_line(uint64_t key, const char *path, const char *label)
{
    char line[512];
    FILE *file = fopen(path, "r");
    if (!file)
        return key;
    while (fgets(line, sizeof line, file))
        if (!strncmp(line, label, strlen(label))) {
            key = add_text(key, line);
            break;
        }
    fclose(file);
    return key;
}

/* Those that may be used here, as text. */
static const char *processors(char *out, size_t size)
{
    cpu_set_t set;
    size_t used = 0;
    *out = '\0';
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return out;
    for (int i = 0; i < CPU_SETSIZE && used < size; i++)
        if (CPU_ISSET(i, &set))
            used += (size_t)snprintf(out + used, size - used, " %d", i);
    return out;
}

/* taskset, a container's or a batch job's cpuset: what is measured is of a part of the machine. */
bool kt_machine_is_part(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) < sysconf(_SC_NPROCESSORS_ONLN);
}

static uint64_t machine_key(bool is_part)
{
    uint64_t key = UINT64_C(0xcbf29ce484222325);
    char count[32];
    char list[8 * CPU_SETSIZE];
    snprintf(count, sizeof count, "%ld", sysconf(_SC_NPROCESSORS_CONF));
    key = add_line(key, "/etc/machine-id", "");
    key = add_line(key, "/proc/cpuinfo", "model name");
    key = add_line(key, "/proc/cpuinfo", "CPU part");
    key = add_text(key, count);
    return is_part ? add_text(key, processors(list, sizeof list)) : key;
}

/* Of the whole machine, or of the part of its processors that may be used here. */
static bool path_of(bool is_part, char *out, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    bool given = cache && *cache == '/';
    if (!given && !(home && *home))
        return false;
    int length = snprintf(out, size, "%s%s/ktrace/machine-%016" PRIx64 ".json", given ? cache : home,
                          given ? "" : "/.cache", machine_key(is_part));
    return length > 0 && (size_t)length < size;
}

bool kt_machine_path(char *out, size_t size)
{
    return path_of(kt_machine_is_part(), out, size);
}

/* --- what it says ---------------------------------------------------------------------------------------------------
 */

static double number(const json_t *object, const char *key, double otherwise)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

/* 0 where it makes no sense. */
static int whole(const json_t *object, const char *key, int otherwise)
{
    double value = number(object, key, otherwise);
    return value >= 0 && value <= INT_MAX ? (int)value : 0;
}

static double half_of(const json_t *cache)
{
    const json_t *range = json_object_get(cache, "bytes_between");
    double low = json_number_value(json_array_get(range, 0));
    double high = json_number_value(json_array_get(range, 1));
    double bytes = number(cache, "bytes", 0);
    if (low > 0 && high >= low)
        return sqrt(low * high);
    return bytes > 0 ? bytes : number(cache, "effective_bytes", 0);
}

static void take_caches(const json_t *array, struct kt_machine *out)
{
    size_t i;
    json_t *c;
    json_array_foreach(array, i, c)
    {
        if (out->caches == KT_MACHINE_CACHES)
            return;
        out->cache[out->caches++] = (struct kt_machine_cache){
            .bytes = number(c, "bytes", 0),
            .effective_bytes = number(c, "effective_bytes", 0),
            .half_bytes = half_of(c),
            .latency_cycles = number(c, "latency_cycles", NAN),
            .latency_ns = number(c, "latency_ns", NAN),
            .confidence = number(c, "confidence", 0),
            .ways = whole(c, "ways", 0),
        };
    }
}

static size_t take_roofs(const json_t *array, const char *per_cycle, const char *per_second,
                         struct kt_machine_roof *out)
{
    size_t count = 0;
    size_t i;
    json_t *roof;
    json_array_foreach(array, i, roof)
    {
        const char *name = json_string_value(json_object_get(roof, "name"));
        double value = number(roof, per_cycle, NAN);
        if (!name || !isfinite(value) || count == KT_MACHINE_ROOFS)
            continue;
        struct kt_machine_roof *r = &out[count++];
        snprintf(r->name, sizeof r->name, "%s", name);
        r->cores = whole(roof, "cores", 1);
        r->per_cycle = value;
        r->per_second = number(roof, per_second, NAN);
    }
    return count;
}

enum kt_status kt_machine_take(const json_t *document, struct kt_machine *out, struct kt_error *error)
{
    *out = (struct kt_machine){.tsc_hz = number(document, "tsc_hz", NAN), .core_hz = number(document, "core_hz", NAN)};
    if (!(out->tsc_hz > 0) || !(out->core_hz > 0))
        return kt_fail(error, KT_BAD_INPUT, "not a machine file: no tsc_hz and core_hz; 'ktrace probe' makes one");
    const json_t *memory = json_object_get(document, "memory");
    out->line_bytes = number(document, "line_bytes", 0);
    out->page_bytes = number(document, "page_bytes", 0);
    out->memory_latency_cycles = number(memory, "latency_cycles", NAN);
    out->memory_latency_ns = number(memory, "latency_ns", NAN);
    out->fma = json_is_true(json_object_get(document, "fma"));
    out->quick = json_is_true(json_object_get(document, "quick"));
    take_caches(json_object_get(document, "caches"), out);
    out->peaks = take_roofs(json_object_get(document, "peak"), "flops_per_cycle", "flops_per_second", out->peak);
    out->bandwidths =
        take_roofs(json_object_get(document, "bandwidth"), "bytes_per_cycle", "bytes_per_second", out->bandwidth);
    return KT_OK;
}

enum kt_status kt_machine_read(const char *path, struct kt_machine *out, struct kt_error *error)
{
    char own[PATH_MAX];
    json_t *document;
    if (!path && !kt_machine_path(own, sizeof own))
        return kt_fail(error, KT_BAD_INPUT, "neither XDG_CACHE_HOME nor HOME says where the machine file is");
    if (!path && access(own, R_OK) != 0 &&
        !(kt_machine_is_part() && path_of(false, own, sizeof own) && !access(own, R_OK)))
        return kt_fail(error, KT_BAD_INPUT, "this machine has not been measured; 'ktrace probe' does that");
    KT_TRY(kt_json_load(path ? path : own, &document, error));
    enum kt_status status = kt_machine_take(document, out, error);
    json_decref(document);
    return status;
}

double kt_machine_last_cache(const struct kt_machine *machine)
{
    double bytes = 0;
    for (size_t i = 0; i < machine->caches; i++)
        if (isfinite(machine->cache[i].effective_bytes))
            bytes = fmax(bytes, machine->cache[i].effective_bytes);
    return bytes;
}
