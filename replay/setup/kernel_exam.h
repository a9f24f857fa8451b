/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A kernel of the user's (include/ktrace/kernel.h) is tried before it is timed: one call for each n, in a process of
 * its own, with its buffers between pages that nobody may touch. That tells what it says of itself, and whether that is
 * true: a kernel that crashes, does not return, or uses memory in another way than it says is named and not timed.
 */
#ifndef KT_KERNEL_EXAM_H
#define KT_KERNEL_EXAM_H

#include "trace/base/error.h"
#include "trace/table/routine.h"

enum { KT_KERNEL_BUFFERS = 8, KT_KERNEL_NAME = 32 };

struct kt_kernel_buffer {
    char name[KT_KERNEL_NAME];
    enum kt_access access;
    int64_t bytes, alignment;
};

/* What a kernel says of itself for one n. */
struct kt_kernel_facts {
    char name[KT_KERNEL_NAME];
    int number; /* bytes of its numbers: 4 or 8 */
    int buffers;
    struct kt_kernel_buffer buffer[KT_KERNEL_BUFFERS];
    double flops, bytes; /* BYTES may be NAN: it does not say */
    double seconds;      /* that its first call took */
};

enum kt_kernel_verdict {
    KT_KERNEL_SOUND,
    KT_KERNEL_TAKES_NOT, /* that n, as it says */
    KT_KERNEL_FAILS,     /* for that n */
    KT_KERNEL_HANGS,     /* as larger n may, too */
    KT_KERNEL_IS_NONE    /* the file has no kernel, or one that cannot be used for any n */
};

struct kt_kernel_exam {
    enum kt_kernel_verdict verdict;
    struct kt_kernel_facts facts; /* of a sound one; otherwise its name, as far as that is known */
    char why[256];                /* it is not sound, in one line */
};

/* All that the kernel does may take LIMIT seconds; what is done around it does not count. An error means that no
 * process can be started. */
enum kt_status kt_kernel_exam(const char *path, int64_t n, double limit, struct kt_kernel_exam *out,
                              struct kt_error *error);

/* The routine whose calls are those of the kernel, with values of its arguments, for kt_timing_run(); ROUTINE is to be
 * freed with kt_table_free(). */
struct kt_values;
enum kt_status kt_kernel_exam_routine(const struct kt_kernel_facts *facts, int64_t n, struct kt_table *routine,
                                      struct kt_values *values, struct kt_error *error);

#endif
