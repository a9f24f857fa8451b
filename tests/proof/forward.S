/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A call with any number of words, of a function that is known by its address alone. x86-64, System V.
 *
 *     void proof_forward(void *function, const uint64_t *words, size_t count, struct proof_result *result)
 *
 * There are at least six words in memory. What the function returned in rax, xmm0 and xmm1 goes to the result.
 */
    .text
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
