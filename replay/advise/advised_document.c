/* SPDX-License-Identifier: BSD-3-Clause */
/* What ktrace advise --json prints. */
#include "replay/advise/advised.h"

#include "trace/command/call_json.h"
#include "trace/command/document.h"

#include <math.h>
#include <stdio.h>

static const struct kt_field tried_fields[] = {
    {"rule", KT_AS_TEXT, .meaning = "what was changed"},
    {"routine", KT_AS_TEXT, .meaning = "recorded routine"},
    {"changed_to", KT_AS_TEXT, .meaning = "routine in its place; the same where arguments change only"},
    {"args", KT_AS_MAP, .meaning = "recorded arguments of the first call, by their names"},
    {"changed_args", KT_AS_MAP, .meaning = "sizes, options and scalars of the changed call, by their Fortran names"},
    {"calls", KT_AS_COUNT, KT_NULL, .meaning = "calls of the shape that can be changed"},
    {"replaced", KT_AS_COUNT, .meaning = "calls that one changed call replaces"},
    {"insitu", KT_AS_SECONDS, .meaning = "time of these calls in the program"},
    {"replayed", KT_AS_SECONDS, KT_NULL, .meaning = "replayed, of as many calls as a changed one replaces: median"},
    {"changed", KT_AS_SECONDS, KT_NULL, .meaning = "of a changed call: median"},
    {"ratio", KT_AS_RECORD, .meaning = "changed over replayed: median of the pairs", .of = kt_field_estimate},
    {"pairs", KT_AS_COUNT, .meaning = "pairs of times"},
    {"context", KT_AS_TEXT, KT_NULL,
     .meaning = "tracked: operands were where the trace says; between: between cache and memory, see place"},
    {"place", KT_AS_NUMBER, KT_NULL, .meaning = "0 in cache, 1 in memory; null where the context is tracked"},
    {"source", KT_AS_RECORD, KT_NULL, .meaning = "line that most of its time comes from", .of = kt_field_source},
    {"outcome", KT_AS_TEXT, .meaning = "advised, or why not"},
    {"failure", KT_AS_TEXT, KT_NULL, .meaning = "why it could not be timed"},
    {0}};

static const struct kt_field advised_fields[] = {
    {"rule", KT_AS_TEXT, .meaning = "what is to be changed"},
    {"what", KT_AS_TEXT, .meaning = "what changes, in one line"},
    {"routine", KT_AS_TEXT, .meaning = "recorded routine"},
    {"changed_to", KT_AS_TEXT, .meaning = "routine in its place; the same where arguments change only"},
    {"args", KT_AS_MAP, .meaning = "recorded arguments of the first call of its heaviest shape, by their names"},
    {"calls", KT_AS_COUNT, KT_NULL, .meaning = "calls of all its shapes that can be changed"},
    {"file", KT_AS_TEXT, KT_NULL, .meaning = "source file of the line that most of its time comes from"},
    {"line", KT_AS_ID, KT_NULL, .meaning = "that line"},
    {"function", KT_AS_TEXT, KT_NULL, .meaning = "function that has the line"},
    {"gain", KT_AS_RECORD, .meaning = "seconds that the program would take less", .of = kt_field_estimate},
    {"share", KT_AS_SHARE, .meaning = "that is of the program"},
    {"insitu", KT_AS_SECONDS, .meaning = "time of these calls in the program"},
    {"ratio", KT_AS_RECORD, .meaning = "changed over replayed", .of = kt_field_estimate},
    {"source", KT_AS_RECORD, KT_NULL, .meaning = "more about the line, and its share of the time",
     .of = kt_field_source},
    {"python", KT_AS_FLAG, .meaning = "that is a line of Python"},
    {"how", KT_AS_TEXT, .meaning = "what to do in C or Fortran"},
    {"how_python", KT_AS_TEXT, .meaning = "what to do with NumPy or SciPy"},
    {"tried", KT_AS_COUNT, KT_MANY, .meaning = "its shapes, as places in the list tried"},
    {0}};

static const struct kt_field fields[] = {
    {"trace", KT_AS_TEXT, .meaning = "trace"},
    {"library", KT_AS_TEXT, .meaning = "library that calls were timed on"},
    {"version", KT_AS_TEXT, .meaning = "what it says of itself"},
    {"threads", KT_AS_COUNT, .meaning = "threads that it uses"},
    {"seconds", KT_AS_SECONDS, .meaning = "time of the program, of all its processes"},
    {"blas", KT_AS_SECONDS, .meaning = "time of its outermost calls"},
    {"interrupted", KT_AS_FLAG, .meaning = "the user ended the measuring"},
    {"advice", KT_AS_RECORD, KT_MANY, .meaning = "changes that pay, heaviest first", .of = advised_fields},
    {"tried", KT_AS_RECORD, KT_MANY, .meaning = "all changes that were tried, heaviest shape first",
     .of = tried_fields},
    {0}};

const struct kt_document kt_document_advise = {"advise", NULL, "ktrace advise --json", 1, false, fields};

static json_t *estimate(double value, double lo, double hi)
{
    return json_pack("{s:o, s:o, s:o}", "value", kt_json_number(value), "lo", kt_json_number(lo), "hi",
                     kt_json_number(hi));
}

static json_t *ratio_json(const struct kt_ratio *ratio)
{
    return estimate(ratio->value, ratio->lo, ratio->hi);
}

static void add_names(const struct kt_proposal *c, json_t *out)
{
    json_object_set_new(out, "rule", json_string(c->rule->name));
    json_object_set_new(out, "routine", kt_json_text(c->shape->first.entry->symbol.routine->name));
    json_object_set_new(out, "changed_to", kt_json_text(c->to.routine->name));
}

static json_t *form_json(const struct kt_call_form *form)
{
    json_t *out = json_object();
    for (int i = 0; i < form->routine->args; i++) {
        const struct kt_arg *arg = &form->routine->arg[i];
        char letter[2] = {(char)form->values.v[i], '\0'};
        if (arg->role <= KT_OPTION)
            json_object_set_new(out, arg->name, kt_json_text(letter));
        else if (arg->role == KT_SCALAR)
            json_object_set_new(out, arg->name, kt_json_number(form->values.v[i]));
        else if (arg->role != KT_ARRAY && arg->role != KT_INFO)
            json_object_set_new(out, arg->name, json_integer((json_int_t)form->values.v[i]));
    }
    return out;
}

static json_t *tried_json(const struct kt_advised_list *list, size_t i)
{
    const struct kt_proposal *c = &list->trials->candidate[i];
    const struct kt_tried *tried = &list->trials->tried[i];
    json_t *out = json_object();
    add_names(c, out);
    json_object_set_new(out, "args", kt_json_args(&c->shape->first, false));
    json_object_set_new(out, "changed_args", form_json(&c->to));
    json_object_set_new(out, "calls", kt_json_count(c->calls));
    json_object_set_new(out, "replaced", json_integer((json_int_t)c->each));
    json_object_set_new(out, "insitu", kt_json_number(c->seconds));
    json_object_set_new(out, "replayed", kt_json_number(tried->recorded));
    json_object_set_new(out, "changed", kt_json_number(tried->other));
    json_object_set_new(out, "ratio", ratio_json(&tried->ratio));
    json_object_set_new(out, "pairs", json_integer((json_int_t)tried->pairs));
    const char *context = isnan(tried->place) ? "tracked" : "between";
    json_object_set_new(out, "context", tried->pairs ? json_string(context) : json_null());
    json_object_set_new(out, "place", kt_json_number(tried->place));
    json_object_set_new(out, "source", kt_shape_source_json(&list->source[c->number]));
    json_object_set_new(out, "outcome", json_string(kt_outcome_text[list->outcome[i]]));
    json_object_set_new(out, "failure", kt_json_text_or_null(tried->failure));
    return out;
}

/* "dgemm -> dgemv (product of one column)" */
static json_t *what_json(const struct kt_proposal *c)
{
    char change[KT_CHANGE_TEXT];
    char text[KT_CHANGE_TEXT + 128];
    snprintf(text, sizeof text, "%s (%s)", kt_change_text(c, change), c->rule->name);
    return kt_json_text(text);
}

/* Keys of the line, null where it is not known. */
static void add_place(const struct kt_shape_source *source, json_t *out)
{
    static const char *const keys[] = {"file", "line", "function"};
    json_t *place = source->place ? kt_place_json(source->place) : json_object();
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        json_t *value = json_object_get(place, keys[i]);
        json_object_set(out, keys[i], value ? value : json_null());
    }
    json_decref(place);
}

static json_t *advised_json(const struct kt_advised_list *list, const struct kt_advised *a)
{
    const struct kt_proposal *c = &list->trials->candidate[a->member[0]];
    const struct kt_shape_source *source = &list->source[c->number];
    json_t *out = json_object();
    json_t *members = json_array();
    double calls = 0;
    for (size_t m = 0; m < a->members; m++) {
        json_array_append_new(members, json_integer((json_int_t)a->member[m]));
        calls += list->trials->candidate[a->member[m]].calls;
    }
    add_names(c, out);
    json_object_set_new(out, "what", what_json(c));
    json_object_set_new(out, "args", kt_json_args(&c->shape->first, false));
    json_object_set_new(out, "calls", kt_json_count(calls));
    add_place(source, out);
    json_object_set_new(out, "gain", estimate(a->seconds, a->lo, a->hi));
    json_object_set_new(out, "share", kt_json_number(a->seconds / list->program));
    json_object_set_new(out, "insitu", kt_json_number(a->insitu));
    json_object_set_new(out, "ratio", ratio_json(&a->ratio));
    json_object_set_new(out, "source", kt_shape_source_json(source));
    json_object_set_new(out, "python", json_boolean(kt_advised_is_python(source)));
    json_object_set_new(out, "how", json_string(c->rule->what));
    json_object_set_new(out, "how_python", json_string(c->rule->python));
    json_object_set_new(out, "tried", members);
    return out;
}

json_t *kt_advised_json(const struct kt_advised_list *list)
{
    json_t *out = json_object();
    json_t *advised = json_array();
    json_t *tried = json_array();
    const struct kt_worker *worker = &list->trials->worker[0];
    for (size_t g = 0; g < list->count; g++)
        json_array_append_new(advised, advised_json(list, &list->advised[g]));
    for (size_t i = 0; i < list->trials->count; i++)
        json_array_append_new(tried, tried_json(list, i));
    json_object_set_new(out, "trace", kt_json_text(list->trials->setup->trace.path));
    json_object_set_new(out, "library", kt_json_text(worker->library.name));
    json_object_set_new(out, "version", kt_json_text(worker->hello.version));
    json_object_set_new(out, "threads", json_integer(worker->library.threads));
    json_object_set_new(out, "seconds", kt_json_number(list->program));
    json_object_set_new(out, "blas", kt_json_number(list->blas));
    json_object_set_new(out, "advice", advised);
    json_object_set_new(out, "tried", tried);
    return out;
}
