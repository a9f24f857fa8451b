/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/predict/algorithm_needs.h"

#include "trace/table/known.h"
#include "model/predict/predicted.h"

#include <math.h>
#include <string.h>

/* What a core of today does in a second, roughly; only quotients of guesses matter. */
static const double flops_per_second = 1e10;
static const double bytes_per_second = 1e10;
static const double seconds_of_call = 2e-7;

/* Predictions sum up calls of one shape: that is what they are used for here. */
static void no_costs(void *context, const struct kt_symbol *symbol, const struct kt_values *values,
                     struct kt_costs *out)
{
    (void)context;
    (void)symbol;
    (void)values;
    *out = (struct kt_costs){.known = KT_COST_UNKNOWN};
}

static double guess(const struct kt_symbol *symbol, const struct kt_values *values)
{
    struct kt_operand operand[KT_MAX_OPERANDS];
    double flops = kt_flops(symbol->routine, values);
    double bytes = kt_bytes(operand, kt_operands(symbol, values, 4, operand));
    return seconds_of_call + (isnan(flops) ? 0 : flops / flops_per_second) + bytes / bytes_per_second;
}

static double guess_row(const struct kt_predicted_calls *row, struct kt_values *values)
{
    kt_predicted_values(row, values);
    return (double)row->calls * guess(row->symbol, values);
}

/* Of each size of the problem and of blocks as much: who asks for n = 100 and n = 3000 wants to know both, and the
 * kernels of the one take a ten thousandth of the other's time. */
static void add_rows(const struct kt_prediction *p, struct kt_needs *out)
{
    struct kt_values values;
    double all = 0;
    for (size_t i = 0; i < p->rows; i++)
        all += guess_row(&p->row[i], &values);
    for (size_t i = 0; i < p->rows; i++) {
        double seconds = guess_row(&p->row[i], &values);
        kt_needs_add(out, p->row[i].symbol, &values, seconds / all, p->row[i].calls);
    }
}

static enum kt_status add_point(const struct kt_algorithm *a, const struct kt_prediction_options *o, double n, double b,
                                struct kt_needs *out, struct kt_error *error)
{
    const struct kt_prediction_rules rules = {.caches = {.cache = {{1 << 20, 1}}, .count = 1, .line = 64},
                                              .source = no_costs};
    double parameter[KT_MOST_PARAMETERS];
    struct kt_prediction sums;
    KT_TRY(kt_parameters_of(a, o, o->m.count ? o->m.size[0] : 0, n, b, parameter, error));
    enum kt_status status = kt_predict_algorithm(a, parameter, &rules, &sums, error);
    if (status == KT_OK)
        add_rows(&sums, out);
    kt_prediction_free(&sums);
    return status;
}

static enum kt_status add_algorithm(const struct kt_algorithm *a, const struct kt_prediction_options *o,
                                    struct kt_needs *out, struct kt_error *error)
{
    for (int i = 0; i < o->n.count || i == 0; i++)
        for (int j = 0; j < o->b.count || j == 0; j++) {
            double b = o->b.count ? o->b.size[j] : 0;
            double n = o->n.count ? o->n.size[i] : 0;
            if (b <= 0 || n <= 0 || b <= n)
                KT_TRY(add_point(a, o, n, b, out, error));
        }
    return KT_OK;
}

/* All algorithms of an operation; *FOUND: there are some. */
static enum kt_status add_operation(const char *operation, const struct kt_prediction_options *o, struct kt_needs *out,
                                    bool *found, struct kt_error *error)
{
    enum kt_status status = KT_OK;
    *found = false;
    for (size_t i = 0; kt_known_algorithm(i) && status == KT_OK; i++) {
        struct kt_algorithm *a;
        status = kt_algorithm_parse(kt_known_algorithm(i), "examples/algorithms", &a, error);
        if (status == KT_OK && !strcmp(kt_algorithm_operation(a), operation)) {
            *found = true;
            status = add_algorithm(a, o, out, error);
        }
        kt_algorithm_free(a);
    }
    return status;
}

static enum kt_status add_named(const char *name, const struct kt_prediction_options *o, struct kt_needs *out,
                                struct kt_error *error)
{
    bool found;
    struct kt_algorithm *a;
    KT_TRY(add_operation(name, o, out, &found, error));
    if (found)
        return KT_OK;
    enum kt_status status = kt_algorithm_find(name, &a, error);
    if (status == KT_OK)
        status = add_algorithm(a, o, out, error);
    kt_algorithm_free(a);
    return status;
}

enum kt_status kt_needs_of_algorithms(const struct kt_prediction_options *options, struct kt_needs *out,
                                      struct kt_error *error)
{
    *out = (struct kt_needs){0};
    for (int i = 0; i < options->algorithms; i++)
        KT_TRY(add_named(options->algorithm[i], options, out, error));
    kt_needs_sort(out);
    return KT_OK;
}
