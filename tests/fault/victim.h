/* SPDX-License-Identifier: BSD-3-Clause */
/* What the victim of the kill test counts in a file that outlives it, and the killer compares with the trace. */
#ifndef KT_TEST_VICTIM_H
#define KT_TEST_VICTIM_H

#include <stdatomic.h>
#include <stdint.h>

enum { VICTIM_THREADS = 4, VICTIM_ROUTINES = 4 };

static const char *const victim_routine[VICTIM_ROUTINES] = {"ddot", "dgemm", "dgesv", "dpotrf"};

/* Of one thread and one routine. */
struct victim_count {
    _Atomic uint64_t begun, ended;
};

struct victim_page {
    struct {
        _Atomic uint32_t tid;
        struct victim_count of[VICTIM_ROUTINES];
    } thread[VICTIM_THREADS] __attribute__((aligned(128)));
};

#endif
