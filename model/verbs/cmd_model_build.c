/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace model build: models of the kernels of a trace, from timings taken here.
 */
#include "model/predict/algorithm_needs.h"
#include "trace/command/document.h"
#include "model/build/model_build.h"
#include "model/kernels/model_show.h"
#include "model/verbs/model_verbs.h"
#include "trace/shape/nested.h"
#include "trace/command/json.h"
#include "trace/base/memory.h"
#include "trace/print/text.h"
#include "trace/command/verb.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

struct command {
    struct kt_models_of of;
    const char *trace, *routines;
    struct kt_build_rules rules;
    struct kt_prediction_options algorithms; /* in place of a trace */
    unsigned levels;
    bool json, fresh, level_given;
    int lock; /* of the folder, until the end */
};

/* --- the command line -------------------------------------------------------------------------------------- */

static enum kt_status parse_number(const char *name, const char *text, double least, double most, double *out,
                                   struct kt_error *error)
{
    char *end;
    *out = strtod(text, &end);
    if (end == text || *end || !(*out >= least && *out <= most))
        return kt_fail(error, KT_USAGE, "%s needs a number from %g to %g, not '%s'", name, least, most, text);
    return KT_OK;
}

/* Where NAME=VALUE of --samples goes. */
static enum kt_status set_rule(struct kt_build_rules *r, const char *name, const char *value, struct kt_error *error)
{
    double bound = 0;
    double rounds = 0;
    double processes = 0;
    double other = 0;
    const struct {
        const char *name;
        double least, most;
        double *real;
        int *whole;
    } rule[] = {{"degree", 0, KT_MAX_DEGREE, &other, &r->refine.degree},
                {"oversampling", 0, 2, &other, &r->refine.oversampling},
                {"bound", 0.01, 1000, &bound, NULL},
                {"smallest", 1, 1e6, &other, &r->refine.smallest},
                {"multiple", 1, 256, &other, &r->refine.multiple},
                {"rounds", 2, 1000, &rounds, NULL},
                {"processes", 1, 100, &processes, NULL},
                {"heldout", 0, 10000, &other, &r->held_out}};
    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++) {
        if (strcmp(name, rule[i].name) != 0)
            continue;
        KT_TRY(parse_number(name, value, rule[i].least, rule[i].most, rule[i].real, error));
        if (rule[i].whole)
            *rule[i].whole = (int)*rule[i].real;
        r->refine.bound = bound > 0 ? bound / 100 : r->refine.bound;
        r->rounds = rounds > 0 ? (unsigned)rounds : r->rounds;
        r->processes = processes > 0 ? (unsigned)processes : r->processes;
        return KT_OK;
    }
    return kt_fail(error, KT_USAGE, "--samples knows no '%s'", name);
}

static enum kt_status take_rules(const struct kt_verb_option *option, const char *text, void *rules,
                                 struct kt_error *error)
{
    char *copy = kt_copy(text);
    char *rest = copy;
    enum kt_status status = KT_OK;
    for (char *item; status == KT_OK && (item = strsep(&rest, ","));) {
        char *value = strchr(item, '=');
        if (value)
            *value++ = '\0';
        status = value ? set_rule(rules, item, value, error)
                       : kt_fail(error, KT_USAGE, "--%s takes NAME=NUMBER, not '%s'", option->name, item);
    }
    free(copy);
    return status;
}

static enum kt_status add_context(struct kt_build_rules *rules, const char *name, struct kt_error *error)
{
    for (int c = 0; c < KT_MODEL_CONTEXT_COUNT; c++) {
        if (strcmp(name, kt_model_context_name[c]) != 0)
            continue;
        for (size_t i = 0; i < rules->contexts; i++)
            if (rules->context[i] == (enum kt_model_context)c)
                return KT_OK;
        rules->context[rules->contexts++] = (enum kt_model_context)c;
        return KT_OK;
    }
    return kt_fail(error, KT_USAGE, "no models are made of context '%s'; there are: warm, cold, l1, l2, l3", name);
}

static enum kt_status parse_contexts(struct kt_build_rules *rules, const char *text, struct kt_error *error)
{
    char *copy = kt_copy(text);
    char *rest = copy;
    enum kt_status status = KT_OK;
    for (char *name; status == KT_OK && (name = strsep(&rest, ","));)
        status = add_context(rules, name, error);
    free(copy);
    return status;
}

/* A range for each size; the last one holds for all that follow. */
static enum kt_status take_domain(const struct kt_verb_option *option, const char *text, void *out,
                                  struct kt_error *error)
{
    struct kt_build_rules *rules = out;
    const char *at = text;
    for (int a = 0; a < KT_MODEL_AXES; a++) {
        long lo;
        long hi;
        int used = 0;
        if (sscanf(at, "%ld:%ld%n", &lo, &hi, &used) != 2 || lo < 1 || hi < lo || hi > 1000000 ||
            (at[used] && at[used] != ','))
            return kt_fail(error, KT_USAGE, "--%s needs sizes such as 8:1024, or 8:1024,1:64, not '%s'", option->name,
                           text);
        rules->lo[a] = lo;
        rules->hi[a] = hi;
        bool more = at[used];
        at = more ? at + used + 1 : at;
        if (more && a + 1 == KT_MODEL_AXES)
            return kt_fail(error, KT_USAGE, "--%s %s: no routine has more than %d sizes", option->name, text,
                           KT_MODEL_AXES);
    }
    return KT_OK;
}

static enum kt_status take_contexts(const struct kt_verb_option *option, const char *value, void *out,
                                    struct kt_error *error)
{
    (void)option;
    return parse_contexts(out, value, error);
}

static enum kt_status take_levels(const struct kt_verb_option *option, const char *value, void *out,
                                  struct kt_error *error)
{
    static const unsigned levels[] = {1u << KT_OUTERMOST, 1u << KT_LEAVES, 1u << KT_OUTERMOST | 1u << KT_LEAVES};
    struct command *c = out;
    int place = 0;
    KT_TRY(kt_verb_take_choice(option, value, &place, error));
    c->levels = levels[place];
    c->level_given = true;
    return KT_OK;
}

static enum kt_status take_budget(const struct kt_verb_option *option, const char *value, void *out,
                                  struct kt_error *error)
{
    (void)option;
    return parse_number("--budget", value, 0.1, 1e6, out, error);
}

static enum kt_status take_threads(const struct kt_verb_option *option, const char *value, void *out,
                                   struct kt_error *error)
{
    double threads = 0;
    (void)option;
    KT_TRY(parse_number("--threads", value, 1, 1024, &threads, error));
    *(int *)out = (int)threads;
    return KT_OK;
}

#define OF_COMMAND(member) offsetof(struct command, member)
const struct kt_verb_option kt_model_build_options[] = {
    {"blas", 0, "LIB", "a path, a soname or a short name; default: as recorded, or openblas",
     KT_VERB_TEXT(struct command, of.blas)},
    {"budget", 0, "SECONDS", "time for the samples; default 120", take_budget, OF_COMMAND(rules.budget)},
    {KT_VERB_THREADS, take_threads, OF_COMMAND(of.threads)},
    {KT_VERB_ROUTINE(struct command, routines)},
    {"level", 0, "outermost|leaves|both", "outermost calls, calls that contain no recorded call, or both (default)",
     take_levels, 0},
    {"context", 0, "LIST", "warm, cold, l1, l2, l3; default warm,cold", take_contexts, OF_COMMAND(rules)},
    {"domain", 0, "LO:HI,...", "range of each size; the last one holds for all others; default: as in the trace",
     take_domain, OF_COMMAND(rules)},
    {"samples", 0, "LIST",
     "degree=3, oversampling=1, bound=5 (% of the worst sample), smallest=32, multiple=8, rounds=10, processes=2, "
     "heldout=8",
     take_rules, OF_COMMAND(rules)},
    {"algorithm", 0, "NAME", "the kernels of that algorithm, file or operation (cholesky, lu, qr, trinv)",
     kt_prediction_take_algorithm, OF_COMMAND(algorithms)},
    {"n", 0, "LIST", "with --algorithm: columns, such as 100:1000:50", kt_prediction_take_sizes,
     OF_COMMAND(algorithms.n)},
    {"m", 0, "N", "with --algorithm: rows; default as many as columns", kt_prediction_take_sizes,
     OF_COMMAND(algorithms.m)},
    {"b", 0, "LIST", "with --algorithm: block sizes; default: the algorithm's", kt_prediction_take_sizes,
     OF_COMMAND(algorithms.b)},
    {KT_MODEL_FILE(struct command, of.file)},
    {"fresh", 0, NULL, "begin anew instead of continuing from earlier samples", KT_VERB_FLAG(struct command, fresh)},
    {KT_VERB_JSON(struct command, json)},
    {KT_VERB_CSV(struct command, json)},
    {0},
};

static enum kt_status parse(int argc, char **argv, struct command *c, struct kt_error *error)
{
    KT_TRY(kt_verb_take_options(argc, argv, kt_model_build_options, c, error));
    if (c->algorithms.algorithms && argc > optind)
        return kt_fail(error, KT_USAGE, "either a trace or algorithms, not both");
    if (!c->algorithms.algorithms && argc - optind != 1)
        return kt_fail(error, KT_USAGE,
                       argc == optind ? "which trace, or which algorithms (--algorithm)?"
                                      : "one trace at a time, not also '%s'",
                       argv[argc - 1]);
    if (c->algorithms.algorithms && (c->routines || c->level_given))
        return kt_fail(error, KT_USAGE, "--routine and --level go with a trace");
    if (!c->algorithms.algorithms && (c->algorithms.n.count || c->algorithms.m.count || c->algorithms.b.count))
        return kt_fail(error, KT_USAGE, "--n, --m and --b go with --algorithm");
    KT_TRY(kt_sizes_single(&c->algorithms.m, "m", error));
    c->trace = c->algorithms.algorithms ? NULL : argv[optind];
    if (!c->trace && !c->of.blas)
        c->of.blas = "openblas";
    if (c->rules.contexts == 0)
        return parse_contexts(&c->rules, "warm,cold", error);
    return KT_OK;
}

/* --- running ----------------------------------------------------------------------------------------------- */

/* What there is, or an empty set. */
static enum kt_status open_models(struct command *c, struct kt_models **out, struct kt_error *error)
{
    char path[4096];
    struct kt_timing_identity now;
    struct kt_timing_of of = {.blas = c->of.blas, .trace = c->of.trace, .threads = c->of.threads};
    KT_TRY(kt_models_path(&c->of, path, sizeof path, error));
    c->lock = kt_models_lock(path);
    if (!c->fresh && access(path, F_OK) == 0)
        return kt_models_open(&c->of, out, error);
    enum kt_status status = kt_timing_identify(&of, &now, error);
    if (status == KT_OK)
        *out = kt_models_new(path, now.name, now.machine, now.library);
    kt_timing_identity_free(&now);
    return status;
}

static enum kt_status open_timing(const struct command *c, struct kt_timing **out, struct kt_error *error)
{
    const char *context[KT_BUILD_CONTEXTS];
    struct kt_timing_of of = {.blas = c->of.blas, .trace = c->of.trace, .threads = c->of.threads};
    for (size_t i = 0; i < c->rules.contexts; i++)
        context[i] = kt_model_context_name[c->rules.context[i]];
    return kt_timing_open(&of, context, c->rules.contexts, out, error);
}

static void say_outcome(const struct command *c, const struct kt_build *build)
{
    const struct kt_needs *needs = build->needs;
    if (needs->unmodelled > 0.001 * needs->seconds)
        kt_notice("model build: %.1f %% of the time is in calls that no model describes",
                  100 * needs->unmodelled / needs->seconds);
    if (build->failed)
        kt_notice("model build: %s could not be timed, the last one: %s", KT_COUNT(build->failed, "point"),
                  build->failure);
    if (kt_timing_interrupted())
        kt_notice("interrupted: what was timed is kept; the same command goes on from there");
    else if (!build->complete)
        kt_notice("model build: %g s were not enough for all regions; the same command goes on from there",
                  c->rules.budget);
}

static enum kt_status build_models(struct command *c, const struct kt_needs *needs, struct kt_models *models,
                                   struct kt_error *error)
{
    struct kt_build build = {.rules = &c->rules, .needs = needs, .models = models};
    enum kt_status status = open_timing(c, &build.timing, error);
    if (status == KT_OK && !(build.solver = kt_solver_open(error)))
        status = error->status;
    if (status == KT_OK)
        status = kt_build_run(&build, error);
    int processor = build.timing ? kt_timing_processor(build.timing) : -1;
    kt_solver_close(build.solver);
    kt_timing_close(build.timing);
    if (status != KT_OK)
        return status;
    say_outcome(c, &build);
    if (c->json) {
        json_t *document = kt_models_json(models, NULL);
        json_object_set_new(document, "samples", json_integer((json_int_t)build.samples));
        json_object_set_new(document, "samples_again", json_integer((json_int_t)build.again));
        json_object_set_new(document, "seconds_spent", kt_json_number(build.spent));
        json_object_set_new(document, "complete", json_boolean(build.complete));
        json_object_set_new(document, "processor", kt_json_processor(processor));
        json_object_set_new(document, "coverage", kt_json_number(kt_build_coverage(&build)));
        kt_document_print(&kt_document_model_build, document);
    } else {
        kt_models_print(models, NULL);
        char again[64] = "";
        if (build.again)
            snprintf(again, sizeof again, ", and noisy ones %s,", KT_COUNT(build.again, "more time"));
        printf("%s timed%s in %.0f s. Models know sizes of %.1f %% of the time %s.\n", KT_COUNT(build.samples, "point"),
               again, build.spent, 100 * kt_build_coverage(&build),
               c->trace ? "in the trace" : "that is expected of calls");
    }
    return KT_OK;
}

static enum kt_status find_needs_of_algorithms(const struct command *c, struct kt_needs *out, struct kt_error *error)
{
    KT_TRY(kt_needs_of_algorithms(&c->algorithms, out, error));
    return out->count ? KT_OK
                      : kt_fail(error, KT_BAD_INPUT, "%s: it has no call to model: no block (--b) is smaller than --n",
                                c->algorithms.algorithm[0]);
}

static enum kt_status find_needs(struct command *c, struct kt_trace *trace, struct kt_needs *out,
                                 struct kt_error *error)
{
    if (!c->trace)
        return find_needs_of_algorithms(c, out, error);
    KT_TRY(kt_trace_open(c->trace, trace, error));
    c->of.trace = trace;
    kt_nested_notice(trace, c->levels >> KT_LEAVES & 1 ? KT_LEAVES : KT_OUTERMOST);
    kt_needs_collect(trace, c->levels, c->routines, out);
    if (out->count)
        return KT_OK;
    return c->routines ? kt_fail(error, KT_USAGE, "%s: no call to model matches '%s'", c->trace, c->routines)
                       : kt_fail(error, KT_BAD_INPUT, "%s: no complete call that a model could describe", c->trace);
}

static enum kt_status run(struct command *c, struct kt_error *error)
{
    struct kt_trace trace = {0};
    struct kt_needs needs = {0};
    struct kt_models *models = NULL;
    enum kt_status status = find_needs(c, &trace, &needs, error);
    if (status == KT_OK)
        status = open_models(c, &models, error);
    if (status == KT_OK)
        status = build_models(c, &needs, models, error);
    kt_models_close(models);
    kt_needs_free(&needs);
    kt_trace_close(&trace);
    if (c->lock >= 0)
        close(c->lock);
    return status;
}

int kt_model_build(int argc, char **argv)
{
    struct kt_error error = {0};
    struct command c = {.levels = 1u << KT_OUTERMOST | 1u << KT_LEAVES,
                        .lock = -1,
                        .rules = {.refine = KT_REFINE_DEFAULTS,
                                  .budget = 120,
                                  .rounds = 10,
                                  .processes = 2,
                                  .held_out = 8,
                                  .most_bytes = INT64_C(1) << 30}};
    if (parse(argc, argv, &c, &error) != KT_OK)
        return kt_verb_usage(argv[0], "%s", error.text);
    if (run(&c, &error) != KT_OK)
        return error.status == KT_USAGE ? kt_verb_usage(argv[0], "%s", error.text) : kt_verb_fail(argv[0], &error);
    return kt_verb_status(kt_timing_interrupted());
}
