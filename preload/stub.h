/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For assembler: the exported names. A stub decides whether a call is looked at, before anything is saved. If it is
 * bound for this caller, and is none of ours or nests in a call whose inside is passed on, the stub leaves by a jump to
 * the routine. Otherwise it puts the address of its slot into a register that carries no argument and that calls do not
 * preserve, and jumps; whoever it jumps to finds all else as the caller left it. To unwinders all stubs are one
 * function, which never changes the stack: 40,000 would make a megabyte of tables.
 */
#include "preload/sizes.h"

.section .note.GNU-stack,"",%progbits
        .text

#if defined(__x86_64__)
        /*
         * Goes on if calls nested in that of the frame kt_thread.passing are passed on, and this call is one of them;
         * otherwise jumps to 1. Nothing is believed of the frame but its own address in it, and that only near by, as
         * its call may have been left by a jump.
         */
        .macro  KT_UNLESS_PASSING
        movq    kt_self@gottpoff(%rip), %r11
        movq    %fs:KT_THREAD_PASSING(%r11), %r11
        subq    %rsp, %r11
        cmpq    $KT_NEAR, %r11
        jae     1f
        addq    %rsp, %r11
        cmpq    %r11, (%r11)
        jne     1f
        movq    kt_self@gottpoff(%rip), %r11
        incq    %fs:KT_THREAD_PASSED(%r11)
        .endm

        .macro  KT_DECIDE slot, target
        movq    (%rsp), %r11
        subq    kt_slots + KT_SLOT_BYTES * \slot + KT_SLOT_LO(%rip), %r11
        cmpq    kt_slots + KT_SLOT_BYTES * \slot + KT_SLOT_BYTES_OF(%rip), %r11
        jae     1f
        cmpb    $0, kt_slots + KT_SLOT_BYTES * \slot + KT_SLOT_PASSES(%rip)
        jne     2f
        KT_UNLESS_PASSING
2:      jmp     *kt_slots + KT_SLOT_BYTES * \slot + KT_SLOT_TARGET(%rip)
1:      leaq    kt_slots + KT_SLOT_BYTES * \slot(%rip), %r11
        jmp     \target
        .endm

        .macro  KT_STUB name, slot, target
        .p2align 5
        .globl  \name
        .type   \name, @function
\name:
        KT_DECIDE \slot, \target
        .size   \name, . - \name
        .endm

        /* The same for other callers than that which the slot has a copy for: by the binding that was used last. */
        .macro  KT_WAY name, next
        .p2align 4
        .type   \name, @function
\name:
        movq    %rax, -8(%rsp)          /* two words that are the called function's to use */
        movq    kt_self@gottpoff(%rip), %rax
        movq    %fs:KT_THREAD_PASSING(%rax), %rax
        orq     kt_some_pass(%rip), %rax
        movq    -8(%rsp), %rax
        jz      \next
        movq    %r11, -16(%rsp)
        leaq    kt_unbound(%rip), %rax
        addq    (%r11), %rax
        movq    (%rsp), %r11
        subq    KT_BINDING_LO(%rax), %r11
        cmpq    KT_BINDING_BYTES(%rax), %r11
        jae     1f
        cmpb    $0, KT_BINDING_PASSES(%rax)
        jne     2f
        KT_UNLESS_PASSING
2:      movq    %rax, %r11
        movq    -8(%rsp), %rax
        jmp     *KT_BINDING_TARGET(%r11)
1:      movq    -8(%rsp), %rax
        movq    -16(%rsp), %r11
        cmpb    $0, KT_SLOT_MAPPED(%r11)
        jne     kt_trampoline           /* which can leave by a jump once it knows */
        jmp     \next
        .size   \name, . - \name
        .endm

        /* One per spare slot, at equal distances; the first of these slots has the number FIRST. */
        .macro  KT_SPARE_STUBS first
        .balign KT_STUB_BYTES
        .globl  kt_spare_stubs
        .hidden kt_spare_stubs
kt_spare_stubs:
        .set    kt_spare, \first
        .rept   KT_SPARE_SLOTS
        .balign KT_STUB_BYTES
        KT_DECIDE kt_spare, kt_way
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

        .macro  KT_WAY name, next
        .p2align 4
        .type   \name, %function
\name:
        ldar    x16, [x17]
        adrp    x9, kt_unbound
        add     x9, x9, :lo12:kt_unbound
        add     x16, x16, x9
        ldr     x9, [x16, KT_BINDING_LO]
        ldr     x10, [x16, KT_BINDING_BYTES]
        sub     x9, x30, x9
        cmp     x9, x10
        b.hs    1f
        ldrb    w9, [x16, KT_BINDING_PASSES]
        cbnz    w9, 2f
        mrs     x9, tpidr_el0
        adrp    x10, :gottprel:kt_self
        ldr     x10, [x10, :gottprel_lo12:kt_self]
        add     x9, x9, x10
        ldr     x10, [x9, KT_THREAD_PASSING]
        mov     x11, sp
        sub     x11, x10, x11
        lsr     x11, x11, 16
        cbnz    x11, 1f
        ldr     x11, [x10]
        cmp     x11, x10
        b.ne    1f
        ldr     x10, [x9, KT_THREAD_PASSED]
        add     x10, x10, 1
        str     x10, [x9, KT_THREAD_PASSED]
2:      ldr     x16, [x16, KT_BINDING_TARGET]
        br      x16
1:      b       \next
        .size   \name, . - \name
        .endm

        .macro  KT_SPARE_STUBS first
        .balign KT_STUB_BYTES
        .globl  kt_spare_stubs
        .hidden kt_spare_stubs
kt_spare_stubs:
        .set    kt_spare, \first
        .rept   KT_SPARE_SLOTS
        .balign KT_STUB_BYTES
        KT_SLOT_ADDRESS kt_spare
        b       kt_way
        .set    kt_spare, kt_spare + 1
        .endr
        .endm
#else
#error "the stubs are written for x86-64 and aarch64"
#endif
