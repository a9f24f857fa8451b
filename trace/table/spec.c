/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/table/spec.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *kt_spec_text(const char *path, struct kt_error *error)
{
    char *text = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "r");
    ssize_t length = file ? getdelim(&text, &room, '\0', file) : -1;
    if (length < 0)
        kt_fail(error, KT_BAD_INPUT, "%s: cannot be read: %s", path, errno ? strerror(errno) : "it is empty");
    if (file)
        fclose(file);
    if (length >= 0)
        return text;
    free(text);
    return NULL;
}

static int is_spec(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && !strcmp(dot, ".spec");
}

static enum kt_status add_file(const char *folder, const char *name, struct kt_table *table, struct kt_error *error)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *text = kt_spec_text(path, error);
    if (!text)
        return error->status;
    enum kt_status status = kt_table_add(text, path, table, error);
    free(text);
    return status;
}

/* Names of functions without a description, a reason behind each, become families without arguments. */
static enum kt_status add_names(const char *folder, struct kt_table *table, struct kt_error *error)
{
    char path[PATH_MAX];
    char family[256];
    enum kt_status status = KT_OK;
    snprintf(path, sizeof path, "%s/counted.list", folder);
    char *text = kt_spec_text(path, error);
    if (!text)
        return error->status;
    for (char *line = text; *line && status == KT_OK; line += strcspn(line, "\n"), line += *line == '\n') {
        int length = (int)strcspn(line, " \n");
        if (length == 0 || *line == '#')
            continue;
        snprintf(family, sizeof family, "[counted]\n%.*s d undescribed | |", length, line);
        status = kt_table_add(family, path, table, error);
    }
    free(text);
    return status;
}

enum kt_status kt_spec_load(const char *folder, struct kt_table *out, struct kt_error *error)
{
    struct dirent **file;
    enum kt_status status = KT_OK;
    *out = (struct kt_table){0};
    int count = scandir(folder, &file, is_spec, alphasort);
    if (count < 0)
        return kt_fail(error, KT_BAD_INPUT, "%s: cannot be read: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        if (status == KT_OK)
            status = add_file(folder, file[i]->d_name, out, error);
        free(file[i]);
    }
    free(file);
    return status == KT_OK ? add_names(folder, out, error) : status;
}
