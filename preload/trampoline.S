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
#define START    296
#define BYTES    336
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

        .globl  kt_trampoline
        .hidden kt_trampoline
        .type   kt_trampoline, @function
kt_trampoline:
        .cfi_startproc
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
        call    kt_call_begin           /* rax: where to; rdx: words on the stack, -1: do not come back */
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
        call    kt_call_end
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
#endif
