/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/roofline/kernel_states.h"

#include "model/roofline/roofline_machine.h"
#include "trace/command/about.h"
#include "trace/table/known.h"
#include "model/tracker/line_runs.h"
#include "trace/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <strings.h>

/* --- what is asked for ------------------------------------------------------------------------------------- */

enum { DEFAULT_SIZES = 12, GREATEST_SIZE = 1 << 26 };

enum kt_status kt_kernel_sizes(const char *text, struct kt_kernel_plan *out, struct kt_error *error)
{
    long long from, to;
    int count = DEFAULT_SIZES, used = 0,
        fields = sscanf(text, "%lld%n:%lld%n:%d%n", &from, &used, &to, &used, &count, &used);
    if (fields == 1) {
        to = from;
        count = 1;
    }
    if (fields < 1 || text[used] || from < 1 || to < from || to > GREATEST_SIZE || count < 1 || count > KT_MOST_SIZES)
        return kt_fail(error, KT_USAGE, "--n %.60s: expected FROM:TO or FROM:TO:COUNT, 1 to %d sizes up to %d", text,
                       KT_MOST_SIZES, GREATEST_SIZE);
    out->sizes = 0;
    for (int i = 0; i < count; i++) {
        double part = count > 1 ? (double)i / (count - 1) : 0;
        int64_t size = (int64_t)llround((double)from * pow((double)to / (double)from, part));
        if (out->sizes == 0 || size > out->size[out->sizes - 1])
            out->size[out->sizes++] = size;
    }
    return KT_OK;
}

static const char *const states[KT_MOST_STATES] = {"warm", "coldcode", "cold", "allcold", "l1", "l2", "l3"};
enum { OF_ALL = 4 }; /* of them: those before */
static const char *const state_text[KT_MOST_STATES] = {"data and code warm",
                                                       "data warm, code cold",
                                                       "data cold, code warm",
                                                       "data and code cold",
                                                       "data evicted from L1, code warm",
                                                       "data and code evicted from L2",
                                                       "data and code evicted from L3"};

static int find_state(const char *name, size_t length)
{
    for (int i = 0; i < KT_MOST_STATES; i++)
        if (strlen(states[i]) == length && !strncmp(states[i], name, length))
            return i;
    return -1;
}

static void add_state(struct kt_kernel_plan *out, const char *state)
{
    for (size_t i = 0; i < out->states; i++)
        if (out->state[i] == state)
            return;
    out->state[out->states++] = state;
}

enum kt_status kt_kernel_states(const char *text, struct kt_kernel_plan *out, struct kt_error *error)
{
    out->states = 0;
    for (const char *at = text;; at += *at == ',') {
        size_t length = strcspn(at, ",");
        bool all = length == 3 && !strncmp(at, "all", 3);
        int found = find_state(at, length);
        if (!all && found < 0)
            return kt_fail(error, KT_USAGE, "--states %.60s: expected warm, cold, coldcode, allcold, all, l1, l2 or l3",
                           text);
        for (int i = 0; i < KT_MOST_STATES; i++)
            if (all ? i < OF_ALL : i == found)
                add_state(out, states[i]);
        at += length;
        if (!*at)
            return KT_OK;
    }
}

/* --- calls ------------------------------------------------------------------------------------------------- */

static double scalar_value(const struct kt_arg *arg)
{
    return !strcmp(arg->name, "beta") ? -0.5 : 0.75;
}

static double option_value(enum kt_role role)
{
    return role == KT_UPLO ? 'U' : role == KT_SIDE ? 'L' : 'N'; /* of KT_TRANS and KT_DIAG */
}

/* The smallest that there may be: bands need rows for both their sides and the diagonal. */
static double leading_dimension(const struct kt_routine *routine, int argument, int64_t n)
{
    for (int i = 0; i < routine->args; i++)
        if (routine->arg[i].role == KT_ARRAY && routine->arg[i].shape.step == argument &&
            routine->arg[i].shape.form == KT_FORM_BAND)
            return (double)(2 * n + 1);
    return (double)n;
}

static struct kt_values values_of(const struct kt_routine *routine, int64_t n)
{
    struct kt_values values = {0};
    for (int i = 0; i < routine->args; i++) {
        const struct kt_arg *arg = &routine->arg[i];
        if (arg->role == KT_ARRAY)
            values.address[i] = (uint64_t)(i + 1) << 40;
        else if (arg->role <= KT_DIAG)
            values.v[i] = option_value(arg->role);
        else if (arg->role == KT_SIZE)
            values.v[i] = (double)n;
        else if (arg->role == KT_LD)
            values.v[i] = leading_dimension(routine, i, n);
        else
            values.v[i] = arg->role == KT_SCALAR ? scalar_value(arg) : 1;
    }
    return values;
}

static struct kt_quantities work_of(const struct kt_routine *routine, const struct kt_values *values, unsigned shift)
{
    struct kt_symbol symbol;
    struct kt_quantities work;
    kt_symbol_make(routine, KT_FORTRAN, &symbol);
    kt_quantities_of_values(&symbol, values, sizeof(int32_t), kt_flops(routine, values), shift, &work);
    return work;
}

/* How long it will take, roughly: to plan how many samples make a visit. */
static double guess(const struct kt_roofs *roofs, const struct kt_quantities *work)
{
    double flops = work->flops > 0 ? work->flops / 4 : 0;
    return 1e-7 + (flops + work->loaded / 8) / roofs->hz;
}

static void make_calls(struct kt_kernel_sizes *k, const struct kt_routine *routine, const struct kt_roofs *roofs)
{
    snprintf(k->name, sizeof k->name, "%s", routine->name);
    k->count = k->plan->sizes;
    for (size_t i = 0; i < k->count; i++) {
        struct kt_values values = values_of(routine, k->plan->size[i]);
        k->number[i] = i + 1;
        k->work[i] = work_of(routine, &values, roofs->line_shift);
        k->traffic[i] = kt_quantities_traffic(&k->work[i], roofs->cache);
        k->call[i] = (struct kt_timing_call){.routine = routine, .values = values, .guess = guess(roofs, &k->work[i])};
    }
}

/* --- points ------------------------------------------------------------------------------------------------ */

static enum kt_point_context context_of(const char *state)
{
    enum kt_point_context context = KT_POINT_WARM;
    while (strcmp(kt_point_context_name[context], state) != 0)
        context++;
    return context;
}

static void add_point(const struct kt_kernel_sizes *k, struct kt_roofline *r, size_t series, size_t size, size_t state)
{
    const struct kt_timed *timed = &k->timed[size][state];
    if (!(timed->best > 0))
        return;
    r->point = kt_room_for_one(r->point, r->points, sizeof *r->point);
    struct kt_roofline_point *p = &r->point[r->points++];
    *p = (struct kt_roofline_point){
        .series = series,
        .context = context_of(k->plan->state[state]),
        .leads = true,
        .number = k->number[size],
        .shapes = 1,
        .calls = timed->samples,
        .seconds = timed->best,
        .share = NAN,
        .work = k->work[size],
        .traffic = k->traffic[size],
        .flops_counted = NAN,
        .traffic_counted = NAN,
        .traffic_tracked = NAN,
        .time = kt_spread_exact(timed->best),
        .visits = {timed->least, timed->best, timed->median, timed->upper, timed->most, timed->visits}};
    p->time.least = p->time.q1 = p->time.q3 = p->time.most = NAN;
    p->time.n = timed->samples;
    long long n = k->plan->size[k->number[size] - 1];
    snprintf(p->routine, sizeof p->routine, "%s", k->name);
    snprintf(p->shape, sizeof p->shape, "n=%lld", n);
    p->args = json_pack("{sI}", "n", (json_int_t)n);
    kt_point_place(p, r->roofs[0].hz);
}

static void add_series(const struct kt_kernel_sizes *k, const char *library, const char *file, size_t state,
                       struct kt_roofline *r)
{
    size_t number = r->count++;
    struct kt_point_series *series = &r->series[number];
    *series = (struct kt_point_series){.threads = 1, .cores = 1, .seconds = NAN};
    snprintf(series->library, sizeof series->library, "%s", library);
    series->file = kt_copy(file);
    kt_roofline_processor(series->processor, sizeof series->processor);
    kt_about_now(series->when, sizeof series->when);
    snprintf(series->name, sizeof series->name, "%s",
             state_text[find_state(k->plan->state[state], strlen(k->plan->state[state]))]);
    for (size_t i = 0; i < k->count; i++)
        add_point(k, r, number, i, state);
}

void kt_kernel_add(const struct kt_kernel_sizes *k, const char *library, const char *file, struct kt_roofline *roofline)
{
    for (size_t s = 0; s < k->plan->states; s++)
        add_series(k, library, file, s, roofline);
}

/* --- timing ------------------------------------------------------------------------------------------------ */

enum kt_status kt_kernel_run(struct kt_kernel_sizes *k, const struct kt_timing_of *of, double seconds,
                             struct kt_error *error)
{
    struct kt_timing *timing;
    const struct kt_timing_rules rules = {.rounds = 10, .processes = 2, .label = k->name, .seconds = seconds};
    KT_TRY(kt_timing_open(of, k->plan->state, k->plan->states, &timing, error));
    for (size_t i = 0; i < k->count; i++) {
        k->call[i].contexts = (1U << k->plan->states) - 1;
        k->call[i].result = k->timed[i];
    }
    enum kt_status status = kt_timing_run(timing, k->call, k->count, &rules, error);
    kt_timing_close(timing);
    return status;
}

static enum kt_status first_failure(const struct kt_kernel_sizes *k, struct kt_error *error)
{
    for (size_t i = 0; i < k->count; i++)
        if (k->call[i].failure[0])
            return kt_fail(error, KT_BAD_INPUT, "%s n=%lld: %s", k->name, (long long)k->plan->size[i],
                           k->call[i].failure);
    return KT_OK;
}

static enum kt_status time_library(struct kt_kernel_sizes *k, const char *blas, struct kt_roofline *roofline,
                                   struct kt_error *error)
{
    struct kt_timing_identity identity;
    const struct kt_timing_of of = {.blas = blas, .threads = 1};
    enum kt_status status = kt_timing_identify(&of, &identity, error);
    if (status == KT_OK)
        status = kt_kernel_run(k, &of, k->plan->seconds / (double)k->plan->libraries, error);
    if (status == KT_OK)
        status = first_failure(k, error);
    if (status == KT_OK)
        kt_kernel_add(k, identity.name, strchr(blas, '/') ? blas : identity.name, roofline);
    kt_timing_identity_free(&identity);
    return status;
}

static enum kt_status time_routine(struct kt_kernel_sizes *k, struct kt_roofline *roofline, struct kt_error *error)
{
    const struct kt_routine *routine = kt_table_find(kt_known_routines(), k->plan->routine);
    if (!routine)
        return kt_fail(error, KT_USAGE, "%.40s: not the name of a routine, such as dgemm", k->plan->routine);
    if (roofline->count + k->plan->states * k->plan->libraries > KT_MOST_SERIES)
        return kt_fail(error, KT_USAGE, "more than %d curves: %zu states of %zu libraries", KT_MOST_SERIES,
                       k->plan->states, k->plan->libraries);
    make_calls(k, routine, &roofline->roofs[0]);
    for (size_t i = 0; i < k->plan->libraries; i++)
        KT_TRY(time_library(k, k->plan->blas[i], roofline, error));
    return KT_OK;
}

enum kt_status kt_kernel_time(const struct kt_kernel_plan *plan, struct kt_roofline *roofline, struct kt_error *error)
{
    struct kt_kernel_sizes *k = kt_resize(NULL, 1, sizeof *k);
    struct kt_kernel_plan with_library = *plan;
    if (plan->libraries == 0)
        with_library.blas[with_library.libraries++] = "libblas.so.3";
    *k = (struct kt_kernel_sizes){.plan = &with_library};
    enum kt_status status = time_routine(k, roofline, error);
    free(k);
    return status;
}
