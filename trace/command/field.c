/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/command/field.h"

#include "trace/base/error.h"

#include <assert.h>

static json_t *stored(const struct kt_field *field, const void *object)
{
    const void *at = (const char *)object + field->offset;
    switch (field->stored) {
    case KT_STORED_U64:
        return json_integer((json_int_t) * (const uint64_t *)at);
    case KT_STORED_I64:
        return json_integer(*(const int64_t *)at);
    case KT_STORED_U32:
        return json_integer(*(const uint32_t *)at);
    case KT_STORED_INT:
        return json_integer(*(const int *)at);
    case KT_STORED_DOUBLE:
        return kt_json_number(*(const double *)at);
    case KT_STORED_BOOL:
        return json_boolean(*(const bool *)at);
    case KT_STORED_TEXT:
        return kt_json_text_or_null(*(const char *const *)at);
    default:
        return NULL;
    }
}

json_t *kt_field_value(const struct kt_field *field, const struct kt_at *at)
{
    if (field->get)
        return field->get(at);
    if (field->count)
        return kt_field_list(field, at);
    if (field->stored)
        return stored(field, at->object);
    return field->kind == KT_AS_RECORD && !(field->flags & KT_MANY) ? kt_field_object(field->of, at) : NULL;
}

json_t *kt_field_object(const struct kt_field *field, const struct kt_at *at)
{
    const struct kt_field *all[KT_FIELD_COLUMNS];
    size_t fields = kt_field_flat(field, all);
    json_t *out = json_object();
    for (size_t i = 0; i < fields; i++) {
        json_t *value = all[i]->key ? kt_field_value(all[i], at) : NULL;
        if (value)
            json_object_set_new(out, all[i]->key, value);
    }
    return out;
}

struct kt_at kt_field_row(const struct kt_field *list, const struct kt_at *at, size_t row)
{
    return (struct kt_at){at->from, list->row ? list->row(at, row) : at->object, row};
}

json_t *kt_field_list(const struct kt_field *list, const struct kt_at *at)
{
    json_t *array = json_array();
    size_t count = list->count(at);
    for (size_t i = 0; i < count; i++) {
        const struct kt_at row = kt_field_row(list, at, i);
        json_array_append_new(array, kt_field_object(list->of, &row));
    }
    return array;
}

static size_t flatten(const struct kt_field *field, const struct kt_field **out, size_t count)
{
    for (; field->kind; field++) {
        assert(count < KT_FIELD_COLUMNS);
        if (field->flags & KT_INLINE)
            count = flatten(field->of, out, count);
        else
            out[count++] = field;
    }
    return count;
}

size_t kt_field_flat(const struct kt_field *field, const struct kt_field *out[KT_FIELD_COLUMNS])
{
    return flatten(field, out, 0);
}

/* --- what several verbs have --------------------------------------------------------------------------------- */

const struct kt_field kt_field_stat[] = {
    {"best", KT_AS_SECONDS, KT_NULL, .meaning = "the estimate that ktrace uses"},
    {"min", KT_AS_SECONDS, KT_NULL, .meaning = "shortest"},
    {"median", KT_AS_SECONDS, KT_NULL, .meaning = "median"},
    {"lo", KT_AS_SECONDS, KT_NULL, .meaning = "begin of a 95 % interval of the median"},
    {"hi", KT_AS_SECONDS, KT_NULL, .meaning = "its end"},
    {"n", KT_AS_COUNT, .meaning = "number of samples"},
    {"resolution", KT_AS_SHARE, KT_LACKS, .meaning = "part by which all but min may be wrong; absent: exact"},
    {0}};

/* Of replays by earlier versions less is known. */
static const struct kt_field cause_map[] = {{"CAUSE", KT_AS_COUNT, .meaning = "samples"}, {0}};

const struct kt_field kt_field_speed[] = {
    {"readings", KT_AS_COUNT, .meaning = "how often the machine was read"},
    {"core_hz", KT_AS_NUMBER, .unit = "1/s", .meaning = "dependent additions: the clock of the core"},
    {"issue_hz", KT_AS_NUMBER, .unit = "1/s",
     .meaning = "independent additions: what the program gets of a shared core"},
    {"memory_seconds", KT_AS_SECONDS, .meaning = "a load from memory"},
    {0}};

const struct kt_field kt_field_context[] = {
    KT_FIELDS(kt_field_stat),
    {"q3", KT_AS_SECONDS, KT_NULL | KT_LACKS, .meaning = "upper quartile"},
    {"max", KT_AS_SECONDS, KT_NULL | KT_LACKS, .meaning = "longest"},
    {"core_hz", KT_AS_NUMBER, KT_NULL | KT_LACKS, .unit = "Hz", .meaning = "clock rate of the core"},
    {"core_cycles", KT_AS_NUMBER, KT_NULL | KT_LACKS, .unit = "core cycles", .meaning = "the median"},
    {"disturbances", KT_AS_MAP, KT_LACKS, .meaning = "of samples: all, disturbed, left out, and by cause",
     .of = cause_map},
    {"state", KT_AS_RECORD, KT_NULL | KT_LACKS, .meaning = "how fast the machine was meanwhile", .of = kt_field_speed},
    {0}};

const struct kt_field kt_field_estimate[] = {{"value", KT_AS_NUMBER, KT_NULL, .meaning = "the estimate"},
                                             {"lo", KT_AS_NUMBER, KT_NULL, .meaning = "begin of its 95 % interval"},
                                             {"hi", KT_AS_NUMBER, KT_NULL, .meaning = "its end"},
                                             {0}};

const struct kt_field kt_field_place[] = {
    {"object", KT_AS_TEXT, KT_NULL, .meaning = "program or library that contains the call"},
    {"function", KT_AS_TEXT, KT_NULL, .meaning = "function that makes the call"},
    {"file", KT_AS_TEXT, KT_NULL, .meaning = "source file"},
    {"line", KT_AS_ID, KT_NULL, .meaning = "line in the source file"},
    {"offset", KT_AS_ID, .meaning = "address of the call in the object"},
    {0}};

const struct kt_field kt_field_source[] = {
    KT_FIELDS(kt_field_place),
    {"share", KT_AS_SHARE, KT_NULL,
     .meaning = "part of the time of the shape's calls that is spent in calls from there"},
    {0}};
