/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/call/library.h"

#include "trace/table/known.h"
#include "trace/library/elf_file.h"
#include "trace/library/library_probe.h"
#include "trace/base/memory.h"
#include "trace/print/text.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- from what the user wrote ------------------------------------------------------------------------------ */

/* The library is asked; of one that does not tell, or cannot be loaded, the name is believed. */
static bool has_wide_integers(const struct kt_installed *found)
{
    struct kt_library_probe probe;
    bool sounds_wide = false;
    kt_library_probe(found, &probe);
    for (int i = 0; i < found->files; i++)
        sounds_wide |= kt_installed_sounds_wide(found->file[i]);
    return probe.int_bytes ? probe.int_bytes == 8 : sounds_wide;
}

static enum kt_status refuse_wide(const struct kt_installed *found, struct kt_error *error)
{
    return has_wide_integers(found)
               ? kt_fail(error, KT_BAD_INPUT,
                         "%s has 64-bit integers (ILP64): only libraries with 32-bit integers can be chosen",
                         found->file[0])
               : KT_OK;
}

static void take_files(struct kt_library *library, struct kt_installed *found)
{
    for (; library->files < found->files; library->files++)
        library->file[library->files] = found->file[library->files];
    found->files = 0;
}

enum kt_status kt_library_find(const char *text, struct kt_library *out, struct kt_error *error)
{
    struct kt_installed found;
    *out = (struct kt_library){.int_bytes = 4, .threads = 1};
    enum kt_status status = kt_installed_find(text, &found, error);
    if (status == KT_OK)
        status = refuse_wide(&found, error);
    snprintf(out->name, sizeof out->name, "%s", found.name);
    if (status == KT_OK)
        take_files(out, &found);
    kt_installed_free(&found);
    return status;
}

void kt_library_copy(const struct kt_library *library, struct kt_library *out)
{
    *out = *library;
    for (int i = 0; i < library->files; i++) {
        out->file[i] = kt_copy(library->file[i]);
        out->why[i] = library->why[i] ? kt_copy(library->why[i]) : NULL;
    }
}

enum kt_status kt_library_add_lapack(struct kt_library *library, const char *text, struct kt_error *error)
{
    struct kt_library lapack;
    enum kt_status status = kt_library_find(text, &lapack, error);
    if (status == KT_OK && library->files + lapack.files > KT_LIBRARY_FILES)
        status = kt_fail(error, KT_USAGE, "more than %d files for one library", KT_LIBRARY_FILES);
    if (status == KT_OK) {
        memmove(library->file + 1 + lapack.files, library->file + 1,
                (size_t)(library->files - 1) * sizeof *library->file);
        memcpy(library->file + 1, lapack.file, (size_t)lapack.files * sizeof *library->file);
        library->files += lapack.files;
        library->in_order = true;
        lapack.files = 0;
    }
    kt_library_free(&lapack);
    return status;
}

/* --- from a trace ------------------------------------------------------------------------------------------ */

/* Also what no recorded call was bound to, if it looks like a BLAS: another library may need exactly that file.
 * Programs and modules of interpreters may have such names, but not begin like a library. */
bool kt_library_is_linear_algebra(const char *path)
{
    static const char *const part[] = {"blas", "lapack", "blis", "mkl_", "atlas", "flame"};
    const char *name = kt_base_name(path);
    if (strncmp(name, "lib", 3) != 0 || !strstr(name, ".so"))
        return false;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        if (strstr(name, part[i]))
            return true;
    return false;
}

/* Order of loading: what other libraries build on comes first, those of 64-bit integers behind all others. */
static int rank_of(const char *path, bool wide)
{
    enum { RANKS = 3 };
    const char *name = kt_base_name(path);
    int rank = 1;
    if (strstr(name, "openblas") || strstr(name, "atlas"))
        rank = 0;
    else if (strstr(name, "lapack") || strstr(name, "flame"))
        rank = 2;
    return rank + (wide ? RANKS : 0);
}

static void insert_by_rank(struct kt_library *library, const char *path, bool wide)
{
    for (int i = 0; i < library->files; i++)
        if (!strcmp(library->file[i], path))
            return;
    if (library->files == KT_LIBRARY_FILES)
        return;
    int at = library->files++;
    for (; at > 0 && rank_of(library->file[at - 1], library->wide[at - 1]) > rank_of(path, wide); at--) {
        library->file[at] = library->file[at - 1];
        library->wide[at] = library->wide[at - 1];
    }
    library->file[at] = kt_copy(path);
    library->wide[at] = wide;
}

/* The library that calls of LAPACK went to; NULL: there were none. */
static const struct kt_object *recorded_lapack(const struct kt_trace *trace)
{
    for (size_t p = 0; p < trace->processes; p++)
        for (size_t i = 0; i < trace->process[p].entries; i++) {
            const struct kt_entry *entry = &trace->process[p].entry[i];
            if (entry->symbol.routine && kt_known_is_lapack(entry->symbol.routine->name))
                return entry->library;
        }
    return NULL;
}

static bool has_lapack(const struct kt_library *library)
{
    struct kt_library_probe probe;
    struct kt_installed files = {.files = library->files};
    memcpy(files.file, library->file, sizeof files.file);
    kt_library_probe(&files, &probe);
    return probe.has_lapack;
}

/* Is what is at its path another build than was recorded? NOW is its build id. */
static bool is_other_build(const struct kt_object *object, char now[KT_BUILD_ID_TEXT])
{
    return object->build_id && *object->build_id && kt_build_id_of(object->path, now) &&
           strcmp(now, object->build_id) != 0;
}

/* A library that was replaced since would be timed in the place of the one that the program ran on. */
static enum kt_status check_build(const struct kt_object *object, struct kt_error *error)
{
    char now[KT_BUILD_ID_TEXT];
    if (!is_other_build(object, now))
        return KT_OK;
    return kt_fail(
        error, KT_BAD_INPUT,
        "%s is not the library that was recorded: its build id is %.12s... and was %.12s...; to time it all the "
        "same, name it with --blas",
        object->path, now, object->build_id);
}

/* The system's files belong to whom its root belongs to: in user namespaces that may be nobody. */
static bool is_trusted(uid_t owner)
{
    struct stat root;
    return owner == 0 || owner == geteuid() || (stat("/", &root) == 0 && owner == root.st_uid);
}

/* A trace says which files are loaded, and anybody can make a trace. */
static enum kt_status check_owner(const struct kt_object *object, struct kt_error *error)
{
    struct stat st;
    if (stat(object->path, &st) != 0 || is_trusted(st.st_uid))
        return KT_OK;
    return kt_fail(
        error, KT_BAD_INPUT,
        "%s, which the trace names, belongs to user %lu, neither to you nor to root; if you trust it, name it "
        "with --blas",
        object->path, (unsigned long)st.st_uid);
}

/* In the directory of FILE: the file of that name and build; NULL: there is none. */
static char *build_beside(const char *file, const struct kt_object *object)
{
    char build[KT_BUILD_ID_TEXT];
    size_t directory = (size_t)(kt_base_name(file) - file);
    char *path = kt_resize(NULL, directory + strlen(object->path) + 1, 1);
    sprintf(path, "%.*s%s", (int)directory, file, object->path);
    if (kt_build_id_of(path, build) && !strcmp(build, object->build_id))
        return path;
    free(path);
    return NULL;
}

/* Where a file is of which only the name and the build are told; NULL: not among the installed libraries. */
static char *find_build(const struct kt_object *object)
{
    const char *name;
    bool alias;
    char *found = NULL;
    struct kt_installed line;
    for (int i = 0; !found && kt_installed_line(i, &name, &alias, &line); i++) {
        for (int k = 0; !found && k < line.files; k++)
            found = build_beside(line.file[k], object);
        kt_installed_free(&line);
    }
    return found;
}

/* The objects are the trace's own, and all that asks for their paths asks for the same. */
static void locate_builds(const struct kt_trace *trace)
{
    for (size_t p = 0; p < trace->processes; p++)
        for (size_t i = 0; i < trace->process[p].objects; i++) {
            struct kt_object *object = &trace->process[p].object[i];
            bool is_name = object->path && *object->path && !strchr(object->path, '/');
            char *found = is_name && object->build_id && *object->build_id ? find_build(object) : NULL;
            if (!found)
                continue;
            free(object->path);
            object->path = found;
        }
}

/* A name without a place is nobody's file here. */
static bool is_here(const struct kt_object *object)
{
    return strchr(object->path, '/') && access(object->path, R_OK) == 0;
}

static enum kt_status add_object(struct kt_library *library, const struct kt_object *object, struct kt_error *error)
{
    if (!object->is_library && !kt_library_is_linear_algebra(object->path))
        return KT_OK;
    if (!is_here(object))
        return object->is_library ? kt_fail(error, KT_BAD_INPUT,
                                            "%s, which the trace was recorded with, is not on this machine; choose a "
                                            "library with --blas",
                                            object->path)
                                  : KT_OK;
    KT_TRY(check_build(object, error));
    KT_TRY(check_owner(object, error));
    insert_by_rank(library, object->path, object->int_bytes == 8);
    if (!object->is_library)
        return KT_OK;
    library->int_bytes = object->int_bytes == 8 ? 8 : library->int_bytes;
    return KT_OK;
}

enum kt_status kt_library_add_recorded_lapack(struct kt_library *library, const struct kt_trace *trace,
                                              struct kt_error *error)
{
    struct kt_error ignored = {0};
    const struct kt_object *lapack = recorded_lapack(trace);
    if (!lapack || !lapack->path || !is_here(lapack) || check_build(lapack, &ignored) != KT_OK ||
        check_owner(lapack, &ignored) != KT_OK || has_lapack(library))
        return KT_OK;
    kt_notice("%s has no LAPACK: %s, which was recorded, is called on its BLAS", library->file[0], lapack->path);
    return kt_library_add_lapack(library, lapack->path, error);
}

static bool holds(const struct kt_library *library, const char *path);
static bool holds_all(const struct kt_library *larger, const struct kt_library *smaller);

/* The short name of the first installed library that fits WHAT; NULL: none does. */
static const char *find_installed(bool (*fits)(const struct kt_library *installed, const void *what), const void *what)
{
    const char *name;
    bool alias;
    struct kt_installed line;
    for (int i = 0; kt_installed_line(i, &name, &alias, &line); i++) {
        struct kt_library candidate = {0};
        take_files(&candidate, &line);
        bool found = candidate.files && !alias && fits(&candidate, what);
        kt_library_free(&candidate);
        if (found)
            return name;
    }
    return NULL;
}

static bool is_same(const struct kt_library *installed, const void *library)
{
    return kt_library_same(installed, library);
}

static bool is_wholly(const struct kt_library *installed, const void *library)
{
    return is_same(installed, library) && holds_all(installed, library);
}

static bool holds_first(const struct kt_library *installed, const void *library)
{
    return is_same(installed, library) && holds(installed, ((const struct kt_library *)library)->file[0]);
}

bool kt_library_name_build(struct kt_library *library, bool wholly)
{
    const char *name = find_installed(wholly ? is_wholly : holds_first, library);
    if (name)
        snprintf(library->name, sizeof library->name, "%s", name);
    return name != NULL;
}

static bool has_file(const struct kt_library *library, const char *path)
{
    for (int i = 0; i < library->files; i++)
        if (kt_same_file(library->file[i], path))
            return true;
    return false;
}

const struct kt_object *kt_library_other_build(const struct kt_library *library, const struct kt_trace *trace,
                                               char build[KT_BUILD_ID_TEXT])
{
    for (size_t p = 0; p < trace->processes; p++)
        for (size_t i = 0; i < trace->process[p].objects; i++) {
            const struct kt_object *object = &trace->process[p].object[i];
            if (object->is_library && object->path && has_file(library, object->path) && is_other_build(object, build))
                return object;
        }
    return NULL;
}

bool kt_library_takes(const struct kt_library *library, size_t int_bytes)
{
    return library->is_recorded || library->int_bytes == int_bytes;
}

int kt_library_threads_recorded(const struct kt_trace *trace)
{
    int threads = 1;
    for (size_t p = 0; p < trace->processes; p++)
        for (size_t i = 0; i < trace->process[p].objects; i++) {
            const struct kt_object *object = &trace->process[p].object[i];
            if (object->is_library && object->threads > threads)
                threads = object->threads;
        }
    return threads;
}

/* A file of a recorded library. */
struct part {
    const struct kt_library *recorded;
    const char *file;
};

/* Has an installed library the file, and not the first of the recorded one? */
static bool owns(const struct kt_library *installed, const void *what)
{
    const struct part *part = what;
    return has_file(installed, part->file) && !holds(installed, part->recorded->file[0]);
}

/* "openblas-serial+reference", if the program's LAPACK is another one's, or a library takes 64-bit integers. */
static void name_recorded(struct kt_library *library)
{
    if (kt_library_name_build(library, true))
        return;
    if (!kt_library_name_build(library, false)) {
        snprintf(library->name, sizeof library->name, "%s", kt_base_name(library->file[0]));
        return;
    }
    for (int i = 0; i < library->files; i++) {
        const struct part part = {library, library->file[i]};
        bool is_another = strstr(part.file, "lapack") || library->wide[i];
        const char *owner = is_another ? find_installed(owns, &part) : NULL;
        size_t used = strlen(library->name);
        if (owner) {
            snprintf(library->name + used, sizeof library->name - used, "+%s", owner);
            return;
        }
    }
}

enum kt_status kt_library_recorded(const struct kt_trace *trace, struct kt_library *out, struct kt_error *error)
{
    locate_builds(trace);
    *out = (struct kt_library){.int_bytes = 4, .is_recorded = true, .threads = kt_library_threads_recorded(trace)};
    for (size_t p = 0; p < trace->processes; p++)
        for (size_t i = 0; i < trace->process[p].objects; i++)
            if (trace->process[p].object[i].path)
                KT_TRY(add_object(out, &trace->process[p].object[i], error));
    if (out->files == 0)
        return kt_fail(error, KT_BAD_INPUT, "%s names no BLAS library; choose one with --blas", trace->path);
    name_recorded(out);
    return KT_OK;
}

void kt_library_free(struct kt_library *library)
{
    while (library->files > 0) {
        free(library->why[--library->files]);
        free(library->file[library->files]);
    }
}

/* The same file, or files of one package: distributions give each build of a BLAS a directory of its own. What the user
 * built may be several versions in one directory. */
static bool belong_together(const char *a, const char *b)
{
    char of_a[PATH_MAX];
    char of_b[PATH_MAX];
    if (!strcmp(a, b) || kt_same_file(a, b))
        return true;
    return kt_real_directory(a, of_a) && kt_real_directory(b, of_b) && !strcmp(of_a, of_b) &&
           !strncmp(of_a, "/usr/", 5) && !kt_installed_is_shared_directory(of_a);
}

static bool holds(const struct kt_library *library, const char *path)
{
    for (int i = 0; i < library->files; i++)
        if (belong_together(library->file[i], path))
            return true;
    return false;
}

static bool holds_all(const struct kt_library *larger, const struct kt_library *smaller)
{
    for (int i = 0; i < smaller->files; i++)
        if (!holds(larger, smaller->file[i]))
            return false;
    return true;
}

bool kt_library_has_all_called(const struct kt_library *library, const struct kt_trace *trace)
{
    for (size_t p = 0; p < trace->processes; p++)
        for (size_t i = 0; i < trace->process[p].objects; i++) {
            const struct kt_object *object = &trace->process[p].object[i];
            if (object->is_library && object->path && !holds(library, object->path))
                return false;
        }
    return true;
}

bool kt_library_equal(const struct kt_library *a, const struct kt_library *b)
{
    bool equal = a->files == b->files;
    for (int i = 0; equal && i < a->files; i++)
        equal = !strcmp(a->file[i], b->file[i]);
    return equal;
}

/* A trace may have seen only a part of the files, or more than are needed. */
bool kt_library_same(const struct kt_library *a, const struct kt_library *b)
{
    return holds_all(a, b) || holds_all(b, a);
}
