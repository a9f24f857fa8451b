/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/library/library_probe.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT_MS = 20000 };

/* --- text -------------------------------------------------------------------------------------------------- */

/* "0.3.21" of "OpenBLAS 0.3.21 DYNAMIC_ARCH ...": the first number with a dot, as far as it goes; or "". */
static void version_number(const char *text, char *out, size_t size)
{
    const char *at = text;
    *out = '\0';
    for (; *at; at++) {
        size_t length = strspn(at, "0123456789.");
        while (length && at[length - 1] == '.')
            length--;
        if (isdigit((unsigned char)*at) && memchr(at, '.', length)) {
            snprintf(out, size, "%.*s", (int)length, at);
            return;
        }
        if (isdigit((unsigned char)*at))
            at += strspn(at, "0123456789") - 1;
    }
}

/* Text that ends in blanks or a newline is common. */
static void copy_trimmed(const char *text, char *out, size_t size)
{
    snprintf(out, size, "%s", text ? text : "");
    size_t length = strlen(out);
    while (length && isspace((unsigned char)out[length - 1]))
        out[--length] = '\0';
    kt_one_line(out);
}

void kt_version_of_file(const char *path, char *out, size_t size)
{
    char real[PATH_MAX];
    *out = '\0';
    if (!realpath(path, real))
        return;
    const char *version = strstr(kt_base_name(real), ".so.");
    if (version && strchr(version + 4, '.') && isdigit((unsigned char)version[4]))
        snprintf(out, size, "%s", version + 4);
}

/* --- within the child -------------------------------------------------------------------------------------- */

struct loaded {
    void *handle[KT_INSTALLED_FILES];
    int files;
};

static void *find(const struct loaded *loaded, const char *symbol)
{
    for (int i = 0; i < loaded->files; i++) {
        void *found = dlsym(loaded->handle[i], symbol);
        if (found)
            return found;
    }
    return NULL;
}

static void *find_first(const struct loaded *loaded, const char *const *symbol)
{
    void *found = NULL;
    for (; *symbol && !found; symbol++)
        found = find(loaded, *symbol);
    return found;
}

#define OPENBLAS_NAMES(name)                                                                                 \
    (const char *const[])                                                                                    \
    {                                                                                                        \
        "openblas_" name, "openblas_" name "64_", "scipy_openblas_" name, "scipy_openblas_" name "64_", NULL \
    }

static void ask_version(const struct loaded *loaded, const char *file, struct kt_library_probe *out)
{
    char text[256] = "";
    const char *(*config)(void) = find_first(loaded, OPENBLAS_NAMES("get_config"));
    const char *(*blis)(void) = find(loaded, "bli_info_get_version_str");
    void (*mkl)(char *, int) =
        find_first(loaded, (const char *const[]){"MKL_Get_Version_String", "mkl_get_version_string", NULL});
    if (config)
        copy_trimmed(config(), out->version, sizeof out->version);
    else if (blis)
        copy_trimmed(blis(), out->version, sizeof out->version);
    else if (mkl)
        mkl(text, sizeof text - 1);
    if (*text)
        copy_trimmed(text, out->version, sizeof out->version);
    if (!*out->version)
        kt_version_of_file(file, out->version, sizeof out->version);
    version_number(out->version, out->number, sizeof out->number);
}

/* MKL names its code after "optimization: " or not at all: the instructions that it was told or chose to use. */
static void ask_kernel(const struct loaded *loaded, struct kt_library_probe *out)
{
    const char *(*core)(void) = find_first(loaded, OPENBLAS_NAMES("get_corename"));
    int (*arch)(void) = find(loaded, "bli_arch_query_id");
    const char *(*arch_name)(int) = find(loaded, "bli_arch_string");
    if (core)
        copy_trimmed(core(), out->kernel, sizeof out->kernel);
    else if (arch && arch_name)
        copy_trimmed(arch_name(arch()), out->kernel, sizeof out->kernel);
    const char *text = strstr(out->version, " for ");
    if (!*out->kernel && find(loaded, "MKL_Get_Max_Threads") && text)
        copy_trimmed(text + 5, out->kernel, sizeof out->kernel);
}

static void ask_threads(const struct loaded *loaded, struct kt_library_probe *out)
{
    static const char *const names[] = {"serial", "pthread", "openmp"};
    int (*openblas)(void) = find_first(loaded, OPENBLAS_NAMES("get_num_threads"));
    int (*kind)(void) = find_first(loaded, OPENBLAS_NAMES("get_parallel"));
    long (*blis)(void) = find(loaded, "bli_thread_get_num_threads");
    int (*blis_kind)(void) = find(loaded, "bli_info_get_enable_threading");
    int (*mkl)(void) = find(loaded, "MKL_Get_Max_Threads");
    long count = openblas ? openblas() : blis ? blis() : mkl ? mkl() : 0;
    out->threads = count > 0 ? (int)count : blis ? 1 : 0;
    int which = kind ? kind() : -1;
    if (which >= 0 && which < 3)
        snprintf(out->threading, sizeof out->threading, "%s", names[which]);
    else if (blis_kind && !blis_kind())
        snprintf(out->threading, sizeof out->threading, "serial");
}

/*
 * The length 0xffffffff00000003 is 3 to a library that reads 32 bits, so that it finds the largest element, the second;
 * to one that reads 64 it is negative, and the answer is 0, which is the first to CBLAS.
 */
static const int64_t odd_length = (int64_t)0xffffffff00000003;
static const double odd_vector[] = {1, 2, 1};

static int width_of(void *idamax, void *cblas_idamax, void *ilaver)
{
    int64_t one = 1;
    int64_t version[3] = {-1, -1, -1};
    if (idamax)
        return ((int (*)(const int64_t *, const double *, const int64_t *))idamax)(&odd_length, odd_vector, &one) ? 4
                                                                                                                  : 8;
    if (cblas_idamax)
        return ((int (*)(int64_t, const double *, int64_t))cblas_idamax)(odd_length, odd_vector, 1) ? 4 : 8;
    if (!ilaver) /* of LAPACK: a positive number needs all 64 bits to replace -1 */
        return 0;
    ((void (*)(int64_t *, int64_t *, int64_t *))ilaver)(&version[0], &version[1], &version[2]);
    return version[0] > 0 ? 8 : 4;
}

static void ask_width(const struct loaded *loaded, struct kt_library_probe *out)
{
    static const char *const plain[] = {"idamax_", "scipy_idamax_", "IDAMAX", NULL};
    static const char *const with_64[] = {"idamax_64_", "idamax_64", "scipy_idamax_64_", "IDAMAX_64", NULL};
    out->int_bytes = width_of(find_first(loaded, plain), find(loaded, "cblas_idamax"), find(loaded, "ilaver_"));
    out->int_bytes_64 =
        width_of(find_first(loaded, with_64), find(loaded, "cblas_idamax64_"), find(loaded, "ilaver_64_"));
}

static void ask_parts(const struct loaded *loaded, struct kt_library_probe *out)
{
    static const char *const blas[] = {"dgemm_", "dgemm_64_", "scipy_dgemm_", "scipy_dgemm_64_", "DGEMM", NULL};
    static const char *const lapack[] = {"dgetrf_", "dgetrf_64_", "scipy_dgetrf_", "scipy_dgetrf_64_", "DGETRF", NULL};
    static const char *const cblas[] = {"cblas_dgemm", "cblas_dgemm64_", "scipy_cblas_dgemm", "scipy_cblas_dgemm64_",
                                        NULL};
    static const char *const lapacke[] = {"LAPACKE_dgesv", "LAPACKE_dgesv64_", "scipy_LAPACKE_dgesv64_", NULL};
    out->has_blas = find_first(loaded, blas);
    out->has_lapack = find_first(loaded, lapack);
    out->has_cblas = find_first(loaded, cblas);
    out->has_lapacke = find_first(loaded, lapacke);
}

/* Under any name that the recorder knows: trace/table/symbol.c. */
static bool has_routine(const struct loaded *loaded, const char *name)
{
    static const char *const before[] = {"", "cblas_", "LAPACKE_", "scipy_", "scipy_cblas_", "scipy_LAPACKE_"};
    static const char *const behind[] = {"_", "", "_64_", "_64", "64_"};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        for (size_t j = 0; j < sizeof behind / sizeof *behind; j++) {
            char symbol[64];
            snprintf(symbol, sizeof symbol, "%s%s%s", before[i], name, behind[j]);
            if (find(loaded, symbol))
                return true;
        }
    return false;
}

/* What is asked of a library. */
struct question {
    const struct kt_installed *library;
    const char *const *routine;
    int routines;
};

static int find_lacking(const struct loaded *loaded, const struct question *question)
{
    for (int i = 0; i < question->routines; i++)
        if (!has_routine(loaded, question->routine[i]))
            return i;
    return -1;
}

/* As the shim loads them. */
static bool load(const struct kt_installed *library, struct loaded *loaded, struct kt_library_probe *out)
{
    for (; loaded->files < library->files; loaded->files++) {
        loaded->handle[loaded->files] = dlopen(library->file[loaded->files], RTLD_NOW | RTLD_GLOBAL);
        if (!loaded->handle[loaded->files]) {
            copy_trimmed(dlerror(), out->failure, sizeof out->failure);
            return false;
        }
    }
    return true;
}

/* Debian's BLIS has a libblas.so.3 that hides what it could be asked; the libblis beside it is of the same build. */
static void load_sibling(const struct kt_installed *library, struct loaded *loaded)
{
    char path[PATH_MAX];
    char *slash;
    if (loaded->files == KT_INSTALLED_FILES || find(loaded, "bli_info_get_version_str") ||
        !realpath(library->file[0], path) || !strstr(path, "/blis") || !(slash = strrchr(path, '/')))
        return;
    bool wide = strstr(slash, "64");
    snprintf(slash, sizeof path - (size_t)(slash - path), "/libblis%s.so.4", wide ? "64" : "");
    loaded->handle[loaded->files] = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    loaded->files += loaded->handle[loaded->files] != NULL;
}

/* What the library prints goes nowhere. */
static void silence(void)
{
    int nowhere = open("/dev/null", O_RDWR);
    for (int i = 0; i < 3 && nowhere >= 0; i++)
        dup2(nowhere, i);
}

__attribute__((noreturn)) static void be_the_child(const struct question *question, int pipe)
{
    const struct kt_installed *library = question->library;
    struct kt_library_probe out = {0};
    struct loaded loaded = {0};
    silence();
    kt_library_environment(library);
    out.loaded = load(library, &loaded, &out);
    if (out.loaded) {
        ask_parts(&loaded, &out);
        ask_width(&loaded, &out);
        out.lacking = find_lacking(&loaded, question);
        load_sibling(library, &loaded);
        ask_version(&loaded, library->file[0], &out);
        ask_kernel(&loaded, &out);
        ask_threads(&loaded, &out);
    }
    _exit(write(pipe, &out, sizeof out) != sizeof out);
}

/* --- the parent -------------------------------------------------------------------------------------------- */

static bool read_answer(int pipe, struct kt_library_probe *out)
{
    struct pollfd wait = {.fd = pipe, .events = POLLIN};
    int ready;
    do
        ready = poll(&wait, 1, LIMIT_MS);
    while (ready < 0 && errno == EINTR);
    /* less than PIPE_BUF: all of it comes at once */
    if (ready > 0)
        return read(pipe, out, sizeof *out) == sizeof *out;
    snprintf(out->failure, sizeof out->failure, "gave no answer for %d s", LIMIT_MS / 1000);
    return false;
}

static void tell_end(int status, struct kt_library_probe *out)
{
    if (*out->failure)
        return;
    if (WIFSIGNALED(status))
        snprintf(out->failure, sizeof out->failure, "crashed when it was loaded and asked what it is (signal %d, %s)",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(out->failure, sizeof out->failure, "ended the process when it was loaded (exit status %d)",
                 WEXITSTATUS(status));
}

void kt_library_probe(const struct kt_installed *library, struct kt_library_probe *out)
{
    kt_library_probe_for(library, NULL, 0, out);
}

void kt_library_probe_for(const struct kt_installed *library, const char *const *routine, int routines,
                          struct kt_library_probe *out)
{
    const struct question question = {library, routine, routines};
    int ends[2];
    int status = 0;
    *out = (struct kt_library_probe){0};
    _Static_assert(sizeof *out < PIPE_BUF, "an answer is written at once");
    fflush(NULL);
    pid_t child = pipe2(ends, O_CLOEXEC) == 0 ? fork() : -1;
    if (child < 0) {
        snprintf(out->failure, sizeof out->failure, "no process could be made: %s", strerror(errno));
        return;
    }
    if (child == 0)
        be_the_child(&question, ends[1]);
    close(ends[1]);
    bool answered = read_answer(ends[0], out);
    close(ends[0]);
    kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (!answered)
        tell_end(status, out);
}

void kt_library_environment(const struct kt_installed *library)
{
    bool is_mkl = false;
    for (int i = 0; i < library->files; i++)
        is_mkl |= strstr(kt_base_name(library->file[i]), "libmkl_rt") != NULL;
    if (!is_mkl)
        return;
    setenv("MKL_INTERFACE_LAYER", "GNU,LP64", 0);
    setenv("MKL_THREADING_LAYER", "GNU", 0);
}
