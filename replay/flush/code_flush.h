/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A call whose code is cold, too: what the context `allcold` adds to cold operands.
 *
 * Loaded libraries, code and data, are flushed as far as this process has used them; executing a long row of branches
 * that go either way leaves nothing of earlier branches in the predictors, and nothing of earlier code in the
 * instruction caches; touching many pages leaves no earlier page in the TLB. Our own code, which stands in for the
 * caller's, and memory that libraries have allocated are left alone.
 */
#ifndef KT_CODE_FLUSH_H
#define KT_CODE_FLUSH_H

#include "replay/flush/branches.h"
#include "trace/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kt_crew;

struct kt_code_flush {
    struct kt_branches branches;
    unsigned char *pages; /* never written */
    uint64_t state;       /* of the branches' directions */
    uint32_t directions;  /* a bit for each of 32 branches in a row */
    int pagemap;          /* file that tells which pages are there; -1: none, all are flushed */
};

/* OUT is to be closed. What cannot be had is done without. */
void kt_code_flush_open(struct kt_code_flush *out);
void kt_code_flush_close(struct kt_code_flush *flush);

/* What each processor has of its own is emptied on all of the crew's, or on this one if CREW is NULL. */
void kt_code_flush_run(struct kt_code_flush *flush, struct kt_crew *crew);

#endif
