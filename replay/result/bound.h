/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The roofline bound of a call: the time below which this machine cannot do it, whatever the library. Pure functions.
 *
 *     bound = max(operations / peak, time to move the bytes that have to be moved)
 *
 * Operations are those of the standard algorithm (LAPACK Working Note 41); where their number is not known, bytes
 * alone count. Bytes are compulsory ones: each element of an operand is loaded once if it is read and stored once if it
 * is written, workspaces not at all. They are moved at the measured peaks of the place where they are:
 *
 *     cold  all operands in memory
 *     warm  as near as they fit: what the first level holds there, the next of them in the second level, ... A library
 *           cannot be faster than that, however well it reuses a cache
 *
 * and take the longest of loads alone, stores alone, and both together at the highest rate that any mix was measured
 * at.
 */
#ifndef KT_BOUND_H
#define KT_BOUND_H

#include "replay/call/job.h"
#include "replay/machine/peak.h"

/* What a call has to do. */
struct kt_work {
    double flops; /* NAN: not known */
    enum kt_peak_precision precision;
    double read, written; /* bytes */
    double footprint;     /* bytes of all operands, each once */
};

enum kt_limit { KT_LIMIT_NONE, KT_LIMIT_FLOPS, KT_LIMIT_BYTES };

struct kt_bound {
    double seconds; /* NAN: the machine's peaks are not known */
    enum kt_limit limit;
    enum kt_peak_level level; /* where the last of the bytes are */
};

void kt_work_of(const struct kt_job *job, struct kt_work *out);

struct kt_bound kt_bound_warm(const struct kt_peaks *peaks, const struct kt_work *work);
struct kt_bound kt_bound_cold(const struct kt_peaks *peaks, const struct kt_work *work);

/* "flops", "L2", "memory", ..., or "nothing" of a call that does nothing. */
const char *kt_bound_by(const struct kt_bound *bound);

#endif
