/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kt_apart_task(work, argument): calls WORK(ARGUMENT) in a new task of this process and waits until it has ended; 0 or -errno.
 * The task uses this thread's stack below the frame that waits, and its variables: all signals are blocked, and nothing
 * is stored here meanwhile.
 */
        .section .note.GNU-stack,"",%progbits
        .text
        .globl  kt_apart_task
        .hidden kt_apart_task
        .type   kt_apart_task, %function

        /* CLONE_VM, FS, FILES, SIGHAND, THREAD, SYSVSEM, PARENT_SETTID, CHILD_CLEARTID */
        .equ    FLAGS, 0x350f00

#if defined(__x86_64__)
        .equ    SYS_CLONE, 56
        .equ    SYS_EXIT, 60
        .equ    SYS_FUTEX, 202
        .equ    TASK_ID, 8              /* from the stack pointer: the kernel clears it when the task has ended */
kt_apart_task:
        .cfi_startproc
        subq    $24, %rsp
        .cfi_adjust_cfa_offset 24
        movq    %rdi, %r9
        movq    %rsi, %r8
        movl    $FLAGS, %edi
        movq    %rsp, %rsi
        leaq    TASK_ID(%rsp), %rdx
        movq    %rdx, %r10
        movl    $SYS_CLONE, %eax
        syscall
        testq   %rax, %rax
        js      3f
        jz      4f
1:      movl    TASK_ID(%rsp), %edx
        testl   %edx, %edx
        jz      2f
        leaq    TASK_ID(%rsp), %rdi
        xorl    %esi, %esi
        xorl    %r10d, %r10d
        movl    $SYS_FUTEX, %eax
        syscall
        jmp     1b
2:      xorl    %eax, %eax
3:      addq    $24, %rsp
        .cfi_adjust_cfa_offset -24
        ret
        .cfi_undefined %rip
4:      xorl    %ebp, %ebp
        movq    %r8, %rdi
        call    *%r9
        xorl    %edi, %edi
        movl    $SYS_EXIT, %eax
        syscall
        ud2
        .cfi_endproc
#elif defined(__aarch64__)
        .equ    SYS_CLONE, 220
        .equ    SYS_EXIT, 93
        .equ    SYS_FUTEX, 98
kt_apart_task:
        .cfi_startproc
        sub     sp, sp, #16             /* the task's id, which the kernel clears when it has ended */
        .cfi_adjust_cfa_offset 16
        mov     x9, x0
        mov     x10, x1
        ldr     x0, =FLAGS
        mov     x1, sp
        mov     x2, sp
        mov     x3, xzr
        mov     x4, sp
        mov     x8, SYS_CLONE
        svc     #0
        cmp     x0, #0
        b.lt    3f
        b.eq    4f
1:      ldar    w2, [sp]
        cbz     w2, 2f
        mov     x0, sp
        mov     x1, xzr
        mov     x3, xzr
        mov     x8, SYS_FUTEX
        svc     #0
        b       1b
2:      mov     x0, xzr
3:      add     sp, sp, #16
        .cfi_adjust_cfa_offset -16
        ret
        .cfi_undefined x30
4:      mov     x29, xzr
        mov     x0, x10
        blr     x9
        mov     x0, xzr
        mov     x8, SYS_EXIT
        svc     #0
        brk     #0
        .cfi_endproc
#endif
        .size   kt_apart_task, . - kt_apart_task
