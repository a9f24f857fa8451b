/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions by which a program leaves calls that do not return: jumps, the end of a thread, exceptions. If a call is
 * in progress whose inside is passed on, and it is among those that are left, no call is in progress from then on: what the
 * program calls next must not pass for nested in it. What its frame holds would not tell, as a function may have it in
 * memory that it never writes.
 */
#include "preload/sizes.h"

        .section .note.GNU-stack,"",%progbits
        .text

        /* Where it is (preload/jump.c). */
        .macro  KT_PLACE name
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
        .macro  KT_LEAVE_CALL register
        movq    kt_self@gottpoff(%rip), \register
        movq    $0, %fs:KT_THREAD_PASSING(\register)
        movq    $0, %fs:KT_THREAD_TOP(\register)
        .endm

        /* The stack grows down: a frame below the place that is jumped to is left. The C library keeps that place in
         * the seventh word, rotated and mixed with a secret of the thread; where it does not, all jumps leave. */
        .macro  KT_JUMP name, has_target=1
        KT_PLACE \name
\name:
        .cfi_startproc
        movq    kt_self@gottpoff(%rip), %rax
        movq    %fs:KT_THREAD_PASSING(%rax), %rax
        testq   %rax, %rax
        jz      2f
        .if     \has_target
        cmpb    $0, kt_knows_targets(%rip)
        je      1f
        movq    48(%rdi), %rdx
        rorq    $17, %rdx
        xorq    %fs:0x30, %rdx
        cmpq    %rax, %rdx
        jb      2f
        .endif
1:      KT_LEAVE_CALL %rax
2:      movq    kt_own_\name(%rip), %rax
        testq   %rax, %rax
        jnz     3f
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    kt_jump_start
        movq    kt_own_\name(%rip), %rax
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %rsi
        .cfi_adjust_cfa_offset -8
        popq    %rdi
        .cfi_adjust_cfa_offset -8
3:      jmp     *%rax
        .cfi_endproc
        .size   \name, . - \name
        .endm

        /* The caller's own of that name, by its number in preload/jump.c. */
        .macro  KT_GO_ON number
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        movl    $\number, %edi
        movq    8(%rsp), %rsi
        call    kt_jump_find
        popq    %rdi
        .cfi_adjust_cfa_offset -8
        jmp     *%rax
        .endm

        /* Until it is caught nobody knows which calls an exception leaves. */
        .globl  _Unwind_RaiseException
        .type   _Unwind_RaiseException, %function
_Unwind_RaiseException:
        .cfi_startproc
        movq    kt_self@gottpoff(%rip), %rax
        movq    %fs:KT_THREAD_PASSING(%rax), %rdx
        testq   %rdx, %rdx
        jz      1f
        movq    %rdx, %fs:KT_THREAD_SUSPENDED(%rax)
        KT_LEAVE_CALL %rax
1:      KT_GO_ON 0
        .cfi_endproc
        .size   _Unwind_RaiseException, . - _Unwind_RaiseException

        .globl  __cxa_begin_catch
        .type   __cxa_begin_catch, %function
__cxa_begin_catch:
        .cfi_startproc
        movq    kt_self@gottpoff(%rip), %rax
        movq    %fs:KT_THREAD_SUSPENDED(%rax), %rdx
        movq    $0, %fs:KT_THREAD_SUSPENDED(%rax)
        orq     %fs:KT_THREAD_PASSING(%rax), %rdx       /* it did not come this way: at most one of the two */
        jz      2f
        cmpq    %rsp, %rdx
        jb      1f
        movq    %rdx, %fs:KT_THREAD_PASSING(%rax)
        movq    %rdx, %fs:KT_THREAD_TOP(%rax)
        jmp     2f
1:      KT_LEAVE_CALL %rax
2:      KT_GO_ON 1
        .cfi_endproc
        .size   __cxa_begin_catch, . - __cxa_begin_catch
#elif defined(__aarch64__)
        /* Where the place is that is jumped to is not known: all jumps leave. */
        .macro  KT_JUMP name, has_target=1
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
2:      adrp    x16, kt_own_\name
        ldr     x16, [x16, :lo12:kt_own_\name]
        cbnz    x16, 3f
        stp     x29, x30, [sp, #-32]!
        .cfi_def_cfa_offset 32
        .cfi_offset x29, -32
        .cfi_offset x30, -24
        stp     x0, x1, [sp, #16]
        bl      kt_jump_start
        adrp    x16, kt_own_\name
        ldr     x16, [x16, :lo12:kt_own_\name]
        ldp     x0, x1, [sp, #16]
        ldp     x29, x30, [sp], #32
        .cfi_restore x29
        .cfi_restore x30
        .cfi_def_cfa_offset 0
3:      br      x16
        .cfi_endproc
        .size   \name, . - \name
        .endm

        .macro  KT_GO_ON number
        stp     x29, x30, [sp, #-32]!
        .cfi_def_cfa_offset 32
        .cfi_offset x29, -32
        .cfi_offset x30, -24
        str     x0, [sp, #16]
        mov     w0, \number
        mov     x1, x30
        bl      kt_jump_find
        mov     x16, x0
        ldr     x0, [sp, #16]
        ldp     x29, x30, [sp], #32
        .cfi_restore x29
        .cfi_restore x30
        .cfi_def_cfa_offset 0
        br      x16
        .endm

        .macro  KT_THREAD register, scratch
        mrs     \register, tpidr_el0
        adrp    \scratch, :gottprel:kt_self
        ldr     \scratch, [\scratch, :gottprel_lo12:kt_self]
        add     \register, \register, \scratch
        .endm

        .globl  _Unwind_RaiseException
        .type   _Unwind_RaiseException, %function
_Unwind_RaiseException:
        .cfi_startproc
        KT_THREAD x16, x17
        ldr     x17, [x16, KT_THREAD_PASSING]
        cbz     x17, 1f
        str     x17, [x16, KT_THREAD_SUSPENDED]
        str     xzr, [x16, KT_THREAD_PASSING]
        str     xzr, [x16, KT_THREAD_TOP]
1:      KT_GO_ON 0
        .cfi_endproc
        .size   _Unwind_RaiseException, . - _Unwind_RaiseException

        .globl  __cxa_begin_catch
        .type   __cxa_begin_catch, %function
__cxa_begin_catch:
        .cfi_startproc
        KT_THREAD x16, x17
        ldr     x17, [x16, KT_THREAD_SUSPENDED]
        ldr     x9, [x16, KT_THREAD_PASSING]
        str     xzr, [x16, KT_THREAD_SUSPENDED]
        orr     x17, x17, x9
        cbz     x17, 2f
        mov     x9, sp
        cmp     x17, x9
        b.lo    1f
        str     x17, [x16, KT_THREAD_PASSING]
        str     x17, [x16, KT_THREAD_TOP]
        b       2f
1:      str     xzr, [x16, KT_THREAD_PASSING]
        str     xzr, [x16, KT_THREAD_TOP]
2:      KT_GO_ON 1
        .cfi_endproc
        .size   __cxa_begin_catch, . - __cxa_begin_catch
#endif

        KT_JUMP longjmp
        KT_JUMP _longjmp
        KT_JUMP siglongjmp
        KT_JUMP __longjmp_chk
        KT_JUMP pthread_exit, 0
