/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions that leave others without returning: jumps, and what unwinds the stack of an exception. If a call is in
 * progress whose inside is passed on, it is taken to be among those that are left: what the program calls next must not
 * pass for nested in it. What its frame holds would not tell, as a function may have it in memory that it never writes.
 */
#include "preload/sizes.h"

        .section .note.GNU-stack,"",%progbits

        /* Where it is, once known (preload/jump.c). */
        .macro  KT_PLACE name
        .section .rodata.str1.1, "aMS", %progbits, 1
.Lname_\name:
        .asciz  "\name"
        .bss
        .p2align 3
        .globl  kt_own_\name
        .hidden kt_own_\name
kt_own_\name:
        .zero   8
        .text
        .globl  \name
        .type   \name, %function
        .endm

#if defined(__x86_64__)
        .macro  KT_LEAVER name
        KT_PLACE \name
\name:
        .cfi_startproc
        movq    kt_self@gottpoff(%rip), %rax
        cmpq    $0, %fs:KT_THREAD_PASSING(%rax)
        je      2f
        movq    $0, %fs:KT_THREAD_PASSING(%rax)
        movq    $0, %fs:KT_THREAD_TOP(%rax)
2:      movq    kt_own_\name(%rip), %rax
        testq   %rax, %rax
        jnz     1f
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        leaq    .Lname_\name(%rip), %rdi
        movq    24(%rsp), %rsi
        leaq    kt_own_\name(%rip), %rdx
        call    kt_find_own
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %rsi
        .cfi_adjust_cfa_offset -8
        popq    %rdi
        .cfi_adjust_cfa_offset -8
1:      jmp     *%rax
        .cfi_endproc
        .size   \name, . - \name
        .endm
#elif defined(__aarch64__)
        .macro  KT_LEAVER name
        KT_PLACE \name
\name:
        .cfi_startproc
        mrs     x16, tpidr_el0
        adrp    x17, :gottprel:kt_self
        ldr     x17, [x17, :gottprel_lo12:kt_self]
        add     x16, x16, x17
        ldr     x17, [x16, KT_THREAD_PASSING]
        cbz     x17, 2f
        str     xzr, [x16, KT_THREAD_PASSING]
        str     xzr, [x16, KT_THREAD_TOP]
2:
        adrp    x16, kt_own_\name
        ldr     x16, [x16, :lo12:kt_own_\name]
        cbnz    x16, 1f
        stp     x29, x30, [sp, #-32]!
        .cfi_def_cfa_offset 32
        .cfi_offset x29, -32
        .cfi_offset x30, -24
        stp     x0, x1, [sp, #16]
        adrp    x0, .Lname_\name
        add     x0, x0, :lo12:.Lname_\name
        mov     x1, x30
        adrp    x2, kt_own_\name
        add     x2, x2, :lo12:kt_own_\name
        bl      kt_find_own
        mov     x16, x0
        ldp     x0, x1, [sp, #16]
        ldp     x29, x30, [sp], #32
        .cfi_restore x29
        .cfi_restore x30
        .cfi_def_cfa_offset 0
1:      br      x16
        .cfi_endproc
        .size   \name, . - \name
        .endm
#endif

        KT_LEAVER longjmp
        KT_LEAVER _longjmp
        KT_LEAVER siglongjmp
        KT_LEAVER __longjmp_chk
        KT_LEAVER _Unwind_RaiseException
        KT_LEAVER _Unwind_Resume
