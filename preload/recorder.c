/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/recorder.h"

struct kt_recorder kt_recorder;

unsigned kt_extras;

int (*_Atomic kt_omp_in_parallel)(void);
