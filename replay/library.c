/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/library.h"

#include "trace/json.h"
#include "trace/memory.h"
#include "trace/text.h"

#include <ctype.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* Short names, with the files they stand for in a directory of libraries. The first line of a name whose files are
 * all there counts. OpenBLAS has a LAPACK in the same file; the others need the reference one. */
static const struct {
    const char *name;
    const char *file[2];
} known[] = {
    {"openblas", {"openblas-serial/libopenblas.so.0"}},
    {"openblas", {"openblas-pthread/libopenblas.so.0"}},
    {"openblas", {"openblas-openmp/libopenblas.so.0"}},
    {"openblas", {"libopenblas.so.0"}},
    {"openblas-serial", {"openblas-serial/libopenblas.so.0"}},
    {"openblas-pthread", {"openblas-pthread/libopenblas.so.0"}},
    {"openblas-openmp", {"openblas-openmp/libopenblas.so.0"}},
    {"reference", {"blas/libblas.so.3", "lapack/liblapack.so.3"}},
    {"reference", {"blas/libblas.so.3"}},
    {"blis", {"blis-serial/libblas.so.3", "lapack/liblapack.so.3"}},
    {"blis", {"blis-pthread/libblas.so.3", "lapack/liblapack.so.3"}},
    {"blis", {"blis-serial/libblas.so.3"}},
    {"blis", {"blis-pthread/libblas.so.3"}},
    {"blis-serial", {"blis-serial/libblas.so.3", "lapack/liblapack.so.3"}},
    {"blis-serial", {"blis-serial/libblas.so.3"}},
    {"blis-pthread", {"blis-pthread/libblas.so.3", "lapack/liblapack.so.3"}},
    {"blis-pthread", {"blis-pthread/libblas.so.3"}},
    {"atlas", {"atlas/libblas.so.3", "atlas/liblapack.so.3"}},
    {"mkl", {"libmkl_rt.so"}},
    {"mkl", {"libmkl_rt.so.2"}},
};

enum { KNOWN = sizeof known / sizeof *known };

/* --- where libraries are ----------------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The directory of the C library is the one where the distribution puts libraries for this architecture. */
static const char *system_directory(void)
{
    static char directory[PATH_MAX];
    Dl_info info;
    if (!*directory && dladdr(dlsym(RTLD_DEFAULT, "getpid"), &info) && realpath(info.dli_fname, directory))
        directory[base_name(directory) - directory - 1] = '\0';
    return *directory ? directory : "/usr/lib";
}

enum { DIRECTORIES = 4 };

static const char *directory(int i)
{
    static const char *const usual[DIRECTORIES] = {NULL, "/usr/lib64", "/usr/lib", "/usr/local/lib"};
    return usual[i] ? usual[i] : system_directory();
}

/* The path of a file of the table, or NULL; to be freed. */
static char *locate(const char *file)
{
    char path[PATH_MAX];
    for (int i = 0; i < DIRECTORIES; i++) {
        snprintf(path, sizeof path, "%s/%s", directory(i), file);
        if (access(path, R_OK) == 0)
            return kt_copy(path);
    }
    return NULL;
}

static void forget_files(struct kt_library *library, int from)
{
    while (library->files > from)
        free(library->file[--library->files]);
}

/* Appends the files of line I of the table if all of them are there. */
static bool add_known(struct kt_library *library, int i)
{
    int before = library->files;
    for (int f = 0; f < 2 && known[i].file[f]; f++) {
        char *path = library->files < KT_LIBRARY_FILES ? locate(known[i].file[f]) : NULL;
        if (!path) {
            forget_files(library, before);
            return false;
        }
        library->file[library->files++] = path;
    }
    return true;
}

/* --- from what the user wrote ------------------------------------------------------------------------------ */

/* libopenblas64.so and the like have 64-bit integers, libmkl_intel_lp64.so has not. */
static bool has_wide_integers(const char *path)
{
    const char *name = base_name(path);
    return strstr(name, "ilp64") || (strstr(name, "64") && !strstr(name, "lp64"));
}

static enum kt_status add_file(struct kt_library *library, const char *path, struct kt_error *error)
{
    if (has_wide_integers(path))
        return kt_fail(error, KT_BAD_INPUT,
                       "%s has 64-bit integers (ILP64): only libraries with 32-bit integers can "
                       "be chosen",
                       path);
    if (library->files == KT_LIBRARY_FILES)
        return kt_fail(error, KT_USAGE, "more than %d files for one library", KT_LIBRARY_FILES);
    library->file[library->files++] = kt_copy(path);
    return KT_OK;
}

static enum kt_status fail_missing(const char *name, struct kt_error *error)
{
    char files[512] = "";
    for (int i = 0; i < KNOWN; i++)
        if (!strcmp(known[i].name, name) && strlen(files) < sizeof files - 128)
            sprintf(files + strlen(files), "%s%s%s%s", *files ? " or " : "", known[i].file[0],
                    known[i].file[1] ? " with " : "", known[i].file[1] ? known[i].file[1] : "");
    return kt_fail(error, KT_BAD_INPUT, "%s is not installed: looked for %s in %s, %s, %s and %s", name, files,
                   directory(0), directory(1), directory(2), directory(3));
}

static enum kt_status add_short(struct kt_library *library, const char *name, struct kt_error *error)
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

static enum kt_status add_part(struct kt_library *library, const char *text, struct kt_error *error)
{
    if (strchr(text, '/')) {
        if (access(text, R_OK) != 0)
            return kt_fail(error, KT_BAD_INPUT, "%s: there is no such library", text);
        return add_file(library, text, error);
    }
    if (strstr(text, ".so"))
        return add_file(library, text, error);
    return add_short(library, text, error);
}

enum kt_status kt_library_find(const char *text, struct kt_library *out, struct kt_error *error)
{
    *out = (struct kt_library){.int_bytes = 4, .threads = 1};
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
        kt_library_free(out);
    bool one_path = strchr(text, '/') && !strchr(text, ',');
    snprintf(out->name, sizeof out->name, "%s", one_path ? base_name(text) : text);
    return status;
}

/* --- from a trace ------------------------------------------------------------------------------------------ */

/* Also what no recorded call was bound to, if it looks like a BLAS: another library may need exactly that file. */
static bool is_linear_algebra(const char *path)
{
    static const char *const part[] = {"blas", "lapack", "blis", "libmkl_", "libatlas", "libflame"};
    const char *name = base_name(path);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        if (strstr(name, part[i]))
            return true;
    return false;
}

/* Order of loading: what other libraries build on comes first. */
static int rank_of(const char *path)
{
    const char *name = base_name(path);
    if (strstr(name, "openblas") || strstr(name, "atlas"))
        return 0;
    return strstr(name, "lapack") || strstr(name, "flame") ? 2 : 1;
}

static void insert_by_rank(struct kt_library *library, const char *path)
{
    for (int i = 0; i < library->files; i++)
        if (!strcmp(library->file[i], path))
            return;
    if (library->files == KT_LIBRARY_FILES)
        return;
    int at = library->files++;
    for (; at > 0 && rank_of(library->file[at - 1]) > rank_of(path); at--)
        library->file[at] = library->file[at - 1];
    library->file[at] = kt_copy(path);
}

static enum kt_status add_object(struct kt_library *library, const struct kt_object *object, struct kt_error *error)
{
    if (!object->is_library && !is_linear_algebra(object->path))
        return KT_OK;
    if (access(object->path, R_OK) == 0)
        insert_by_rank(library, object->path);
    else if (object->is_library)
        return kt_fail(error, KT_BAD_INPUT,
                       "%s, which the trace was recorded with, is not on this machine; choose a "
                       "library with --blas",
                       object->path);
    if (!object->is_library)
        return KT_OK;
    library->threads = object->threads > library->threads ? object->threads : library->threads;
    library->int_bytes = object->int_bytes == 8 ? 8 : library->int_bytes;
    return KT_OK;
}

/* The short name of the same files, or the name of the first one. */
static void name_recorded(struct kt_library *library)
{
    snprintf(library->name, sizeof library->name, "%s", base_name(library->file[0]));
    for (int i = 0; i < KNOWN; i++) {
        struct kt_library candidate = {0};
        bool same = add_known(&candidate, i) && kt_library_same(&candidate, library);
        forget_files(&candidate, 0);
        /* "openblas" is an alias: the line of its own name says which build it is */
        if (same && strcmp(known[i].name, "openblas") != 0 && strcmp(known[i].name, "blis") != 0) {
            snprintf(library->name, sizeof library->name, "%s", known[i].name);
            return;
        }
    }
}

enum kt_status kt_library_recorded(const struct kt_trace *trace, struct kt_library *out, struct kt_error *error)
{
    *out = (struct kt_library){.int_bytes = 4, .threads = 1};
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
    forget_files(library, 0);
}

static bool is_system_directory(const char *path)
{
    for (int i = 0; i < DIRECTORIES; i++)
        if (!strcmp(path, directory(i)))
            return true;
    return false;
}

/* The same file, or files of one package: distributions give each build of a BLAS a directory of its own. */
static bool belong_together(const char *a, const char *b)
{
    char real_a[PATH_MAX];
    char real_b[PATH_MAX];
    if (!realpath(a, real_a) || !realpath(b, real_b) || !strcmp(real_a, real_b))
        return !strcmp(a, b) || !strcmp(real_a, real_b);
    real_a[base_name(real_a) - real_a - 1] = '\0';
    real_b[base_name(real_b) - real_b - 1] = '\0';
    return !strcmp(real_a, real_b) && !is_system_directory(real_a);
}

static bool holds_all(const struct kt_library *larger, const struct kt_library *smaller)
{
    for (int i = 0; i < smaller->files; i++) {
        bool found = false;
        for (int j = 0; j < larger->files && !found; j++)
            found = belong_together(larger->file[j], smaller->file[i]);
        if (!found)
            return false;
    }
    return true;
}

/* A trace may have seen only a part of the files, or more than are needed. */
bool kt_library_same(const struct kt_library *a, const struct kt_library *b)
{
    return holds_all(a, b) || holds_all(b, a);
}

/* --- loaded ------------------------------------------------------------------------------------------------ */

static void set_threads(int threads)
{
    static const char *const name[] = {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS",
                                       "GOTO_NUM_THREADS"};
    char text[16];
    snprintf(text, sizeof text, "%d", threads);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        setenv(name[i], text, 1);
    /* MKL's run-time library needs to be told the calling convention of gfortran. */
    setenv("MKL_INTERFACE_LAYER", "GNU,LP64", 1);
    setenv("MKL_THREADING_LAYER", threads == 1 ? "SEQUENTIAL" : "GNU", 1);
}

enum kt_status kt_library_load(struct kt_library *library, struct kt_error *error)
{
    set_threads(library->threads);
    for (int i = 0; i < library->files; i++) {
        library->handle[i] = dlopen(library->file[i], RTLD_NOW | RTLD_GLOBAL);
        if (!library->handle[i])
            return kt_fail(error, KT_BAD_INPUT, "cannot load the library: %s", dlerror());
    }
    return KT_OK;
}

void *kt_library_symbol(const struct kt_library *library, const char *symbol, const char *preferred)
{
    for (int i = 0; i < library->files; i++) {
        void *found = preferred && !strcmp(library->file[i], preferred) ? dlsym(library->handle[i], symbol) : NULL;
        if (found)
            return found;
    }
    for (int i = 0; i < library->files; i++) {
        void *found = dlsym(library->handle[i], symbol);
        if (found)
            return found;
    }
    return NULL;
}

/* "3.11.0" of libblas.so.3.11.0; "" for a file whose name does not end in at least two numbers. */
static void version_of_file(const char *path, char *out, size_t size)
{
    char real[PATH_MAX];
    *out = '\0';
    if (!realpath(path, real))
        return;
    const char *version = strstr(base_name(real), ".so.");
    if (version && strchr(version + 4, '.') && isdigit((unsigned char)version[4]))
        snprintf(out, size, "%s", version + 4);
}

/* Text that ends in blanks or a newline is common. */
static void copy_trimmed(const char *text, char *out, size_t size)
{
    snprintf(out, size, "%s", text);
    size_t length = strlen(out);
    while (length && isspace((unsigned char)out[length - 1]))
        out[--length] = '\0';
}

void kt_library_version(const struct kt_library *library, char *out, size_t size)
{
    static const char *const function[] = {"openblas_get_config", "openblas_get_config64_", "bli_info_get_version_str"};
    for (size_t i = 0; i < sizeof function / sizeof *function; i++) {
        const char *(*version)(void) = (const char *(*)(void))kt_library_symbol(library, function[i], NULL);
        if (version) {
            copy_trimmed(version(), out, size);
            return;
        }
    }
    void (*mkl)(char *, int) = (void (*)(char *, int))kt_library_symbol(library, "MKL_Get_Version_String", NULL);
    if (mkl) {
        char text[256] = "";
        mkl(text, sizeof text - 1);
        copy_trimmed(text, out, size);
        return;
    }
    version_of_file(library->file[0], out, size);
}

/* --- the list ---------------------------------------------------------------------------------------------- */

static bool is_first_of_name(int i)
{
    return i == 0 || strcmp(known[i].name, known[i - 1].name) != 0;
}

static void join_files(const struct kt_library *library, char *out, size_t size)
{
    *out = '\0';
    for (int i = 0; i < library->files; i++) {
        size_t length = strlen(out);
        snprintf(out + length, size - length, "%s%s", i ? "," : "", library->file[i]);
    }
}

static json_t *files_json(const struct kt_library *library)
{
    json_t *files = json_array();
    for (int i = 0; i < library->files; i++)
        json_array_append_new(files, json_string(library->file[i]));
    return files;
}

int kt_libraries_list(bool json)
{
    static const struct kt_column column[] = {{.head = "name"}, {.head = "files", .shrink = true}};
    struct kt_text_table *table = kt_text_table_new(column, 2);
    json_t *list = json_array();
    for (int i = 0; i < KNOWN; i++) {
        struct kt_library library;
        struct kt_error error = {0};
        if (is_first_of_name(i) && kt_library_find(known[i].name, &library, &error) == KT_OK) {
            char files[2 * PATH_MAX];
            join_files(&library, files, sizeof files);
            kt_text_table_row(table, (const char *const[]){known[i].name, files});
            json_array_append_new(list, json_pack("{s:s, s:o}", "name", known[i].name, "files", files_json(&library)));
            kt_library_free(&library);
        }
    }
    if (json)
        kt_json_print(json_pack("{s:O}", "libraries", list));
    else
        kt_text_table_print(table);
    json_decref(list);
    kt_text_table_free(table);
    return KT_OK;
}
