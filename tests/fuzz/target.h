/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a fuzzer is: libFuzzer's interface, so that clang's engine drives it, or tests/fuzz/driver.c where there is
 * none.
 */
#ifndef KT_FUZZ_TARGET_H
#define KT_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
/* Anything but returning 0 is a finding. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Changes the input; the new size. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

/* The engine's own mutations. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);

#endif
