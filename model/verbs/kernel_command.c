/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/verbs/kernel_command.h"

#include "model/plot/roofline_plot.h"
#include "model/plot/times_plot.h"
#include "model/roofline/roofline_machine.h"

#include <stdlib.h>

enum { DEFAULT_BUDGET = 20, WIDTH = 1320, HEIGHT = 800 };

enum kt_status kt_kernel_take_sizes(const struct kt_verb_option *option, const char *value, void *out,
                                    struct kt_error *error)
{
    (void)option;
    return kt_kernel_sizes(value, out, error);
}

enum kt_status kt_kernel_take_states(const struct kt_verb_option *option, const char *value, void *out,
                                     struct kt_error *error)
{
    (void)option;
    return kt_kernel_states(value, out, error);
}

enum kt_status kt_kernel_take_library(const struct kt_verb_option *option, const char *value, void *out,
                                      struct kt_error *error)
{
    struct kt_kernel_plan *kernel = out;
    (void)option;
    if (kernel->libraries == KT_MOST_SERIES)
        return kt_fail(error, KT_USAGE, "more than %d libraries", KT_MOST_SERIES);
    kernel->blas[kernel->libraries++] = value;
    return KT_OK;
}

enum kt_status kt_kernel_take_seconds(const struct kt_verb_option *option, const char *value, void *out,
                                      struct kt_error *error)
{
    char *end;
    double *seconds = out;
    *seconds = strtod(value, &end);
    if (end == value || *end || !(*seconds > 0) || *seconds > 86400)
        return kt_fail(error, KT_USAGE, "--%s %.40s: expected seconds", option->name, value);
    return KT_OK;
}

enum kt_status kt_kernel_take_picture(const struct kt_verb_option *option, const char *value, void *out,
                                      struct kt_error *error)
{
    (void)option;
    return kt_picture_name(value, WIDTH, HEIGHT, out, error);
}

struct kt_kernel_plan kt_kernel_default(const char *sizes)
{
    struct kt_kernel_plan plan = {.seconds = DEFAULT_BUDGET};
    struct kt_error none = {0};
    kt_kernel_sizes(sizes, &plan, &none);
    kt_kernel_states("warm,cold", &plan, &none);
    return plan;
}

enum kt_status kt_kernel_begin(const char *machine, struct kt_roofline *roofline, struct kt_error *error)
{
    KT_TRY(kt_roofline_own_roofs(machine, 1, &roofline->roofs[0], error));
    roofline->machines = 1;
    roofline->lined = true;
    return KT_OK;
}

bool kt_kernel_has_point(const struct kt_roofline *roofline)
{
    for (size_t i = 0; i < roofline->points; i++)
        if (kt_roofline_shows(roofline, &roofline->point[i]))
            return true;
    return false;
}

enum kt_status kt_kernel_draw(const struct kt_roofline *roofline, const struct kt_picture *picture,
                              struct kt_error *error)
{
    struct kt_plot_title title;
    kt_plot_title_make(roofline, roofline->timed ? "Times of the calls" : "Roofline", &title);
    KT_TRY(kt_roofline_csv(roofline, picture->data, error));
    KT_TRY(roofline->timed ? kt_times_plot(roofline, &title, picture, error)
                           : kt_roofline_plot(roofline, &title, picture, error));
    return kt_picture_draw(picture, error);
}
