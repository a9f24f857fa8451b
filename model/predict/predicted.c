/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/predict/predicted.h"

#include "trace/table/known.h"
#include "model/tracker/timeline.h"
#include "trace/base/lines.h"
#include "trace/base/memory.h"
#include "trace/read/state.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

/* --- traces ------------------------------------------------------------------------------------------------ */

/* SECONDS that it took in the program. */
static void predict_call(struct kt_predictor *predictor, const struct kt_call *call, double seconds)
{
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    const struct kt_symbol *symbol = &call->entry->symbol;
    int operands = 0;
    values = (struct kt_values){0};
    if (symbol->routine->args) { /* of others only the time is known: they count, and have no model */
        kt_values_decode(symbol, call->args, &values);
        if (kt_is_query(symbol->routine, &values))
            return;
        operands = kt_operands(symbol, &values, call->entry->int_bytes, operand);
    }
    kt_predictor_call(predictor, symbol, &values, operand, operands, call->cpu, seconds);
}

/* Where recording made some calls of a shape longer the others tell what they take. */
struct measured {
    struct kt_shapes shapes;          /* of outermost calls */
    struct kt_collection *collection; /* NULL: all calls are alike in that */
};

static void measured_begin(const struct kt_trace *trace, struct measured *out)
{
    *out = (struct measured){0};
    if (kt_state_nested(trace) == KT_NESTED_ALL)
        return;
    kt_shapes_collect(trace, KT_OUTERMOST, &out->shapes);
    out->collection = kt_collection_of(trace, &out->shapes);
}

static double measured_seconds(const struct measured *measured, const struct kt_call *call)
{
    bool is_known = measured->collection && call->depth == 0;
    size_t number = is_known ? kt_collection_number(measured->collection, call) : SIZE_MAX;
    return number < measured->shapes.count ? kt_shape_call_seconds(&measured->shapes.shape[number], call)
                                           : kt_call_seconds(call);
}

static void measured_free(struct measured *measured)
{
    struct kt_shapes ignored;
    if (!measured->collection)
        return;
    kt_collection_finish(measured->collection, &ignored);
    kt_shapes_free(&ignored);
    kt_shapes_free(&measured->shapes);
}

void kt_predict_trace(const struct kt_trace *trace, enum kt_level level, const struct kt_prediction_rules *rules,
                      struct kt_prediction *out)
{
    struct measured measured;
    struct kt_predictor *predictor = kt_predictor_new(rules);
    measured_begin(trace, &measured);
    for (size_t process = 0; process < trace->processes; process++) {
        struct kt_timeline *timeline = kt_timeline_new(trace, process, level);
        const struct kt_call *call;
        kt_predictor_begin_process(predictor);
        while ((call = kt_timeline_next(timeline)))
            predict_call(predictor, call, measured_seconds(&measured, call));
        kt_timeline_free(timeline);
    }
    measured_free(&measured);
    kt_predictor_finish(predictor, out);
}

/* --- algorithms -------------------------------------------------------------------------------------------- */

static enum kt_status predict_kernel(void *context, const struct kt_kernel *kernel, struct kt_error *error)
{
    (void)error;
    kt_predictor_call(context, kernel->symbol, &kernel->values, kernel->operand, kernel->operands, 0, NAN);
    return KT_OK;
}

enum kt_status kt_predict_algorithm(const struct kt_algorithm *algorithm, const double *parameter,
                                    const struct kt_prediction_rules *rules, struct kt_prediction *out,
                                    struct kt_error *error)
{
    struct kt_operand storage[KT_MAX_OPERANDS];
    struct kt_predictor *predictor = kt_predictor_new(rules);
    kt_predictor_touch(predictor, storage, kt_algorithm_storage(algorithm, parameter, storage));
    enum kt_status status = kt_algorithm_run(algorithm, parameter, predict_kernel, predictor, error);
    kt_predictor_finish(predictor, out);
    return status;
}

static enum kt_status find_known(const char *name, struct kt_algorithm **out, struct kt_error *error)
{
    for (size_t i = 0; kt_known_algorithm(i); i++) {
        KT_TRY(kt_algorithm_parse(kt_known_algorithm(i), "examples/algorithms", out, error));
        if (!strcmp(kt_algorithm_name(*out), name))
            return KT_OK;
        kt_algorithm_free(*out);
        *out = NULL;
    }
    return kt_fail(error, KT_BAD_INPUT,
                   "%s: is neither a file nor an algorithm that is known (examples/algorithms, such as dpotrf)", name);
}

static bool is_file(const char *name)
{
    struct stat status;
    return stat(name, &status) == 0 && S_ISREG(status.st_mode);
}

enum kt_status kt_algorithm_find(const char *name, struct kt_algorithm **out, struct kt_error *error)
{
    struct kt_lines lines;
    *out = NULL;
    if (!is_file(name))
        return find_known(name, out, error);
    KT_TRY(kt_lines_load(name, &lines, error));
    enum kt_status status = strlen(lines.text) == lines.bytes
                                ? kt_algorithm_parse(lines.text, name, out, error)
                                : kt_fail(error, KT_BAD_INPUT, "%s: is no text, it holds zeros", name);
    kt_lines_free(&lines);
    return status;
}
