/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/command/control_file.h"

#include "trace/library/installed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool kt_control_file_is_pid(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

/* The path in a line of /proc/PID/maps, if its file has that name; the line's end is cut off. */
static const char *path_to(const char *name, char *line)
{
    char *path = strchr(line, '/');
    if (!path)
        return NULL;
    path[strcspn(path, "\n")] = '\0';
    return !strcmp(kt_base_name(path), name) ? path : NULL;
}

/* Did it start with KTRACE_PAUSED=1? */
static bool starts_paused(const char *pid)
{
    static const char paused[] = "KTRACE_PAUSED=1";
    char path[64];
    char *variable = NULL;
    size_t size = 0;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%.20s/environ", pid);
    FILE *environment = fopen(path, "r");
    while (environment && !found && getdelim(&variable, &size, '\0', environment) > 0)
        found = !strcmp(variable, paused);
    free(variable);
    if (environment)
        fclose(environment);
    return found;
}

enum kt_status kt_control_file_find(const char *pid, char out[PATH_MAX], struct kt_error *error)
{
    char line[PATH_MAX + 128];
    const char *path = NULL;
    bool is_traced = false;
    snprintf(line, sizeof line, "/proc/%s/maps", pid);
    FILE *maps = fopen(line, "r");
    if (!maps)
        return kt_fail(error, KT_BAD_INPUT, "there is no process %s that this user may look at", pid);
    while (!path && fgets(line, sizeof line, maps)) {
        path = path_to("control", line);
        is_traced = is_traced || path_to("libktrace.so", line);
    }
    fclose(maps);
    if (!path && !is_traced)
        return kt_fail(error, KT_BAD_INPUT, "process %s is not being traced: it runs without libktrace.so", pid);
    if (!path)
        return kt_fail(error, KT_BAD_INPUT, "process %s has made no call that is recorded%s", pid,
                       starts_paused(pid) ? ", and its recording is paused (KTRACE_PAUSED=1)" : "");
    snprintf(out, PATH_MAX, "%s", path);
    return KT_OK;
}
