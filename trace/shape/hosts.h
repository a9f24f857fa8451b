/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machines that a trace is from, and how far times of one may be set beside times of another. Processes of one
 * kernel share a clock, also where they are in containers with host names of their own. Between kernels there is only
 * the time of day (trace/read/origin.h): as good as those who set the clocks made it, which kernels estimate.
 */
#ifndef KT_HOSTS_H
#define KT_HOSTS_H

#include "trace/read/reader.h"

struct kt_hosts {
    size_t hosts;        /* names */
    size_t clocks;       /* kernels; where one is not known, a clock for each process */
    double within;       /* seconds that times of two of them can be wrong by, as the kernels said; NAN: not known */
    const char *unknown; /* a host that did not say; NULL: all did; borrowed */
    double apart;        /* seconds between the end of one rank and the start of another one of the same job, if these
                            are of different clocks; 0: ranks of one job ran at the same time */
};

void kt_hosts_find(const struct kt_trace *trace, struct kt_hosts *out);

/* What is known of their clocks, in words; "" for one host. */
enum { KT_HOSTS_TEXT = 192 };
const char *kt_hosts_text(const struct kt_hosts *hosts, char out[KT_HOSTS_TEXT]);
/* That the clocks cannot be right; "" if that is not known. */
const char *kt_hosts_doubt(const struct kt_hosts *hosts, char out[KT_HOSTS_TEXT]);

#endif
