/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/report/told.h"

const struct kt_field kt_told_interval[] = {
    {"value", KT_AS_NUMBER, KT_NULL, .meaning = "median over pairs, or estimate"},
    {"lo", KT_AS_NUMBER, KT_NULL, .meaning = "begin of the interval"},
    {"hi", KT_AS_NUMBER, KT_NULL, .meaning = "end of the interval"},
    {0}};

const struct kt_field kt_told_part[] = {
    {"share", KT_AS_RECORD, .meaning = "part of the time, with its 95 % interval", .of = kt_told_interval},
    {"seconds", KT_AS_RECORD, .meaning = "the same in seconds", .of = kt_told_interval},
    {"certainty", KT_AS_TEXT,
     .meaning =
         "known: the interval reaches no further than 25 % of the time; none: it is within 2 % of 0; cannot tell"},
    {0}};

const struct kt_field kt_told_findings[] = {
    {"findings", KT_AS_TEXT, KT_MANY, .meaning = "what that means, most important first"},
    {"next", KT_AS_TEXT, .meaning = "verb, with its option, that tells more"},
    {0}};

json_t *kt_told_interval_json(const struct kt_time *time, double unit)
{
    return json_pack("{s:o, s:o, s:o}", "value", kt_json_number(unit * time->value), "lo",
                     kt_json_number(unit * time->lo), "hi", kt_json_number(unit * time->hi));
}

json_t *kt_told_part_json(const struct kt_time *share, double seconds, enum kt_paired_sign sign)
{
    static const char *const text[] = {
        [KT_SIGN_KNOWN] = "known", [KT_SIGN_NONE] = "none", [KT_SIGN_CANNOT_TELL] = "cannot tell"};
    return json_pack("{s:o, s:o, s:s}", "share", kt_told_interval_json(share, 1), "seconds",
                     kt_told_interval_json(share, seconds), "certainty", text[sign]);
}

void kt_told_add_findings(json_t *document, const struct kt_screen_findings *findings, const char *next)
{
    json_t *array = json_array();
    for (int i = 0; i < findings->count; i++)
        json_array_append_new(array, kt_json_text(findings->text[i]));
    json_object_set_new(document, "findings", array);
    json_object_set_new(document, "next", json_string(next));
}
