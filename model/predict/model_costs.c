/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/predict/model_costs.h"

#include "replay/machine/caches.h"
#include "trace/command/machine.h"

#include <math.h>
#include <string.h>

/* --- models ------------------------------------------------------------------------------------------------ */

#define NOT_KNOWN     \
    {                 \
        NAN, NAN, NAN \
    }
static const struct kt_cost not_known = NOT_KNOWN;

static bool has_answer(const struct kt_model_answer *answer)
{
    return answer->known == KT_MODEL_KNOWN || answer->known == KT_MODEL_OUTSIDE;
}

static struct kt_model_answer ask(const struct kt_models *models, const struct kt_model_query *query,
                                  enum kt_model_context context, struct kt_cost *out)
{
    struct kt_model_answer answer;
    kt_models_ask(models, query, context, &answer);
    *out = not_known;
    if (!has_answer(&answer))
        return answer;
    bool bounded = !isnan(answer.lo) && !isnan(answer.hi);
    *out = (struct kt_cost){answer.seconds, bounded ? answer.lo : answer.seconds, bounded ? answer.hi : answer.seconds};
    return answer;
}

static enum kt_cost_known known_of(enum kt_model_known known)
{
    return known == KT_MODEL_KNOWN     ? KT_COST_KNOWN
           : known == KT_MODEL_OUTSIDE ? KT_COST_EXTRAPOLATED
           : known == KT_MODEL_TOO_FAR ? KT_COST_TOO_FAR
                                       : KT_COST_UNKNOWN;
}

static enum kt_cost_known known_or_stood_for(const struct kt_model_answer *own, const struct kt_model_answer *other)
{
    return has_answer(own) || !has_answer(other) ? known_of(own->known) : KT_COST_EXTRAPOLATED;
}

static void ask_all(const struct kt_models *models, const struct kt_model_query *query, struct kt_costs *out)
{
    static const enum kt_model_context level[] = {KT_MODEL_L1, KT_MODEL_L2, KT_MODEL_L3};
    struct kt_model_answer warm = ask(models, query, KT_MODEL_WARM, &out->warm);
    struct kt_model_answer cold = ask(models, query, KT_MODEL_COLD, &out->cold);
    for (size_t i = 0; i < sizeof level / sizeof *level; i++)
        ask(models, query, level[i], &out->level[i + 1]); /* evicted from that level: resident in the next */
    const struct kt_model_answer *better = has_answer(&warm) ? &warm : &cold;
    out->known = known_of(better->known);
    out->known_warm = known_or_stood_for(&warm, &cold);
    out->known_cold = known_or_stood_for(&cold, &warm);
    out->outside_warm = has_answer(&warm) ? warm.outside : cold.outside;
    out->outside_cold = has_answer(&cold) ? cold.outside : warm.outside;
    if (!has_answer(&warm))
        out->warm = out->cold;
    if (!has_answer(&cold))
        out->cold = out->warm;
}

void kt_costs_of_models(void *context, const struct kt_symbol *symbol, const struct kt_values *values,
                        struct kt_costs *out)
{
    const struct kt_models *models = context;
    struct kt_model_query query;
    *out = (struct kt_costs){
        .known = KT_COST_UNKNOWN, .outside_warm = NAN, .outside_cold = NAN, .warm = not_known, .cold = not_known};
    for (int i = 0; i < KT_MAX_CACHES; i++)
        out->level[i] = not_known;
    if (!kt_model_query_of_call(symbol, values, &query))
        return;
    if (!kt_model_query_has_zero(&query))
        ask_all(models, &query, out);
    else if (kt_has_nothing_to_do(symbol, values))
        *out = (struct kt_costs){.known = KT_COST_KNOWN, .level = {NOT_KNOWN, NOT_KNOWN, NOT_KNOWN, NOT_KNOWN}};
}

/* --- caches ------------------------------------------------------------------------------------------------ */

static void take_machine(const struct kt_machine *machine, struct kt_prediction_rules *out)
{
    struct kt_caches *caches = &out->caches;
    for (size_t i = 0; i < machine->caches && i < KT_MAX_CACHES; i++) {
        const struct kt_machine_cache *cache = &machine->cache[i];
        double bytes = cache->half_bytes; /* the paper's share is a half there */
        if (!(bytes > 0))
            break;
        bool claimed = i < caches->count;
        caches->cache[i].bytes = (uint64_t)bytes;
        caches->cache[i].shared = claimed ? caches->cache[i].shared : 1;
        caches->count = (unsigned)i + 1 > caches->count ? (unsigned)i + 1 : caches->count;
        out->latency[i] = cache->latency_ns;
    }
    if (machine->line_bytes > 0)
        caches->line = (uint64_t)machine->line_bytes;
    out->latency[caches->count] = machine->memory_latency_ns;
}

enum kt_status kt_prediction_caches(double last, struct kt_prediction_rules *out, const char **whence,
                                    struct kt_error *error)
{
    struct kt_machine machine;
    struct kt_error absent = {0};
    memset(out->latency, 0, sizeof out->latency);
    if (!kt_caches_read(NULL, &out->caches))
        out->caches.count = 0;
    *whence = "as the system says; 'ktrace probe' measures";
    if (kt_machine_read(NULL, &machine, &absent) == KT_OK && machine.caches) {
        take_machine(&machine, out);
        *whence = "as probed";
    }
    if (out->caches.count == 0)
        return kt_fail(error, KT_BAD_INPUT,
                       "the caches of this machine are not known: 'ktrace probe --quick' measures them");
    if (last > 0) {
        out->caches.cache[out->caches.count - 1].bytes = (uint64_t)last;
        *whence = "the last one as told";
    }
    return KT_OK;
}
