/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/ask.h"

#include "preload/evidence.h"
#include "preload/scopes.h"
#include "preload/slow.h"
#include "preload/thread.h"

#include <stdio.h>
#include <string.h>

/* A set of names that a library was built with. */
struct family {
    const char *prefix;
    bool is_64; /* the names end in 64, in one way or another */
};

static bool has_all(const struct kt_loaded *object, const char *const *names)
{
    for (int i = 0; i < KT_EVIDENCE_NAMES && names[i]; i++)
        if (!kt_scopes_find_in_object(object->lo, names[i]))
            return false;
    return true;
}

bool kt_ask_is_blas(const struct kt_loaded *object)
{
    for (size_t i = 0; i < sizeof kt_evidence / sizeof *kt_evidence; i++)
        if (has_all(object, kt_evidence[i]))
            return true;
    return false;
}

/* --- what it is -------------------------------------------------------------------------------------------- */

static void *find_first(void *(*find)(uintptr_t address, const char *symbol), const struct kt_loaded *library,
                        const char *const *symbol)
{
    void *found = NULL;
    for (; *symbol && !found; symbol++)
        found = find(library->lo, *symbol);
    return found;
}

static const char *library_version(const struct kt_loaded *library)
{
    static const char *const names[] = {"openblas_get_config",       "openblas_get_config64_",
                                        "scipy_openblas_get_config", "scipy_openblas_get_config64_",
                                        "bli_info_get_version_str",  NULL};
    const char *(*version)(void) = find_first(kt_scopes_find_in_product, library, names);
    return version ? version() : "";
}

static int library_threads(const struct kt_loaded *library)
{
    static const char *const names[] = {"openblas_get_num_threads",
                                        "openblas_get_num_threads64_",
                                        "scipy_openblas_get_num_threads",
                                        "scipy_openblas_get_num_threads64_",
                                        "bli_thread_get_num_threads",
                                        "MKL_Get_Max_Threads",
                                        NULL};
    int (*threads)(void) = find_first(kt_scopes_find_in_library, library,
                                      names); /* BLIS returns a long, negative if nobody has said a number */
    int count = threads ? threads() : 0;
    return count > 0 ? count : 0;
}

struct kt_library_answer kt_ask_library(const struct kt_loaded *library)
{
    kt_slow_pause();
    kt_thread_silence();
    struct kt_library_answer answer = {library_version(library), library_threads(library)};
    kt_thread_unsilence();
    kt_slow_resume();
    return answer;
}

/* --- how it is called -------------------------------------------------------------------------------------- */

static struct family family_of(const char *symbol)
{
    static const char prefix[] = "scipy_";
    size_t length = strlen(symbol);
    length -= length && symbol[length - 1] == '_';
    return (struct family){.prefix = strncmp(symbol, prefix, sizeof prefix - 1) ? "" : prefix,
                           .is_64 = length > 2 && !memcmp(symbol + length - 2, "64", 2)};
}

int kt_ask_family(const char *symbol)
{
    struct family f = family_of(symbol);
    return 2 * (*f.prefix != '\0') + f.is_64;
}

static void *find_spelled(const struct kt_loaded *library, const struct family *f, const char *routine,
                          const char *suffix)
{
    enum { MOST = 24 }; /* of each part; snprintf needs 1.5 KB of stack */
    char name[3 * MOST] = "";
    strncat(strncat(strncat(name, f->prefix, MOST - 1), routine, MOST - 1), suffix, MOST - 1);
    return kt_scopes_find_in_library(library->lo, name);
}

/* Names without an underscore are not asked: other libraries have such names for functions of other kinds. */
static void *find_fortran(const struct kt_loaded *library, const struct family *f, const char *lower, const char *upper)
{
    void *found = find_spelled(library, f, lower, f->is_64 ? "_64_" : "_");
    if (!found && f->is_64)
        found = find_spelled(library, f, lower, "_64");
    if (!found)
        found = find_spelled(library, f, upper, f->is_64 ? "_64" : "");
    return found;
}

static void *find_cblas(const struct kt_loaded *library, const struct family *f, const char *routine)
{
    void *found = find_spelled(library, f, routine, f->is_64 ? "64_" : "");
    return found || !f->is_64 ? found : find_spelled(library, f, routine, "_64");
}

/* A positive version number needs all 64 bits to replace -1. */
static bool stores_wide(void *ilaver)
{
    int64_t version[3] = {-1, -1, -1};
    ((void (*)(int64_t *, int64_t *, int64_t *))ilaver)(&version[0], &version[1], &version[2]);
    return version[0] > 0;
}

/*
 * The length 0xffffffff00000003 is 3 to a library that reads 32 bits, so that it finds the largest element, the
 * second; to one that reads 64 it is negative, and the answer is 0, which is the first to CBLAS.
 */
static const int64_t odd_length = (int64_t)0xffffffff00000003;
static const double odd_vector[] = {1, 2, 1};

static bool reads_wide(void *idamax)
{
    int64_t one = 1;
    return ((int (*)(const int64_t *, const double *, const int64_t *))idamax)(&odd_length, odd_vector, &one) == 0;
}

static bool takes_wide(void *cblas_idamax)
{
    return ((int (*)(int64_t, const double *, int64_t))cblas_idamax)(odd_length, odd_vector, 1) == 0;
}

/* LAPACK is asked before the BLAS that it needs. */
static bool has_wide_integers(const struct kt_loaded *library, const struct family *f)
{
    void *ilaver = find_fortran(library, f, "ilaver", "ILAVER");
    void *idamax = ilaver ? NULL : find_fortran(library, f, "idamax", "IDAMAX");
    void *cblas = ilaver || idamax ? NULL : find_cblas(library, f, "cblas_idamax");
    if (ilaver)
        return stores_wide(ilaver);
    if (idamax)
        return reads_wide(idamax);
    return cblas ? takes_wide(cblas) : f->is_64;
}

typedef void complex_function(double *, double *, double *, double *, double *, double *);

/*
 * With both conventions all arguments are legal. A result in registers: there are -1 elements, or 3 is divided by 1. A
 * hidden result is stored in the first argument, for the number of elements behind it is 0, or 1 is divided by 1.
 */
static bool hides_result(void *zdot, void *zladiv)
{
    double minus_one[2];
    double zero[2] = {0, 0};
    double one[2] = {1, 0};
    double three[2] = {3, 0};
    memset(minus_one, -1, sizeof minus_one);
    if (zladiv)
        ((complex_function *)zladiv)(three, one, one, one, one, one);
    else
        ((complex_function *)zdot)(minus_one, zero, zero, zero, zero, zero);
    return three[0] == 1 || minus_one[0] == 0;
}

static bool has_hidden_results(const struct kt_loaded *library, const struct family *f)
{
    void *zladiv = find_fortran(library, f, "zladiv", "ZLADIV");
    void *zdot = zladiv ? NULL : find_fortran(library, f, "zdotc", "ZDOTC");
    if (!zladiv && !zdot)
        zdot = find_fortran(library, f, "zdotu", "ZDOTU");
    return (zladiv || zdot) && hides_result(zdot, zladiv);
}

/* The flags that floating-point operations raise, as they are. No operation of ours may end the program by a trap. */
static unsigned long take_flags(void)
{
#if defined(__x86_64__)
    enum { NO_TRAPS = 0x1f80 };
    unsigned flags = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(flags | NO_TRAPS);
    return flags;
#else
    return __builtin_aarch64_get_fpsr();
#endif
}

static void restore_flags(unsigned long flags)
{
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr((unsigned)flags);
#else
    __builtin_aarch64_set_fpsr((unsigned)flags);
#endif
}

struct kt_convention kt_ask_convention(const struct kt_loaded *library, const char *symbol)
{
    struct family f = family_of(symbol);
    kt_slow_pause();
    kt_thread_silence();
    unsigned long flags = take_flags(); /* a division may raise some */
    struct kt_convention answer = {has_wide_integers(library, &f), has_hidden_results(library, &f)};
    restore_flags(flags);
    kt_thread_unsilence();
    kt_slow_resume();
    return answer;
}
