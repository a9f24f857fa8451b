/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kt_cost_call(const void *const argument[12], slot, way): calls a way as a stub would, with the slot in its register.
 */
#include "preload/sizes.h"

        .section .note.GNU-stack,"",%progbits
        .text
        .globl  kt_cost_call
        .hidden kt_cost_call
#if defined(__x86_64__)
        .type   kt_cost_call, @function
kt_cost_call:
        .cfi_startproc
        subq    $56, %rsp
        .cfi_adjust_cfa_offset 56
        movq    %rsi, %r11
        movq    %rdx, %rax
        movq    %rdi, %r10
        movups  48(%r10), %xmm0
        movups  64(%r10), %xmm1
        movups  80(%r10), %xmm2
        movups  %xmm0, (%rsp)
        movups  %xmm1, 16(%rsp)
        movups  %xmm2, 32(%rsp)
        movq    (%r10), %rdi
        movq    8(%r10), %rsi
        movq    16(%r10), %rdx
        movq    24(%r10), %rcx
        movq    32(%r10), %r8
        movq    40(%r10), %r9
        call    *%rax
        addq    $56, %rsp
        .cfi_adjust_cfa_offset -56
        ret
        .cfi_endproc
        .size   kt_cost_call, . - kt_cost_call
#elif defined(__aarch64__)
        .type   kt_cost_call, %function
kt_cost_call:
        .cfi_startproc
        stp     x29, x30, [sp, #-16]!
        .cfi_def_cfa_offset 16
        .cfi_offset x29, -16
        .cfi_offset x30, -8
        mov     x29, sp
        .cfi_def_cfa_register x29
        mov     x17, x1
        mov     x16, x2
        mov     x9, x0
        ldp     x10, x11, [x9, #64]
        ldp     x12, x13, [x9, #80]
        stp     x12, x13, [sp, #-16]!
        stp     x10, x11, [sp, #-16]!
        ldp     x0, x1, [x9]
        ldp     x2, x3, [x9, #16]
        ldp     x4, x5, [x9, #32]
        ldp     x6, x7, [x9, #48]
        blr     x16
        mov     sp, x29
        .cfi_def_cfa_register sp
        ldp     x29, x30, [sp], #16
        .cfi_restore x29
        .cfi_restore x30
        .cfi_def_cfa_offset 0
        ret
        .cfi_endproc
        .size   kt_cost_call, . - kt_cost_call
#endif
