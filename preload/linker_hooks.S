/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of the dynamic linker that we stand in front of. They look at their return address to see who asks, so a
 * call is passed on by a jump: \before says where to.
 */
        .section .note.GNU-stack,"",%progbits
        .text

#if defined(__x86_64__)
        .macro  KT_BEFORE name, before
        .globl  \name
        .type   \name, @function
\name:
        .cfi_startproc
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        pushq   %rdx
        .cfi_adjust_cfa_offset 8
        movq    24(%rsp), %rdx
        call    \before
        popq    %rdx
        .cfi_adjust_cfa_offset -8
        popq    %rsi
        .cfi_adjust_cfa_offset -8
        popq    %rdi
        .cfi_adjust_cfa_offset -8
        jmp     *%rax
        .cfi_endproc
        .size   \name, . - \name
        .endm
#elif defined(__aarch64__)
        .macro  KT_BEFORE name, before
        .globl  \name
        .type   \name, %function
\name:
        .cfi_startproc
        stp     x29, x30, [sp, #-48]!
        .cfi_def_cfa_offset 48
        .cfi_offset x29, -48
        .cfi_offset x30, -40
        stp     x0, x1, [sp, #16]
        str     x2, [sp, #32]
        mov     x2, x30
        bl      \before
        mov     x16, x0
        ldr     x2, [sp, #32]
        ldp     x0, x1, [sp, #16]
        ldp     x29, x30, [sp], #48
        .cfi_restore x29
        .cfi_restore x30
        .cfi_def_cfa_offset 0
        br      x16
        .cfi_endproc
        .size   \name, . - \name
        .endm
#endif

        KT_BEFORE dlopen, kt_linker_before_dlopen
        KT_BEFORE dlsym, kt_linker_before_dlsym
        KT_BEFORE dlvsym, kt_linker_before_dlvsym
