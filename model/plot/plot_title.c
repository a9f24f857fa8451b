/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/plot/plot_title.h"

#include "trace/print/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Do all series have the same text at that place, and is there one? */
static bool is_common(const struct kt_roofline *r, const char *(*text_of)(const struct kt_point_series *))
{
    for (size_t s = 1; s < r->count; s++)
        if (strcmp(text_of(&r->series[s]), text_of(&r->series[0])) != 0)
            return false;
    return *text_of(&r->series[0]) != '\0';
}

static const char *program_of(const struct kt_point_series *series)
{
    return series->program;
}

static const char *processor_of(const struct kt_point_series *series)
{
    return series->processor;
}

static const char *when_of(const struct kt_point_series *series)
{
    return series->when;
}

static void add(struct kt_plot_title *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct kt_plot_title *out, const char *format, ...)
{
    size_t used = strlen(out->about);
    va_list list;
    va_start(list, format);
    if (used)
        used += (size_t)snprintf(out->about + used, sizeof out->about - used, "; ");
    if (used < sizeof out->about)
        vsnprintf(out->about + used, sizeof out->about - used, format, list);
    va_end(list);
}

static void add_library(const struct kt_roofline *r, struct kt_plot_title *out)
{
    int threads = r->series[0].threads;
    for (size_t s = 1; s < r->count; s++)
        threads = r->series[s].threads == threads ? threads : 0;
    const char *name = kt_roofline_has_one_library(r) ? r->series[0].label : "several libraries";
    if (threads)
        add(out, "%s, %s", name, KT_COUNT(threads, "thread"));
    else
        add(out, "%s", name);
}

/* The first and the last of them; texts of times are in their order. */
static void add_when(const struct kt_roofline *r, struct kt_plot_title *out)
{
    const char *first = r->series[0].when, *last = first;
    const char *verb = r->lined ? "timed" : "recorded";
    for (size_t s = 1; s < r->count; s++) {
        const char *when = r->series[s].when;
        first = strcmp(when, first) < 0 ? when : first;
        last = strcmp(when, last) > 0 ? when : last;
    }
    if (is_common(r, when_of))
        add(out, "%s %s", verb, first);
    else if (*first)
        add(out, "%s %s to %s", verb, first, last);
}

/* Calls of the program, or samples of each point of a kernel. */
static void add_calls(const struct kt_roofline *r, struct kt_plot_title *out)
{
    double least = INFINITY, most = 0, all = 0;
    char text[16];
    for (size_t i = 0; i < r->points; i++) {
        if (!r->point[i].leads)
            continue;
        least = fmin(least, r->point[i].calls);
        most = fmax(most, r->point[i].calls);
        all += r->point[i].calls;
    }
    if (!r->lined)
        add(out, "%s", KT_COUNT(all, "call"));
    else if (least == most)
        add(out, "%s of each size", KT_COUNT(most, "call"));
    else if (most > 0)
        add(out, "%s to %s of each size", kt_text_count(least, text), KT_COUNT(most, "call"));
}

void kt_plot_title_make(const struct kt_roofline *r, const char *subject, struct kt_plot_title *out)
{
    *out = (struct kt_plot_title){0};
    size_t kernels = kt_roofline_kernels(r);
    if (r->lined && kernels > 1)
        snprintf(out->what, sizeof out->what, "%s of %zu kernels", subject, kernels);
    else if (r->lined)
        snprintf(out->what, sizeof out->what, "%s of %s", subject, r->point[0].routine);
    else if (r->count == 1)
        snprintf(out->what, sizeof out->what, "%s of %s", subject, r->series[0].program);
    else if (is_common(r, program_of))
        snprintf(out->what, sizeof out->what, "%s of %zu runs of %s", subject, r->count, r->series[0].program);
    else
        snprintf(out->what, sizeof out->what, "%s of %zu traces", subject, r->count);
    if (!r->lined && r->count == 1)
        add(out, "%s", r->series[0].name);
    add_library(r, out);
    if (is_common(r, processor_of))
        add(out, "%s", r->series[0].processor);
    else
        add(out, "%s", r->machines > 1 ? "several machines" : "machine not known");
    add_when(r, out);
    add_calls(r, out);
}
