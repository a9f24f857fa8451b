/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/command/control_file.h"

#include <stdio.h>
#include <string.h>

bool kt_control_file_is_pid(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

/* The path in a line of /proc/PID/maps if that is a control file; the line's end is cut off. */
static const char *control_path(char *line)
{
    static const char name[] = "/control";
    char *path = strchr(line, '/');
    if (!path)
        return NULL;
    path[strcspn(path, "\n")] = '\0';
    size_t length = strlen(path);
    return length > sizeof name && !strcmp(path + length - (sizeof name - 1), name) ? path : NULL;
}

enum kt_status kt_control_file_find(const char *pid, char out[PATH_MAX], struct kt_error *error)
{
    char line[PATH_MAX + 128];
    const char *path = NULL;
    snprintf(line, sizeof line, "/proc/%s/maps", pid);
    FILE *maps = fopen(line, "r");
    if (!maps)
        return kt_fail(error, KT_BAD_INPUT, "there is no process %s that this user may look at", pid);
    while (!path && fgets(line, sizeof line, maps))
        path = control_path(line);
    fclose(maps);
    if (!path)
        return kt_fail(error, KT_BAD_INPUT,
                       "process %s is not being traced, or has not made a call yet (start it with KTRACE_PAUSED=1?)",
                       pid);
    snprintf(out, PATH_MAX, "%s", path);
    return KT_OK;
}
