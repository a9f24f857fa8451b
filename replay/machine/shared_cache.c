/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/machine/shared_cache.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static bool read_line(const char *root, int cpu, int index, const char *name, char *out, size_t size)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%d/cache/index%d/%s", root, cpu, index, name);
    FILE *file = fopen(path, "r");
    bool found = file && fgets(out, (int)size, file);
    if (file)
        fclose(file);
    return found;
}

/* "0-3,8-11"; false if it is no such list. */
static bool parse_list(const char *text, struct kt_shared_cache *out)
{
    CPU_ZERO(&out->processors);
    out->first = -1;
    while (*text >= '0' && *text <= '9') {
        char *end;
        unsigned long from = strtoul(text, &end, 10);
        unsigned long to = *end == '-' ? strtoul(end + 1, &end, 10) : from;
        for (unsigned long cpu = from; cpu <= to && cpu < CPU_SETSIZE; cpu++)
            CPU_SET(cpu, &out->processors);
        out->first = out->first < 0 ? (int)from : out->first;
        text = *end == ',' ? end + 1 : end;
    }
    return out->first >= 0 && CPU_COUNT(&out->processors);
}

bool kt_shared_cache_of(const char *root, int cpu, struct kt_shared_cache *out)
{
    char level[16];
    char list[4096];
    struct kt_shared_cache found = {.level = 0};
    out->level = 0;
    root = root ? root : "";
    for (int index = 0; read_line(root, cpu, index, "level", level, sizeof level); index++) {
        found.level = (unsigned)strtoul(level, NULL, 10);
        if (found.level > out->level && read_line(root, cpu, index, "shared_cpu_list", list, sizeof list) &&
            parse_list(list, &found))
            *out = found;
    }
    return out->level > 0;
}
