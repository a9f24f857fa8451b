/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/predict/predicted.h"

#include "trace/command/json.h"
#include "trace/print/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const known_name[] = {"known", "extrapolated", "too far outside", "no model"};

/* --- JSON -------------------------------------------------------------------------------------------------- */

json_t *kt_cost_json(const struct kt_cost *cost)
{
    json_t *out = json_object();
    json_object_set_new(out, "seconds", kt_json_number(cost->seconds));
    json_object_set_new(out, "lo", kt_json_number(cost->lo));
    json_object_set_new(out, "hi", kt_json_number(cost->hi));
    return out;
}

static json_t *argument_json(const struct kt_predicted_calls *row, int i)
{
    const struct kt_routine *routine = row->symbol->routine;
    const struct kt_arg *arg = &routine->arg[i];
    if (arg->role <= KT_OPTION) {
        char letter[2] = {(char)row->v[i], '\0'};
        return kt_json_text(letter);
    }
    if (arg->role == KT_SCALAR && kt_type_is_complex(arg->type)) {
        json_t *pair = json_array();
        json_array_append_new(pair, kt_json_number(row->v[i]));
        json_array_append_new(pair, kt_json_number(row->v[routine->args + i]));
        return pair;
    }
    return arg->role == KT_SCALAR ? kt_json_number(row->v[i]) : json_integer((json_int_t)row->v[i]);
}

static bool is_shown(const struct kt_arg *arg)
{
    return arg->role != KT_ARRAY && arg->role != KT_INFO && arg->role != KT_PROCEDURE;
}

static json_t *row_json(const struct kt_predicted_calls *row)
{
    const struct kt_routine *routine = row->symbol->routine;
    json_t *out = json_object();
    json_t *args = json_object();
    for (int i = 0; i < routine->args; i++)
        if (is_shown(&routine->arg[i]))
            json_object_set_new(args, routine->arg[i].name, argument_json(row, i));
    json_object_set_new(out, "routine", kt_json_text(routine->name));
    json_object_set_new(out, "args", args);
    json_object_set_new(out, "calls", json_integer((json_int_t)row->calls));
    json_object_set_new(out, "known", kt_json_text(known_name[row->known]));
    json_object_set_new(out, "outside", kt_json_number(row->outside));
    json_object_set_new(out, "predicted", kt_cost_json(&row->cost));
    json_object_set_new(out, "warm", kt_json_number((double)row->calls * row->costs.warm.seconds));
    json_object_set_new(out, "cold", kt_json_number((double)row->calls * row->costs.cold.seconds));
    json_object_set_new(out, "cached", kt_json_number(row->cached / (double)row->calls));
    json_object_set_new(out, "measured", kt_json_number(row->measured));
    return out;
}

static double error_of(const struct kt_prediction *p)
{
    return p->covered > 0 ? p->cost.seconds / p->covered - 1 : NAN;
}

double kt_prediction_error_at_pace(const struct kt_prediction *p)
{
    return p->at_pace.n ? p->at_pace.median - 1 : NAN;
}

/* Part of the measured time that no prediction stands for. */
static double missing_share(const struct kt_prediction *p)
{
    return p->measured > 0 ? 1 - p->covered / p->measured : NAN;
}

json_t *kt_prediction_json(const struct kt_prediction *p, size_t most)
{
    json_t *out = json_object();
    json_t *calls = json_array();
    for (size_t i = 0; i < p->rows && i < most; i++)
        json_array_append_new(calls, row_json(&p->row[i]));
    json_object_set_new(out, "predicted", kt_cost_json(&p->cost));
    json_object_set_new(out, "warm", kt_json_number(p->warm));
    json_object_set_new(out, "cold", kt_json_number(p->cold));
    if (!isnan(p->measured)) {
        json_object_set_new(out, "measured", kt_json_number(p->measured));
        json_object_set_new(out, "measured_of_predicted", kt_json_number(p->covered));
        json_object_set_new(out, "error", kt_json_number(error_of(p)));
        json_object_set_new(out, "missing_share", kt_json_number(missing_share(p)));
    }
    if (p->at_pace.n) {
        json_object_set_new(out, "pace", kt_json_stat(&p->pace));
        json_object_set_new(out, "at_pace", kt_json_stat(&p->at_pace));
        json_object_set_new(out, "error_at_pace", kt_json_number(kt_prediction_error_at_pace(p)));
    }
    json_object_set_new(out, "calls_total", json_integer((json_int_t)p->calls));
    json_object_set_new(out, "calls_extrapolated", json_integer((json_int_t)p->extrapolated));
    json_object_set_new(out, "calls_not_predicted", json_integer((json_int_t)p->unknown));
    json_object_set_new(out, "worst_outside", kt_json_number(p->worst_outside));
    json_object_set_new(out, "calls_left_out", json_integer((json_int_t)(p->rows > most ? p->rows - most : 0)));
    json_object_set_new(out, "calls", calls);
    return out;
}

/* --- text -------------------------------------------------------------------------------------------------- */

/* "N T 100 200 alpha=-1": options and sizes, scalars; what a model does not depend on is left out. */
static void arguments_text(const struct kt_predicted_calls *row, char *out, size_t size)
{
    const struct kt_routine *routine = row->symbol->routine;
    size_t used = 0;
    *out = '\0';
    for (int i = 0; i < routine->args && used + 1 < size; i++) {
        const struct kt_arg *arg = &routine->arg[i];
        if (arg->role <= KT_OPTION)
            used += (size_t)snprintf(out + used, size - used, "%c ", (char)row->v[i]);
        else if (arg->role == KT_SIZE || arg->role == KT_INTEGER)
            used += (size_t)snprintf(out + used, size - used, "%.0f ", row->v[i]);
        else if (arg->role == KT_INC && row->v[i] != 1)
            used += (size_t)snprintf(out + used, size - used, "%s=%.0f ", arg->name, row->v[i]);
    }
}

enum { COLUMNS = 6, CELL = 64 };

static void measured_cell(const struct kt_predicted_calls *row, char *cell)
{
    if (row->costs.known >= KT_COST_TOO_FAR)
        snprintf(cell, CELL, "%s", known_name[row->costs.known]);
    else
        kt_text_percent(row->cached / (double)row->calls, cell);
}

static void print_row(struct kt_text_table *table, const struct kt_predicted_calls *row)
{
    char text[COLUMNS][CELL];
    const char *cell[COLUMNS];
    snprintf(text[0], CELL, "%s", row->symbol->routine->name);
    arguments_text(row, text[1], CELL);
    kt_text_count((double)row->calls, text[2]);
    kt_text_seconds(row->cost.seconds, text[3]);
    measured_cell(row, text[4]);
    kt_text_seconds(row->measured, text[5]);
    for (int i = 0; i < COLUMNS; i++)
        cell[i] = text[i];
    kt_text_table_row(table, cell);
}

static void print_table(const struct kt_prediction *p, size_t top)
{
    static const struct kt_column column[COLUMNS] = {{"routine", false, false}, {"options, sizes", false, true},
                                                     {"calls", true, false},    {"predicted", true, false},
                                                     {"in cache", true, false}, {"measured", true, false}};
    struct kt_text_table *table = kt_text_table_new(column, COLUMNS - isnan(p->measured));
    for (size_t i = 0; i < p->rows && i < top; i++)
        print_row(table, &p->row[i]);
    kt_text_table_print(table);
    kt_text_table_free(table);
    if (p->rows > top)
        printf("... and %zu further shapes\n", p->rows - top);
    printf("\n");
}

static void print_sums(const struct kt_prediction *p)
{
    char text[5][16];
    printf("predicted  %s  (%s to %s by the models' own errors)%s\n", kt_text_seconds(p->cost.seconds, text[0]),
           kt_text_seconds(p->cost.lo, text[1]), kt_text_seconds(p->cost.hi, text[2]),
           p->unknown ? " for the known calls" : "");
    printf("           %s if all operands were always in cache, %s if never\n", kt_text_seconds(p->warm, text[3]),
           kt_text_seconds(p->cold, text[4]));
    if (isnan(p->measured))
        return;
    printf("measured   %s", kt_text_seconds(p->covered > 0 ? p->covered : p->measured, text[0]));
    if (isnan(error_of(p)))
        printf("; of the whole nothing is predicted");
    else
        printf("; the prediction is %+.1f %% off", 100 * error_of(p));
    printf("\n");
    if (p->at_pace.n)
        printf("pace       its kernels, timed again, take %.2f times as long as their models say:\n"
               "           at that pace %s, %+.1f %% off (%+.1f to %+.1f %%, n = %zu)\n",
               p->pace.median, kt_text_seconds(p->pace.median * p->cost.seconds, text[1]),
               100 * (p->at_pace.median - 1), 100 * (p->at_pace.lo - 1), 100 * (p->at_pace.hi - 1), p->at_pace.n);
}

static void print_gaps(const struct kt_prediction *p)
{
    char text[3][16];
    if (p->unknown) {
        printf("no model   for %s of %s", kt_text_count((double)p->unknown, text[0]), KT_COUNT(p->calls, "call"));
        if (!isnan(missing_share(p)))
            printf(", %s of the measured time", kt_text_percent(missing_share(p), text[1]));
        printf("\n");
    }
    if (p->extrapolated)
        printf("outside    of the sizes that models know: %s, by up to %.0f %%\n", KT_COUNT(p->extrapolated, "call"),
               100 * p->worst_outside);
}

void kt_prediction_print(const struct kt_prediction *p, size_t top)
{
    print_table(p, top);
    print_sums(p);
    print_gaps(p);
}
