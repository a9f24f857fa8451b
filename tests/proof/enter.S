/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way of a call into the checker and on to the real routine. x86-64, System V.
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

    .section .note.GNU-stack,"",@progbits
