/* SPDX-License-Identifier: BSD-3-Clause */
/* Does a library's routine ask ilaenv for its block size? */
#ifndef KT_APPLIES_H
#define KT_APPLIES_H

#include "trace/base/error.h"

#include <limits.h>
#include <stdbool.h>

enum kt_applies {
    KT_APPLIES,        /* it is LAPACK's own code */
    KT_APPLIES_NOT,    /* the library has code of its own for it */
    KT_APPLIES_UNKNOWN /* it lacks the routine */
};

/* FILE: the one that has the routine, "" if none has. The library is loaded in a process of its own. */
enum kt_status kt_block_size_applies(const char *blas, const char *routine, enum kt_applies *out, char file[PATH_MAX],
                                     struct kt_error *error);

/* The rule, pure: OpenBLAS has its own getrf, potrf, lauum and trtri and else LAPACK's code; MKL is all its own. */
enum kt_applies kt_block_size_rule(const char *routine, const char *path, bool is_openblas);

#endif
