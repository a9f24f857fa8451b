/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a call did with contents that are no ordinary numbers, and in what two libraries differ: how it ended, info, the
 * value returned, and what it left, element by element. A number that is not finite, or 0, is another one than an
 * ordinary number. Two ordinary numbers differ if rounding does not explain it; of LAPACK they are not compared, as
 * its results need not be unique (eigenvectors).
 */
#ifndef KT_UNUSUAL_OUTCOME_H
#define KT_UNUSUAL_OUTCOME_H

#include "replay/right/exam.h"

enum { KT_OUTCOME_TEXT = 128 };

/* One library's: RESULT, and its operands in the image. */
struct kt_outcome {
    const struct kt_trial_result *result;
    const struct kt_image *after;
};

/* Not of LAPACK, nor an extension. */
bool kt_routine_is_blas(const struct kt_routine *routine);

/* True: they differ; and the first thing that is another one, as it is in both. */
bool kt_outcomes_differ(const struct kt_examined *call, const struct kt_outcome *reference,
                        const struct kt_outcome *other, char of_reference[KT_OUTCOME_TEXT],
                        char of_other[KT_OUTCOME_TEXT]);

#endif
