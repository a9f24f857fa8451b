/* SPDX-License-Identifier: BSD-3-Clause */
/* What ktrace replay --what-if --json prints. */
#include "replay/advise/what_if.h"

#include "trace/base/interrupt.h"
#include "trace/command/document.h"

#include <math.h>

static const struct kt_what_if *what_if(const struct kt_at *at)
{
    return at->from;
}

static json_t *estimate(double value, double lo, double hi)
{
    return json_pack("{s:o, s:o, s:o}", "value", kt_json_number(value), "lo", kt_json_number(lo), "hi",
                     kt_json_number(hi));
}

static json_t *ratio_json(const struct kt_ratio *ratio)
{
    return ratio->n ? estimate(ratio->value, ratio->lo, ratio->hi) : json_null();
}

static json_t *gain_json(const struct kt_what_if_row *row)
{
    return isnan(row->seconds) ? json_null() : estimate(row->seconds, row->seconds_lo, row->seconds_hi);
}

static json_t *part_json(double seconds, double of)
{
    return of > 0 ? kt_json_number(seconds / of) : json_null();
}

/* --- shapes ------------------------------------------------------------------------------------------------ */

static const struct kt_what_if_row *row_of(const struct kt_at *at)
{
    return at->object;
}

/* NULL: there are no pairs. */
static const struct kt_tried *tried_of(const struct kt_at *at)
{
    return row_of(at)->why ? NULL : &what_if(at)->trials.tried[row_of(at)->trial];
}

static json_t *routine(const struct kt_at *at)
{
    return kt_json_text(row_of(at)->shape->first.entry->symbol.routine->name);
}

static json_t *args(const struct kt_at *at)
{
    return kt_json_args(&row_of(at)->shape->first, false);
}

static json_t *calls(const struct kt_at *at)
{
    return json_integer((json_int_t)row_of(at)->shape->calls);
}

static json_t *changed_calls(const struct kt_at *at)
{
    return kt_json_count(row_of(at)->calls);
}

static json_t *insitu(const struct kt_at *at)
{
    return kt_json_number(row_of(at)->insitu);
}

static json_t *stat_json(const struct kt_at *at, const struct kt_stat *stat)
{
    return row_of(at)->why ? json_null() : kt_json_stat(stat);
}

static json_t *recorded(const struct kt_at *at)
{
    return stat_json(at, &row_of(at)->recorded);
}

static json_t *changed(const struct kt_at *at)
{
    return stat_json(at, &row_of(at)->other);
}

static json_t *ratio(const struct kt_at *at)
{
    return tried_of(at) ? ratio_json(&tried_of(at)->ratio) : json_null();
}

static json_t *pairs(const struct kt_at *at)
{
    return json_integer(tried_of(at) ? (json_int_t)tried_of(at)->pairs : 0);
}

static json_t *context(const struct kt_at *at)
{
    const struct kt_tried *tried = tried_of(at);
    return tried ? json_string(isnan(tried->place) ? "tracked" : "between") : json_null();
}

static json_t *place(const struct kt_at *at)
{
    return tried_of(at) ? kt_json_number(tried_of(at)->place) : json_null();
}

static json_t *gain(const struct kt_at *at)
{
    return gain_json(row_of(at));
}

static json_t *share(const struct kt_at *at)
{
    return part_json(row_of(at)->seconds, what_if(at)->blas);
}

static json_t *source(const struct kt_at *at)
{
    return kt_shape_source_json(&what_if(at)->source[row_of(at)->number]);
}

static json_t *verdict(const struct kt_at *at)
{
    return row_of(at)->why ? json_null() : json_string(kt_verdict_text[row_of(at)->verdict]);
}

static const struct kt_field row_fields[] = {
    {"routine", KT_AS_TEXT, .meaning = "recorded routine", .get = routine},
    {"args", KT_AS_MAP, .meaning = "recorded arguments of the first call, by their names", .get = args},
    {"calls", KT_AS_COUNT, .meaning = "calls of the shape", .get = calls},
    {"changed_calls", KT_AS_COUNT, .meaning = "of these, those that the change is for: with batch=N those in batches",
     .get = changed_calls},
    {"insitu", KT_AS_SECONDS, .meaning = "time of these in the program", .get = insitu},
    {"replayed", KT_AS_RECORD, KT_NULL, .meaning = "one call as recorded, replayed: over the pairs", .get = recorded,
     .of = kt_field_stat},
    {"changed", KT_AS_RECORD, KT_NULL, .meaning = "one call with the change", .get = changed, .of = kt_field_stat},
    {"ratio", KT_AS_RECORD, KT_NULL, .meaning = "changed over replayed: median of the pairs", .get = ratio,
     .of = kt_field_estimate},
    {"pairs", KT_AS_COUNT, .meaning = "pairs of times", .get = pairs},
    {"context", KT_AS_TEXT, KT_NULL,
     .meaning = "tracked: operands were where the trace says; between: between cache and memory, see place",
     .get = context},
    {"place", KT_AS_NUMBER, KT_NULL, .meaning = "0 in cache, 1 in memory; null where the context is tracked",
     .get = place},
    {"gain", KT_AS_RECORD, KT_NULL, .meaning = "seconds that these calls would take less in the program", .get = gain,
     .of = kt_field_estimate},
    {"share", KT_AS_SHARE, KT_NULL, .meaning = "that is of the time of all calls", .get = share},
    {"verdict", KT_AS_TEXT, KT_NULL, .meaning = "of the changed form: faster, slower, no difference or cannot tell",
     .get = verdict},
    {"why", KT_AS_TEXT, KT_NULL, .meaning = "why there are no times", KT_AT(struct kt_what_if_row, why)},
    {"source", KT_AS_RECORD, KT_NULL, .meaning = "line that most of its time comes from", .get = source,
     .of = kt_field_source},
    {0}};

/* --- forms ------------------------------------------------------------------------------------------------- */

static json_t *form_json(const struct kt_what_if *w, size_t form)
{
    const struct kt_worker *worker = &w->trials.worker[w->trials.places > 1 ? form : 0];
    return json_pack("{s:o, s:o, s:i}", "library", kt_json_text(worker->library.name), "version",
                     kt_json_text(worker->hello.version), "threads", worker->library.threads);
}

static json_t *loop_threads(const struct kt_at *at)
{
    return json_integer(what_if(at)->loop);
}

static json_t *recorded_form(const struct kt_at *at)
{
    return form_json(what_if(at), KT_RECORDED_FORM);
}

static json_t *other_form(const struct kt_at *at)
{
    return form_json(what_if(at), KT_OTHER_FORM);
}

static const struct kt_field form_fields[] = {{"library", KT_AS_TEXT, .meaning = "that calls were timed on"},
                                              {"version", KT_AS_TEXT, .meaning = "what it says of itself"},
                                              {"threads", KT_AS_COUNT, .meaning = "threads that it uses"},
                                              {0}};

/* --- all --------------------------------------------------------------------------------------------------- */

static json_t *total_insitu(const struct kt_at *at)
{
    return kt_json_number(what_if(at)->insitu);
}

static json_t *total_ratio(const struct kt_at *at)
{
    return ratio_json(&what_if(at)->ratio);
}

static json_t *total_gain(const struct kt_at *at)
{
    return gain_json(&what_if(at)->total);
}

static json_t *total_share(const struct kt_at *at)
{
    return part_json(what_if(at)->total.seconds, what_if(at)->blas);
}

static json_t *total_of_program(const struct kt_at *at)
{
    return part_json(what_if(at)->total.seconds, what_if(at)->program);
}

static json_t *total_verdict(const struct kt_at *at)
{
    return what_if(at)->timed ? json_string(kt_verdict_text[what_if(at)->total.verdict]) : json_null();
}

static const struct kt_field total_fields[] = {
    {"shapes", KT_AS_COUNT, .meaning = "shapes that have pairs", KT_AT(struct kt_what_if, timed)},
    {"insitu", KT_AS_SECONDS, .meaning = "time of their calls in the program", .get = total_insitu},
    {"ratio", KT_AS_RECORD, KT_NULL, .meaning = "changed over replayed", .get = total_ratio, .of = kt_field_estimate},
    {"gain", KT_AS_RECORD, KT_NULL, .meaning = "seconds that the program would take less", .get = total_gain,
     .of = kt_field_estimate},
    {"share", KT_AS_SHARE, KT_NULL, .meaning = "that is of the time of all calls", .get = total_share},
    {"of_program", KT_AS_SHARE, KT_NULL, .meaning = "and of that of the program", .get = total_of_program},
    {"verdict", KT_AS_TEXT, KT_NULL, .meaning = "as of a shape", .get = total_verdict},
    {0}};

static json_t *trace(const struct kt_at *at)
{
    return kt_json_text(what_if(at)->setup.trace.path);
}

static json_t *change(const struct kt_at *at)
{
    return kt_json_text(what_if(at)->change.text);
}

static json_t *interrupted(const struct kt_at *at)
{
    (void)at;
    return json_boolean(kt_interrupted() != 0);
}

static size_t rows(const struct kt_at *at)
{
    return what_if(at)->rows;
}

static const void *row(const struct kt_at *at, size_t i)
{
    return &what_if(at)->row[i];
}

static const struct kt_field fields[] = {
    {"trace", KT_AS_TEXT, .meaning = "trace", .get = trace},
    {"what_if", KT_AS_TEXT, .meaning = "the change, as it was asked for", .get = change},
    {"recorded", KT_AS_RECORD, .meaning = "where the recorded form was timed", .get = recorded_form, .of = form_fields},
    {"changed", KT_AS_RECORD, .meaning = "where the changed form was", .get = other_form, .of = form_fields},
    {"loop_threads", KT_AS_COUNT, .meaning = "threads that make the changed calls; more than 1 with batch=N only",
     .get = loop_threads},
    {"seconds", KT_AS_SECONDS, .meaning = "time of the program, of all its processes",
     KT_AT(struct kt_what_if, program)},
    {"blas", KT_AS_SECONDS, .meaning = "time of all calls of the level", KT_AT(struct kt_what_if, blas)},
    {"interrupted", KT_AS_FLAG, .meaning = "the user ended the measuring", .get = interrupted},
    {"total", KT_AS_RECORD, .meaning = "of all shapes with pairs", .of = total_fields},
    {"shapes", KT_AS_RECORD, KT_MANY, .meaning = "all shapes, heaviest first", .of = row_fields, .count = rows,
     .row = row},
    {0}};

const struct kt_document kt_document_replay_what_if = {
    .verb = "replay", .what = "ktrace replay --what-if --json", .version = 1, .field = fields};

json_t *kt_what_if_json(const struct kt_what_if *w)
{
    return kt_field_object(fields, &(struct kt_at){w, w, 0});
}
