/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which processors control groups grant to a process: the recorder writes it down, and a replay reads what it has
 * itself. Of both versions of groups. It asks for files through a pointer, takes no memory and cannot fail: what cannot
 * be read grants everything.
 */
#ifndef KT_GRANTED_H
#define KT_GRANTED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a file as preload/file.h says: at most SIZE - 1 bytes, ended with a 0; nothing of what is not there. */
typedef size_t (*kt_granted_read)(const char *path, char *out, size_t size);

/* Large: not for the stack of a program that is recorded. */
struct kt_granted {
    uint64_t quota_us, period_us; /* so much processor time in each period; 0: there is no quota */
    char set[256];                /* processors, as "0-3,8"; "": not told */
    char groups[4096], path[1024], text[256];
};

static inline bool kt_granted_file(struct kt_granted *g, kt_granted_read read, const char *name)
{
    size_t length = strlen(g->path);
    if (length + strlen(name) + 2 > sizeof g->path)
        return false;
    g->path[length] = '/';
    memcpy(g->path + length + 1, name, strlen(name) + 1);
    size_t bytes = read(g->path, g->text, sizeof g->text);
    g->path[length] = '\0';
    g->text[strcspn(g->text, "\n")] = '\0';
    return bytes && bytes < sizeof g->text - 1 && *g->text; /* a list that was cut says something else */
}

/* The least of a group and those above it holds. */
static inline void kt_granted_quota(struct kt_granted *g, uint64_t quota, uint64_t period)
{
    if (!quota || !period)
        return;
    if (!g->quota_us || (double)quota * (double)g->period_us < (double)g->quota_us * (double)period) {
        g->quota_us = quota;
        g->period_us = period;
    }
}

/* "max 100000" and -1 are none. */
static inline void kt_granted_look(struct kt_granted *g, kt_granted_read read, bool second_version)
{
    char *end;
    if (second_version && kt_granted_file(g, read, "cpu.max")) {
        uint64_t quota = strtoull(g->text, &end, 10);
        kt_granted_quota(g, end > g->text ? quota : 0, strtoull(end, NULL, 10));
    }
    if (!second_version && kt_granted_file(g, read, "cpu.cfs_quota_us") && *g->text != '-') {
        uint64_t quota = strtoull(g->text, NULL, 10);
        if (kt_granted_file(g, read, "cpu.cfs_period_us"))
            kt_granted_quota(g, quota, strtoull(g->text, NULL, 10));
    }
}

static inline void kt_granted_set(struct kt_granted *g, kt_granted_read read, bool second_version)
{
    if (!*g->set && kt_granted_file(g, read, second_version ? "cpuset.cpus.effective" : "cpuset.effective_cpus"))
        memcpy(g->set, g->text, sizeof g->set);
}

/* A group and those above it, up to where groups are mounted. In a container GROUP may be a path that only the system
 * outside knows: then its own is at the mount. */
static inline void kt_granted_walk(struct kt_granted *g, kt_granted_read read, const char *mount, const char *group,
                                   void (*look)(struct kt_granted *, kt_granted_read, bool), bool second_version)
{
    size_t from = strlen(mount);
    if (from + strlen(group) + 1 > sizeof g->path)
        return;
    memcpy(g->path, mount, from);
    memcpy(g->path + from, group, strlen(group) + 1);
    for (char *slash; (slash = strrchr(g->path + from, '/')); *slash = '\0')
        if (slash[1])
            look(g, read, second_version);
    look(g, read, second_version);
}

/* Is NAME one of the controllers as in "cpu,cpuacct"? */
static inline bool kt_granted_has(const char *controllers, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = controllers; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (!strncmp(at, name, length) && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

/* A line is "NUMBER:CONTROLLERS:GROUP"; the second version has number 0 and no controllers, and where there are both it
 * is mounted below. */
static inline void kt_granted_line(struct kt_granted *g, kt_granted_read read, char *line)
{
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
        return;
    *controllers++ = *group++ = '\0';
    if (!strcmp(line, "0") && !*controllers) {
        kt_granted_walk(g, read, "/sys/fs/cgroup", group, kt_granted_look, true);
        kt_granted_walk(g, read, "/sys/fs/cgroup", group, kt_granted_set, true);
        kt_granted_walk(g, read, "/sys/fs/cgroup/unified", group, kt_granted_look, true);
    }
    if (kt_granted_has(controllers, "cpu"))
        kt_granted_walk(g, read, "/sys/fs/cgroup/cpu", group, kt_granted_look, false);
    if (kt_granted_has(controllers, "cpuset"))
        kt_granted_walk(g, read, "/sys/fs/cgroup/cpuset", group, kt_granted_set, false);
}

static inline void kt_granted_find(struct kt_granted *g, kt_granted_read read)
{
    g->quota_us = g->period_us = 0;
    g->set[0] = '\0';
    read("/proc/self/cgroup", g->groups, sizeof g->groups);
    for (char *line = g->groups, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = '\0';
        kt_granted_line(g, read, line);
    }
}

#endif
