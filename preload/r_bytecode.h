/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which instruction R's interpreter of bytecode is at.
 *
 * It has two variables for this: the bytecode, and where on the stack the address of the instruction is. Contexts keep
 * both of when they began, but what is running now is in the variables only, which have no name in libR.so. They are
 * next to others that do: the two words are taken there that are of such types and agree, if there is one such pair.
 * Each time they are used they must agree again.
 */
#ifndef KT_R_BYTECODE_H
#define KT_R_BYTECODE_H

#include "preload/shim.h"

/* One of R's variables, which the two are near. */
KT_HIDDEN void kt_r_bytecode_start(const void *variable);

/* Where the bytecode is that runs now, and where the place of its instruction. False: not known. */
KT_HIDDEN bool kt_r_bytecode_now(const char *const **bytecode, const char *const **instruction);

/* The reference of the statement, if what BYTECODE points to is such, and where the address of its instruction is. */
KT_HIDDEN const char *kt_r_bytecode_at(const char *const *bytecode, const char *const *instruction);

#endif
