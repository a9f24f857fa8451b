/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/print/library_label.h"

#include "trace/library/installed.h"
#include "trace/print/text.h"

#include <stdio.h>
#include <string.h>

/* --- parts of paths ---------------------------------------------------------------------------------------- */

static size_t length_of(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return length;
}

/* Where the last PARTS of a path begin. */
static size_t begin_of(const char *path, size_t parts)
{
    size_t from = length_of(path);
    for (size_t part = 0; part < parts && from > 0; part++)
        for (from -= part > 0; from > 0 && path[from - 1] != '/';)
            from--;
    return from;
}

static bool same_parts(const char *a, const char *b, size_t parts)
{
    size_t from_a = begin_of(a, parts);
    size_t from_b = begin_of(b, parts);
    size_t length = length_of(a) - from_a;
    return length == length_of(b) - from_b && !memcmp(a + from_a, b + from_b, length);
}

static bool is_distinct(const char *const *path, size_t count, size_t i, size_t parts)
{
    for (size_t other = 0; other < count; other++)
        if (strcmp(path[other], path[i]) != 0 && same_parts(path[other], path[i], parts))
            return false;
    return true;
}

void kt_path_distinct(const char *const *path, size_t count, size_t i, char *out, size_t size)
{
    size_t parts = 1;
    while (!is_distinct(path, count, i, parts) && begin_of(path[i], parts) > 0)
        parts++;
    size_t from = begin_of(path[i], parts);
    size_t length = length_of(path[i]) - from;
    if (length < size)
        snprintf(out, size, "%.*s", (int)length, path[i] + from);
    else if (parts > 1) /* the first of these parts differs */
        snprintf(out, size, "%.*s..", (int)size - 3, path[i] + from);
    else
        snprintf(out, size, "..%.*s", (int)size - 3, path[i] + from + length - (size - 3));
    kt_text_clean(out);
}

/* --- libraries --------------------------------------------------------------------------------------------- */

bool kt_library_short_name(const char *path, char out[KT_LIBRARY_LABEL])
{
    const char *name;
    bool is_alias;
    bool found = false;
    struct kt_installed line;
    for (int i = 0; !found && kt_installed_line(i, &name, &is_alias, &line); i++) {
        found = line.files > 0 && !is_alias && kt_installed_is_same_build(line.file[0], path);
        if (found)
            snprintf(out, KT_LIBRARY_LABEL, "%s", name);
        kt_installed_free(&line);
    }
    return found;
}

void kt_library_labels(const char *const *file, size_t count, char (*out)[KT_LIBRARY_LABEL])
{
    for (size_t i = 0; i < count; i++)
        if (!strchr(file[i], '/') || !kt_library_short_name(file[i], out[i]))
            kt_path_distinct(file, count, i, out[i], sizeof out[i]);
}
