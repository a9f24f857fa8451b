/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/files/numbered.h"

#include "trace/base/memory.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parse_name(const char *text, char letter, struct kt_numbered_name *out)
{
    char *end;
    if (*text != letter || !isdigit((unsigned char)text[1]) || strlen(text) >= sizeof out->text)
        return false;
    *out = (struct kt_numbered_name){.number = strtoull(text + 1, &end, 10)};
    if (*end == '.' && isdigit((unsigned char)end[1]))
        out->suffix = strtoull(end + 1, &end, 10);
    strcpy(out->text, text);
    return *end == '\0' && out->number <= UINT32_MAX;
}

static int compare_names(const void *a, const void *b)
{
    const struct kt_numbered_name *x = a;
    const struct kt_numbered_name *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->suffix > y->suffix) - (x->suffix < y->suffix);
}

enum kt_status kt_numbered_list(const struct kt_files *files, const char *path, char letter, struct kt_numbered *out,
                                struct kt_error *error)
{
    struct kt_file_names all;
    *out = (struct kt_numbered){0};
    KT_TRY(kt_files_list(files, path, &all, error));
    for (size_t i = 0; i < all.count; i++) {
        struct kt_numbered_name name;
        if (!parse_name(all.name[i], letter, &name)) {
            out->others++;
            continue;
        }
        out->name = kt_room_for_one(out->name, out->count, sizeof *out->name);
        out->name[out->count++] = name;
    }
    kt_file_names_free(&all);
    if (out->count)
        qsort(out->name, out->count, sizeof *out->name, compare_names);
    return KT_OK;
}

bool kt_is_of_process(const char *path)
{
    for (const char *slash; (slash = strchr(path, '/')); path = slash + 1)
        if (path[0] == 'p' && isdigit((unsigned char)path[1]))
            return true;
    return false;
}

char *kt_path_join(const char *directory, const char *name)
{
    char *path = kt_resize(NULL, strlen(directory) + strlen(name) + 2, 1);
    sprintf(path, "%s/%s", directory, name);
    return path;
}

char *kt_path_without_slashes(const char *path)
{
    char *copy = kt_copy(path);
    size_t length = strlen(copy);
    while (length > 1 && copy[length - 1] == '/')
        copy[--length] = '\0';
    return copy;
}

bool kt_is_in(const struct kt_files *files, const char *directory, const char *name)
{
    char *path = kt_path_join(directory, name);
    bool found = kt_files_exist(files, path);
    free(path);
    return found;
}
