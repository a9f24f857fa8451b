/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/kernels/crossover_build.h"

#include "model/kernels/crossover.h"
#include "model/kernels/model_batch.h"
#include "trace/now.h"

#include <string.h>

static const double least_budget = 40; /* seconds; below it what this takes is better spent on samples */
static const double part_of_budget = 0.1;
enum { MOST_NEEDS = 12 };

struct searching {
    struct kt_build *build;
    size_t need;
    struct kt_crossover_search search;
    struct kt_batch *batch;
    double seconds; /* that the batch may take */
};

/* A library turns where it turns, wherever operands are: samples are those of the first context. */
static struct kt_kernel_model *model_of(const struct searching *s)
{
    return kt_build_model(s->build, s->need, 0);
}

static bool is_possible(void *context, const int64_t *size)
{
    const struct searching *s = context;
    return kt_batch_can_time(s->build, s->need, size);
}

/* As long as there is time for it. */
static void wish_for(void *context, const int64_t *size)
{
    const struct searching *s = context;
    struct kt_wish wish = {.need = s->need, .contexts = 1};
    if (s->batch->seconds >= s->seconds)
        return;
    memcpy(wish.size, size, sizeof wish.size);
    wish.guess = kt_batch_guess(s->build, s->need, 0, size);
    kt_batch_add(s->batch, s->build, &wish);
}

/* Contexts learn from each other what a search in one of them found. */
static void share(const struct kt_build *build, size_t need)
{
    const struct kt_kernel_model *known = NULL;
    for (size_t c = 0; c < build->rules->contexts; c++)
        if (kt_build_model(build, need, c)->is_searched)
            known = kt_build_model(build, need, c);
    for (size_t c = 0; c < build->rules->contexts && known; c++) {
        struct kt_kernel_model *m = kt_build_model(build, need, c);
        if (!m->is_searched && known->crossover > 0)
            kt_domain_cross(m, known->crossover);
        m->is_searched = true;
    }
}

static size_t begin(struct kt_build *build, struct searching out[MOST_NEEDS])
{
    size_t n = 0;
    for (size_t need = 0; need < build->needs->count && n < MOST_NEEDS; need++) {
        share(build, need);
        out[n] = (struct searching){.build = build, .need = need};
        if (model_of(&out[n])->axes < 2 || model_of(&out[n])->is_searched)
            continue;
        kt_crossover_begin(model_of(&out[n]), &out[n].search);
        n++;
    }
    return n;
}

/* One that is not at its end goes on in the next build. */
static void keep(const struct searching *s)
{
    struct kt_kernel_model *m = model_of(s);
    if (s->search.state != KT_CROSSOVER_KNOWN)
        return;
    if (s->search.crossover > 0)
        kt_domain_cross(m, s->search.crossover);
    m->is_searched = true;
    share(s->build, s->need);
}

static double left(const struct kt_build *build, double start)
{
    return kt_timing_interrupted() ? 0 : part_of_budget * build->rules->budget - (kt_now() - start);
}

/* What all searches need next; GOES_ON: some of it was timed. */
static enum kt_status run_batch(struct kt_build *build, struct searching *s, size_t searches, double seconds,
                                bool *goes_on, struct kt_error *error)
{
    struct kt_batch batch = {0};
    size_t known = build->samples + build->failed;
    for (size_t i = 0; i < searches; i++) {
        s[i].batch = &batch;
        s[i].seconds = seconds;
        kt_crossover_go_on(&s[i].search, model_of(&s[i]), is_possible, wish_for, &s[i]);
    }
    enum kt_status status = batch.wishes ? kt_batch_run(&batch, build, seconds, error) : KT_OK;
    kt_batch_free(&batch);
    *goes_on = build->samples + build->failed > known; /* otherwise it would be the same again */
    return status;
}

enum kt_status kt_crossovers_find(struct kt_build *build, struct kt_error *error)
{
    struct searching searching[MOST_NEEDS];
    double start = kt_now();
    if (build->rules->budget < least_budget)
        return KT_OK;
    size_t searches = begin(build, searching);
    for (bool goes_on = true; goes_on && left(build, start) > 0;)
        KT_TRY(run_batch(build, searching, searches, left(build, start), &goes_on, error));
    for (size_t i = 0; i < searches; i++) {
        kt_crossover_go_on(&searching[i].search, model_of(&searching[i]), is_possible, NULL, &searching[i]);
        keep(&searching[i]);
    }
    return KT_OK;
}
