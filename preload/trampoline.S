/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way of a call whose prototype the shim does not have to know: all registers that can carry an argument are kept
 * in a struct kt_call on the stack (preload/forward.c), the arguments on the stack are copied, and what the routine
 * returns in registers is handed back as it is. The clock is read right before the routine.
 */
#include "preload/stub.h"

#if defined(__x86_64__)
/* struct kt_call, by offsets that preload/forward.c asserts */
#define WORDS    0
#define CHAIN    48
#define VECTORS  56
#define NUMBERS  64
#define RETURNED 192
#define RETURNED_NUMBERS 208
#define STACK    240
#define CALLER   248
#define RECORD   272
#define START    288
#define BYTES    352
#define CALL(offset) (offset) - BYTES(%rbp)

        .macro  RESTORE_ARGUMENTS
        movaps  CALL(NUMBERS + 0), %xmm0
        movaps  CALL(NUMBERS + 16), %xmm1
        movaps  CALL(NUMBERS + 32), %xmm2
        movaps  CALL(NUMBERS + 48), %xmm3
        movaps  CALL(NUMBERS + 64), %xmm4
        movaps  CALL(NUMBERS + 80), %xmm5
        movaps  CALL(NUMBERS + 96), %xmm6
        movaps  CALL(NUMBERS + 112), %xmm7
        movq    CALL(WORDS + 0), %rdi
        movq    CALL(WORDS + 8), %rsi
        movq    CALL(WORDS + 24), %rcx
        movq    CALL(WORDS + 32), %r8
        movq    CALL(WORDS + 40), %r9
        movq    CALL(CHAIN), %r10
        .endm

        .macro  RESTORE_REST
        movq    CALL(WORDS + 16), %rdx
        movq    CALL(VECTORS), %rax
        .endm

        .globl  kt_way
        .hidden kt_way
        .globl  kt_trampoline
        .hidden kt_trampoline
        .type   kt_trampoline, @function
        .cfi_startproc
        KT_WAY  kt_way, kt_trampoline
kt_trampoline:
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        subq    $BYTES, %rsp
        movq    %rdi, CALL(WORDS + 0)
        movq    %rsi, CALL(WORDS + 8)
        movq    %rdx, CALL(WORDS + 16)
        movq    %rcx, CALL(WORDS + 24)
        movq    %r8, CALL(WORDS + 32)
        movq    %r9, CALL(WORDS + 40)
        movq    %r10, CALL(CHAIN)
        movq    %rax, CALL(VECTORS)
        movaps  %xmm0, CALL(NUMBERS + 0)
        movaps  %xmm1, CALL(NUMBERS + 16)
        movaps  %xmm2, CALL(NUMBERS + 32)
        movaps  %xmm3, CALL(NUMBERS + 48)
        movaps  %xmm4, CALL(NUMBERS + 64)
        movaps  %xmm5, CALL(NUMBERS + 80)
        movaps  %xmm6, CALL(NUMBERS + 96)
        movaps  %xmm7, CALL(NUMBERS + 112)
        leaq    16(%rbp), %rax
        movq    %rax, CALL(STACK)
        movq    8(%rbp), %rax
        movq    %rax, CALL(CALLER)
        movq    %rsp, %rdi
        movq    %r11, %rsi
        call    kt_forward_begin           /* rax: where to; rdx: words on the stack, -1: do not come back */
        movq    %rax, %r11
        testq   %rdx, %rdx
        js      3f
        jz      2f
        leaq    1(%rdx), %rcx
        andq    $-2, %rcx
        shlq    $3, %rcx
        subq    %rcx, %rsp
1:      movq    8(%rbp,%rdx,8), %rax
        movq    %rax, -8(%rsp,%rdx,8)
        decq    %rdx
        jnz     1b
2:      RESTORE_ARGUMENTS
        cmpq    $0, CALL(RECORD)
        je      4f
        rdtsc
        shlq    $32, %rdx
        orq     %rdx, %rax
        movq    %rax, CALL(START)
4:      RESTORE_REST
        call    *%r11
        movq    %rax, CALL(RETURNED)
        movq    %rdx, CALL(RETURNED + 8)
        movaps  %xmm0, CALL(RETURNED_NUMBERS)
        movaps  %xmm1, CALL(RETURNED_NUMBERS + 16)
        leaq    CALL(0), %rdi
        call    kt_forward_end
        movq    CALL(RETURNED), %rax
        movq    CALL(RETURNED + 8), %rdx
        movaps  CALL(RETURNED_NUMBERS), %xmm0
        movaps  CALL(RETURNED_NUMBERS + 16), %xmm1
        .cfi_remember_state
        leave
        .cfi_def_cfa %rsp, 8
        ret
        .cfi_restore_state
3:      RESTORE_ARGUMENTS
        RESTORE_REST
        leave
        .cfi_def_cfa %rsp, 8
        jmp     *%r11
        .cfi_endproc
        .size   kt_trampoline, . - kt_trampoline

#elif defined(__aarch64__)
#define WORDS    0
#define RESULT_ADDRESS 64
#define NUMBERS  80
#define RETURNED 208
#define RETURNED_NUMBERS 224
#define STACK    288
#define CALLER   296
#define RECORD   320
#define START    336
#define BYTES    400

        /* x17: struct kt_call; all but x0 and x1 */
        .macro  RESTORE_ARGUMENTS
        ldp     q0, q1, [x17, NUMBERS]
        ldp     q2, q3, [x17, NUMBERS + 32]
        ldp     q4, q5, [x17, NUMBERS + 64]
        ldp     q6, q7, [x17, NUMBERS + 96]
        ldp     x2, x3, [x17, WORDS + 16]
        ldp     x4, x5, [x17, WORDS + 32]
        ldp     x6, x7, [x17, WORDS + 48]
        ldr     x8, [x17, RESULT_ADDRESS]
        .endm

        .globl  kt_way
        .hidden kt_way
        .type   kt_trampoline, %function
        .cfi_startproc
        KT_WAY  kt_way, kt_trampoline
kt_trampoline:
        stp     x29, x30, [sp, -16]!
        .cfi_def_cfa_offset 16
        .cfi_offset x29, -16
        .cfi_offset x30, -8
        mov     x29, sp
        .cfi_def_cfa_register x29
        sub     sp, sp, BYTES
        stp     x0, x1, [sp, WORDS]
        stp     x2, x3, [sp, WORDS + 16]
        stp     x4, x5, [sp, WORDS + 32]
        stp     x6, x7, [sp, WORDS + 48]
        str     x8, [sp, RESULT_ADDRESS]
        stp     q0, q1, [sp, NUMBERS]
        stp     q2, q3, [sp, NUMBERS + 32]
        stp     q4, q5, [sp, NUMBERS + 64]
        stp     q6, q7, [sp, NUMBERS + 96]
        add     x0, x29, 16
        str     x0, [sp, STACK]
        str     x30, [sp, CALLER]
        mov     x0, sp
        mov     x1, x17
        bl      kt_forward_begin           /* x0: where to; x1: words on the stack, -1: do not come back */
        mov     x16, x0
        sub     x17, x29, BYTES
        tbnz    x1, 63, 3f
        cbz     x1, 2f
        add     x2, x1, 1
        and     x2, x2, -2
        sub     sp, sp, x2, lsl 3
        add     x3, x29, 16
1:      sub     x1, x1, 1
        ldr     x4, [x3, x1, lsl 3]
        str     x4, [sp, x1, lsl 3]
        cbnz    x1, 1b
2:      RESTORE_ARGUMENTS
        ldr     x0, [x17, RECORD]
        cbz     x0, 4f
        mrs     x0, cntvct_el0
        str     x0, [x17, START]
4:      ldp     x0, x1, [x17, WORDS]
        blr     x16
        sub     x17, x29, BYTES
        stp     x0, x1, [x17, RETURNED]
        stp     q0, q1, [x17, RETURNED_NUMBERS]
        stp     q2, q3, [x17, RETURNED_NUMBERS + 32]
        mov     x0, x17
        bl      kt_forward_end
        sub     x17, x29, BYTES
        ldp     x0, x1, [x17, RETURNED]
        ldp     q0, q1, [x17, RETURNED_NUMBERS]
        ldp     q2, q3, [x17, RETURNED_NUMBERS + 32]
        .cfi_remember_state
        mov     sp, x29
        .cfi_def_cfa_register sp
        ldp     x29, x30, [sp], 16
        .cfi_restore x29
        .cfi_restore x30
        .cfi_def_cfa_offset 0
        ret
        .cfi_restore_state
3:      RESTORE_ARGUMENTS
        ldp     x0, x1, [x17, WORDS]
        mov     sp, x29
        .cfi_def_cfa_register sp
        ldp     x29, x30, [sp], 16
        .cfi_restore x29
        .cfi_restore x30
        .cfi_def_cfa_offset 0
        br      x16
        .cfi_endproc
        .size   kt_trampoline, . - kt_trampoline
#endif
