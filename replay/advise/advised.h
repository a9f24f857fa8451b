/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What trials come to: advice, heaviest first, and what became of all else that was tried.
 *
 * Advised is what was faster with its whole interval, for each shape the change that gains most, and what is then worth
 * at least KT_WORTH_ADVICE of the program. Shapes of one line, routine and rule are one piece of advice.
 */
#ifndef KT_ADVISED_H
#define KT_ADVISED_H

#include "replay/advise/trials.h"
#include "trace/command/shape_source.h"

#define KT_WORTH_ADVICE 0.005

/* Columns: name, text. */
#define KT_OUTCOMES(X)                                           \
    X(ADVISED, "advised")                                        \
    X(LIGHT, "faster, but worth less than 0.5 % of the program") \
    X(BEATEN, "faster, but another change gains more")           \
    X(NO_GAIN, "no gain")                                        \
    X(UNCLEAR, "cannot tell")                                    \
    X(UNTIMED, "there was no time for it")                       \
    X(FAILED, "could not be timed")

enum kt_advise_outcome {
#define KT_OUTCOME_ENUM(name, text) KT_OUTCOME_##name,
    KT_OUTCOMES(KT_OUTCOME_ENUM)
#undef KT_OUTCOME_ENUM
};

extern const char *const kt_outcome_text[];

struct kt_advised {
    size_t *member; /* candidates, heaviest first; owned */
    size_t members;
    double insitu;          /* seconds of their calls in the program */
    double seconds, lo, hi; /* that they would take less, with the 95 % interval */
    struct kt_ratio ratio;
};

struct kt_advised_list {
    const struct kt_trials *trials;
    const struct kt_shape_source *source; /* by shape of the setup */
    struct kt_advised *advised;           /* owned */
    size_t count;
    enum kt_advise_outcome *outcome; /* by candidate; owned */
    double program;                  /* seconds of all processes */
    double blas;                     /* of their outermost calls */
};

void kt_advised_find(const struct kt_trials *trials, const struct kt_shape_source *source, double program,
                     struct kt_advised_list *out);
void kt_advised_free(struct kt_advised_list *list);

/* What changes: "dgemm -> dgemv", or the routine alone. OUT holds 2 KT_NAME + 4 bytes. */
enum { KT_CHANGE_TEXT = 2 * KT_NAME + 4 };
char *kt_change_text(const struct kt_proposal *candidate, char out[KT_CHANGE_TEXT]);

/* Is the call made from Python? */
bool kt_advised_is_python(const struct kt_shape_source *source);

/* For people; ALL: also what was tried and is not advised. */
void kt_advised_print(const struct kt_advised_list *list, bool all);
json_t *kt_advised_json(const struct kt_advised_list *list);

#endif
