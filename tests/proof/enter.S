/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way of a call into the checker and on to the real routine, and the checker's own calls. x86-64, System V.
 *
 * Generated stubs (proof stubs) put the address of their slot into r11 and jump to slot->target: proof_enter, or
 * the real routine once nothing is left to prove. Fortran passes words only, so no vector register has to be kept.
 */
    .text

/* r11: slot. Shows the call to proof_call(slot, register words, stack words), then jumps to the real routine. */
    .globl proof_enter
    .hidden proof_enter
    .type proof_enter, @function
proof_enter:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    pushq %rax
    pushq %r11
    pushq %r9
    pushq %r8
    pushq %rcx
    pushq %rdx
    pushq %rsi
    pushq %rdi
    movq %r11, %rdi
    movq %rsp, %rsi
    leaq 16(%rbp), %rdx
    call proof_call
    popq %rdi
    popq %rsi
    popq %rdx
    popq %rcx
    popq %r8
    popq %r9
    popq %r11
    popq %rax
    leave
    .cfi_def_cfa %rsp, 8
    jmp *8(%r11)
    .cfi_endproc
    .size proof_enter, .-proof_enter

/* proof_forward(function, words, count of them, result): rax, xmm0 and xmm1 go to the result. */
    .globl proof_forward
    .hidden proof_forward
    .type proof_forward, @function
proof_forward:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    pushq %rbx
    pushq %r12
    .cfi_offset %rbx, -24
    .cfi_offset %r12, -32
    movq %rcx, %rbx
    movq %rdi, %r11
    movq %rsi, %r10
    movq %rdx, %rcx
    leaq 1(%rcx), %rax
    andq $-2, %rax
    shlq $3, %rax
    subq %rax, %rsp             /* room for all words: the first six are left out below */
    xorl %eax, %eax
    movq $6, %rdx
1:  cmpq %rcx, %rdx
    jae 2f
    movq (%r10,%rdx,8), %rdi
    movq %rdi, -48(%rsp,%rdx,8)
    incq %rdx
    jmp 1b
2:  movq (%r10), %rdi
    movq 8(%r10), %rsi
    movq 16(%r10), %rdx
    movq 24(%r10), %rcx
    movq 32(%r10), %r8
    movq 40(%r10), %r9
    call *%r11
    movq %rax, (%rbx)
    movsd %xmm0, 8(%rbx)
    movsd %xmm1, 16(%rbx)
    leaq -16(%rbp), %rsp
    popq %r12
    popq %rbx
    leave
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size proof_forward, .-proof_forward

    .section .note.GNU-stack,"",@progbits
