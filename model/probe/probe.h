/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace probe: the machine as programs experience it, after BlackjackBench (paper 003) and X-Ray (paper 004). Each
 * part measures, has its curves analysed and adds its keys to one JSON document, which is the machine file: answers
 * with a confidence, raw curves, and for what has no answer the reason. Nothing is taken over from what the system
 * claims, but how much memory it takes to be out of caches.
 */
#ifndef KT_PROBE_H
#define KT_PROBE_H

#include "model/analysis/analysis.h"
#include "model/probe/probe_memory.h"
#include "model/loops/stopwatch.h"

#include <jansson.h>

struct kt_probe {
    bool quick;
    json_t *answer; /* the document; owned */
    double ticks_per_second;
    double ticks_per_cycle; /* of the core, in scalar code */
    double start;           /* kt_seconds_now() */
    double first, second;   /* bytes of the first and second cache; 0: not known */
    double last;            /* of the last one found */
    double latency;         /* of the first cache, in cycles */
};

/* Measures everything, or with QUICK what replays need; with KTRACE_PROBE_PARTS set the parts named there, for tests.
 * The answer belongs to the caller. */
json_t *kt_probe_machine(bool quick);

/* Adds the part "cores", which is not quick, to such an answer. */
void kt_probe_add_cores(json_t *answer);

/* Parts, in this order: later ones use what earlier ones found. */
void kt_probe_clocks(struct kt_probe *probe);       /* tsc_hz, core_hz */
void kt_probe_operations(struct kt_probe *probe);   /* operations, fma, peak */
void kt_probe_caches(struct kt_probe *probe);       /* line_bytes, caches, memory */
void kt_probe_code(struct kt_probe *probe);         /* instruction_cache */
void kt_probe_pages(struct kt_probe *probe);        /* page_bytes, page_joined_bytes, tlb */
void kt_probe_drop_reaches(struct kt_probe *probe); /* from caches what is the reach of a TLB instead */
void kt_probe_bandwidth(struct kt_probe *probe);    /* bandwidth */
void kt_probe_registers(struct kt_probe *probe);    /* live_ranges */
void kt_probe_contexts(struct kt_probe *probe);     /* contexts, smt, timeslice_ms */
void kt_probe_cores(struct kt_probe *probe);        /* sharing, cores, peaks and bandwidth of all cores */

/* "not_determined": what has no answer, and why. */
void kt_probe_not_determined(struct kt_probe *probe, const char *what, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "curves": {NAME: {"x_name", "y_name", "x": [..], "y": [..], "steps": [..]}}; STEPS are the values of x at which an
 * answer was found. */
void kt_probe_curve(struct kt_probe *probe, const char *name, const char *x_name, const char *y_name, const double *x,
                    const double *y, size_t n, const double *steps, size_t step_count);

#endif
