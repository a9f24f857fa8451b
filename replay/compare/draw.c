/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/compare/draw.h"

#include "trace/base/memory.h"

#include <stdlib.h>
#include <string.h>

static int compare_seconds(const void *a, const void *b)
{
    double x = (*(struct kt_drawable *const *)a)->seconds;
    double y = (*(struct kt_drawable *const *)b)->seconds;
    return (x < y) - (x > y);
}

static int compare_kind(const void *a, const void *b)
{
    const struct kt_drawable *x = *(struct kt_drawable *const *)a;
    const struct kt_drawable *y = *(struct kt_drawable *const *)b;
    int order = strcmp(x->routine, y->routine);
    return order ? order : (x->of_a_call > y->of_a_call) - (x->of_a_call < y->of_a_call);
}

/* Every STEP seconds one, from the middle of the first on. */
static void draw_every(struct kt_drawable **order, size_t count, double step)
{
    double next = step / 2;
    double sum = 0;
    qsort(order, count, sizeof *order, compare_kind);
    for (size_t i = 0; i < count; i++) {
        sum += order[i]->seconds;
        order[i]->stands_for = sum > next ? step / order[i]->seconds : 0;
        next += sum > next ? step : 0;
    }
}

void kt_draw_shapes(struct kt_drawable *shape, size_t shapes, size_t most)
{
    struct kt_drawable **order = kt_resize(NULL, shapes, sizeof *order);
    double rest = 0;
    size_t heavy = 0;
    for (size_t i = 0; i < shapes; i++) {
        order[i] = &shape[i];
        shape[i].stands_for = 1;
        rest += shape[i].seconds;
    }
    if (shapes > most) {
        qsort(order, shapes, sizeof *order, compare_seconds);
        for (; heavy < most && order[heavy]->seconds * (double)(most - heavy) >= rest; heavy++)
            rest -= order[heavy]->seconds;
        if (heavy < most)
            draw_every(order + heavy, shapes - heavy, rest / (double)(most - heavy));
        else
            for (size_t i = heavy; i < shapes; i++)
                order[i]->stands_for = 0;
    }
    free(order);
}
