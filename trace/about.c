/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/about.h"

#include "trace/memory.h"
#include "trace/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

/* Short names, which are also what a path or version string says, and the names that people know. */
static const struct {
    const char *name, *title;
} libraries[] = {{"openblas", "OpenBLAS"}, {"blis", "BLIS"},   {"mkl", "MKL"},  {"atlas", "ATLAS"},
                 {"flame", "libFLAME"},    {"armpl", "ArmPL"}, {"nvpl", "NVPL"}};

enum { LIBRARIES = sizeof libraries / sizeof *libraries };

void kt_about_line(const char *label, const char *format, ...)
{
    char text[4096];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    printf("%-10s %s\n", label, kt_text_clean(text));
}

void kt_about_command(const struct kt_process *process, size_t width)
{
    size_t used = 0;
    char *text = kt_resize(NULL, width + 1, 1);
    *text = '\0';
    for (size_t i = 0; i < process->metas && used <= width; i++)
        if (!strcmp(process->meta[i].key, "arg"))
            used += (size_t)snprintf(text + used, width + 1 - used, "%s%s", used ? " " : "", process->meta[i].value);
    kt_about_line("command", "%s%s", text, used > width ? ".." : "");
    free(text);
}

static int find_library(const struct kt_object *library)
{
    int i = 0;
    while (i < LIBRARIES && !strcasestr(library->path, libraries[i].name) &&
           !strcasestr(library->version, libraries[i].name))
        i++;
    return i;
}

/* The reference library says nothing of itself and comes last. */
static bool is_reference(const struct kt_object *library)
{
    return strstr(library->soname, "libblas.so") || strstr(library->soname, "liblapack.so");
}

const char *kt_about_library_name(const struct kt_object *library)
{
    int i = find_library(library);
    return i < LIBRARIES ? libraries[i].name : is_reference(library) ? "reference" : "";
}

/* The first word of TEXT that begins with a digit; returns its length, 0 if there is none. */
static size_t find_number(const char *text, const char **out)
{
    size_t length = 0;
    while (*text && !isdigit((unsigned char)*text)) {
        text += strcspn(text, " ");
        text += strspn(text, " ");
    }
    while (isalnum((unsigned char)text[length]) || (text[length] && strchr(".-+", text[length])))
        length++;
    *out = text;
    return length;
}

void kt_about_library(const struct kt_object *library, char *out, size_t size)
{
    const char *number;
    int i = find_library(library);
    const char *title = i < LIBRARIES ? libraries[i].title : is_reference(library) ? "reference" : "";
    const char *slash = strrchr(library->path, '/');
    const char *file = *library->soname ? library->soname : slash ? slash + 1 : library->path;
    int length = (int)find_number(library->version, &number);
    if (length)
        snprintf(out, size, "%s %.*s", *title ? title : file, length, number);
    else
        snprintf(out, size, "%s%s%s", title, *title ? " " : "", file);
}
