/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/thread.h"

struct kt_stream kt_no_stream;

__thread struct kt_thread kt_self = {.stream = &kt_no_stream};

void kt_thread_silence(void)
{
    kt_self.silent = true;
    kt_self.passed_before = kt_self.passed;
    if (!kt_writer_of(kt_self.stream))
        atomic_store(&kt_self.stream->ready, 0);
}

void kt_thread_unsilence(void)
{
    kt_self.silent = false;
    kt_self.passed = kt_self.passed_before;
}
