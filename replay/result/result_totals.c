/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/result/result_totals.h"

void kt_result_totals_of(const struct kt_replay_result *r, struct kt_result_totals *out)
{
    *out = (struct kt_result_totals){.left_out = kt_left_out_of(&r->setup->jobs, r->schedule)};
    for (size_t i = 0; i < r->schedule->reached; i++) {
        const struct kt_job *job = &r->setup->jobs.job[i];
        double calls = (double)job->shape->calls;
        if (job->refused) {
            out->refused += job->shape->total;
            out->calls_refused += calls;
            continue;
        }
        out->insitu += job->shape->total;
        out->calls += calls;
        for (size_t l = 0; l < r->schedule->lanes; l++)
            if (r->schedule->item[i].lane[l].absent)
                out->absent[l] += job->shape->total;
            else
                out->lane[l] += calls * kt_lane_stat(&r->schedule->item[i], l).best;
        struct kt_work work;
        kt_work_of(job, &work);
        out->bound += calls * kt_bound_warm(r->peaks, &work).seconds;
        out->bound_cold += calls * kt_bound_cold(r->peaks, &work).seconds;
    }
}
