/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/probe/claims.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CACHES_MAX = 16 };

/* First line of ROOT/cpu/cpu0/cache/indexI/NAME; false: there is none. */
static bool line_of(const char *root, int i, const char *name, char *out, size_t size)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/cpu/cpu0/cache/index%d/%s", root, i, name);
    FILE *file = fopen(path, "r");
    bool read = file && fgets(out, (int)size, file);
    if (file)
        fclose(file);
    if (read)
        out[strcspn(out, "\n")] = 0;
    return read;
}

/* "32K", "35.8M", "64": bytes; 0: not a number. */
static double bytes_of(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    double unit = *end == 'K' ? 1024 : *end == 'M' ? 1048576 : *end == 'G' ? 1073741824 : 1;
    return end > text && value > 0 && value * unit < 1e13 ? value * unit : 0;
}

static void set_number(json_t *object, const char *key, const char *root, int i, const char *name)
{
    char text[64];
    double value = line_of(root, i, name, text, sizeof text) ? bytes_of(text) : 0;
    if (value > 0)
        json_object_set_new(object, key, json_integer((json_int_t)value));
}

/* "0-3,8" are five. */
static int count_of(const char *list)
{
    int count = 0;
    for (const char *at = list; at; at = strchr(at, ',')) {
        int first = 0;
        int last = 0;
        at += *at == ',';
        int numbers = sscanf(at, "%d-%d", &first, &last);
        count += numbers == 2 && last > first ? last - first + 1 : numbers > 0;
    }
    return count;
}

json_t *kt_claims_of_caches(const char *root)
{
    json_t *array = json_array();
    char text[256];
    for (int i = 0; i < CACHES_MAX && line_of(root, i, "type", text, sizeof text); i++) {
        if (!strcmp(text, "Instruction"))
            continue;
        json_t *cache = json_object();
        set_number(cache, "level", root, i, "level");
        set_number(cache, "bytes", root, i, "size");
        set_number(cache, "ways", root, i, "ways_of_associativity");
        set_number(cache, "line", root, i, "coherency_line_size");
        if (line_of(root, i, "shared_cpu_list", text, sizeof text)) {
            json_object_set_new(cache, "shared", json_string(text));
            json_object_set_new(cache, "processors", json_integer(count_of(text)));
        }
        json_array_append_new(array, cache);
    }
    return array;
}

json_t *kt_claims_of_system(void)
{
    const char *root = getenv("KTRACE_SYSFS");
    return kt_claims_of_caches(root && *root ? root : "/sys/devices/system");
}

double kt_claims_last_cache(const json_t *claims, size_t cpus)
{
    double bytes = 0;
    size_t i;
    json_t *cache;
    json_array_foreach(claims, i, cache)
    {
        double sharers = fmax(1, json_number_value(json_object_get(cache, "processors")));
        bytes = fmax(bytes, json_number_value(json_object_get(cache, "bytes")) * ceil((double)cpus / sharers));
    }
    return bytes;
}

static void compare(json_t *out, const char *what, const json_t *claimed, const json_t *measured, double ratio)
{
    double a = json_number_value(claimed);
    double b = json_number_value(measured);
    if (!json_is_number(claimed) && !json_is_number(measured))
        return;
    if (a > 0 && b > 0 && fmax(a, b) <= ratio * fmin(a, b))
        return;
    if (!json_is_number(measured))
        return;
    json_t *row = json_pack("{s:s}", "what", what);
    json_object_set(row, "claimed", json_is_number(claimed) ? (json_t *)claimed : json_null());
    json_object_set(row, "measured", (json_t *)measured);
    json_array_append_new(out, row);
}

static const json_t *level_of(const json_t *array, json_int_t level)
{
    size_t i;
    json_t *cache;
    json_array_foreach(array, i, cache)
    {
        if (json_integer_value(json_object_get(cache, "level")) == level)
            return cache;
    }
    return NULL;
}

/* A cache whose size is known to lie between two bounds only: the claim is compared with the nearer one. */
static void compare_range(json_t *out, const char *what, const json_t *claimed, const json_t *cache)
{
    const json_t *range = json_object_get(cache, "bytes_between");
    double claim = json_number_value(claimed);
    double low = json_number_value(json_array_get(range, 0));
    double high = json_number_value(json_array_get(range, 1));
    if (!json_is_null(json_object_get(cache, "bytes")) || !(low > 0) || !json_is_number(claimed))
        return;
    if (claim < low / 1.25)
        compare(out, what, claimed, json_array_get(range, 0), 1);
    else if (claim > high * 1.25)
        compare(out, what, claimed, json_array_get(range, 1), 1);
}

json_t *kt_claims_compare(const json_t *probe, const json_t *claims)
{
    json_t *out = json_array();
    for (json_int_t level = 1; level <= 4; level++) {
        const json_t *claimed = level_of(claims, level);
        const json_t *measured = level_of(json_object_get(probe, "caches"), level);
        char what[64];
        snprintf(what, sizeof what, "bytes of cache level %d", (int)level);
        compare(out, what, json_object_get(claimed, "bytes"), json_object_get(measured, "bytes"), 1.25);
        compare_range(out, what, json_object_get(claimed, "bytes"), measured);
        snprintf(what, sizeof what, "ways of cache level %d", (int)level);
        compare(out, what, json_object_get(claimed, "ways"), json_object_get(measured, "ways"), 1);
    }
    compare(out, "cache line", json_object_get(level_of(claims, 1), "line"), json_object_get(probe, "line_bytes"), 1);
    return out;
}
