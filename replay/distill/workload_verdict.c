/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/distill/workload_verdict.h"

#include "replay/distill/workload_file.h"
#include "trace/base/interrupt.h"
#include "trace/base/memory.h"
#include "trace/base/stats.h"
#include "trace/base/words.h"
#include "trace/command/document.h"
#include "trace/command/itself.h"
#include "trace/print/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 3, SIDES = 2, MOST_ROUTINES = 12, TRACE = 0, WORKLOAD = 1 };

static const char *const verdict_name = "verdict.json";

struct finding {
    const struct kt_verdict_options *options;
    json_t *said[SIDES][ROUNDS]; /* by compare; owned */
};

/* --- replays --------------------------------------------------------------------------------------------------- */

static enum kt_status compare(const struct kt_verdict_options *o, const char *path, json_t **out,
                              struct kt_error *error)
{
    int exit = 0;
    struct kt_words words = {0};
    for (const char *const *word =
             (const char *const[]){"compare", "--json", "--check=no", "--store=none", "--keep=no", NULL};
         *word; word++)
        kt_words_add(&words, "%s", *word);
    kt_words_add(&words, "--budget=%.3f", o->budget / (SIDES * ROUNDS));
    for (const char *const *blas = o->blas; *blas; blas++)
        kt_words_add(&words, "--blas=%s", *blas);
    kt_words_add(&words, "%s", path);
    enum kt_status status = kt_itself_ask(words.word, path, out, &exit, error);
    if (status == KT_OK && exit > KT_FINDING)
        status = kt_fail(error, KT_BAD_INPUT, "%s: ktrace compare ended with status %d", path, exit);
    kt_words_free(&words);
    return status;
}

/* Trace and workload in turns, and each first as often as second: the machine is not always equally fast. */
static enum kt_status replay(struct finding *f, struct kt_error *error)
{
    kt_interrupt_catch();
    for (int i = 0; i < ROUNDS * SIDES; i++) {
        int round = i / SIDES;
        int side = (i + round) % SIDES;
        const char *path = side == TRACE ? f->options->trace : f->options->workload;
        KT_TRY(compare(f->options, path, &f->said[side][round], error));
    }
    return KT_OK;
}

/* --- what they say --------------------------------------------------------------------------------------------- */

/* The element of a list with that text under KEY; NULL: none. */
static json_t *find(const json_t *list, const char *key, const char *text)
{
    size_t i;
    json_t *one;
    json_array_foreach((json_t *)list, i,
                       one) if (json_is_string(json_object_get(one, key)) &&
                                !strcmp(json_string_value(json_object_get(one, key)), text)) return one;
    return NULL;
}

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Seconds of a routine's calls on a library; ROUTINE NULL: of all. */
static double seconds_of(const json_t *said, const char *routine, const char *library)
{
    if (!routine)
        return number(find(json_object_get(said, "libraries"), "label", library), "seconds_replayed");
    const json_t *of = find(json_object_get(said, "routines"), "routine", routine);
    return number(find(json_object_get(of, "libraries"), "name", library), "seconds_replayed");
}

/* Of the rounds: the median, and the range. */
static json_t *spread(double value[ROUNDS])
{
    size_t n = 0;
    double known[ROUNDS];
    for (int i = 0; i < ROUNDS; i++)
        if (isfinite(value[i]))
            known[n++] = value[i];
    struct kt_stat stat = kt_stat_of(known, n, KT_BEST_MEDIAN);
    return json_pack("{s:o, s:o, s:o, s:I}", "value", kt_json_number(stat.median), "lo", kt_json_number(stat.lo), "hi",
                     kt_json_number(stat.hi), "n", (json_int_t)n);
}

static json_t *time_differences(const struct finding *f, const char *routine, const char *library)
{
    double value[ROUNDS];
    for (int i = 0; i < ROUNDS; i++)
        value[i] =
            seconds_of(f->said[WORKLOAD][i], routine, library) / seconds_of(f->said[TRACE][i], routine, library) - 1;
    return spread(value);
}

static double ratio_of(const json_t *said, const char *routine, const char *library, const char *base)
{
    return seconds_of(said, routine, library) / seconds_of(said, routine, base);
}

static json_t *ratios(const struct finding *f, int side, const char *routine, const char *library, const char *base)
{
    double value[ROUNDS];
    for (int i = 0; i < ROUNDS; i++)
        value[i] = ratio_of(f->said[side][i], routine, library, base);
    return spread(value);
}

static json_t *ratio_differences(const struct finding *f, const char *routine, const char *library, const char *base)
{
    double value[ROUNDS];
    for (int i = 0; i < ROUNDS; i++)
        value[i] = ratio_of(f->said[WORKLOAD][i], routine, library, base) /
                       ratio_of(f->said[TRACE][i], routine, library, base) -
                   1;
    return spread(value);
}

/* On the libraries that both ran on; the first one is what the others are compared with. */
static json_t *libraries_of(const struct finding *f, const char *routine)
{
    size_t i;
    json_t *one;
    const char *base = NULL;
    json_t *list = json_array();
    const json_t *known = json_object_get(f->said[WORKLOAD][0], "libraries");
    json_array_foreach(json_object_get(f->said[TRACE][0], "libraries"), i, one)
    {
        const char *label = json_string_value(json_object_get(one, "label"));
        if (!label || !find(known, "label", label))
            continue;
        base = base ? base : label;
        json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:o, s:o}", "library", label, "time_difference",
                                              time_differences(f, routine, label), "ratio_trace",
                                              ratios(f, TRACE, routine, label, base), "ratio_workload",
                                              ratios(f, WORKLOAD, routine, label, base), "ratio_difference",
                                              ratio_differences(f, routine, label, base)));
    }
    return list;
}

/* The heaviest ones. */
static json_t *routines_of(const struct finding *f)
{
    size_t i;
    json_t *one;
    json_t *list = json_array();
    json_array_foreach(json_object_get(f->said[TRACE][0], "routines"), i, one)
    {
        const char *routine = json_string_value(json_object_get(one, "routine"));
        if (!routine || json_array_size(list) == MOST_ROUTINES)
            continue;
        bool has_it = find(json_object_get(f->said[WORKLOAD][0], "routines"), "routine", routine) != NULL;
        json_array_append_new(list, json_pack("{s:s, s:O?, s:b, s:o}", "routine", routine, "share",
                                              json_object_get(one, "share"), "represented", (int)has_it, "libraries",
                                              libraries_of(f, routine)));
    }
    return list;
}

/* Of the recorded time of all calls, what the replays of one side rest on. */
static json_t *coverage_of(const struct finding *f, int side)
{
    const json_t *application = json_object_get(f->said[TRACE][0], "application");
    const json_t *said = f->said[side][0];
    double all = number(application, "seconds_blas");
    double excluded = number(json_object_get(said, "excluded"), "seconds");
    double met = number(json_object_get(said, "application"), "seconds_blas") - (isnan(excluded) ? 0 : excluded);
    return kt_json_number(met / all);
}

enum kt_status kt_workload_verdict_find(const struct kt_verdict_options *options, json_t **out, struct kt_error *error)
{
    struct finding f = {.options = options};
    enum kt_status status = replay(&f, error);
    if (status == KT_OK)
        *out = json_pack("{s:I, s:f, s:o, s:o, s:o, s:o}", "rounds", (json_int_t)ROUNDS, "budget", options->budget,
                         "coverage_trace", coverage_of(&f, TRACE), "coverage_workload", coverage_of(&f, WORKLOAD),
                         "libraries", libraries_of(&f, NULL), "routines", routines_of(&f));
    for (int side = 0; side < SIDES; side++)
        for (int i = 0; i < ROUNDS; i++)
            json_decref(f.said[side][i]);
    if (status == KT_OK && json_array_size(json_object_get(*out, "libraries")) < 2) {
        json_decref(*out);
        return kt_fail(error, KT_BAD_INPUT, "%s and %s did not run on two libraries that are the same", options->trace,
                       options->workload);
    }
    return status;
}

/* --- in the workload ------------------------------------------------------------------------------------------- */

/* Labels of libraries that have no short name are from their paths, which are the user's. */
static bool is_private(const char *label)
{
    return strpbrk(label, "/.") != NULL;
}

/* The I-th library is so called everywhere. */
static void hide_name(json_t *library, size_t i)
{
    const char *label = json_string_value(json_object_get(library, "library"));
    if (label && is_private(label))
        json_object_set_new(library, "library", json_sprintf("library %zu", i + 1));
}

static void hide_names(json_t *of)
{
    size_t i;
    json_t *library;
    json_array_foreach(json_object_get(of, "libraries"), i, library)
    {
        hide_name(library, i);
    }
}

/* To be freed. */
static json_t *without_private_names(const json_t *verdict)
{
    size_t i;
    json_t *routine;
    json_t *copy = json_deep_copy(verdict);
    hide_names(copy);
    json_array_foreach(json_object_get(copy, "routines"), i, routine)
    {
        hide_names(routine);
    }
    return copy;
}

enum kt_status kt_workload_verdict_keep(const char *workload, const json_t *verdict, struct kt_error *error)
{
    json_t *kept = without_private_names(verdict);
    char *text = json_dumps(kept, JSON_COMPACT | JSON_REAL_PRECISION(4));
    if (!text)
        abort();
    json_decref(kept);
    enum kt_status status = kt_workload_file_put(workload, verdict_name, text, error);
    free(text);
    return status;
}

/* All of it that is read, and is a number where one is expected. */
static bool is_verdict(const json_t *json)
{
    return json_is_array(json_object_get(json, "libraries")) && json_is_array(json_object_get(json, "routines"));
}

json_t *kt_workload_verdict_load(const struct kt_trace *workload)
{
    size_t size;
    json_t *json = NULL;
    struct kt_error ignored = {0};
    const unsigned char *bytes = kt_files_view(workload->files[0], verdict_name, &size);
    if (bytes && kt_json_take(verdict_name, bytes, size, &json, &ignored) == KT_OK && is_verdict(json))
        return json;
    json_decref(json);
    return NULL;
}

/* --- as text --------------------------------------------------------------------------------------------------- */

static const struct kt_field spread_fields[] = {{"value", KT_AS_NUMBER, KT_NULL, .meaning = "median over the rounds"},
                                                {"lo", KT_AS_NUMBER, KT_NULL, .meaning = "least"},
                                                {"hi", KT_AS_NUMBER, KT_NULL, .meaning = "most"},
                                                {"n", KT_AS_COUNT, .meaning = "rounds that tell"},
                                                {0}};

static const struct kt_field library_fields[] = {
    {"library", KT_AS_TEXT, .meaning = "its label; the first one is what the others are compared with"},
    {"time_difference", KT_AS_RECORD, .meaning = "time of the workload over that of the trace, less 1",
     .of = spread_fields},
    {"ratio_trace", KT_AS_RECORD, .meaning = "its time over that of the first library, by the trace",
     .of = spread_fields},
    {"ratio_workload", KT_AS_RECORD, .meaning = "the same by the workload", .of = spread_fields},
    {"ratio_difference", KT_AS_RECORD, .meaning = "the latter over the former, less 1", .of = spread_fields},
    {0}};

static const struct kt_field routine_fields[] = {
    {"routine", KT_AS_TEXT, .meaning = "Fortran name, lower case, without underscore"},
    {"share", KT_AS_SHARE, KT_NULL, .meaning = "part of the time of all calls of the trace"},
    {"represented", KT_AS_FLAG, .meaning = "the workload has shapes of it"},
    {"libraries", KT_AS_RECORD, KT_MANY, .meaning = "on each library", .of = library_fields},
    {0}};

const struct kt_field kt_workload_verdict_fields[] = {
    {"rounds", KT_AS_COUNT, .meaning = "replays of each, in turns"},
    {"budget", KT_AS_SECONDS, .meaning = "time for all of them"},
    {"coverage_trace", KT_AS_SHARE, KT_NULL, .meaning = "part of the recorded time that was replayed from the trace"},
    {"coverage_workload", KT_AS_SHARE, KT_NULL, .meaning = "the same from the workload"},
    {"libraries", KT_AS_RECORD, KT_MANY, .meaning = "all calls, on each library", .of = library_fields},
    {"routines", KT_AS_RECORD, KT_MANY, .meaning = "the heaviest routines", .of = routine_fields},
    {0}};

const struct kt_document kt_document_distill_verify = {.verb = "distill",
                                                       .what = "ktrace distill --verify TRACE --json",
                                                       .version = 1,
                                                       .field = kt_workload_verdict_fields};

static void signed_share(const json_t *of, char *out, size_t size)
{
    double value = number(of, "value");
    double lo = number(of, "lo");
    double hi = number(of, "hi");
    if (isnan(value))
        snprintf(out, size, "n/a");
    else
        snprintf(out, size, "%+.1f (%+.1f to %+.1f) %%", 100 * value, 100 * lo, 100 * hi);
}

static void add_row(struct kt_text_table *table, const char *what, const char *share, const json_t *of, bool is_base)
{
    char cell[4][64];
    const char *library = json_string_value(json_object_get(of, "library"));
    signed_share(json_object_get(of, "time_difference"), cell[0], sizeof cell[0]);
    kt_text_ratio(number(json_object_get(of, "ratio_trace"), "value"), cell[1]);
    signed_share(json_object_get(of, "ratio_difference"), cell[2], sizeof cell[2]);
    const char *row[] = {what, share, library ? library : "", cell[0], is_base ? "" : cell[1], is_base ? "" : cell[2]};
    kt_text_table_row(table, row);
}

static void add_rows(struct kt_text_table *table, const char *what, double share, const json_t *libraries)
{
    size_t i;
    json_t *one;
    char text[16] = "";
    if (!isnan(share))
        kt_text_percent(share, text);
    json_array_foreach((json_t *)libraries, i, one) add_row(table, i ? "" : what, i ? "" : text, one, i == 0);
}

void kt_workload_verdict_print(const json_t *verdict)
{
    static const struct kt_column column[] = {{"routine", false, false}, {"share", true, false},
                                              {"library", false, true},  {"time differs", true, false},
                                              {"ratio", true, false},    {"ratio differs", true, false}};
    size_t i;
    json_t *one;
    char of_trace[16], of_workload[16];
    struct kt_text_table *table = kt_text_table_new(column, sizeof column / sizeof *column);
    printf("\nThe workload beside its trace: medians, and the range, of %d replays of each in turns\n",
           (int)number(verdict, "rounds"));
    add_rows(table, "all", NAN, json_object_get(verdict, "libraries"));
    json_array_foreach(json_object_get(verdict, "routines"), i, one)
    {
        const char *routine = json_string_value(json_object_get(one, "routine"));
        add_rows(table, routine ? routine : "", number(one, "share"), json_object_get(one, "libraries"));
    }
    kt_text_table_print(table);
    kt_text_table_free(table);
    printf("replayed:%s of the recorded time from the trace,%s from the workload\n",
           kt_text_percent(number(verdict, "coverage_trace"), of_trace),
           kt_text_percent(number(verdict, "coverage_workload"), of_workload));
}
