/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How far a workload is from its trace: both are replayed on the same libraries, in turns, by ktrace compare. What
 * comes out is kept in the workload.
 */
#ifndef KT_WORKLOAD_VERDICT_H
#define KT_WORKLOAD_VERDICT_H

#include "trace/command/field.h"
#include "trace/read/reader.h"

struct kt_verdict_options {
    const char *trace, *workload;
    const char *const *blas; /* NULL-terminated; none: all that are installed */
    double budget;           /* seconds, for all replays */
};

/* The verdict as JSON. */
enum kt_status kt_workload_verdict_find(const struct kt_verdict_options *options, json_t **out, struct kt_error *error);
enum kt_status kt_workload_verdict_keep(const char *workload, const json_t *verdict, struct kt_error *error);
void kt_workload_verdict_print(const json_t *verdict);

/* The one that is in the workload; NULL: there is none, or it is not understood. To be released. */
json_t *kt_workload_verdict_load(const struct kt_trace *workload);

extern const struct kt_field kt_workload_verdict_fields[];

#endif
