/* SPDX-License-Identifier: BSD-3-Clause */
/* Libraries within this process. */
#include "replay/call/library.h"

#include "trace/library/elf_file.h"
#include "trace/library/library_probe.h"
#include "trace/base/memory.h"

#include <ctype.h>
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>

/* --- settings ------------------------------------------------------------------------------------------------ */

static const char *const threads_variable[] = {"OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS",
                                               "GOTO_NUM_THREADS"};

const char *kt_library_threads_variable(const struct kt_library *library)
{
    for (size_t i = 0; i < sizeof threads_variable / sizeof *threads_variable; i++)
        if (!strncasecmp(library->name, threads_variable[i], strcspn(threads_variable[i], "_")))
            return threads_variable[i];
    return "OMP_NUM_THREADS";
}

void kt_program_set_threads(int threads, bool asked)
{
    char text[16];
    snprintf(text, sizeof text, "%d", threads);
    for (size_t i = 0; i < sizeof threads_variable / sizeof *threads_variable; i++)
        setenv(threads_variable[i], text, 1);
    setenv("OMP_NUM_THREADS", text, asked);
}

/* Before it is loaded. */
static void configure(const struct kt_library *library)
{
    kt_program_set_threads(library->threads, true);
    /* MKL's run-time library needs to be told the calling convention of gfortran. */
    setenv("MKL_INTERFACE_LAYER", library->int_bytes == 8 ? "GNU,ILP64" : "GNU,LP64", 1);
    setenv("MKL_THREADING_LAYER", library->threads == 1 ? "SEQUENTIAL" : "GNU", 1);
}

/* --- namespaces -------------------------------------------------------------------------------------------- */

/* Would those that need one of the two get the other? Both have the same name, or routines of the same names that take
 * other integers. */
static bool are_mistaken(const struct kt_library *library, int a, int b)
{
    char name[2][256];
    if (library->wide[a] != library->wide[b])
        return true;
    return kt_soname_of(library->file[a], name[0], sizeof *name) &&
           kt_soname_of(library->file[b], name[1], sizeof *name) && !strcmp(name[0], name[1]) &&
           !kt_same_file(library->file[a], library->file[b]);
}

/* Is there such a file before this one in that namespace? */
static bool meets_another(const struct kt_library *library, int file, Lmid_t space)
{
    for (int i = 0; i < file; i++)
        if (library->space[i] == space && library->handle[i] && are_mistaken(library, i, file))
            return true;
    return false;
}

static bool is_of_one_directory(const char *a, const char *b)
{
    char of_a[PATH_MAX];
    char of_b[PATH_MAX];
    return kt_real_directory(a, of_a) && kt_real_directory(b, of_b) && !strcmp(of_a, of_b);
}

/*
 * A program may hold two libraries by one soname, such as the system's libopenblas.so.0 and that of a wheel, or two
 * that take integers of different widths. What needs the name, or calls dgemm_, would get the first of them: so the
 * second, and all beside it in its directory, are loaded into a namespace of their own (dlmopen(3)).
 */
static Lmid_t choose_space(const struct kt_library *library, int file)
{
    for (int i = 0; i < file; i++)
        if (library->space[i] != LM_ID_BASE && library->handle[i] && !meets_another(library, file, library->space[i]) &&
            is_of_one_directory(library->file[i], library->file[file]))
            return library->space[i];
    return meets_another(library, file, LM_ID_BASE) ? LM_ID_NEWLM : LM_ID_BASE;
}

/* The environment that another namespace's C library sees is that of the start of this process. */
static void set_threads_of(void *handle, int threads)
{
    void (*set)(int) = (void (*)(int))dlsym(handle, "openblas_set_num_threads");
    if (set)
        set(threads);
}

static void load_file(struct kt_library *library, int i)
{
    Lmid_t space = choose_space(library, i);
    library->handle[i] = space == LM_ID_BASE ? dlopen(library->file[i], RTLD_NOW | RTLD_GLOBAL)
                                             : dlmopen(space, library->file[i], RTLD_NOW | RTLD_LOCAL);
    if (!library->handle[i]) {
        library->why[i] = kt_copy(dlerror());
        return;
    }
    dlinfo(library->handle[i], RTLD_DI_LMID, &library->space[i]);
    if (library->space[i] != LM_ID_BASE)
        set_threads_of(library->handle[i], library->threads);
}

enum kt_status kt_library_load(struct kt_library *library, struct kt_error *error)
{
    int loaded = 0;
    configure(library);
    for (int i = 0; i < library->files; i++) {
        load_file(library, i);
        loaded += library->handle[i] != NULL;
    }
    if (loaded == library->files || (loaded && library->is_recorded))
        return KT_OK;
    for (int i = 0; i < library->files; i++)
        if (library->why[i])
            return kt_fail(error, KT_BAD_INPUT, "cannot load the library: %s", library->why[i]);
    return kt_fail(error, KT_BAD_INPUT, "there is no library to load");
}

/* --- what is in it ----------------------------------------------------------------------------------------- */

void kt_library_ask(const struct kt_library *library)
{
    int64_t version[3] = {0};
    int64_t one = 1;
    double vector[] = {1};
    void (*ilaver)(int64_t *, int64_t *, int64_t *) =
        (void (*)(int64_t *, int64_t *, int64_t *))kt_library_symbol(library, "ilaver_", NULL);
    int (*idamax)(const int64_t *, const double *, const int64_t *) =
        (int (*)(const int64_t *, const double *, const int64_t *))kt_library_symbol(library, "idamax_", NULL);
    int (*mkl)(void) = (int (*)(void))kt_library_symbol(library, "MKL_Get_Max_Threads", NULL);
    if (ilaver)
        ilaver(&version[0], &version[1], &version[2]);
    else if (idamax)
        idamax(&one, vector, &one);
    if (mkl)
        mkl();
}

/* The linker looks in what a file needs, too. */
static bool is_of_file(void *found, void *handle)
{
    Dl_info info;
    const struct link_map *map;
    return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && dladdr(found, &info) && !strcmp(info.dli_fname, map->l_name);
}

void *kt_library_symbol(const struct kt_library *library, const char *symbol, const char *preferred)
{
    for (int i = 0; i < library->files && !library->in_order; i++) {
        bool is_it = preferred && !strcmp(library->file[i], preferred);
        void *found = is_it && library->handle[i] ? dlsym(library->handle[i], symbol) : NULL;
        if (found || (is_it && !library->handle[i]))
            return found;
    }
    void *first = NULL;
    for (int i = 0; i < library->files; i++) {
        void *found = library->handle[i] ? dlsym(library->handle[i], symbol) : NULL;
        if (found && is_of_file(found, library->handle[i]))
            return found;
        first = first ? first : found;
    }
    return first;
}

const char *kt_library_why_missing(const struct kt_library *library, const char *preferred)
{
    for (int i = 0; i < library->files; i++)
        if (preferred && library->why[i] && !strcmp(library->file[i], preferred))
            return library->why[i];
    return NULL;
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
    kt_version_of_file(library->file[0], out, size);
}
