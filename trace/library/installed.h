/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where BLAS and LAPACK libraries are on this machine, and what the user may call them: a path, a soname, a short name,
 * or several of these joined by commas. A library is a list of files that are loaded in order.
 */
#ifndef KT_INSTALLED_H
#define KT_INSTALLED_H

#include "trace/base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { KT_INSTALLED_FILES = 16 };

struct kt_installed {
    char name[64];                  /* a short name, or the last part of one path, or what the user wrote */
    char *file[KT_INSTALLED_FILES]; /* in the order of loading; owned */
    int files;
};

/* TEXT as above. OUT is empty after an error. Whether the files can be loaded is not looked at. */
enum kt_status kt_installed_find(const char *text, struct kt_installed *out, struct kt_error *error);
void kt_installed_free(struct kt_installed *library);

/*
 * Line I of the table of short names; false behind its end. OUT stays empty if its files are not here. Names that stand
 * for another one, such as openblas for openblas-serial, are aliases.
 */
bool kt_installed_line(int i, const char **name, bool *alias, struct kt_installed *out);

/* Libraries that are here and that no short name stands for, those the user built: paths, to be freed with the array.
 */
size_t kt_installed_others(char ***path);

/* Is it a directory in which libraries of all kinds are? */
bool kt_installed_is_shared_directory(const char *path);

/* Does the name of the file say that its integers have 64 bits? */
bool kt_installed_sounds_wide(const char *path);

/* Do both paths lead to one file that is there, or to files in a directory that is one build's own? */
bool kt_installed_is_same_build(const char *a, const char *b);

/* Do both paths lead to one file that is there? */
bool kt_same_file(const char *a, const char *b);

/* The directory that the file really is in, PATH_MAX bytes; false: it is not there. */
bool kt_real_directory(const char *path, char *out);

/* Behind the last slash. */
const char *kt_base_name(const char *path);

#endif
