/* SPDX-License-Identifier: BSD-3-Clause */
/* A report on one screen: what ran, the heaviest places, what that means, what to do next. */
#ifndef KT_REPORT_SCREEN_H
#define KT_REPORT_SCREEN_H

#include "model/report/report.h"

/* At most 24 lines of 80 columns. */
void kt_report_screen(const struct kt_report *report);

/* Part of the wall time that BLAS takes; all processes together, threads added, and of a sample what all calls are
 * estimated to take. */
double kt_report_blas_share(const struct kt_report *report);

/* "OpenBLAS 0.3.21, Zen kernels, 1 thread; ...": the libraries that the process called, each once. */
void kt_report_screen_libraries(const struct kt_process *process, char *out, size_t size);

#endif
