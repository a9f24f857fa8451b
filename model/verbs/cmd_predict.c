/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace model predict: what a recorded or written sequence of calls costs on a library, from models of its kernels.
 */
#include "model/verbs/model_verbs.h"

#include "trace/command/about.h"
#include "trace/command/document.h"
#include "model/algorithm/execution.h"
#include "model/predict/pace.h"
#include "model/predict/predicted.h"
#include "model/predict/prediction_plot.h"
#include "model/predict/prediction_setup.h"
#include "replay/setup/timing.h"
#include "trace/shape/nested.h"
#include "trace/command/json.h"
#include "trace/base/memory.h"
#include "trace/print/text.h"
#include "trace/command/verb.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>

enum { DEFAULT_TOP = 15, MOST_JSON_ROWS = 1000, DEFAULT_ROUNDS = 300, PROCESSES = 8, FEWEST_ROUNDS = 3 };

static size_t rows_of(const struct kt_prediction_options *o)
{
    return o->top ? o->top : o->json ? MOST_JSON_ROWS : DEFAULT_TOP;
}

/* SECONDS: what it took in each round; NULL: as long as what is predicted of it took, in each. */
static void note_pace(struct kt_prediction *p, const struct kt_pace *pace, int rounds, const double *seconds)
{
    double *paces = kt_resize(NULL, (size_t)rounds + 1, sizeof *paces);
    double *ratio = kt_resize(NULL, (size_t)rounds + 1, sizeof *ratio);
    size_t n = 0;
    for (int i = 0; i < rounds; i++) {
        paces[n] = kt_pace_of(pace, p, i);
        ratio[n] = paces[n] * p->cost.seconds / (seconds ? seconds[i] : p->covered);
        n += !isnan(ratio[n]);
    }
    if (n) {
        p->pace = kt_stat_of(paces, n, KT_BEST_MEDIAN);
        p->at_pace = kt_stat_of(ratio, n, KT_BEST_MEDIAN);
    }
    free(paces);
    free(ratio);
}

/* --- a trace ----------------------------------------------------------------------------------------------- */

static enum kt_status draw_trace(const struct kt_prediction_options *o, const struct kt_trace *trace,
                                 const struct kt_prediction *prediction, const json_t *document, struct kt_error *error)
{
    char command[128];
    const struct kt_cost measured = {prediction->measured, NAN, NAN};
    if (!*o->picture.path)
        return KT_OK;
    kt_about_command_names(trace->processes ? &trace->process[0] : NULL, command, sizeof command);
    return kt_plot_routines(prediction, &measured, 0, command, document, &o->picture, error);
}

static enum kt_status tell(const struct kt_prediction_options *o, const struct kt_prediction_setup *setup,
                           const struct kt_trace *trace, const struct kt_prediction *prediction, struct kt_error *error)
{
    json_t *document = kt_prediction_json(prediction, rows_of(o));
    kt_prediction_describe(setup, document);
    enum kt_status status = draw_trace(o, trace, prediction, document, error);
    if (o->json) {
        kt_document_print(&kt_document_model_predict, document);
        return status;
    }
    json_decref(document);
    kt_prediction_print(prediction, rows_of(o));
    kt_prediction_print_setup(setup);
    return status;
}

/* What it took is what the trace says: rounds differ by the pace alone. */
static enum kt_status take_pace(const struct kt_prediction_options *o, const struct kt_prediction_setup *setup,
                                const struct kt_trace *trace, struct kt_prediction *prediction, struct kt_error *error)
{
    enum { ROUNDS = 24 };
    const struct kt_timing_of library = {.blas = o->blas, .trace = trace};
    const struct kt_prediction *const of[] = {prediction};
    struct kt_pace *pace;
    enum kt_status status = kt_pace_open(setup->models, &library, of, 1, &pace, error);
    if (status == KT_OK)
        status = kt_pace_take(pace, o->rounds ? o->rounds : ROUNDS, o->budget > 0 ? o->budget : 10, error);
    if (status == KT_OK)
        note_pace(prediction, pace, kt_pace_rounds(pace), NULL);
    if (status == KT_OK && !prediction->pace.n)
        kt_notice("the pace is not known: no sample of these models could be timed again");
    kt_pace_close(pace);
    return status;
}

static enum kt_status predict_trace(const struct kt_prediction_options *o, int argc, char **argv,
                                    struct kt_error *error)
{
    struct kt_trace trace;
    struct kt_prediction_setup setup = {0};
    struct kt_prediction prediction;
    enum kt_status status = kt_trace_open_all(argv + optind, (size_t)(argc - optind), &trace, error);
    if (status == KT_OK)
        status = kt_prediction_open(o, &trace, &setup, error);
    if (status == KT_OK) {
        kt_nested_notice(&trace, o->level);
        kt_predict_trace(&trace, o->level, &setup.rules, &prediction);
        if (o->pace)
            status = take_pace(o, &setup, &trace, &prediction, error);
        if (status == KT_OK)
            status = tell(o, &setup, &trace, &prediction, error);
        kt_prediction_free(&prediction);
    }
    kt_prediction_close(&setup);
    kt_trace_close(&trace);
    return status;
}

/* --- an algorithm ------------------------------------------------------------------------------------------ */

/* One size. */
struct point {
    struct kt_candidate run;
    struct kt_prediction prediction;
};

static enum kt_status predict_point(const struct kt_prediction_options *o, const struct kt_prediction_setup *setup,
                                    const struct kt_algorithm *algorithm, double n, struct point *out,
                                    struct kt_error *error)
{
    out->run.algorithm = algorithm;
    KT_TRY(kt_parameters_of(algorithm, o, o->m.count ? o->m.size[0] : 0, n, o->b.count ? o->b.size[0] : 0,
                            out->run.parameter, error));
    return kt_predict_algorithm(algorithm, out->run.parameter, &setup->rules, &out->prediction, error);
}

/* The truth, and the pace of the machine, in turn. */
struct measuring {
    struct kt_execution *execution;
    struct kt_pace *pace;
    struct kt_error *error;
    enum kt_status status;
};

static bool execute_round(void *context)
{
    struct measuring *m = context;
    int processes = kt_execution_processes(m->execution);
    m->status = kt_execution_round(m->execution, m->error);
    if (processes && processes != kt_execution_processes(m->execution))
        kt_pace_renew(m->pace);
    return m->status == KT_OK && kt_execution_goes_on(m->execution);
}

static void note_measured(struct point *point, const struct kt_pace *pace)
{
    struct kt_prediction *p = &point->prediction;
    int rounds = point->run.rounds < kt_pace_rounds(pace) ? point->run.rounds : kt_pace_rounds(pace);
    if (rounds == 0)
        return;
    p->measured = kt_candidate_stat(&point->run).median;
    p->covered = p->unknown ? NAN : p->measured;
    if (!p->unknown)
        note_pace(p, pace, rounds, point->run.seconds);
}

/* The sizes take turns. */
static enum kt_status measure_group(const struct kt_prediction_options *o, const struct kt_prediction_setup *setup,
                                    struct point *point, int points, struct kt_error *error)
{
    struct measuring m = {.error = error};
    int rounds = o->rounds ? o->rounds : DEFAULT_ROUNDS;
    const struct kt_execution_rules rules = {.blas = setup->blas,
                                             .rounds = rounds > FEWEST_ROUNDS ? rounds : FEWEST_ROUNDS,
                                             .processes = PROCESSES,
                                             .budget = points * (o->budget > 0 ? o->budget : 10)};
    struct kt_candidate run[KT_MOST_SIZES];
    const struct kt_prediction *prediction[KT_MOST_SIZES];
    for (int i = 0; i < points; i++) {
        run[i] = point[i].run;
        prediction[i] = &point[i].prediction;
    }
    const struct kt_timing_of library = {.blas = setup->blas, .threads = 1};
    enum kt_status status = kt_pace_open(setup->models, &library, prediction, (size_t)points, &m.pace, error);
    if (status == KT_OK)
        status = kt_execution_open(run, (size_t)points, &rules, &m.execution, error);
    if (status == KT_OK)
        status = kt_pace_run(m.pace, rules.rounds, execute_round, &m, error);
    kt_execution_close(m.execution);
    status = m.status != KT_OK ? m.status : status;
    for (int i = 0; i < points; i++) {
        point[i].run = run[i];
        if (status == KT_OK)
            note_measured(&point[i], m.pace);
    }
    kt_pace_close(m.pace);
    return status;
}

/* Sizes whose rounds together are short enough for the pace to be that of all of them; at least one. */
static int group_of(const struct point *point, int points)
{
    const double longest_round = 0.03; /* seconds */
    double seconds = 0;
    int count = 0;
    while (count < points && (count == 0 || seconds < longest_round)) {
        const struct kt_prediction *p = &point[count++].prediction;
        seconds += p->unknown || isnan(p->cost.seconds) ? longest_round : p->cost.seconds;
    }
    return count;
}

static enum kt_status measure(const struct kt_prediction_options *o, const struct kt_prediction_setup *setup,
                              struct point *point, int points, struct kt_error *error)
{
    for (int i = 0; i < points && !kt_timing_interrupted();) {
        int count = group_of(&point[i], points - i);
        KT_TRY(measure_group(o, setup, &point[i], count, error));
        i += count;
    }
    return KT_OK;
}

static json_t *measured_json(const struct point *p)
{
    struct kt_stat stat = kt_candidate_stat(&p->run);
    return kt_json_stat(&stat);
}

static json_t *point_json(const struct kt_prediction_options *o, const struct point *p, size_t rows)
{
    json_t *out = kt_prediction_json(&p->prediction, rows);
    json_t *parameters = json_object();
    for (int i = 0; i < kt_algorithm_parameters(p->run.algorithm); i++)
        json_object_set_new(parameters, kt_algorithm_parameter_name(p->run.algorithm, i),
                            kt_json_number(p->run.parameter[i]));
    json_object_set_new(out, "parameters", parameters);
    if (o->measure)
        json_object_set_new(out, "measured_stat", measured_json(p));
    return out;
}

/* One size: all about it; several: the first one, and a curve of all. */
static json_t *document_of(const struct kt_prediction_options *o, const struct kt_prediction_setup *setup,
                           const struct point *point, int points)
{
    json_t *document = point_json(o, &point[0], rows_of(o));
    json_t *curve = json_array();
    json_object_set_new(document, "algorithm", kt_json_text(kt_algorithm_name(point[0].run.algorithm)));
    kt_prediction_describe(setup, document);
    for (int i = 0; i < points; i++) {
        json_t *one = point_json(o, &point[i], 0);
        json_object_del(one, "calls");
        json_array_append_new(curve, one);
    }
    json_object_set_new(document, "curve", curve);
    return document;
}

static void error_cell(double error, char cell[16])
{
    snprintf(cell, 16, isnan(error) ? "n/a" : "%+.1f %%", 100 * error);
}

static void print_curve(const struct kt_prediction_options *o, const struct point *point, int points)
{
    static const struct kt_column column[] = {{"n", true, false},        {"predicted", true, false},
                                              {"all warm", true, false}, {"all cold", true, false},
                                              {"measured", true, false}, {"error", true, false},
                                              {"pace", true, false},     {"error at pace", true, false}};
    struct kt_text_table *table = kt_text_table_new(column, o->measure ? 8 : 4);
    for (int i = 0; i < points; i++) {
        char text[8][16];
        const struct kt_prediction *p = &point[i].prediction;
        int n = kt_algorithm_parameter(point[i].run.algorithm, "n");
        snprintf(text[0], sizeof text[0], "%.0f", n < 0 ? 0 : point[i].run.parameter[n]);
        kt_text_seconds(p->unknown ? NAN : p->cost.seconds, text[1]); /* a part of it says nothing */
        kt_text_seconds(p->unknown ? NAN : p->warm, text[2]);
        kt_text_seconds(p->unknown ? NAN : p->cold, text[3]);
        kt_text_seconds(p->measured, text[4]);
        error_cell(p->unknown ? NAN : p->cost.seconds / p->measured - 1, text[5]);
        snprintf(text[6], sizeof text[6], p->pace.n ? "%.2f" : "n/a", p->pace.median);
        error_cell(kt_prediction_error_at_pace(p), text[7]);
        const char *cell[] = {text[0], text[1], text[2], text[3], text[4], text[5], text[6], text[7]};
        kt_text_table_row(table, cell);
    }
    kt_text_table_print(table);
    kt_text_table_free(table);
    printf("\n");
}

/* One size by routine, several as a curve. */
static enum kt_status draw_points(const struct kt_prediction_options *o, const struct point *point, int points,
                                  const json_t *document, struct kt_error *error)
{
    char what[64];
    struct kt_stat stat = kt_candidate_stat(&point[0].run);
    const struct kt_cost measured = {stat.median, stat.lo, stat.hi};
    int n = kt_algorithm_parameter(point[0].run.algorithm, "n");
    if (!*o->picture.path)
        return KT_OK;
    if (points > 1)
        return kt_plot_prediction(document, &o->picture, error);
    snprintf(what, sizeof what, "%.40s, n = %g", kt_algorithm_name(point[0].run.algorithm),
             n < 0 ? 0 : point[0].run.parameter[n]);
    return kt_plot_routines(&point[0].prediction, &measured, (double)stat.n, what, document, &o->picture, error);
}

static enum kt_status tell_points(const struct kt_prediction_options *o, const struct kt_prediction_setup *setup,
                                  const struct point *point, int points, struct kt_error *error)
{
    json_t *document = document_of(o, setup, point, points);
    enum kt_status status = draw_points(o, point, points, document, error);
    if (o->json) {
        kt_document_print(&kt_document_model_predict, document);
        return status;
    }
    json_decref(document);
    if (points > 1)
        print_curve(o, point, points);
    else
        kt_prediction_print(&point[0].prediction, rows_of(o));
    kt_prediction_print_setup(setup);
    return status;
}

/* What was predicted and measured is told, also where a size could not be measured. */
static enum kt_status measure_and_tell(const struct kt_prediction_options *o, const struct kt_prediction_setup *setup,
                                       struct point *point, int points, struct kt_error *error)
{
    struct kt_error untold = {0};
    enum kt_status status = o->measure ? measure(o, setup, point, points, error) : KT_OK;
    if (tell_points(o, setup, point, points, &untold) == KT_OK || status != KT_OK)
        return status;
    *error = untold;
    return untold.status;
}

static enum kt_status predict_points(const struct kt_prediction_options *o, const struct kt_prediction_setup *setup,
                                     const struct kt_algorithm *algorithm, struct kt_error *error)
{
    int points = o->n.count ? o->n.count : 1;
    struct point *point = kt_resize(NULL, (size_t)points, sizeof *point);
    enum kt_status status = KT_OK;
    memset(point, 0, (size_t)points * sizeof *point);
    for (int i = 0; i < points && status == KT_OK; i++)
        status = predict_point(o, setup, algorithm, o->n.count ? o->n.size[i] : 0, &point[i], error);
    if (status == KT_OK)
        status = measure_and_tell(o, setup, point, points, error);
    for (int i = 0; i < points; i++) {
        kt_prediction_free(&point[i].prediction);
        kt_candidates_free(&point[i].run, 1);
    }
    free(point);
    return status;
}

static enum kt_status predict_algorithm(const struct kt_prediction_options *o, struct kt_error *error)
{
    struct kt_prediction_setup setup = {0};
    struct kt_algorithm *algorithm;
    enum kt_status status = kt_algorithm_find(o->algorithm[0], &algorithm, error);
    if (status == KT_OK)
        status = kt_prediction_open(o, NULL, &setup, error);
    if (status == KT_OK)
        status = predict_points(o, &setup, algorithm, error);
    kt_prediction_close(&setup);
    kt_algorithm_free(algorithm);
    return status;
}

/* --- the verb ---------------------------------------------------------------------------------------------- */

const struct kt_verb_option kt_model_predict_options[] = {
    KT_PREDICTION_OPTIONS,
    {KT_VERB_LEVEL(struct kt_prediction_options, level)},
    {"top", 0, "N", "rows of the table; default 15", kt_prediction_take_top, KT_PREDICTION_MEMBER(top)},
    {"pace", 0, NULL, "of a trace: time some of its kernels again, to correct for the present speed of the machine",
     KT_VERB_FLAG(struct kt_prediction_options, pace)},
    {"algorithm", 0, "FILE", "in place of a trace: a file or a name, such as dpotrf", kt_prediction_take_algorithm, 0},
    KT_ALGORITHM_OPTIONS("300, with --pace 24", "10, with --pace for all"),
    {"b", 0, "N", "block size; default: the algorithm's", kt_prediction_take_sizes, KT_PREDICTION_MEMBER(b)},
    {0},
};

static enum kt_status parse(int argc, char **argv, struct kt_prediction_options *o, struct kt_error *error)
{
    KT_TRY(kt_verb_take_options(argc, argv, kt_model_predict_options, o, error));
    KT_TRY(kt_sizes_single(&o->m, "m", error));
    KT_TRY(kt_sizes_single(&o->b, "b", error));
    if ((o->algorithms == 0) == (optind == argc))
        return kt_fail(error, KT_USAGE, "expected a trace, or --algorithm FILE");
    if (o->algorithms > 1)
        return kt_fail(error, KT_USAGE, "one algorithm at a time; 'ktrace model rank' compares several");
    bool times = o->rounds || o->budget > 0;
    bool runs = o->n.count || o->m.count || o->b.count || o->measure || o->sets;
    if (o->algorithms == 0 && (runs || (times && !o->pace)))
        return kt_fail(error, KT_USAGE,
                       "--n, --m, --b, --set and --measure go with --algorithm, --rounds and --budget with "
                       "that or with --pace");
    if (o->algorithms && o->pace)
        return kt_fail(error, KT_USAGE, "--pace is for traces; with --algorithm --measure tells it, too");
    return o->algorithms ? kt_prediction_refuse_idle(o, error) : KT_OK;
}

int kt_model_predict(int argc, char **argv)
{
    struct kt_error error = {0};
    struct kt_prediction_options options = {0};
    if (parse(argc, argv, &options, &error) != KT_OK)
        return kt_verb_usage(argv[0], "%s", error.text);
    enum kt_status status =
        options.algorithms ? predict_algorithm(&options, &error) : predict_trace(&options, argc, argv, &error);
    if (status != KT_OK)
        return kt_verb_fail(argv[0], &error);
    return kt_verb_status(kt_timing_interrupted());
}
