/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/report/screen_parts.h"

#include "model/report/known_part.h"
#include "model/report/part_words.h"
#include "trace/print/screen.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define KT_SCREEN_MARK(name, mark, key, text) mark,
#define KT_SCREEN_KEY(name, mark, key, text)  key,
#define KT_SCREEN_NAME(name, mark, key, text) text,
const char kt_screen_parts_mark[] = {KT_SCREEN_PARTS_LIST(KT_SCREEN_MARK)};
const char *const kt_screen_parts_key[] = {KT_SCREEN_PARTS_LIST(KT_SCREEN_KEY)};
const char *const kt_screen_parts_name[] = {KT_SCREEN_PARTS_LIST(KT_SCREEN_NAME)};

void kt_screen_parts_bar(const struct kt_screen_part_told part[KT_SCREEN_MARKS], struct kt_screen_marks *marks)
{
    double drawn[KT_SCREEN_MARKS + 1] = {0};
    char mark[KT_SCREEN_MARKS + 1];
    char text[KT_SCREEN_TEXT] = "";
    size_t used = 0;
    memcpy(mark, kt_screen_parts_mark, KT_SCREEN_MARKS);
    mark[KT_SCREEN_MARKS] = '?'; /* the rest of the bar, if any part is not told */
    for (int p = 0; p < KT_SCREEN_MARKS; p++) {
        bool told = part[p].sign != KT_SIGN_CANNOT_TELL;
        drawn[p] = told ? part[p].share.value : 0;
        drawn[KT_SCREEN_MARKS] = told ? drawn[KT_SCREEN_MARKS] : 1;
        marks->unknown = marks->unknown || !told;
        if (part[p].sign == KT_SIGN_NONE)
            continue;
        marks->used[p] = true;
        used += kt_part_words(kt_screen_parts_mark[p], &part[p].share, told, text + used, sizeof text - used);
    }
    kt_screen_bar(drawn, mark, KT_SCREEN_MARKS + 1, text);
}

void kt_screen_parts_legend(const struct kt_screen_marks *marks)
{
    char text[KT_SCREEN_TEXT] = "";
    size_t length = 0;
    for (int p = 0; p < KT_SCREEN_MARKS; p++)
        if (marks->used[p])
            length += (size_t)snprintf(text + length, sizeof text - length, " %c%s", kt_screen_parts_mark[p],
                                       kt_screen_parts_name[p]);
    if (length || marks->unknown)
        kt_screen_line(" %s%s", text, marks->unknown ? " ?cannot-tell" : "");
}

static double known(double value)
{
    return isnan(value) ? 0 : value;
}

void kt_screen_parts_find(const struct kt_decomposition *d, double seconds, double part[KT_SCREEN_PARTS])
{
    double beyond = known(d->residual.value) + known(d->unsplit.value);
    double machine = fmin(fmax(known(d->machine.value), 0), fmax(beyond, 0));
    part[KT_SCREEN_BOUND] = d->bound.value / seconds;
    part[KT_SCREEN_LIBRARY] = d->library.value / seconds;
    part[KT_SCREEN_CACHE] = d->cache.value / seconds;
    part[KT_SCREEN_CONTENTION] = known(d->contention.value) / seconds;
    part[KT_SCREEN_MACHINE] = machine / seconds;
    part[KT_SCREEN_REST] = (d->residual.value - fmin(machine, fmax(known(d->residual.value), 0))) / seconds;
    part[KT_SCREEN_UNSPLIT] = known(d->unsplit.value) / seconds;
}

struct kt_time kt_screen_parts_time(const struct kt_decomposition *d, int part, double seconds)
{
    const struct kt_time *const time[KT_SCREEN_PARTS] = {
        [KT_SCREEN_BOUND] = &d->bound,           [KT_SCREEN_LIBRARY] = &d->library, [KT_SCREEN_CACHE] = &d->cache,
        [KT_SCREEN_CONTENTION] = &d->contention, [KT_SCREEN_MACHINE] = &d->machine, [KT_SCREEN_REST] = &d->residual,
        [KT_SCREEN_UNSPLIT] = &d->unsplit};
    const struct kt_time *of = time[part];
    double value[KT_SCREEN_PARTS];
    kt_screen_parts_find(d, seconds, value);
    return (struct kt_time){value[part], value[part] - (of->value - of->lo) / seconds,
                            value[part] + (of->hi - of->value) / seconds};
}

bool kt_screen_parts_is_told(const struct kt_decomposition *d, int part, double seconds)
{
    struct kt_time of = kt_screen_parts_time(d, part, seconds);
    bool is_slower = known(d->residual.value) + known(d->unsplit.value) < -kt_known_part_worth_words * seconds;
    return !is_slower && !kt_decomposition_is_unclear(d) && kt_decomposition_is_told(&of);
}

enum kt_paired_sign kt_screen_parts_sign(const struct kt_decomposition *d, int part, double seconds)
{
    static const double worth_room = 0.02;
    struct kt_time of = kt_screen_parts_time(d, part, seconds);
    bool is_needed = d->shapes && (part == KT_SCREEN_BOUND || part == KT_SCREEN_LIBRARY); /* of all calls */
    bool is_none = isnan(of.hi - of.lo) || (part == KT_SCREEN_UNSPLIT && d->tracked == d->shapes);
    bool is_there = is_needed || !is_none;
    if (is_there && kt_screen_parts_is_told(d, part, seconds))
        return fabs(of.value) < worth_room ? KT_SIGN_NONE : KT_SIGN_KNOWN;
    return is_there || fabs(of.value) >= worth_room ? KT_SIGN_CANNOT_TELL : KT_SIGN_NONE;
}
