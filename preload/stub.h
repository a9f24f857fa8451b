/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For assembler: the exported names. A stub puts the address of its slot into a register that carries no argument and
 * that calls do not preserve, and jumps; whoever it jumps to finds all else as the caller left it. To unwinders all
 * stubs are one function, which never changes the stack: 40,000 would make a megabyte of tables.
 */
#include "preload/sizes.h"

        .section .note.GNU-stack,"",%progbits
        .text

#if defined(__x86_64__)
        .macro  KT_STUB name, slot, target
        .p2align 4
        .globl  \name
        .type   \name, @function
\name:
        leaq    kt_slots + KT_SLOT_BYTES * \slot(%rip), %r11
        jmp     \target
        .size   \name, . - \name
        .endm

        /* One per spare slot, at equal distances; the first of these slots has the number FIRST. */
        .macro  KT_SPARE_STUBS first
        .p2align 4
        .globl  kt_spare_stubs
        .hidden kt_spare_stubs
kt_spare_stubs:
        .set    kt_spare, \first
        .rept   KT_SPARE_SLOTS
        .balign KT_STUB_BYTES
        leaq    kt_slots + KT_SLOT_BYTES * kt_spare(%rip), %r11
        jmp     kt_trampoline
        .set    kt_spare, kt_spare + 1
        .endr
        .endm
#elif defined(__aarch64__)
        .macro  KT_SLOT_ADDRESS slot
        adrp    x17, kt_slots + KT_SLOT_BYTES * \slot
        add     x17, x17, :lo12:(kt_slots + KT_SLOT_BYTES * \slot)
        .endm

        .macro  KT_STUB name, slot, target
        .p2align 4
        .globl  \name
        .type   \name, %function
\name:
        KT_SLOT_ADDRESS \slot
        b       \target
        .size   \name, . - \name
        .endm

        .macro  KT_SPARE_STUBS first
        .p2align 4
        .globl  kt_spare_stubs
        .hidden kt_spare_stubs
kt_spare_stubs:
        .set    kt_spare, \first
        .rept   KT_SPARE_SLOTS
        .balign KT_STUB_BYTES
        KT_SLOT_ADDRESS kt_spare
        b       kt_trampoline
        .set    kt_spare, kt_spare + 1
        .endr
        .endm
#else
#error "the stubs are written for x86-64 and aarch64"
#endif
