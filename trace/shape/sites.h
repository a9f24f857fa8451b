/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places that call, the same in all processes of a job: files are loaded at other addresses in each, and lines have
 * other numbers. One process stands for all that have the place, so that a report of ten thousand ranks holds each
 * place once. Places that cannot be compared stay those of their process: addresses in no file, and places with a path
 * to them (KTRACE_STACKS=paths).
 */
#ifndef KT_SITES_H
#define KT_SITES_H

#include "trace/read/cursor.h"

struct kt_site {
    const struct kt_process *process;
    uint64_t id; /* kt_call_site() there */
};

struct kt_sites;
struct kt_sites *kt_sites_new(void);
void kt_sites_free(struct kt_sites *sites);

/* The place of a call, of the first process that has it. */
struct kt_site kt_sites_of(struct kt_sites *sites, const struct kt_call *call);

#endif
