/* SPDX-License-Identifier: BSD-3-Clause */
/* syscall(), as the C library has it. Nothing is left on the stack: a program may make a task that shares it. */
        .section .note.GNU-stack,"",%progbits
        .text
        .globl  kt_system_call
        .hidden kt_system_call

#if defined(__x86_64__)
        .type   kt_system_call, @function
kt_system_call:
        .cfi_startproc
        movq    %rdi, %rax
        movq    %rsi, %rdi
        movq    %rdx, %rsi
        movq    %rcx, %rdx
        movq    %r8, %r10
        movq    %r9, %r8
        movq    8(%rsp), %r9
        syscall
        cmpq    $-4095, %rax
        jae     1f
        ret
1:      negl    %eax
        pushq   %rax
        .cfi_adjust_cfa_offset 8
        call    __errno_location@PLT
        popq    %rdx
        .cfi_adjust_cfa_offset -8
        movl    %edx, (%rax)
        movq    $-1, %rax
        ret
        .cfi_endproc
#elif defined(__aarch64__)
        .type   kt_system_call, %function
kt_system_call:
        .cfi_startproc
        mov     x8, x0
        mov     x0, x1
        mov     x1, x2
        mov     x2, x3
        mov     x3, x4
        mov     x4, x5
        mov     x5, x6
        svc     #0
        cmn     x0, #4095
        b.cs    1f
        ret
1:      stp     x29, x30, [sp, #-32]!
        .cfi_def_cfa_offset 32
        .cfi_offset x29, -32
        .cfi_offset x30, -24
        neg     w0, w0
        str     w0, [sp, #16]
        bl      __errno_location
        ldr     w1, [sp, #16]
        str     w1, [x0]
        mov     x0, #-1
        ldp     x29, x30, [sp], #32
        .cfi_restore x29
        .cfi_restore x30
        .cfi_def_cfa_offset 0
        ret
        .cfi_endproc
#endif
        .size   kt_system_call, . - kt_system_call
