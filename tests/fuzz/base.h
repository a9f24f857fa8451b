/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For fuzzers that leave the text files of an input as they are: what was read of them is kept from one input to the
 * next, so that most of the time goes into the others.
 */
#ifndef KT_FUZZ_BASE_H
#define KT_FUZZ_BASE_H

#include "tests/fuzz/memory.h"
#include "trace/read/reader.h"

/* The trace of the text files, without any other; NULL: it cannot be used. To be left as it was. */
struct kt_trace *kt_base_of(const struct kt_blocks *blocks);

#endif
