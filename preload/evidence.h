/* SPDX-License-Identifier: BSD-3-Clause */
/* How an object shows that it is a BLAS or LAPACK; libktrace.so (ask.c) and its auditor look for the same. */
#ifndef KT_EVIDENCE_H
#define KT_EVIDENCE_H

enum { KT_EVIDENCE_NAMES = 4 };

/* One of these rows, all its names: one name of BLAS with an underscore will do, without one it takes several. */
static const char *const kt_evidence[][KT_EVIDENCE_NAMES] = {
    {"dgemm_"},
    {"sgemm_"},
    {"zgemm_"},
    {"ddot_"},
    {"dgetrf_"},
    {"dgemm_64_"},
    {"scipy_dgemm_"},
    {"scipy_dgemm_64_"},
    {"cblas_dgemm"},
    {"cblas_ddot"},
    {"cblas_dgemm64_"},
    {"LAPACKE_dgesv"},
    {"LAPACKE_dgesv64_"},
    {"dgemm", "sgemm", "zgemm", "ddot"},
    {"DGEMM", "SGEMM", "ZGEMM", "DDOT"},
};

#endif
