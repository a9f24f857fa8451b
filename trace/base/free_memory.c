/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/base/free_memory.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* The number behind KEY at the beginning of a line of the file; NONE if there is none. */
static uint64_t read_number(const char *path, const char *key, uint64_t none)
{
    char line[256];
    unsigned long long number;
    uint64_t found = none;
    FILE *file = fopen(path, "re");
    while (file && found == none && fgets(line, sizeof line, file))
        if (!strncmp(line, key, strlen(key)) && sscanf(line + strlen(key), " %llu", &number) == 1)
            found = number;
    if (file)
        fclose(file);
    return found;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t difference(uint64_t all, uint64_t used)
{
    return all > used ? all - used : 0;
}

/* --- control groups ---------------------------------------------------------------------------------------------- */

/* What the files of a group are called, and the pages of files in memory.stat, with those of the groups below it. */
struct naming {
    const char *mount, *most, *used, *active, *inactive;
};

static const struct naming first_version = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                                            "total_active_file ", "total_inactive_file "};
static const struct naming second_version = {"/sys/fs/cgroup", "memory.max", "memory.current", "active_file ",
                                             "inactive_file "};

static uint64_t number_of(const char *group, const char *file, const char *key, uint64_t none)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", group, file);
    return length > 0 && (size_t)length < sizeof path ? read_number(path, key, none) : none;
}

static uint64_t left_in_group(const char *group, const struct naming *naming)
{
    uint64_t most = number_of(group, naming->most, "", UINT64_MAX);
    uint64_t used = number_of(group, naming->used, "", 0);
    uint64_t files = number_of(group, "memory.stat", naming->active, 0);
    files += number_of(group, "memory.stat", naming->inactive, 0);
    return most == UINT64_MAX ? most : difference(most, difference(used, files));
}

/* Of a group and those above it. In a container PATH may be one that only the system outside knows: then its own group
 * is where the groups are mounted. */
static uint64_t left_in_groups(const char *root, const struct naming *naming, const char *path)
{
    char group[PATH_MAX];
    uint64_t left = UINT64_MAX;
    size_t mount = strlen(root) + strlen(naming->mount);
    int length = snprintf(group, sizeof group, "%s%s%s", root, naming->mount, path);
    if (length < 0 || (size_t)length >= sizeof group)
        return left;
    for (;;) {
        left = smaller(left, left_in_group(group, naming));
        char *slash = strrchr(group + mount, '/');
        if (!slash)
            return left;
        *slash = '\0';
    }
}

/* Whether controllers as in "4:cpu,memory:/path" have memory among them. */
static bool have_memory(const char *controllers)
{
    size_t length = strlen("memory");
    for (const char *at = controllers; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (!strncmp(at, "memory", length) && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

/* Lines are "NUMBER:CONTROLLERS:PATH"; the second version of groups has number 0 and no controllers. */
static uint64_t left_in_all_groups(const char *root)
{
    char line[PATH_MAX];
    uint64_t left = UINT64_MAX;
    snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
    FILE *file = fopen(line, "re");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path)
            continue;
        *controllers++ = *path++ = '\0';
        if (!strcmp(line, "0") && !*controllers)
            left = smaller(left, left_in_groups(root, &second_version, path));
        else if (have_memory(controllers))
            left = smaller(left, left_in_groups(root, &first_version, path));
    }
    if (file)
        fclose(file);
    return left;
}

/* --- all --------------------------------------------------------------------------------------------------------- */

static uint64_t left_of_limit(int resource, const char *used_key)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    return difference(limit.rlim_cur, 1024 * read_number("/proc/self/status", used_key, 0));
}

uint64_t kt_free_memory(const char *root)
{
    char path[PATH_MAX];
    const uint64_t otherwise = UINT64_C(2) << 20; /* KiB; systems that do not tell are old ones */
    root = root ? root : "";
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    uint64_t left = 1024 * read_number(path, "MemAvailable:", otherwise);
    left = smaller(left, left_in_all_groups(root));
    left = smaller(left, left_of_limit(RLIMIT_AS, "VmSize:"));
    return smaller(left, left_of_limit(RLIMIT_DATA, "VmData:"));
}
