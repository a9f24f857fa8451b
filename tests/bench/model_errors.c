/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How wrong models are at points that they have not seen, beside how much two measurements of the same points differ.
 * The points of all kernels are timed twice, each time with all rounds in processes of their own.
 *
 * Usage: model_errors MODELS.json TRACE LIBRARY POINTS LO HI [ROUTINES [AXIS]]
 * With AXIS only points that are long in that one: 8 x 4096.
 * One line for each model and kind of sizes; with SCAN=1 in the environment one for each point.
 */
#include "model/kernels/kernel_needs.h"
#include "model/kernels/model_set.h"
#include "replay/setup/timing.h"
#include "trace/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Sizes: multiples of 8, any, one of them 1, 8 x 4096 and up to two less. */
enum kind { EIGHTS, ANY, ONE, LONG, KINDS };
static const char *const kind_name[KINDS] = {"multiples of 8", "any size", "one size is 1", "8 x 4096"};

struct point {
    const struct kt_need *need;
    enum kind kind;
    int64_t size[KT_MODEL_AXES];
    struct kt_timed timed[2][2]; /* by run, by context */
};

static const char *const contexts[2] = {"warm", "cold"};

static double uniform(void)
{
    return (double)rand() / ((double)RAND_MAX + 1);
}

static void draw(struct point *p, int64_t lo, int64_t hi, int number)
{
    int axes = p->need->query.axes;
    for (int a = 0; a < axes; a++) {
        p->size[a] = lo + (int64_t)(uniform() * (double)(hi - lo + 1));
        if (p->kind == EIGHTS)
            p->size[a] = p->size[a] < 8 ? 8 : p->size[a] / 8 * 8;
        if (p->kind == ONE && a == number % axes)
            p->size[a] = 1;
        if (p->kind == LONG)
            p->size[a] = (a == number % axes ? 4096 : 8) - (int64_t)(3 * uniform());
    }
}

static void time_all(struct kt_timing *timing, struct point *point, size_t points, int run)
{
    struct kt_timing_call *call = kt_resize(NULL, points, sizeof *call);
    const struct kt_timing_rules rules = {.rounds = 16, .processes = 2};
    struct kt_error error = {0};
    for (size_t i = 0; i < points; i++) {
        call[i] = (struct kt_timing_call){
            .routine = point[i].need->routine, .guess = 1e-5, .contexts = 3, .result = point[i].timed[run]};
        kt_need_values(point[i].need, point[i].size, &call[i].values);
    }
    if (kt_timing_run(timing, call, points, &rules, &error) != KT_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    free(call);
}

static double measured(const struct point *p, int context)
{
    return (p->timed[0][context].best + p->timed[1][context].best) / 2;
}

/* How much slower the whole machine is than when the model was made: the median over the model's points. */
static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double pace(const struct kt_models *models, const struct point *point, size_t points, const struct kt_need *need,
                   int context)
{
    double *ratio = kt_resize(NULL, points, sizeof *ratio);
    size_t n = 0;
    for (size_t i = 0; i < points; i++) {
        struct kt_model_answer answer;
        struct kt_model_query query = need->query;
        memcpy(query.size, point[i].size, sizeof query.size);
        kt_models_ask(models, &query, (enum kt_model_context)context, &answer);
        if (point[i].need == need && answer.known == KT_MODEL_KNOWN)
            ratio[n++] = measured(&point[i], context) / answer.seconds;
    }
    if (n)
        qsort(ratio, n, sizeof *ratio, compare);
    double median = n ? ratio[n / 2] : NAN;
    free(ratio);
    return median;
}

static void report(const struct kt_models *models, const struct point *point, size_t points, const struct kt_need *need,
                   int context, enum kind kind)
{
    double sum = 0;
    double scaled = 0;
    double worst = 0;
    double floor = 0;
    double factor = pace(models, point, points, need, context);
    int n = 0;
    int unknown = 0;
    for (size_t i = 0; i < points; i++) {
        const struct point *p = &point[i];
        struct kt_model_answer answer;
        struct kt_model_query query = need->query;
        if (p->need != need || p->kind != kind)
            continue;
        memcpy(query.size, p->size, sizeof query.size);
        kt_models_ask(models, &query, (enum kt_model_context)context, &answer);
        double truth = measured(p, context);
        double error = fabs(answer.seconds / truth - 1);
        if (getenv("SCAN"))
            printf("%s,%s,%s,%ld,%ld,%ld,%.6g,%.6g,%.6g\n", need->query.routine, need->query.options, contexts[context],
                   (long)p->size[0], (long)p->size[1], (long)p->size[2], answer.seconds, p->timed[0][context].best,
                   p->timed[1][context].best);
        if (answer.known != KT_MODEL_KNOWN || !isfinite(truth)) {
            unknown++;
            continue;
        }
        n++;
        sum += error;
        scaled += fabs(answer.seconds * factor / truth - 1);
        worst = fmax(worst, error);
        floor += fabs(p->timed[0][context].best / p->timed[1][context].best - 1);
    }
    if (!n && unknown && !getenv("SCAN"))
        printf("%-6s %-16s %-4s %-14s no model knows any of %d points\n", need->query.routine, need->query.options,
               contexts[context], kind_name[kind], unknown);
    if (n && !getenv("SCAN"))
        printf("%-6s %-16s %-4s %-14s %3d points %3d unknown  error %5.1f %% (at one pace %5.1f %%) max %5.1f %%  "
               "two measurements %4.1f %%\n",
               need->query.routine, need->query.options, contexts[context], kind_name[kind], n, unknown, 100 * sum / n,
               100 * scaled / n, 100 * worst, 100 * floor / n);
}

static size_t make_points(const struct kt_needs *needs, int each, int axis, int64_t lo, int64_t hi, struct point **out)
{
    size_t count = 0;
    *out = kt_resize(NULL, needs->count * KINDS * (size_t)each, sizeof **out);
    for (size_t n = 0; n < needs->count; n++)
        for (enum kind k = EIGHTS; k < KINDS; k++)
            for (int i = 0; i < each && (k == LONG) == (axis >= 0); i++) {
                struct point *p = &(*out)[count++];
                *p = (struct point){.need = &needs->need[n], .kind = k};
                draw(p, lo, hi, k == LONG ? axis : i);
            }
    return count;
}

int main(int argc, char **argv)
{
    struct kt_error error = {0};
    struct kt_models *models;
    struct kt_trace trace;
    struct kt_needs needs;
    struct kt_timing *timing;
    struct point *point;
    if (argc < 7)
        return 2;
    const struct kt_timing_of of = {.blas = argv[3], .threads = 1};
    if (kt_models_read(argv[1], &models, &error) != KT_OK || kt_trace_open(argv[2], &trace, &error) != KT_OK ||
        kt_timing_open(&of, contexts, 2, &timing, &error) != KT_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    srand(4711);
    kt_needs_collect(&trace, 1u << KT_OUTERMOST, argc > 7 ? argv[7] : NULL, &needs);
    int axis = argc > 8 ? atoi(argv[8]) : -1;
    size_t points = make_points(&needs, atoi(argv[4]), axis, atol(argv[5]), atol(argv[6]), &point);
    time_all(timing, point, points, 0);
    time_all(timing, point, points, 1);
    for (size_t n = 0; n < needs.count; n++)
        for (int c = 0; c < 2; c++)
            for (enum kind k = EIGHTS; k < KINDS; k++)
                report(models, point, points, &needs.need[n], c, k);
    free(point);
    kt_timing_close(timing);
    kt_needs_free(&needs);
    kt_trace_close(&trace);
    kt_models_close(models);
    return 0;
}
