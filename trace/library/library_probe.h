/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a BLAS or LAPACK library says of itself. It is loaded in a child process with a time limit: a library that
 * crashes, hangs, prints or starts threads when it is loaded does this process no harm.
 */
#ifndef KT_LIBRARY_PROBE_H
#define KT_LIBRARY_PROBE_H

#include "trace/library/installed.h"

struct kt_library_probe {
    bool loaded;
    char failure[512];  /* why not; one line */
    char version[256];  /* what it says, or what its file name says, or "" */
    char number[32];    /* the version's number in that: "0.3.21", or "" */
    char kernel[64];    /* the code it chose for this processor: "SkylakeX", or "" */
    char threading[16]; /* "serial", "pthread", "openmp" or "" */
    int int_bytes;      /* of names without a 64 in them; 0: it has none that could be asked */
    int int_bytes_64;   /* of names with one, such as dgemm_64_ */
    int threads;        /* that it would use now; 0: it does not tell */
    bool has_blas, has_lapack, has_cblas, has_lapacke;
    int lacking; /* the first of the routines asked for that it has under no name; -1: it has all */
};

void kt_library_probe(const struct kt_installed *library, struct kt_library_probe *out);

/* The same; has it so many routines, too? */
void kt_library_probe_for(const struct kt_installed *library, const char *const *routine, int routines,
                          struct kt_library_probe *out);

/* "3.11.0" of libblas.so.3.11.0; "" for a file whose name does not end in at least two numbers. */
void kt_version_of_file(const char *path, char *out, size_t size);

/* Environment that a library needs to work with programs of gfortran and the C ABI; what the user has set stays. */
void kt_library_environment(const struct kt_installed *library);

#endif
