/* SPDX-License-Identifier: BSD-3-Clause */
/* Block sizes of one algorithm, and algorithms of one operation, compared by prediction and, if asked for, by running.
 */
#ifndef KT_TUNING_H
#define KT_TUNING_H

#include "model/algorithm/execution.h"
#include "model/predict/prediction_setup.h"

/* A choice: an algorithm with its parameters. */
struct kt_choice {
    const struct kt_algorithm *algorithm;
    double parameter[KT_MOST_PARAMETERS];
    double value; /* of b */
    struct kt_prediction prediction;
    struct kt_candidate run;
    bool tied; /* cannot be told from the one before it */
};

enum kt_status kt_choice_predict(const struct kt_prediction_setup *setup, struct kt_choice *choice,
                                 struct kt_error *error);

/* Index of the one with the least predicted time; the first of equals. -1: none is predicted as a whole. */
int kt_choice_best(const struct kt_choice *choice, int choices);

/* Is it predicted from models of all its calls, none of them far outside of the sizes that the models know? */
bool kt_choice_is_whole(const struct kt_choice *choice);

/* A routine of which there is no model, or none of such sizes; NULL: none is missing, or the choice is whole. */
const char *kt_choice_missing(const struct kt_choice *choice);

/* Runs all of them, in turn. */
enum kt_status kt_choices_measure(const struct kt_prediction_options *options, const struct kt_prediction_setup *setup,
                                  struct kt_choice *choice, int choices, struct kt_error *error);

/* The one that was fastest in turn with REFERENCE: least median of the quotients of every other round; *RATIO is that
 * quotient in the other rounds, so that it was not chosen for its luck there. At least two rounds. */
int kt_choice_fastest(const struct kt_choice *choice, int choices, int reference, struct kt_stat *ratio);

/*
 * A tournament: all are run with half of the budget, then REFERENCE and the few that were fastest, with the other half,
 * alone. *FASTEST of these as kt_choice_fastest finds it; -1 if it was interrupted.
 */
enum kt_status kt_choices_tournament(const struct kt_prediction_options *options,
                                     const struct kt_prediction_setup *setup, struct kt_choice *choice, int choices,
                                     int reference, int *fastest, struct kt_stat *ratio, struct kt_error *error);

/*
 * Half the interval of the difference of two predictions: models that both use are off by the same, so only the
 * difference of their times in each routine counts; at least a hundredth of the smaller one, which models cannot tell.
 */
double kt_choice_margin(const struct kt_prediction *a, const struct kt_prediction *b);

/* Sorts by predicted time and marks ties; those that are not predicted as a whole come last. */
void kt_choices_rank(struct kt_choice *choice, int choices);

/* Are their times as predicted too near to each other to be told apart? */
bool kt_choices_tie(const struct kt_choice *a, const struct kt_choice *b);

void kt_choices_free(struct kt_choice *choice, int choices);

#endif
