/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of one screen as JSON. */
#include "model/report/heaviest.h"
#include "model/report/report_lists.h"
#include "model/report/screen_findings.h"
#include "model/report/screen_parts.h"
#include "model/report/told.h"
#include "trace/shape/shape_words.h"

#include <stdlib.h>

enum { PLACES = 5 };

static const struct kt_field part_fields[] = {
    {"bound", KT_AS_RECORD, .meaning = "what the hardware needs at least", .of = kt_told_part},
    {"library", KT_AS_RECORD, .meaning = "warm replay minus that", .of = kt_told_part},
    {"cache", KT_AS_RECORD, .meaning = "replay with operands where they were, minus warm", .of = kt_told_part},
    {"contention", KT_AS_RECORD, .meaning = "what calls of other threads at the same time cost", .of = kt_told_part},
    {"machine", KT_AS_RECORD, .meaning = "of the rest: as the machine was slower while recorded", .of = kt_told_part},
    {"residual", KT_AS_RECORD, .meaning = "time in the program minus all these", .of = kt_told_part},
    {"unsplit", KT_AS_RECORD, .meaning = "cache or residual: no tracked replay tells which", .of = kt_told_part},
    {0}};

static const struct kt_field place_fields[] = {
    {"place", KT_AS_RECORD, KT_NULL, .meaning = "the line that calls", .of = kt_field_place},
    {"routine", KT_AS_TEXT, .meaning = "Fortran name, lower case, without underscore"},
    {"words", KT_AS_TEXT, .meaning = "its heaviest shape in words"},
    {"shapes", KT_AS_COUNT, .meaning = "shapes that are called there"},
    {"calls", KT_AS_COUNT, .meaning = "their calls"},
    {"seconds", KT_AS_SECONDS, .meaning = "their time in the program"},
    {"share", KT_AS_SHARE, KT_NULL, .meaning = "part of BLAS and LAPACK time"},
    {"parts", KT_AS_RECORD, KT_NULL, .meaning = "once replayed: what that is made of", .of = part_fields},
    {0}};

static const struct kt_field summary_fields[] = {
    {"seconds", KT_AS_SECONDS, KT_NULL, .meaning = "of all calls"},
    {"parts", KT_AS_RECORD, KT_NULL, .meaning = "once replayed: what that is made of", .of = part_fields},
    {"places", KT_AS_RECORD, KT_MANY, .meaning = "heaviest first", .of = place_fields},
    KT_FIELDS(kt_told_findings),
    {0}};

/* Null: nothing of it was replayed. */
static json_t *parts_json(const struct kt_decomposition *d, double seconds)
{
    json_t *json = d->shapes ? json_object() : json_null();
    for (int p = 0; d->shapes && p < KT_SCREEN_PARTS; p++) {
        const struct kt_time share = kt_screen_parts_time(d, p, seconds);
        enum kt_paired_sign sign = kt_screen_parts_is_told(d, p, seconds) ? KT_SIGN_KNOWN : KT_SIGN_CANNOT_TELL;
        json_object_set_new(json, kt_screen_parts_key[p], kt_told_part_json(&share, seconds, sign));
    }
    return json;
}

static json_t *place_json(const struct kt_heavy *heavy, double seconds)
{
    char words[128];
    kt_shape_words(&heavy->shape->first, heavy->shape->also, words, sizeof words);
    return json_pack(
        "{s:o, s:s, s:o, s:I, s:o, s:o, s:o, s:o}", "place", heavy->place ? kt_place_json(heavy->place) : json_null(),
        "routine", heavy->shape->first.entry->symbol.routine->name, "words", kt_json_text(words), "shapes",
        (json_int_t)heavy->shapes, "calls", kt_json_count(heavy->calls), "seconds", kt_json_number(heavy->seconds),
        "share", kt_report_share(heavy->seconds, seconds), "parts", parts_json(&heavy->parts, heavy->seconds));
}

static json_t *summary(const struct kt_at *at)
{
    const struct kt_report *report = kt_report_of(at);
    double seconds = report->groups.seconds;
    struct kt_heavy *heavy;
    struct kt_screen_findings findings;
    size_t count = kt_heaviest_find(report, &heavy);
    json_t *places = json_array();
    for (size_t i = 0; i < count && i < PLACES; i++)
        json_array_append_new(places, place_json(&heavy[i], seconds));
    json_t *json = json_pack("{s:o, s:o, s:o}", "seconds", kt_json_number(seconds), "parts",
                             parts_json(&report->parts.total.parts, seconds), "places", places);
    const char *next = kt_screen_findings_find(report, heavy, count, &findings);
    kt_told_add_findings(json, &findings, next);
    free(heavy);
    return json;
}

const struct kt_field kt_report_summary_record[] = {{"summary", KT_AS_RECORD,
                                                     .meaning = "what ktrace report prints on one screen",
                                                     .get = summary, .of = summary_fields},
                                                    {0}};
