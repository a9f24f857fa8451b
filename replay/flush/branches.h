/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code that does nothing but branch, one way or the other as the bits of a number say: rows of branches, each in a
 * place of its own. Executing them takes the place that other code has in instruction caches, branch predictors and the
 * instruction TLB.
 */
#ifndef KT_BRANCHES_H
#define KT_BRANCHES_H

#include <stddef.h>
#include <stdint.h>

struct kt_branches {
    unsigned char *code; /* NULL: this system lets us make none */
    size_t bytes;
    size_t row_bytes, rows;
};

/* So many rows, one behind the other, of so many branches each. OUT is to be freed. */
void kt_branches_make(size_t rows, size_t branches, struct kt_branches *out);
void kt_branches_free(struct kt_branches *branches);

/* One row; nothing if there is none. */
void kt_branches_run(const struct kt_branches *branches, size_t row, uint32_t directions);

#endif
