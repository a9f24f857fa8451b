/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Methods of BlackjackBench (paper 003, section 4) that the probes do not use: a yardstick for those that they do.
 */
#ifndef KT_BLACKJACK_H
#define KT_BLACKJACK_H

#include <stddef.h>

/* Index of the last point before the step; N if there is none: fewer than two points, or no increase at all. */
size_t kt_blackjack_first_step(const double *y, size_t n);  /* 4.2.1: the first relative increase above the mean one */
size_t kt_blackjack_scaled_step(const double *y, size_t n); /* 4.2.2: of (y[i+1] - y[i]) * y[i]; of equals the last */

/* Quality-threshold clustering of values (4.2.3). CLUSTER[i] becomes the number of i's cluster, 0 being the largest;
 * returns how many there are. A cluster grows as long as its extent is at most a quarter of the average it had before.
 * Of equally large clusters the one of the smallest value wins, of equally near candidates the smaller value. */
size_t kt_blackjack_cluster(const double *y, size_t n, size_t *cluster);

#endif
