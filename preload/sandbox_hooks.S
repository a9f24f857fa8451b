/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's syscall(): what asks for seccomp is looked at before (preload/sandbox.c). */
        .section .note.GNU-stack,"",%progbits
        .text
        .globl  syscall

#if defined(__x86_64__)
        .equ    SYS_SECCOMP, 317
        .type   syscall, @function
syscall:
        .cfi_startproc
        cmpq    $SYS_SECCOMP, %rdi
        je      kt_sandbox_before_seccomp
        jmp     kt_system_call
        .cfi_endproc
#elif defined(__aarch64__)
        .equ    SYS_SECCOMP, 277
        .type   syscall, %function
syscall:
        .cfi_startproc
        cmp     x0, SYS_SECCOMP
        b.eq    kt_sandbox_before_seccomp
        b       kt_system_call
        .cfi_endproc
#endif
        .size   syscall, . - syscall
