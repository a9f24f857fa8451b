/* SPDX-License-Identifier: BSD-3-Clause */
/* A call on its way through preload/trampoline.S, which knows these layouts by their offsets. */
#ifndef KT_FORWARD_H
#define KT_FORWARD_H

#include "preload/shim.h"

#include <stddef.h>

_Static_assert(
    offsetof(struct kt_binding, lo) == KT_BINDING_LO && offsetof(struct kt_binding, bytes) == KT_BINDING_BYTES &&
        offsetof(struct kt_binding, target) == KT_BINDING_TARGET &&
        offsetof(struct kt_binding, passes) == KT_BINDING_PASSES &&
        offsetof(struct kt_thread, passing) == KT_THREAD_PASSING &&
        offsetof(struct kt_thread, passed) == KT_THREAD_PASSED && offsetof(struct kt_thread, top) == KT_THREAD_TOP &&
        offsetof(struct kt_thread, suspended) == KT_THREAD_SUSPENDED && offsetof(struct kt_frame, self) == 0 &&
        offsetof(struct kt_slot, recent) == 0 && offsetof(struct kt_slot, lo) == KT_SLOT_LO &&
        offsetof(struct kt_slot, bytes) == KT_SLOT_BYTES_OF && offsetof(struct kt_slot, target) == KT_SLOT_TARGET &&
        offsetof(struct kt_slot, passes) == KT_SLOT_PASSES && offsetof(struct kt_slot, mapped) == KT_SLOT_MAPPED,
    "preload/stub.h");

struct kt_vector {
    uint64_t low, high;
};

#if defined(__x86_64__)
struct kt_call {
    uint64_t word[6];                        /* rdi rsi rdx rcx r8 r9 */
    uint64_t chain, vectors;                 /* r10, rax: of no use to BLAS, but this must hold for any function */
    _Alignas(16) struct kt_vector number[8]; /* xmm0 to xmm7 */
    uint64_t returned[2];                    /* rax rdx */
    struct kt_vector returned_number[2];
    const uint64_t *stack; /* further words */
    void *caller;
    struct kt_frame frame;
};
_Static_assert(offsetof(struct kt_call, number) == 64 && offsetof(struct kt_call, returned) == 192 &&
                   offsetof(struct kt_call, stack) == 240 && offsetof(struct kt_call, caller) == 248 &&
                   offsetof(struct kt_call, frame.record) == 272 && offsetof(struct kt_call, frame.start) == 288 &&
                   sizeof(struct kt_call) == 352,
               "preload/trampoline.S");
enum { KT_CALL_WORDS = 6 };
#elif defined(__aarch64__)
struct kt_call {
    uint64_t word[8];                        /* x0 to x7 */
    uint64_t result_address, unused;         /* x8 */
    _Alignas(16) struct kt_vector number[8]; /* q0 to q7 */
    uint64_t returned[2];                    /* x0 x1 */
    struct kt_vector returned_number[4];     /* q0 to q3 */
    const uint64_t *stack;                   /* further words */
    void *caller;
    struct kt_frame frame;
};
_Static_assert(offsetof(struct kt_call, number) == 80 && offsetof(struct kt_call, returned) == 208 &&
                   offsetof(struct kt_call, stack) == 288 && offsetof(struct kt_call, caller) == 296 &&
                   offsetof(struct kt_call, frame.record) == 320 && offsetof(struct kt_call, frame.start) == 336 &&
                   sizeof(struct kt_call) == 400,
               "preload/trampoline.S");
enum { KT_CALL_WORDS = 8 };
#endif

/* Where the call goes and how many words on the stack go with it; -1: without coming back here. */
struct kt_forward {
    void *target;
    int64_t words;
};

KT_HIDDEN struct kt_forward kt_forward_begin(struct kt_call *call, struct kt_slot *slot);
KT_HIDDEN void kt_forward_end(struct kt_call *call);

#endif
