/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/library/installed.h"

#include "trace/base/memory.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* Short names, with the files they stand for in a directory of libraries. The first line of a name whose files are
 * all there counts. OpenBLAS has a LAPACK in the same file; the others need the reference one. Names with 64 have
 * 64-bit integers. */
#define WITH_LAPACK(name, directory)                                     \
    {name, {directory "/libblas.so.3", "lapack/liblapack.so.3"}, false}, \
    {                                                                    \
        name, {directory "/libblas.so.3"}, false                         \
    }
#define WITH_LAPACK64(name, directory)                                         \
    {name, {directory "/libblas64.so.3", "lapack64/liblapack64.so.3"}, false}, \
    {                                                                          \
        name, {directory "/libblas64.so.3"}, false                             \
    }
static const struct {
    const char *name;
    const char *file[2];
    bool alias;
} known[] = {
    {"system", {"libblas.so.3", "liblapack.so.3"}, true},
    {"system", {"libblas.so.3"}, true},
    {"openblas", {"openblas-serial/libopenblas.so.0"}, true},
    {"openblas", {"openblas-pthread/libopenblas.so.0"}, true},
    {"openblas", {"openblas-openmp/libopenblas.so.0"}, true},
    {"openblas", {"libopenblas.so.0"}, true},
    {"openblas-serial", {"openblas-serial/libopenblas.so.0"}, false},
    {"openblas-pthread", {"openblas-pthread/libopenblas.so.0"}, false},
    {"openblas-openmp", {"openblas-openmp/libopenblas.so.0"}, false},
    {"openblas64-serial", {"openblas64-serial/libopenblas64.so.0"}, false},
    {"openblas64-pthread", {"openblas64-pthread/libopenblas64.so.0"}, false},
    {"openblas64-openmp", {"openblas64-openmp/libopenblas64.so.0"}, false},
    WITH_LAPACK("reference", "blas"),
    WITH_LAPACK64("reference64", "blas64"),
    {"blis", {"blis-serial/libblas.so.3", "lapack/liblapack.so.3"}, true},
    {"blis", {"blis-pthread/libblas.so.3", "lapack/liblapack.so.3"}, true},
    {"blis", {"blis-openmp/libblas.so.3", "lapack/liblapack.so.3"}, true},
    {"blis", {"blis-serial/libblas.so.3"}, true},
    {"blis", {"blis-pthread/libblas.so.3"}, true},
    {"blis", {"blis-openmp/libblas.so.3"}, true},
    WITH_LAPACK("blis-serial", "blis-serial"),
    WITH_LAPACK("blis-pthread", "blis-pthread"),
    WITH_LAPACK("blis-openmp", "blis-openmp"),
    WITH_LAPACK64("blis64-serial", "blis64-serial"),
    WITH_LAPACK64("blis64-pthread", "blis64-pthread"),
    WITH_LAPACK64("blis64-openmp", "blis64-openmp"),
    {"atlas", {"atlas/libblas.so.3", "atlas/liblapack.so.3"}, false},
    {"mkl", {"libmkl_rt.so"}, false},
    {"mkl", {"libmkl_rt.so.2"}, false},
    {"mkl", {"libmkl_rt.so.1"}, false},
};

enum { KNOWN = sizeof known / sizeof *known };

const char *kt_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool kt_real_directory(const char *path, char *out)
{
    if (!realpath(path, out))
        return false;
    *strrchr(out, '/') = '\0';
    return true;
}

bool kt_same_file(const char *a, const char *b)
{
    char real_a[PATH_MAX];
    char real_b[PATH_MAX];
    return realpath(a, real_a) && realpath(b, real_b) && !strcmp(real_a, real_b);
}

/* --- directories ------------------------------------------------------------------------------------------- */

/* The directory of the C library is the one where the distribution puts libraries for this architecture. */
static const char *system_directory(void)
{
    static char directory[PATH_MAX];
    Dl_info info;
    if (!*directory && dladdr(dlsym(RTLD_DEFAULT, "getpid"), &info))
        kt_real_directory(info.dli_fname, directory);
    return *directory ? directory : "/usr/lib";
}

static const char *const usual[] = {NULL,
                                    "/usr/lib64",
                                    "/usr/lib",
                                    "/usr/local/lib",
                                    "/usr/local/lib64",
                                    "/opt/OpenBLAS/lib",
                                    "/opt/intel/oneapi/mkl/latest/lib",
                                    "/opt/intel/oneapi/mkl/latest/lib/intel64",
                                    "/opt/intel/mkl/lib/intel64"};

enum { DIRECTORIES = sizeof usual / sizeof *usual };

static const char *directory(int i)
{
    return usual[i] ? usual[i] : system_directory();
}

bool kt_installed_is_shared_directory(const char *path)
{
    for (int i = 0; i < DIRECTORIES; i++)
        if (!strcmp(path, directory(i)))
            return true;
    return false;
}

/* The path of a file of the table, or NULL; to be freed. */
static char *locate(const char *file)
{
    char path[PATH_MAX];
    const char *mkl = getenv("MKLROOT");
    for (int i = 0; i < DIRECTORIES; i++) {
        snprintf(path, sizeof path, "%s/%s", directory(i), file);
        if (access(path, R_OK) == 0)
            return kt_copy(path);
    }
    snprintf(path, sizeof path, "%s/lib/%s", mkl ? mkl : "", file);
    return mkl && access(path, R_OK) == 0 ? kt_copy(path) : NULL;
}

/* --- the table --------------------------------------------------------------------------------------------- */

void kt_installed_free(struct kt_installed *library)
{
    while (library->files > 0)
        free(library->file[--library->files]);
}

static enum kt_status add(struct kt_installed *library, const char *file, struct kt_error *error)
{
    if (library->files == KT_INSTALLED_FILES)
        return kt_fail(error, KT_USAGE, "more than %d files for one library", KT_INSTALLED_FILES);
    library->file[library->files++] = kt_copy(file);
    return KT_OK;
}

/* Appends the files of line I if all of them are there. */
static bool add_known(struct kt_installed *library, int i)
{
    int before = library->files;
    for (int f = 0; f < 2 && known[i].file[f]; f++) {
        char *path = library->files < KT_INSTALLED_FILES ? locate(known[i].file[f]) : NULL;
        if (!path) {
            while (library->files > before)
                free(library->file[--library->files]);
            return false;
        }
        library->file[library->files++] = path;
    }
    return true;
}

bool kt_installed_line(int i, const char **name, bool *alias, struct kt_installed *out)
{
    *out = (struct kt_installed){0};
    if (i >= KNOWN)
        return false;
    *name = known[i].name;
    *alias = known[i].alias;
    snprintf(out->name, sizeof out->name, "%s", known[i].name);
    add_known(out, i);
    return true;
}

/* --- what the user wrote ----------------------------------------------------------------------------------- */

/* libopenblas64.so and the like have 64-bit integers, libmkl_intel_lp64.so and what is for x86_64 need not. */
bool kt_installed_sounds_wide(const char *path)
{
    const char *name = kt_base_name(path);
    if (strstr(name, "ilp64"))
        return true;
    const char *at = strstr(name, "64");
    while (at && at - name >= 4 && !strncmp(at - 4, "x86_", 4))
        at = strstr(at + 2, "64");
    return at && !strstr(name, "lp64");
}

static enum kt_status fail_missing(const char *name, struct kt_error *error)
{
    char files[512] = "";
    for (int i = 0; i < KNOWN; i++)
        if (!strcmp(known[i].name, name) && strlen(files) < sizeof files - 128)
            sprintf(files + strlen(files), "%s%s%s%s", *files ? " or " : "", known[i].file[0],
                    known[i].file[1] ? " with " : "", known[i].file[1] ? known[i].file[1] : "");
    return kt_fail(error, KT_BAD_INPUT, "%s is not installed: looked for %s in %s, %s, %s, %s and others", name, files,
                   directory(0), directory(1), directory(2), directory(3));
}

static enum kt_status add_short(struct kt_installed *library, const char *name, struct kt_error *error)
{
    bool is_known = false;
    for (int i = 0; i < KNOWN; i++) {
        if (strcmp(known[i].name, name) != 0)
            continue;
        if (add_known(library, i))
            return KT_OK;
        is_known = true;
    }
    if (is_known)
        return fail_missing(name, error);
    return kt_fail(error, KT_USAGE,
                   "'%s' is no path, no soname and no short name of a library; "
                   "`ktrace info --libraries` lists the short names",
                   name);
}

static enum kt_status add_part(struct kt_installed *library, const char *text, struct kt_error *error)
{
    if (strchr(text, '/')) {
        if (access(text, R_OK) != 0)
            return kt_fail(error, KT_BAD_INPUT, "%s: there is no such library", text);
        return add(library, text, error);
    }
    if (strstr(text, ".so"))
        return add(library, text, error);
    return add_short(library, text, error);
}

enum kt_status kt_installed_find(const char *text, struct kt_installed *out, struct kt_error *error)
{
    *out = (struct kt_installed){0};
    char *copy = kt_copy(text);
    char *rest = copy;
    enum kt_status status = KT_OK;
    for (char *part; status == KT_OK && (part = strsep(&rest, ","));)
        if (*part)
            status = add_part(out, part, error);
    free(copy);
    if (status == KT_OK && out->files == 0)
        status = kt_fail(error, KT_USAGE, "the name of a library is empty");
    if (status != KT_OK)
        kt_installed_free(out);
    bool one_path = strchr(text, '/') && !strchr(text, ',');
    snprintf(out->name, sizeof out->name, "%s", one_path ? kt_base_name(text) : text);
    return status;
}

/* --- others ------------------------------------------------------------------------------------------------ */

struct found {
    char **path; /* as found */
    char **real; /* without symbolic links */
    size_t count;
    size_t named; /* the first ones are those of the table */
};

/* Distributions give each build of a library a directory of its own: what else is in it is the same build. */
static bool is_of_same_build(const char *a, const char *b)
{
    char directory_of[PATH_MAX];
    size_t length = (size_t)(kt_base_name(a) - a);
    if (strncmp(a, b, length) != 0 || strchr(b + length, '/'))
        return false;
    snprintf(directory_of, sizeof directory_of, "%.*s", length ? (int)length - 1 : 0, a);
    return !kt_installed_is_shared_directory(directory_of);
}

bool kt_installed_is_same_build(const char *a, const char *b)
{
    char real_a[PATH_MAX];
    char real_b[PATH_MAX];
    return realpath(a, real_a) && realpath(b, real_b) && (!strcmp(real_a, real_b) || is_of_same_build(real_a, real_b));
}

static bool is_found(const struct found *found, const char *real)
{
    for (size_t i = 0; i < found->count; i++)
        if (!strcmp(found->real[i], real) || (i < found->named && is_of_same_build(found->real[i], real)))
            return true;
    return false;
}

static void note_file(struct found *found, const char *path)
{
    char real[PATH_MAX];
    if (!realpath(path, real) || is_found(found, real))
        return;
    found->path = kt_room_for_one(found->path, found->count, sizeof *found->path);
    found->real = kt_room_for_one(found->real, found->count, sizeof *found->real);
    found->path[found->count] = kt_copy(path);
    found->real[found->count++] = kt_copy(real);
}

static void note_known(struct found *found)
{
    const char *name;
    bool alias;
    struct kt_installed library;
    for (int i = 0; kt_installed_line(i, &name, &alias, &library); i++) {
        for (int f = 0; f < library.files; f++)
            note_file(found, library.file[f]);
        kt_installed_free(&library);
    }
}

static void note_pattern(struct found *found, const char *in, const char *pattern)
{
    char path[PATH_MAX];
    glob_t list;
    snprintf(path, sizeof path, "%s/%s", in, pattern);
    if (glob(path, 0, NULL, &list) == 0)
        for (size_t i = 0; i < list.gl_pathc; i++)
            note_file(found, list.gl_pathv[i]);
    globfree(&list);
}

static void note_directory(struct found *found, const char *in)
{
    static const char *const pattern[] = {"libopenblas*.so*", "libblis*.so*",  "libmkl_rt.so*",
                                          "libflexiblas.so*", "libarmpl*.so*", "libnvpl_blas_*.so*"};
    for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++)
        note_pattern(found, in, pattern[i]);
}

static void note_search_path(struct found *found)
{
    const char *list = getenv("LD_LIBRARY_PATH");
    char *copy = kt_copy(list ? list : "");
    char *rest = copy;
    for (char *part; (part = strsep(&rest, ":;"));)
        if (*part)
            note_directory(found, part);
    free(copy);
}

size_t kt_installed_others(char ***path)
{
    struct found found = {0};
    note_known(&found);
    size_t named = found.count;
    found.named = named;
    for (int i = 0; i < DIRECTORIES; i++)
        note_directory(&found, directory(i));
    note_directory(&found, "/usr/lib/*/blis-*");
    note_directory(&found, "/opt/*/lib");
    note_search_path(&found);
    for (size_t i = 0; i < found.count; i++)
        free(found.real[i]);
    for (size_t i = 0; i < named; i++)
        free(found.path[i]);
    free(found.real);
    *path = found.path;
    if (found.count > named)
        memmove(found.path, found.path + named, (found.count - named) * sizeof *found.path);
    return found.count - named;
}
