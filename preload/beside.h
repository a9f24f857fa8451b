/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Libraries that we open beside the program's own, for calls to go to.
 *
 * Each is opened in a scope of its own: no name of it is seen by the program, and it finds its own names before the
 * program's (RTLD_DEEPBIND; two builds of one library have thousands of names in common), nor is it taken for a library
 * that the program opens (preload/soname.h). Of further files, a LAPACK, references to BLAS come to us like the
 * program's.
 */
#ifndef KT_BESIDE_H
#define KT_BESIDE_H

#include "preload/ask.h"
#include "preload/names.h"

enum { KT_BESIDE_FILES = 16 };

struct kt_beside {
    _Atomic uintptr_t file[KT_BESIDE_FILES]; /* addresses in them */
    _Atomic int files;                       /* written when all are there */
    void *first;                             /* handle of the first file */
    bool was_there;                          /* the program had that file already */
};

/* Calls while this lasts, and objects that appear, are not the program's. Runs code of libraries: no lock may be held.
 * False: the thread is doing so already. */
KT_HIDDEN bool kt_beside_begin(void);
KT_HIDDEN void kt_beside_end(void);
KT_HIDDEN bool kt_beside_is_begun(void);

/* In a child: what another thread of the parent had begun does not go on there. */
KT_HIDDEN void kt_beside_after_fork(void);

/* Opens the files, with commas between them. Whoever does the same at the same time finds the same: nobody waits. Not
 * SHARED: an error if a file behind the first is loaded already, as it could not tell whose BLAS it is to call. NULL or
 * why it cannot be done. */
KT_HIDDEN const char *kt_beside_open(struct kt_beside *library, const char *files, bool shared);

/* Is the address in one of the files? */
KT_HIDDEN bool kt_beside_holds(const struct kt_beside *library, uintptr_t address);

/* How routines of that name are called in a library. Within a slow path, which pauses. */
KT_HIDDEN struct kt_convention kt_beside_convention(const struct kt_loaded *library, const char *symbol);

/* The routine that can be called as NEEDED under a name of the slot; NULL: none. MISMATCH: there is one that is called
 * otherwise. Within a slow path, which pauses. */
KT_HIDDEN void *kt_beside_find(const struct kt_beside *library, const struct kt_slot *slot, struct kt_convention needed,
                               bool *mismatch);

/* Has it a routine under any name of the interface? */
KT_HIDDEN bool kt_beside_has(const struct kt_beside *library, const char *routine);

/* Tells the library how many threads it is to use. Runs code of it. */
KT_HIDDEN void kt_beside_set_threads(const struct kt_beside *library, int threads);

/* Is a BLAS behind us in the global scope? */
KT_HIDDEN bool kt_beside_is_needed(void);

#endif
