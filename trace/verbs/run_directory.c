/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/verbs/run_directory.h"

#include "ktrace/launcher.h"
#include "ktrace/options.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void append(char *path, const char *text, size_t length)
{
    size_t used = strlen(path);
    snprintf(path + used, PATH_MAX - used, "%.*s", (int)length, text);
}

static void append_escape(char *path, char which, const char *program, pid_t child)
{
    char text[PATH_MAX] = "%";
    const char *slash = strrchr(program, '/');
    if (which == 'p')
        snprintf(text, sizeof text, "%ld", (long)child);
    else if (which == 'x')
        snprintf(text, sizeof text, "%s", slash ? slash + 1 : program);
    else if (which == 'h')
        gethostname(text, sizeof text - 1);
    else if (which == 'r')
        snprintf(text, sizeof text, "%lld", (long long)(kt_launched().rank < 0 ? 0 : kt_launched().rank));
    append(path, text, strlen(text));
}

static const char *default_pattern(void)
{
#define KT_OPTION_DEFAULT(name, type, standard, meaning) \
    if (!strcmp(#name, "OUT"))                           \
        return standard;
    KT_OPTIONS(KT_OPTION_DEFAULT)
#undef KT_OPTION_DEFAULT
    return "ktrace";
}

void kt_run_directory_find(const char *output, const char *program, pid_t child, char out[PATH_MAX])
{
    const char *environment = getenv("KTRACE_OUT");
    const char *pattern = output ? output : environment && *environment ? environment : default_pattern();
    out[0] = '\0';
    if (*pattern != '/' && getcwd(out, PATH_MAX))
        append(out, "/", 1);
    for (const char *c = pattern; *c; c++) {
        if (*c == '%' && c[1] && !output)
            append_escape(out, *++c, program, child);
        else
            append(out, c, 1);
    }
}

static bool is_process_name(const char *name)
{
    return name[0] == 'p' && name[1] >= '0' && name[1] <= '9';
}

/* In one pass: other ranks may be adding to it. */
bool kt_run_directory_read(const char *path, struct kt_run_contents *out)
{
    DIR *directory = opendir(path);
    *out = (struct kt_run_contents){0};
    if (!directory)
        return false;
    for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        if (is_process_name(entry->d_name))
            out->processes++;
        else if (!strcmp(entry->d_name, "README"))
            out->readme = true;
        else
            out->others += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(directory);
    return true;
}

/* All ranks of a job may be run with the same directory: whoever comes second finds processes of the others. */
static bool is_free(const struct kt_run_contents *found)
{
    return !found->others && (kt_launched().rank >= 0 || (!found->processes && !found->readme));
}

enum kt_status kt_run_directory_prepare(const char *path, bool *created, struct kt_error *error)
{
    if (strlen(path) >= PATH_MAX - 1)
        return kt_fail(error, KT_SYSTEM, "%s: the path is too long", path);
    *created = mkdir(path, 0700) == 0;
    if (*created)
        return KT_OK;
    if (errno != EEXIST)
        return kt_fail(error, KT_SYSTEM, "%s: cannot be created: %s", path, strerror(errno));
    struct kt_run_contents found;
    struct stat st;
    if (stat(path, &st) == 0 && st.st_uid != geteuid())
        return kt_fail(error, KT_USAGE, "%s: belongs to another user; choose a new directory with -o", path);
    bool can_read = kt_run_directory_read(path, &found);
    if (can_read && !is_free(&found))
        return kt_fail(error, KT_USAGE, "%s: is not empty; choose a new directory with -o", path);
    if (!can_read || access(path, W_OK | X_OK) != 0)
        return kt_fail(error, KT_SYSTEM, "%s: cannot be written to: %s", path, strerror(errno));
    return KT_OK;
}
