/* SPDX-License-Identifier: BSD-3-Clause */
/* What a stream keeps of a call whose operands are summed (preload/checksum.h). */
#ifndef KT_CHECKS_H
#define KT_CHECKS_H

#include "ktrace/format.h"

#include <sys/uio.h>

enum { KT_SUM_LANES = 4, KT_SUM_WINDOWS = 32, KT_SUM_PIECES = 256, KT_SUM_BUFFER = 32 << 10 };

/* A sum that is being made: memory comes in windows, of which pieces count. */
struct kt_summing {
    uint64_t lane[KT_SUM_LANES];
    uint64_t count; /* words so far */
    unsigned elem;  /* bytes */
    unsigned windows, pieces;
    size_t used; /* bytes of the buffer */
    struct iovec window[KT_SUM_WINDOWS];
    struct {
        uint32_t at, bytes;
    } piece[KT_SUM_PIECES];
    unsigned char buffer[KT_SUM_BUFFER];
};

struct kt_check {
    uint16_t offset, flags; /* as in the event */
    uint64_t in, out;
};

struct kt_checks {
    const void *frame; /* the call's; NULL: none */
    const void *call;  /* struct kt_call, if it came through the trampoline */
    unsigned operands;
    uint64_t args[KT_CONTEXT_WORDS];
    struct kt_check operand[KT_CHECK_OPERANDS];
    struct kt_summing summing;
};

#endif
