/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The steps of preload/map_ops.h. r11 is the step; rax and r10 carry no argument of a routine that has a fixed
 * prototype. Every step jumps to the next by itself, so that the processor foresees each of these jumps by its own
 * history. To unwinders they are one function, which never changes the stack.
 */
#include "preload/map_ops.h"

.section .note.GNU-stack,"",%progbits

#if defined(__x86_64__)
        .macro  KT_MAP_NEXT
        addq    $KT_MAP_STEP, %r11
        jmp     *(%r11)
        .endm

        .macro  KT_MAP_CHECK value
        subq    KT_MAP_LOW(%r11), \value
        cmpq    KT_MAP_SPAN(%r11), \value
        ja      kt_map_failed
        KT_MAP_NEXT
        .endm

        .macro  KT_MAP_LOAD value, word, byte, half
        .ifc    \value, ref32
        movslq  (\word), %rax
        .endif
        .ifc    \value, ref64
        movq    (\word), %rax
        .endif
        .ifc    \value, int32
        movslq  \half, %rax
        .endif
        .ifc    \value, int64
        movq    \word, %rax
        .endif
        .ifc    \value, ref_letter
        movzbl  (\word), %eax
        andl    $0xdf, %eax
        .endif
        .ifc    \value, letter
        movzbl  \byte, %eax
        andl    $0xdf, %eax
        .endif
        .ifc    \value, code
        movzbl  \byte, %eax
        .endif
        .endm

        .macro  KT_MAP_DO op
        .ifc    \op, test
        KT_MAP_CHECK %rax
        .endif
        .ifc    \op, take
        movq    %rax, %r10
        KT_MAP_NEXT
        .endif
        .ifc    \op, times
        imulq   %rax, %r10
        KT_MAP_NEXT
        .endif
        .ifc    \op, times_test
        imulq   %rax, %r10
        KT_MAP_CHECK %r10
        .endif
        .endm

        .macro  KT_MAP_OP op, value, place, word, byte, half
        .p2align 4
kt_map_\op\()_\value\()_\place:
        KT_MAP_LOAD \value, \word, \byte, \half
        KT_MAP_DO \op
        .endm

        .macro  KT_MAP_OP_ON_STACK op, value
        .p2align 4
kt_map_\op\()_\value\()_stack:
        movq    KT_MAP_PLACE(%r11), %rax
        movq    (%rsp,%rax), %rax
        KT_MAP_LOAD \value, %rax, %al, %eax
        KT_MAP_DO \op
        .endm

        .macro  KT_MAP_ALL_PLACES op, value
        KT_MAP_OP \op, \value, 0, %rdi, %dil, %edi
        KT_MAP_OP \op, \value, 1, %rsi, %sil, %esi
        KT_MAP_OP \op, \value, 2, %rdx, %dl, %edx
        KT_MAP_OP \op, \value, 3, %rcx, %cl, %ecx
        KT_MAP_OP \op, \value, 4, %r8, %r8b, %r8d
        KT_MAP_OP \op, \value, 5, %r9, %r9b, %r9d
        KT_MAP_OP_ON_STACK \op, \value
        .endm

        .macro  KT_MAP_ROW op, value
        .irp    place, 0, 1, 2, 3, 4, 5, stack
        .quad   kt_map_\op\()_\value\()_\place
        .endr
        .endm

        /* DO with each pair, in the order of the enums. */
        .macro  KT_MAP_ALL do
        .irp    op, test, take, times, times_test
        .irp    value, ref32, ref64, int32, int64, ref_letter, letter, code
        \do     \op, \value
        .endr
        .endr
        .endm

        .text
        .type   kt_map_ops, @function
        .cfi_startproc
kt_map_ops:
        KT_MAP_ALL KT_MAP_ALL_PLACES
        .p2align 4
kt_map_failed:
        movq    KT_MAP_FAIL(%r11), %r11
        jmp     *(%r11)
        .p2align 4
        .globl  kt_map_op_end
        .hidden kt_map_op_end
kt_map_op_end:
        jmp     *KT_MAP_TARGET(%r11)

        .balign KT_MAP_ENTRANCE_BYTES
        .globl  kt_map_entrance
        .hidden kt_map_entrance
kt_map_entrance:
        .set    kt_map_number, 0
        .rept   KT_MAP_ENTRANCES
        .balign KT_MAP_ENTRANCE_BYTES
        movq    kt_map_way + 8 * kt_map_number(%rip), %r11
        jmp     *(%r11)
        .set    kt_map_number, kt_map_number + 1
        .endr
        .cfi_endproc
        .size   kt_map_ops, . - kt_map_ops

        .section .data.rel.ro, "aw"
        .balign 8
        .globl  kt_map_op_code
        .hidden kt_map_op_code
kt_map_op_code:
        KT_MAP_ALL KT_MAP_ROW
#endif
