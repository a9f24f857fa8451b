/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/compared_scene.h"

#include "trace/base/memory.h"

#include <math.h>

void kt_compared_scene_visits(struct kt_series *series, double seconds, unsigned from)
{
    for (unsigned v = from; v < VISITS; v++) {
        double sample = seconds * (1 + 0.001 * ((v * 7) % 5));
        kt_series_add(series, v, &sample, 1);
    }
}

void kt_compared_scene_open(struct kt_compared_scene *s)
{
    *s = (struct kt_compared_scene){.routine = {{.name = "dgemm"}, {.name = "dgesv"}}};
    s->process = (struct kt_process){.calls = 1, .streams = 1, .events = 1, .seconds = 10};
    s->c.setup.trace = (struct kt_trace){.process = &s->process, .processes = 1};
    s->c.setup.jobs = (struct kt_jobs){.job = s->job, .count = SHAPES};
    s->c.together = 1; /* one call at a time: nobody looks for others in the trace */
    s->c.busy = NAN;
    s->c.libraries = LIBRARIES;
    s->c.stands_for = kt_resize(NULL, SHAPES, sizeof *s->c.stands_for);
    s->c.met = kt_resize(NULL, SHAPES, sizeof *s->c.met);
    s->c.first = kt_resize(NULL, SHAPES * LIBRARIES, sizeof *s->c.first);
    s->c.windowed = kt_resize(NULL, SHAPES, sizeof *s->c.windowed);
    for (int i = 0; i < SHAPES; i++) {
        s->c.windowed[i] = (struct kt_windowed){NAN, NAN};
        s->entry[i / 2].symbol.routine = &s->routine[i / 2];
        s->shape[i] = (struct kt_shape_group){.calls = 100, .total = 1};
        s->shape[i].first.entry = &s->entry[i / 2];
        s->job[i].shape = &s->shape[i];
        s->c.stands_for[i] = 1;
        s->c.met[i] = false;
        for (int l = 0; l < LIBRARIES; l++)
            s->c.first[i * LIBRARIES + l] = 0;
    }
    for (int l = 0; l < LIBRARIES; l++) {
        s->c.worker[l].failure = s->failure[l];
        s->c.worker[l].broken = s->broken[l];
    }
    kt_schedule_make(SHAPES, LIBRARIES, &s->c.schedule);
}

void kt_compared_scene_time(struct kt_compared_scene *s, int shape, int library, double seconds)
{
    kt_compared_scene_visits(&s->c.schedule.item[shape].lane[library], seconds, 0);
}

void kt_compared_scene_times(struct kt_compared_scene *s, const double (*seconds)[LIBRARIES])
{
    for (int i = 0; i < SHAPES; i++)
        for (int l = 0; l < LIBRARIES; l++)
            if (seconds[i][l] > 0)
                kt_compared_scene_time(s, i, l, seconds[i][l]);
            else {
                s->failure[l][i] = (char *)"has no such routine";
                s->c.schedule.item[i].lane[l].absent = true;
            }
}

void kt_compared_scene_recorded(struct kt_compared_scene *s, const double call[LIBRARIES], const double total[SHAPES])
{
    kt_compared_scene_open(s);
    s->c.is_as_recorded = true;
    for (int i = 0; i < SHAPES; i++) {
        for (int l = 0; l < LIBRARIES; l++)
            kt_compared_scene_time(s, i, l, call[l]);
        s->shape[i].total = total[i];
        s->job[i].insitu.median = total[i] / 100;
    }
}

void kt_compared_scene_close(struct kt_compared_scene *s)
{
    kt_comparison_free(&s->c);
    kt_schedule_free(&s->c.schedule);
}

bool kt_compared_scene_near(double a, double b)
{
    return fabs(a - b) < 0.02 * fabs(b);
}
