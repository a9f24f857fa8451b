/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/result/left_out.h"

#include "trace/command/json.h"
#include "trace/print/text.h"

#include <stdio.h>

struct kt_left_out kt_left_out_of(const struct kt_jobs *jobs, const struct kt_schedule *schedule)
{
    struct kt_left_out out = {.shapes = jobs->count - schedule->reached};
    double all = 0;
    for (size_t i = 0; i < jobs->count; i++) {
        const struct kt_shape_group *shape = jobs->job[i].shape;
        all += shape->total;
        out.calls += i < schedule->reached ? 0 : (double)shape->calls;
        out.seconds += i < schedule->reached ? 0 : shape->total;
    }
    out.share = all > 0 ? out.seconds / all : 0;
    return out;
}

json_t *kt_left_out_json(const struct kt_left_out *left_out)
{
    return json_pack("{s:I, s:o, s:f, s:f}", "shapes", (json_int_t)left_out->shapes, "calls",
                     kt_json_count(left_out->calls), "seconds", left_out->seconds, "share", left_out->share);
}

void kt_left_out_print(const struct kt_left_out *left_out, bool is_kept)
{
    char shapes[32];
    char share[32];
    if (!left_out->shapes)
        return;
    kt_text_count((double)left_out->shapes, shapes);
    kt_text_percent(left_out->share, share);
    printf("Left out for want of time: the %s lightest shapes, %s of the recorded time; %s.\n", shapes, share,
           is_kept ? "the next replay goes on with them" : "more --budget replays more");
}
