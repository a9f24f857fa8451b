/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/predict/tuning.h"

#include "model/predict/predicted.h"
#include "replay/setup/timing.h"
#include "trace/base/memory.h"

#include <math.h>

enum { DEFAULT_ROUNDS = 21, PROCESSES = 3, FINALISTS = 5 };

static const double margin_of_models = 0.01;
static const double most_outside = 0.2; /* what is extrapolated further does not decide anything */

enum kt_status kt_choice_predict(const struct kt_prediction_setup *setup, struct kt_choice *choice,
                                 struct kt_error *error)
{
    return kt_predict_algorithm(choice->algorithm, choice->parameter, &setup->rules, &choice->prediction, error);
}

bool kt_choice_is_whole(const struct kt_choice *choice)
{
    const struct kt_prediction *p = &choice->prediction;
    return p->calls > 0 && p->unknown == 0 && !(p->worst_outside > most_outside);
}

const char *kt_choice_missing(const struct kt_choice *choice)
{
    const struct kt_prediction *p = &choice->prediction;
    for (size_t i = 0; i < p->rows && !kt_choice_is_whole(choice); i++)
        if (p->row[i].known >= KT_COST_TOO_FAR || p->row[i].outside > most_outside)
            return p->row[i].symbol->routine->name;
    return NULL;
}

int kt_choice_best(const struct kt_choice *choice, int choices)
{
    int best = -1;
    for (int i = 0; i < choices; i++)
        if (kt_choice_is_whole(&choice[i]) &&
            (best < 0 || choice[i].prediction.cost.seconds < choice[best].prediction.cost.seconds))
            best = i;
    return best;
}

/* --- measuring --------------------------------------------------------------------------------------------- */

enum kt_status kt_choices_measure(const struct kt_prediction_options *options, const struct kt_prediction_setup *setup,
                                  struct kt_choice *choice, int choices, struct kt_error *error)
{
    const struct kt_execution_rules rules = {.blas = setup->blas,
                                             .rounds = options->rounds ? options->rounds : DEFAULT_ROUNDS,
                                             .processes = PROCESSES,
                                             .budget = options->budget > 0 ? options->budget : 20};
    struct kt_candidate *run = kt_resize(NULL, (size_t)choices, sizeof *run);
    for (int i = 0; i < choices; i++) {
        run[i] = (struct kt_candidate){.algorithm = choice[i].algorithm};
        memcpy(run[i].parameter, choice[i].parameter, sizeof run[i].parameter);
    }
    enum kt_status status = kt_execute(run, (size_t)choices, &rules, error);
    for (int i = 0; i < choices && status == KT_OK; i++)
        choice[i].run = run[i];
    free(run);
    return status;
}

/* Every other round, from the first or the second one on. */
static struct kt_stat ratio_of_half(const struct kt_choice *a, const struct kt_choice *b, int first)
{
    double *ratio = kt_resize(NULL, (size_t)a->run.rounds, sizeof *ratio);
    size_t n = 0;
    for (int i = first; i < a->run.rounds; i += 2)
        ratio[n++] = a->run.seconds[i] / b->run.seconds[i];
    struct kt_stat stat = kt_stat_of(ratio, n, KT_BEST_MEDIAN);
    free(ratio);
    return stat;
}

int kt_choice_fastest(const struct kt_choice *choice, int choices, int reference, struct kt_stat *ratio)
{
    int fastest = reference;
    double least = 1;
    for (int i = 0; i < choices; i++) {
        double one = ratio_of_half(&choice[i], &choice[reference], 0).median;
        fastest = one < least ? i : fastest;
        least = one < least ? one : least;
    }
    *ratio = ratio_of_half(&choice[fastest], &choice[reference], 1);
    return fastest;
}

/* REFERENCE, and those behind it that were fastest in turn with it. FINALIST: indices. */
static int choose_finalists(const struct kt_choice *choice, int choices, int reference, int finalist[FINALISTS])
{
    int count = 1;
    double last = 0;
    finalist[0] = reference;
    while (count < FINALISTS) {
        int next = -1;
        double least = INFINITY;
        for (int i = 0; i < choices; i++) {
            double ratio = kt_candidate_ratio(&choice[i].run, &choice[reference].run).median;
            if (i == reference || ratio <= last || ratio >= least)
                continue;
            least = ratio;
            next = i;
        }
        if (next < 0)
            break;
        last = least;
        finalist[count++] = next;
    }
    return count;
}

enum kt_status kt_choices_tournament(const struct kt_prediction_options *options,
                                     const struct kt_prediction_setup *setup, struct kt_choice *choice, int choices,
                                     int reference, int *fastest, struct kt_stat *ratio, struct kt_error *error)
{
    struct kt_prediction_options half = *options;
    struct kt_choice final[FINALISTS];
    int finalist[FINALISTS];
    half.budget = options->budget > 0 ? options->budget / 2 : 10;
    *fastest = -1;
    KT_TRY(kt_choices_measure(&half, setup, choice, choices, error));
    if (kt_timing_interrupted())
        return KT_OK;
    int finalists = choose_finalists(choice, choices, reference, finalist);
    for (int i = 0; i < finalists; i++)
        final[i] = choice[finalist[i]];
    KT_TRY(kt_choices_measure(&half, setup, final, finalists, error));
    if (!kt_timing_interrupted())
        *fastest = finalist[kt_choice_fastest(final, finalists, 0, ratio)];
    for (int i = 0; i < finalists; i++)
        kt_candidates_free(&final[i].run, 1);
    return KT_OK;
}

/* --- ranking ----------------------------------------------------------------------------------------------- */

/* Of one routine: time, and half the interval. */
struct part {
    double seconds, half;
};

static struct part part_of(const struct kt_prediction *p, const struct kt_routine *routine)
{
    struct part part = {0};
    for (size_t i = 0; i < p->rows; i++) {
        const struct kt_cost *cost = &p->row[i].cost;
        if (p->row[i].symbol->routine != routine || isnan(cost->seconds))
            continue;
        part.seconds += cost->seconds;
        part.half += (cost->hi - cost->lo) / 2;
    }
    return part;
}

/* Has an earlier row the same routine? */
static bool is_repeated(const struct kt_prediction *p, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (p->row[i].symbol->routine == p->row[row].symbol->routine)
            return true;
    return false;
}

/* Squares of what the models of the routines of A may contribute; those that B has too count only if BOTH. */
static double squares_of(const struct kt_prediction *a, const struct kt_prediction *b, bool both)
{
    double sum = 0;
    for (size_t i = 0; i < a->rows; i++) {
        if (is_repeated(a, i))
            continue;
        struct part one = part_of(a, a->row[i].symbol->routine);
        struct part two = part_of(b, a->row[i].symbol->routine);
        if (two.seconds > 0 && !both)
            continue;
        double relative = one.seconds > 0 ? one.half / one.seconds : 0;
        if (two.seconds > 0)
            relative = fmax(relative, two.half / two.seconds);
        sum += pow(relative * (one.seconds - two.seconds), 2);
    }
    return sum;
}

double kt_choice_margin(const struct kt_prediction *a, const struct kt_prediction *b)
{
    double least = margin_of_models * fmin(a->cost.seconds, b->cost.seconds);
    return fmax(least, sqrt(squares_of(a, b, true) + squares_of(b, a, false)));
}

static int compare_choices(const void *a, const void *b)
{
    const struct kt_choice *x = a;
    const struct kt_choice *y = b;
    int whole = kt_choice_is_whole(y) - kt_choice_is_whole(x);
    double one = x->prediction.cost.seconds;
    double two = y->prediction.cost.seconds;
    return whole ? whole : (one > two) - (one < two);
}

bool kt_choices_tie(const struct kt_choice *a, const struct kt_choice *b)
{
    const struct kt_prediction *one = &a->prediction;
    const struct kt_prediction *two = &b->prediction;
    return kt_choice_is_whole(a) && kt_choice_is_whole(b) &&
           fabs(one->cost.seconds - two->cost.seconds) <= kt_choice_margin(one, two);
}

void kt_choices_rank(struct kt_choice *choice, int choices)
{
    if (choices > 0)
        qsort(choice, (size_t)choices, sizeof *choice, compare_choices);
    int first = 0; /* of those that share a rank */
    for (int i = 1; i < choices; i++) {
        choice[i].tied = kt_choices_tie(&choice[first], &choice[i]);
        first = choice[i].tied ? first : i;
    }
}

void kt_choices_free(struct kt_choice *choice, int choices)
{
    for (int i = 0; i < choices; i++) {
        kt_prediction_free(&choice[i].prediction);
        kt_candidates_free(&choice[i].run, 1);
    }
    free(choice);
}
