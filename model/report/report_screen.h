/* SPDX-License-Identifier: BSD-3-Clause */
/* A report on one screen: what ran, the heaviest places, what that means, what to do next. */
#ifndef KT_REPORT_SCREEN_H
#define KT_REPORT_SCREEN_H

#include "model/report/report.h"

/* At most 24 lines of 80 columns. */
void kt_report_screen(const struct kt_report *report);

/* How often the replay ran the program again. */
size_t kt_report_screen_runs(const struct kt_report *report);

/* The lines that tell how long the program ran, all its processes together, how long it was in calls, and what
 * recording took. WALL, BLAS: seconds of this run, or of others of the program, of the calls that were recorded; of a
 * sample those of all calls are told.
 */
void kt_report_screen_times(const struct kt_report *report, double wall, double blas);

/* The part of the wall time of all processes that calls of one thread at a time take, of such a run. */
double kt_report_screen_share(const struct kt_report *report, double wall, double blas);

/* That calls waited for a processor, if it was for a tenth of their time. */
void kt_report_screen_lost(const struct kt_report *report);

/* "at least one thread is in a call for 95.1 % of wall time, then 3.6 are", or that this is not known. */
void kt_report_screen_busy(const struct kt_report *report, char *out, size_t size);

/* "OpenBLAS 0.3.21, Zen kernels, 1 thread; ...": the libraries that the process called, each once. */
void kt_report_screen_libraries(const struct kt_process *process, char *out, size_t size);

#endif
