/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/build/crossover_build.h"

#include "model/build/crossover.h"
#include "model/build/model_batch.h"
#include "trace/base/memory.h"
#include "trace/base/now.h"

#include <string.h>

static const double least_budget = 40; /* seconds; below it what this takes is better spent on samples */
static const double part_of_budget = 0.1;
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
    memcpy(wish.size, size, sizeof wish.size);
    wish.guess = kt_batch_guess(s->build, s->need, 0, size);
    if (s->batch->seconds + kt_batch_cost(s->build, &wish) <= s->seconds)
        kt_batch_add(s->batch, s->build, &wish);
}

static bool is_within(const struct kt_box *box, const struct kt_box *all, int axes)
{
    bool within = true;
    for (int a = 0; a < axes; a++)
        within = within && box->lo[a] >= all->lo[a] && box->hi[a] <= all->hi[a];
    return within;
}

/* Contexts learn from each other where a library turns, and that it does not in sizes that one of them was searched
 * in. */
static void share(const struct kt_build *build, size_t need)
{
    for (size_t from = 0; from < build->rules->contexts; from++) {
        const struct kt_kernel_model *known = kt_build_model(build, need, from);
        for (size_t c = 0; c < build->rules->contexts && known->is_searched; c++) {
            struct kt_kernel_model *m = kt_build_model(build, need, c);
            bool turns = known->crossover.product > 0 && !(m->crossover.product > 0);
            if (turns)
                kt_domain_cross(m, &known->crossover);
            m->is_searched = m->is_searched || turns || is_within(&m->domain, &known->domain, m->axes);
        }
    }
}

static size_t begin(struct kt_build *build, struct searching *out)
{
    size_t n = 0;
    for (size_t need = 0; need < build->needs->count; need++) {
        struct searching *s = &out[n];
        *s = (struct searching){.build = build, .need = need};
        if (model_of(s)->axes < 2 || model_of(s)->is_searched)
            continue;
        kt_crossover_begin(model_of(s), &s->search);
        n++;
    }
    return n;
}

/* One that is not at its end goes on in the next build. */
static void keep(const struct searching *s)
{
    struct kt_kernel_model *m = model_of(s);
    if (s->search.state != KT_CROSSOVER_KNOWN) {
        s->build->open_searches++;
        return;
    }
    if (s->search.crossover.product > 0)
        kt_domain_cross(m, &s->search.crossover);
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
    size_t known = build->samples + build->again + build->failed;
    for (size_t i = 0; i < searches; i++) {
        s[i].batch = &batch;
        s[i].seconds = seconds;
        kt_crossover_go_on(&s[i].search, model_of(&s[i]), is_possible, wish_for, &s[i]);
    }
    enum kt_status status = batch.wishes ? kt_batch_run(&batch, build, seconds, error) : KT_OK;
    kt_batch_free(&batch);
    *goes_on = build->samples + build->again + build->failed > known; /* otherwise it would be the same again */
    return status == KT_OK && *goes_on ? kt_models_write(build->models, error) : status;
}

static enum kt_status search_all(struct kt_build *build, struct searching *s, size_t searches, double start,
                                 struct kt_error *error)
{
    for (bool goes_on = true; goes_on && left(build, start) > 0;)
        KT_TRY(run_batch(build, s, searches, left(build, start), &goes_on, error));
    for (size_t i = 0; i < searches; i++) {
        kt_crossover_go_on(&s[i].search, model_of(&s[i]), is_possible, NULL, &s[i]);
        keep(&s[i]);
    }
    return KT_OK;
}

enum kt_status kt_crossovers_find(struct kt_build *build, struct kt_error *error)
{
    double start = kt_now();
    for (size_t need = 0; need < build->needs->count; need++)
        share(build, need);
    if (build->rules->budget < least_budget)
        return KT_OK;
    struct searching *searching = kt_resize(NULL, build->needs->count, sizeof *searching);
    enum kt_status status = search_all(build, searching, begin(build, searching), start, error);
    free(searching);
    return status;
}
