/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/sequence/company.h"

/* From the last end of a call to this one, in ticks; what is beyond LONGEST is cut. */
static uint64_t cut_idle(struct kt_company *c, const struct kt_call *call, uint64_t longest)
{
    uint64_t idle = c->any && call->start > c->until ? call->start - c->until : 0;
    uint64_t kept = idle < longest ? idle : longest;
    c->cut += idle - kept;
    return kept;
}

/* The thread's own, a new one, or that of the thread that has been silent for longest. */
static unsigned find_seat(struct kt_company *c, uint32_t tid)
{
    unsigned oldest = 0;
    for (unsigned i = 0; i < c->seats; i++) {
        if (c->seat[i].tid == tid)
            return i;
        oldest = c->seat[i].end < c->seat[oldest].end ? i : oldest;
    }
    if (c->seats < KT_COMPANY_MOST)
        oldest = c->seats++;
    c->seat[oldest].tid = tid;
    c->seat[oldest].end = 0;
    return oldest;
}

struct kt_seated kt_company_seat(struct kt_company *c, const struct kt_call *call, bool opens, double longest)
{
    double tick = call->process->tick_seconds;
    uint64_t idle = cut_idle(c, call, (uint64_t)(longest / tick));
    uint64_t start = call->start - c->cut;
    uint64_t end = call->start + call->ticks;
    c->window = opens ? start : c->window;
    unsigned seat = find_seat(c, call->tid);
    uint64_t last = c->seat[seat].end;
    uint64_t behind = last > c->window ? last : c->window;
    c->seat[seat].end = end - c->cut;
    c->until = !c->any || end > c->until ? end : c->until;
    c->any = true;
    return (struct kt_seated){seat, start > behind ? (double)(start - behind) * tick : 0, (double)idle * tick};
}
