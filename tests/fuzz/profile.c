/* SPDX-License-Identifier: BSD-3-Clause */
/* Damaged profiles: all else of an input stays as it is. */
#define FIRST_CHANGED (KT_INPUT_FILES - 1)
#include "tests/fuzz/stream.c"
