/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times of a sequence by job of its setup, pass by pass, and of the same calls in the program.
 */
#ifndef KT_SEQUENCE_TIMES_H
#define KT_SEQUENCE_TIMES_H

#include "replay/sequence/sequence.h"

/* Of a pass that has just been played: the mean of the calls of each job of the setup, in SECONDS by job; NAN: none was
 * timed. For whoever wants no more than these: times of single calls are forgotten, and there is nothing to finish. */
void kt_sequence_times_means(struct kt_sequence *sequence, double *seconds);
/* The same of a sequence that is to be finished, and the medians. */
void kt_sequence_times(const struct kt_sequence *sequence, double *mean, double *median);
/* Of a pass that has just been played, once for each process: what the first call of each job's shape in the process's
 * first pass, which does not count, took beyond the same call in this one, in SECONDS by job; NAN: one of them was not
 * timed. It binds code, maps it, and sets the library up. False: there is nothing to be taken. */
bool kt_sequence_times_first(struct kt_sequence *sequence, double *seconds);
/* What calls of each job's shape took in the program in the mean, in seconds by job: of those that COUNT (NAN: none
 * does) and of ALL. Calls of ten times the median and more, which something disturbed, are taken for that long. */
void kt_sequence_times_insitu(const struct kt_sequence *sequence, double *count, double *all);

#endif
