/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison that was made up: three shapes of two routines, on three libraries. */
#ifndef KT_COMPARED_SCENE_H
#define KT_COMPARED_SCENE_H

#include "replay/compare/comparison.h"

enum { SHAPES = 3, LIBRARIES = 3, VISITS = 12 };

struct kt_compared_scene {
    struct kt_routine routine[2];
    struct kt_entry entry[2];
    struct kt_shape_group shape[SHAPES];
    struct kt_job job[SHAPES];
    char *failure[LIBRARIES][SHAPES];
    bool broken[LIBRARIES][SHAPES];
    const struct kt_context *context[SHAPES];
    struct kt_stream *stream;
    struct kt_process process;
    struct kt_comparison c;
};

void kt_compared_scene_open(struct kt_compared_scene *scene);
void kt_compared_scene_close(struct kt_compared_scene *scene);

/* Visits from number FROM on, which scatter by less than half a percent. */
void kt_compared_scene_visits(struct kt_series *series, double seconds, unsigned from);
void kt_compared_scene_time(struct kt_compared_scene *scene, int shape, int library, double seconds);

/* By shape and library; 0: the library has not got the routine. */
void kt_compared_scene_times(struct kt_compared_scene *scene, const double (*seconds)[LIBRARIES]);

/* Opens it. A call takes as long on a library whatever its shape is; the calls of a shape took so long in the program.
 */
void kt_compared_scene_recorded(struct kt_compared_scene *scene, const double call[LIBRARIES],
                                const double total[SHAPES]);

/* Within 2 %. */
bool kt_compared_scene_near(double a, double b);

#endif
