/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/machine/shared_cache.h"

#include "trace/base/cpulist.h"
#include "trace/base/lines.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static bool read_line(const char *root, int cpu, int index, const char *name, char *out, size_t size)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%d/cache/index%d/%s", root, cpu, index, name);
    return kt_lines_first(path, out, size);
}

static bool parse_list(const char *text, struct kt_shared_cache *out)
{
    if (!kt_cpulist_parse(text, &out->processors) || !CPU_COUNT(&out->processors))
        return false;
    for (out->first = 0; !CPU_ISSET(out->first, &out->processors);)
        out->first++;
    return true;
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
