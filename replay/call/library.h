/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * BLAS and LAPACK libraries to replay on: found by path, by soname, by the short names of common packages, or as
 * recorded in a trace. A library is a list of files that are loaded in order, so that a LAPACK finds the BLAS that
 * belongs to it already there under the soname it asks for.
 */
#ifndef KT_LIBRARY_H
#define KT_LIBRARY_H

#include "trace/library/elf_file.h"
#include "trace/library/installed.h"
#include "trace/read/reader.h"

enum { KT_LIBRARY_FILES = KT_INSTALLED_FILES };

struct kt_library {
    char name[64];                  /* a short name where there is one */
    char *file[KT_LIBRARY_FILES];   /* in the order of loading; owned */
    void *handle[KT_LIBRARY_FILES]; /* after kt_library_load; NULL: it could not be loaded, */
    char *why[KT_LIBRARY_FILES];    /* and why; owned */
    long space[KT_LIBRARY_FILES];   /* the namespace of the linker that it is in (dlmopen(3)) */
    bool wide[KT_LIBRARY_FILES];    /* of a recorded one: its integers have 64 bits */
    int files;
    size_t int_bytes;
    bool is_recorded; /* by that trace: what it was called with fits, also names of another width */
    int threads;      /* that it is to use */
    bool in_order;    /* a routine is that of the first file that has it, whatever file was recorded */
    bool is_kernel;   /* of the user's (replay/call/own_kernel.h), in place of routines */
};

/* TEXT: a path, a soname, a short name, or several of them joined by commas. */
enum kt_status kt_library_find(const char *text, struct kt_library *out, struct kt_error *error);

/* Does the file have a name that libraries of BLAS and LAPACK have? */
bool kt_library_is_linear_algebra(const char *path);

/* The libraries that the traced program had loaded. A workload tells names and build ids of files, not their places:
 * of those that are installed here the trace has the paths afterwards. OUT is to be freed also after an error. */
enum kt_status kt_library_recorded(const struct kt_trace *trace, struct kt_library *out, struct kt_error *error);

/* A library of the trace that is another build of one of these files, with the build id that the file has; NULL: there
 * is none, or it cannot be told. */
const struct kt_object *kt_library_other_build(const struct kt_library *library, const struct kt_trace *trace,
                                               char build[KT_BUILD_ID_TEXT]);

/* Does it take calls that were recorded with integers of so many bytes? */
bool kt_library_takes(const struct kt_library *library, size_t int_bytes);

/* With how many threads the traced program could have used it: the most of its libraries. */
int kt_library_threads_recorded(const struct kt_trace *trace);

/* Gives it the short name of the same files; an alias would not say which build it is. WHOLLY: none of its files is of
 * another library; otherwise the first one counts. False if there is none. */
bool kt_library_name_build(struct kt_library *library, bool wholly);

void kt_library_free(struct kt_library *library);

/* OUT is to be freed, too. */
void kt_library_copy(const struct kt_library *library, struct kt_library *out);

/* TEXT, as above, has the routines that the library lacks: behind its first file, as `ktrace run --lapack` does. */
enum kt_status kt_library_add_lapack(struct kt_library *library, const char *text, struct kt_error *error);

/* Where it has no LAPACK: the library of the trace that calls of LAPACK went to has it, on this library's BLAS, as in
 * `ktrace run --blas`. It says so. Nothing changes where that file is not what was recorded. */
enum kt_status kt_library_add_recorded_lapack(struct kt_library *library, const struct kt_trace *trace,
                                              struct kt_error *error);

/* Sets the variables by which libraries choose their number of threads, for a program that is to be run: its own
 * threads stay as the user has set them (OMP_NUM_THREADS), unless the number was ASKED for. */
void kt_program_set_threads(int threads, bool asked);

/* The one of them that is that library's own; OMP_NUM_THREADS: it has none that is known. */
const char *kt_library_threads_variable(const struct kt_library *library);

/* Are all libraries among its files, or of one package with them, that calls in the trace went to? */
bool kt_library_has_all_called(const struct kt_library *library, const struct kt_trace *trace);

/* The same list of files. */
bool kt_library_equal(const struct kt_library *a, const struct kt_library *b);

/* True if they are the same files, as far as both know of them. */
bool kt_library_same(const struct kt_library *a, const struct kt_library *b);

/* Loads it into this process, with its number of threads. It is never unloaded: BLAS libraries do not support it. Of
 * several that were recorded, those that cannot be loaded cost only their own routines. */
enum kt_status kt_library_load(struct kt_library *library, struct kt_error *error);
/* Asks a loaded library what the recorder asks it before its first call (preload/ask.h): a library that starts when it
 * is first used has a part of that behind it when the program calls it. */
void kt_library_ask(const struct kt_library *library);

/*
 * The symbol in a loaded library, in the file at path PREFERRED if that is one of its files and has it; otherwise in
 * the first file that has it itself, as `ktrace run --blas` takes it; otherwise in what these need. NULL: none.
 */
void *kt_library_symbol(const struct kt_library *library, const char *symbol, const char *preferred);

/* Why nothing of the file at path PREFERRED can be called; NULL: it is loaded, or none of the files. */
const char *kt_library_why_missing(const struct kt_library *library, const char *preferred);

/* What the loaded library says of its version, otherwise what its file name says, or "". */
void kt_library_version(const struct kt_library *library, char *out, size_t size);

#endif
